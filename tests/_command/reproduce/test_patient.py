"""The patients of QI-MHSA's experiment."""

from __future__ import annotations

import polars as pl

from shoal._command.reproduce.patient import (
    DIAGNOSES,
    HIGH,
    MIDDLE,
    patient_attributes,
    patients,
    with_date_flags,
)


def test_patients_are_the_same_for_a_seed() -> None:
    assert patients(200, 3).equals(patients(200, 3))
    assert not patients(200, 3).equals(patients(200, 4))
    assert patients().height == 50_000


def test_they_are_as_the_paper_describes_them() -> None:
    frame = with_date_flags(patients(20_000))
    assert frame.null_count().sum_horizontal().item() == 0
    assert frame["DateJoined"].dtype == pl.Date
    assert frame["DateJoined"].dt.year().is_between(2010, 2019).all()
    assert set(frame["DateFlag"]) == {0, 1, 2}
    assert frame["age"].is_between(0, 99).all()
    codes = {code for family in DIAGNOSES.values() for code in family}
    assert set(frame["DiagnoseCode"]) == codes
    assert {*HIGH, *MIDDLE} <= codes
    # Rare diseases are the ones that people hide.
    assert frame["DiagnoseCode"].is_in(HIGH).mean() < 0.05  # type: ignore[operator]
    assert set(patient_attributes()) == set(frame.columns)
