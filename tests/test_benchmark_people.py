"""The tables of people with several records: what the loaders give, and that the plans fit them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.people import (
    diabetes,
    diabetes_plan,
    informs,
    informs_plan,
    people_like,
    people_plan,
)
from shoal.plan import Plan
from shoal.table import Table, encode
from shoal.table.people import settle_conflicts

PEOPLE = ["DUPERSID", "DOBMM", "DOBYY", "SEX", "RACEX", "EDUCYEAR", "marry", "condition"]


def found(folder: Path, name: str) -> None:
    if not (folder / name).is_dir():
        pytest.skip(f"needs {name} in the folder of public data sets")


@pytest.fixture(scope="module")
def informs_table(data_folder: Path) -> pl.DataFrame:
    found(data_folder, "informs-2008")
    return informs(8)


@pytest.fixture(scope="module")
def encounters(data_folder: Path) -> pl.DataFrame:
    found(data_folder, "diabetes-130")
    return diabetes()


def coded(frame: pl.DataFrame, plan: dict[str, Any]) -> Table:
    """The table as the plan's attributes declare it; every column of both must be in the other."""
    assert list(plan["attributes"]) == frame.columns
    schema = Plan.of({**plan, "privacy": [{"k-anonymity": {"k": 2}}], "method": "mondrian"}).schema
    settled, _ = settle_conflicts(frame, schema)
    return encode(settled, schema)


def test_informs_has_its_known_counts(informs_table: pl.DataFrame) -> None:
    people = informs_table["DUPERSID"]
    assert (people.n_unique(), informs_table.height) == (26_735, 96_766)
    assert informs_table["condition"].n_unique() == 599
    assert people.value_counts()["count"].max() == 35
    assert informs_table["condition"].value_counts()["count"].max() == 5_102
    vectors = [informs_table[:, 1 : 1 + d].n_unique() for d in range(3, 9)]
    assert vectors == [2_062, 5_275, 14_526, 17_016, 21_787, 22_935]


def test_informs_has_every_condition_of_a_person_once_and_none_unknown(
    informs_table: pl.DataFrame,
) -> None:
    assert not informs_table.select("DUPERSID", "condition").is_duplicated().any()
    assert not informs_table["condition"].is_in(["-1", "-9"]).any()
    assert informs_table.null_count().sum_horizontal().item() == 0


@pytest.mark.parametrize("quasi", [3, 6, 8])
def test_an_informs_plan_fits_as_many_quasi_identifiers(
    informs_table: pl.DataFrame, quasi: int
) -> None:
    frame = informs_table.select(*informs_table.columns[: 1 + quasi], "condition")
    assert frame.equals(informs(quasi))
    assert len(coded(frame, informs_plan(quasi=quasi)).quasi) == quasi


def test_unknown_years_of_education_are_missing_and_no_schooling_is_a_number(
    informs_table: pl.DataFrame,
) -> None:
    table = coded(informs_table.select(PEOPLE), informs_plan())
    missing = {d.attribute.name for d in table.quasi if d.missing >= 0}
    assert missing == {"EDUCYEAR"}
    (years,) = [d for d in table.quasi if d.attribute.name == "EDUCYEAR"]
    assert [text for text in years.texts if text] == [str(y) for y in range(-1, 18)]


@pytest.mark.parametrize("quasi", [0, 9])
def test_informs_has_one_to_eight_quasi_identifiers(quasi: int) -> None:
    with pytest.raises(ValueError, match="between 1 and 8"):
        informs_plan(quasi=quasi)


def test_diabetes_has_its_known_counts(encounters: pl.DataFrame) -> None:
    patients = encounters["patient_nbr"]
    assert (patients.n_unique(), encounters.height) == (71_509, 101_745)
    assert encounters["diag_1"].n_unique() == 716
    assert patients.value_counts()["count"].max() == 40
    assert encounters.select("patient_nbr", "diag_1").n_unique() == 94_263
    first = encounters.unique("patient_nbr", keep="first", maintain_order=True)
    assert first.select("race", "gender", "age").n_unique() == 119
    diagnoses = encounters.unique(["patient_nbr", "diag_1"])["diag_1"].value_counts(sort=True)
    assert diagnoses.row(0) == ("414", 5_994)


def test_a_diabetes_plan_settles_what_differs_within_a_patient(encounters: pl.DataFrame) -> None:
    table = coded(encounters, diabetes_plan())
    assert [d.attribute.name for d in table.quasi] == ["race", "gender", "age"]
    assert [d.missing >= 0 for d in table.quasi] == [True, True, False]


@given(st.integers(1, 300), st.integers(0, 2**32))
@settings(max_examples=30)
def test_synthetic_people_have_one_vector_and_each_condition_once(n: int, seed: int) -> None:
    frame = people_like(n, seed)
    assert frame.columns == PEOPLE
    assert frame["DUPERSID"].n_unique() == n == frame[:, :-1].n_unique()
    assert not frame.is_duplicated().any()
    assert max(frame["DUPERSID"].value_counts()["count"]) <= 30
    assert frame.equals(people_like(n, seed))


def test_synthetic_people_have_the_shape_of_informs() -> None:
    frame = people_like(20_000, seed=1)
    people = frame.unique("DUPERSID")
    distinct = [people[name].n_unique() for name in PEOPLE[1:-1]]
    assert distinct == [12, 85, 2, 6, 18, 10]
    assert frame["condition"].n_unique() == 300
    assert 3.5 < frame.height / people.height < 4.2
    commonest = max(frame["condition"].value_counts()["count"])
    assert 0.17 < commonest / people.height < 0.21
    assert 12_000 < people.select(PEOPLE[1:-1]).n_unique() < 16_000


def test_marital_status_and_education_follow_age() -> None:
    people = people_like(5_000, seed=2).unique("DUPERSID")
    young = people.filter(pl.col("DOBYY") > 2005 - 16)
    assert young["marry"].unique().to_list() == [6]
    assert 6 not in people.filter(pl.col("DOBYY") <= 2005 - 16)["marry"]
    assert (young["EDUCYEAR"] <= (2005 - 6 - young["DOBYY"]).clip(0)).all()


def test_another_seed_gives_other_people() -> None:
    assert not people_like(50, seed=1).equals(people_like(50, seed=2))


def test_a_people_plan_fits_synthetic_people() -> None:
    plan = people_plan(4)
    assert plan["privacy"] == [{"eir-l": {"l": 4}}]
    assert len(coded(people_like(200, seed=1), plan).quasi) == 6
