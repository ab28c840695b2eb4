"""Roles with reasons, hierarchies that fit, and plans that parse and run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal._command.demo import write_demo
from shoal._command.init import profile, propose
from shoal.errors import InfeasibleError
from shoal.plan import Plan
from shoal.schema import Role

ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,salary-class"
)


def roles(frame: Any, **options: Any) -> dict[str, str]:
    return {e.name: str(e.role) for e in propose(profile(frame), **options).entries}


def run(frame: pl.DataFrame, text: str, base: Path | None = None) -> shoal.Release:
    plan = Plan.parse("\n".join(x for x in text.split("\n") if not x.startswith("output:")), base)
    return shoal.run(plan, frame)


def test_a_plan_always_has_a_quasi_identifier() -> None:
    for columns in ({"email": ["a@b.c", "d@e.f"]}, {"income": [1, 2]}):
        frame = pl.DataFrame(columns)
        assert list(roles(frame).values()) == ["quasi"]
        assert run(frame, propose(profile(frame)).text).holds


def test_hierarchy_files_that_none_takes_are_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "colour.csv").write_text("red;*\n")
    (tmp_path / "wood.txt").write_text("oak;*\n")
    (tmp_path / "notes.md").write_text("none")
    counted = profile(pl.DataFrame({"town": ["Ulm", "Bonn"]}))
    notes = propose(counted, hierarchies=tmp_path).notes
    assert any("no hierarchy file is used (2 " in note for note in notes)
    assert not any("hierarchy" in note for note in propose(counted).notes)


def test_k_is_lowered_for_a_small_table_and_that_is_said() -> None:
    found = propose(profile(pl.DataFrame({"age": [30, 40, 50]})), k=10)
    assert found.k == 3
    assert any("3 rows" in note and "instead of 10" in note for note in found.notes)
    assert propose(profile(pl.DataFrame({"age": [30, 40, 50]})), k=2).k == 2


def test_l_is_at_most_the_number_of_values() -> None:
    frame = pl.DataFrame({"age": [30, 40] * 3, "income": [1, 2] * 3, "diagnosis": list("abcdef")})
    assert propose(profile(frame)).diversity == {"income": 2, "diagnosis": 3}


def test_a_missing_value_carries_no_l() -> None:
    """A yes or no with gaps has two values, and a third would be the gap."""
    frame = pl.DataFrame({"age": range(9), "illness": ["yes", "no", None] * 3})
    assert shoal.init(frame).diversity == {"illness": 2}


def test_what_is_singled_out_is_counted_as_the_plan_counts() -> None:
    """Every person is alone with their age, although no row is."""
    frame = pl.DataFrame(
        {"patient_id": [i // 2 for i in range(12)], "sex": ["f", "m"] * 6,
         "age": [30 + i // 2 for i in range(12)], "illness": list("abc") * 4}
    )  # fmt: skip
    found = shoal.init(frame.with_columns(sex=pl.lit("f")))
    assert found.person is not None
    assert found.n_singled_out == 6
    assert found.stand_out == "It singles out 6 of 6 people (100%)"
    assert found.as_data()["unique_people_by_quasi"] == 6


def test_plans_of_the_demo_run(tmp_path: Path) -> None:
    write_demo(tmp_path, 800, 1)
    for name in ("patients", "diagnoses"):
        text = propose(
            profile(tmp_path / f"{name}.csv"), source=f"{name}.csv", base=tmp_path,
            hierarchies=tmp_path / "hierarchies", output=f"release-{name}",
        ).text  # fmt: skip
        plan = tmp_path / f"{name}.yaml"
        plan.write_text(text, encoding="utf-8")
        assert shoal.run(plan).holds
        assert (tmp_path / f"release-{name}" / "manifest.json").is_file()


@pytest.mark.data
def test_adult(data_folder: Path, tmp_path: Path) -> None:
    raw = (data_folder / "adult" / "adult.data").read_text().replace(", ", ",").strip()
    lines = [line for line in raw.splitlines() if line and "?" not in line]
    (tmp_path / "adult.csv").write_text("\n".join([ADULT, *lines]) + "\n")
    folder = data_folder / "adult" / "hierarchies-arx"
    found = propose(profile(tmp_path / "adult.csv"), source="adult.csv", hierarchies=folder,
                     base=tmp_path)  # fmt: skip
    filed = {
        e.name for e in found.entries if e.hierarchy and "adult_hierarchy_" in e.hierarchy.text
    }
    assert filed == {"age", "workclass", "education", "marital-status", "occupation", "race", "sex",
                     "native-country"}  # fmt: skip
    roles = {e.name: e.role for e in found.entries}
    assert roles["salary-class"] is Role.SENSITIVE
    assert all(roles[name] is Role.QUASI for name in filed)
    assert (roles["fnlwgt"], roles["education-num"]) == (Role.DROP, Role.DROP)
    assert found.rehearsed is not None
    plan = tmp_path / "plan.yaml"
    plan.write_text(found.text, encoding="utf-8")
    release = shoal.run(plan)
    assert release.holds
    assert release.counts.published == len(lines)


_WORDS = ["age", "name", "id", "income", "zip", "patient_id", "born", "email", "a: b", "#", "no",
          "x\ny", "f", "zip_secret", "diagnosis", "DUID", "é", "{a}", "'", '"']  # fmt: skip
_COLUMNS = {
    "text": st.one_of(st.none(), st.sampled_from(["a", "b", "?", "007", "", " ", "*", "{a, b}"])),
    "code": st.one_of(st.none(), st.from_regex(r"\A0\d{3}\Z")),
    "whole": st.one_of(st.none(), st.integers(-(2**62), 2**62), st.integers(0, 90)),
    "real": st.one_of(st.none(), st.floats(), st.sampled_from([0.25, 0.5, 1e300, 5e-324])),
    "date": st.one_of(st.none(), st.dates()),
    "day": st.one_of(st.none(), st.from_regex(r"\A20[01]\d-0[1-9]-[0-3]\d\Z")),
    "same": st.just("one"),
}


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    n_rows = draw(st.integers(1, 14))
    names = draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=5, unique=True))
    columns = {}
    for name in names:
        cells = _COLUMNS[draw(st.sampled_from(sorted(_COLUMNS)))]
        columns[name] = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    return pl.DataFrame([pl.Series(name, cells, strict=False) for name, cells in columns.items()])


@settings(max_examples=80)
@given(frames(), st.integers(1, 6))
def test_a_proposed_plan_parses_and_runs_or_is_infeasible(frame: pl.DataFrame, k: int) -> None:
    text = propose(profile(frame), k=k).text
    Plan.parse(text)
    with suppress(InfeasibleError):
        assert run(frame, text).holds


def test_one_row_cannot_be_protected_and_the_plan_says_so() -> None:
    found = shoal.init(pl.DataFrame({"age": [31], "illness": ["flu"]}))
    assert found.k == 1
    assert "the table has only 1 row, so k is 1 instead of 5" in found.notes
    assert any("cannot be protected" in note for note in found.notes)
    assert "cannot be protected" in found.text
    for wrong in ("1 rows", "1 different values", "1 of 1"):
        assert wrong not in found.text


def test_k_of_one_is_pointed_out() -> None:
    found = shoal.init(pl.DataFrame({"age": [31, 35, 42], "illness": list("aba")}), k=1)
    assert "with k = 1 a crowd may be a single person, who is not hidden" in found.notes
