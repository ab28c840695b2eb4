"""The made-up hospital: the same for a seed, correlated, and fit for its plans."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._command.demo import diagnoses, generate, write_demo
from shoal._command.demo.illness import ILLNESSES, N_GROUPS, draw_illnesses
from shoal._command.demo.patient import MOST_PEOPLE, whole_years
from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy

PLANS = (
    "patients-mondrian",
    "patients-ladder",
    "patients-close",
    "patients-personal",
    "diagnoses-people",
)


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return generate(20_000, seed=3)


@pytest.fixture(scope="module")
def several() -> pl.DataFrame:
    return diagnoses(5_000, seed=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo")
    write_demo(place, people=600, seed=1)
    return place


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


def test_illnesses_are_as_common_as_they_are_in_the_group() -> None:
    group = np.repeat(np.arange(N_GROUPS), 4_000)
    drawn = draw_illnesses(group, np.random.default_rng(1))
    counts = np.bincount(drawn + group * len(ILLNESSES), minlength=N_GROUPS * len(ILLNESSES))
    of_old_men = counts.reshape(N_GROUPS, -1)[6]
    common = np.array([i.common[3] * (1 - i.women) for i in ILLNESSES])
    assert np.abs(of_old_men / 4_000 - common / common.sum()).max() < 0.02


def test_people_have_several_diagnoses_and_one_set_of_facts(several: pl.DataFrame) -> None:
    facts = ["name", "sex", "birth_date", "age", "postcode", "insurance"]
    assert several.select(facts).unique().height == several["name"].n_unique() == 5_000
    assert several.select("name", "diagnosis").is_unique().all()
    assert 1.8 < several.height / 5_000 < 3.5
    patients = generate(5_000, 3)
    assert several.select(facts).unique(maintain_order=True).equals(patients.select(facts))


def test_no_diagnosis_is_older_than_the_person(several: pl.DataFrame) -> None:
    assert (several["since"] >= several["birth_date"].dt.year()).all()


@pytest.mark.parametrize(
    ("people", "seed", "n_problems"), [(0, 1, 1), (MOST_PEOPLE + 1, 1, 1), (-2, -1, 2)]
)
def test_wrong_sizes_are_named(people: int, seed: int, n_problems: int) -> None:
    with pytest.raises(PlanError) as raised:
        generate(people, seed)
    assert len(raised.value.problems) == n_problems


def test_the_hierarchies_have_every_value(folder: Path, patients: pl.DataFrame) -> None:
    for column in ("diagnosis", "ward"):
        rows = Hierarchy.file(folder / "hierarchies" / f"{column}.csv").spec.rows
        assert set(patients[column]) <= {row[0] for row in rows}
        assert {row[-1] for row in rows} == {"*"}


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_holds(folder: Path, name: str) -> None:
    release = shoal.run(folder / f"{name}.yaml")
    assert release.holds
    assert release.counts.suppressed <= 0.2 * release.counts.rows
    assert (folder / "releases" / name / "manifest.json").is_file()


def test_people_are_counted_where_they_have_several_rows(folder: Path) -> None:
    release = shoal.run(folder / "diagnoses-people.yaml", output=folder / "again")
    assert release.counts.people == 600
    assert release.classes["people"].min() >= 5  # type: ignore[operator]


def test_an_occupied_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("mine")
    for force in (False, True):
        with pytest.raises(PlanError):
            write_demo(tmp_path, 10, 1, force=force)
    assert [p.name for p in tmp_path.iterdir()] == ["patients.csv"]
    assert (tmp_path / "patients.csv").read_text() == "mine"


def test_a_demo_is_replaced_only_by_force(tmp_path: Path) -> None:
    place = tmp_path / "demo"
    plans = write_demo(place, 20, 1)
    assert [path.stem for path in plans] == list(PLANS)
    before = (place / "patients.csv").read_text()
    with pytest.raises(PlanError, match="--force"):
        write_demo(place, 20, 2)
    assert (place / "patients.csv").read_text() == before
    write_demo(place, 20, 2, force=True)
    assert (place / "patients.csv").read_text() != before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("")
    with pytest.raises(PlanError, match="is a file"):
        write_demo(tmp_path / "demo", 20, 1, force=True)
