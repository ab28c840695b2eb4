"""The made-up hospital: the same for a seed, correlated, and of any size that is allowed."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from shoal._command.demo import diagnoses, generate
from shoal._command.demo.patient import MOST_PEOPLE, whole_years
from shoal.errors import PlanError


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return generate(20_000, seed=3)


def test_the_same_seed_gives_the_same_tables() -> None:
    assert generate(300, 5).equals(generate(300, 5))
    assert diagnoses(300, 5).equals(diagnoses(300, 5))
    assert not generate(300, 5).equals(generate(300, 6))


def test_every_patient_has_one_row_and_a_name_of_their_own(patients: pl.DataFrame) -> None:
    assert patients.height == 20_000
    assert patients["name"].n_unique() == 20_000
    assert sum(patients.null_count().row(0)) == 0


def test_the_smallest_hospital_has_one_patient() -> None:
    assert generate(1, 0).height == 1
    assert diagnoses(1, 0)["name"].n_unique() == 1


def test_ages_fit_the_birth_dates(patients: pl.DataFrame) -> None:
    def age(born: date, then: date) -> int:
        return then.year - born.year - ((then.month, then.day) < (born.month, born.day))

    rows = patients.select("birth_date", "admission", "age").rows()
    assert all(age(born, then) == years for born, then, years in rows)
    assert patients["age"].min() == 0
    assert 90 < patients["age"].max() < 110  # type: ignore[operator]


def test_whole_years_on_the_day_before_and_after_the_birthday() -> None:
    born = np.array(["2000-02-29", "2000-02-29", "1999-12-31"], "datetime64[D]")
    day = np.array(["2025-02-28", "2025-03-01", "2025-12-31"], "datetime64[D]")
    assert whole_years(born, day).tolist() == [24, 25, 26]


def test_sensitivity_is_a_share_and_flags_are_yes_or_no(patients: pl.DataFrame) -> None:
    assert patients["sensitivity"].is_between(0, 1).all()
    for flag in ("postcode_secret", "income_secret"):
        assert set(patients[flag]) == {"yes", "no"}


def test_columns_go_together(patients: pl.DataFrame) -> None:
    def mean(column: str, condition: pl.Expr) -> float:
        return float(patients.filter(condition)[column].mean())  # type: ignore[arg-type]

    ill = pl.col("diagnosis")
    assert mean("age", ill == "heart failure") > mean("age", ill == "asthma") + 15
    assert mean("sensitivity", ill == "HIV") > mean("sensitivity", ill == "fracture") + 0.4
    assert mean("length_of_stay", ill == "depression") > mean("length_of_stay", ill == "hernia") + 9
    private = pl.col("insurance") == "private"
    assert mean("income", private) > 1.3 * mean("income", ~private)
    secret = pl.col("postcode_secret") == "yes"
    assert mean("sensitivity", secret) > mean("sensitivity", ~secret) + 0.05


def test_only_women_give_birth_and_only_men_have_a_prostate(patients: pl.DataFrame) -> None:
    for illness, sex in (("childbirth", "female"), ("prostate cancer", "male")):
        assert set(patients.filter(diagnosis=illness)["sex"]) == {sex}


def test_children_lie_on_their_own_ward(patients: pl.DataFrame) -> None:
    assert set(patients.filter(pl.col("age") < 15)["ward"]) == {"paediatrics"}
    assert "paediatrics" not in set(patients.filter(pl.col("age") > 16)["ward"])


@pytest.mark.parametrize(
    ("people", "seed", "n_problems"), [(0, 1, 1), (MOST_PEOPLE + 1, 1, 1), (-2, -1, 2)]
)
def test_wrong_sizes_are_named(people: int, seed: int, n_problems: int) -> None:
    with pytest.raises(PlanError) as raised:
        generate(people, seed)
    assert len(raised.value.problems) == n_problems
