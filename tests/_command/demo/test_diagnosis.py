"""People with several diagnoses: one set of facts each, and nothing twice."""

from __future__ import annotations

import polars as pl
import pytest

from shoal._command.demo import diagnoses, generate


@pytest.fixture(scope="module")
def several() -> pl.DataFrame:
    return diagnoses(5_000, seed=3)


def test_people_have_several_diagnoses_and_one_set_of_facts(several: pl.DataFrame) -> None:
    facts = ["name", "sex", "birth_date", "age", "postcode", "insurance"]
    assert several.select(facts).unique().height == several["name"].n_unique() == 5_000
    assert several.select("name", "diagnosis").is_unique().all()
    assert 1.8 < several.height / 5_000 < 3.5
    patients = generate(5_000, 3)
    assert several.select(facts).unique(maintain_order=True).equals(patients.select(facts))


def test_no_diagnosis_is_older_than_the_person(several: pl.DataFrame) -> None:
    assert (several["since"] >= several["birth_date"].dt.year()).all()
