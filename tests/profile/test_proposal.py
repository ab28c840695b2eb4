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
from shoal.demo import diagnoses, generate, write_demo
from shoal.errors import InfeasibleError
from shoal.plan import Plan
from shoal.profile import profile, proposal, propose
from shoal.profile.ladder import nice_width, propose_ladder
from shoal.profile.text import quoted
from shoal.schema import Kind, Role

ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,salary-class"
)


def roles(frame: Any, **options: Any) -> dict[str, str]:
    return {e.name: str(e.role) for e in proposal(profile(frame), **options).entries}


def run(frame: pl.DataFrame, text: str, base: Path | None = None) -> shoal.Release:
    plan = Plan.parse("\n".join(x for x in text.split("\n") if not x.startswith("output:")), base)
    return shoal.run(plan, frame)


def test_roles_of_the_patients() -> None:
    assert roles(generate(2_000, 1)) == {
        "name": "identifier",
        "sex": "quasi",
        "birth_date": "quasi",
        "age": "quasi",
        "postcode": "quasi",
        "ward": "quasi",
        "admission": "quasi",
        "diagnosis": "sensitive",
        "length_of_stay": "quasi",
        "income": "sensitive",
        "insurance": "quasi",
        "sensitivity": "sensitivity",
        "postcode_secret": "flag",
        "income_secret": "flag",
    }


def test_people_with_several_rows_are_found() -> None:
    found = proposal(profile(diagnoses(500, 1)))
    assert found.person is not None
    assert found.person.column == "name"
    assert found.person.differing == ("since",)
    assert "individual: {column: name, conflict: mode}" in found.text


def test_namesakes_are_not_one_person_but_are_named() -> None:
    frame = generate(200, 1).with_columns(pl.Series("name", [f"N{i % 150}" for i in range(200)]))
    found = proposal(profile(frame))
    assert found.person is None
    assert any("'name'" in note and "individual" in note for note in found.notes)


def test_a_number_that_was_given_twice_by_mistake_makes_no_person() -> None:
    frame = generate(200, 1).with_columns(pl.Series("ssn", [f"S{i % 199}" for i in range(200)]))
    found = proposal(profile(frame))
    assert found.person is None
    assert any("'ssn'" in note and "individual" in note for note in found.notes)


def test_a_surname_alone_is_no_person() -> None:
    frame = generate(200, 1).with_columns(pl.Series("name", [f"N{i % 150}" for i in range(200)]))
    for name in ("surname", "patient_first_name", "customer_street"):
        found = proposal(profile(frame.rename({"name": name})))
        assert found.person is None
        assert not any("individual" in note for note in found.notes)


def test_a_persons_number_comes_before_other_numbers() -> None:
    rows = range(60)
    frame = pl.DataFrame({"visit_no": [f"v{i // 2}" for i in rows],
                          "patient_nbr": [f"p{i // 3}" for i in rows],
                          "age": [20 + i // 3 for i in rows]})  # fmt: skip
    found = proposal(profile(frame))
    assert found.person is not None
    assert (found.person.column, found.person.differing) == ("patient_nbr", ())
    assert "individual: patient_nbr" in found.text


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        ("email", ["a@b.de", "c@d.de", "e@f.de"] * 8, "identifier"),
        ("Vorname", ["Ada", "Bo", "Cy"] * 8, "identifier"),
        ("x", [f"+49 30 12345{i:02d}" for i in range(24)], "identifier"),
        ("x", [f"word{i}" for i in range(24)], "identifier"),
        ("x", list(range(1, 25)), "identifier"),
        ("PatientID", [f"{i:03d}" for i in range(24)], "identifier"),
        ("remarks", ["fine", "well", "so so"] * 8, "identifier"),
        ("diagnosis_text", [f"see letter {i}" for i in range(24)], "identifier"),
        ("FIRST", ["Ada", "Bo", "Cy"] * 8, "identifier"),
        ("first_visit", ["Ada", "Bo", "Cy"] * 8, "quasi"),
        ("patient_name", [f"P{i % 20}" for i in range(24)], "identifier"),
        ("SSN", [f"{i % 5:03d}" for i in range(24)], "identifier"),
        ("x", [*(f"word{i}" for i in range(12)), *[None] * 12], "identifier"),
        ("ward_id", [1, 2, 3] * 8, "quasi"),
        ("hospital_name", ["north", "south", "east"] * 8, "quasi"),
        ("Geschlecht", ["m", "w", "d"] * 8, "quasi"),
        ("x", ["a", "b", "c"] * 8, "quasi"),
        ("x", [1.5, 2.25, 8.0] * 8, "quasi"),
        ("x", ["same"] * 24, "quasi"),
        ("Krankheit", ["Grippe", "Angina", "Asthma"] * 8, "sensitive"),
        ("monthlySalary", [1000, 2000, 3000] * 8, "sensitive"),
        ("account_balance", [10, 20, 30] * 8, "sensitive"),
        ("f", [0.1, 0.5, 1.0] * 8, "sensitivity"),
        ("age_secret", ["yes", "no", "no"] * 8, "flag"),
        ("age_secret", ["high", "low", "low"] * 8, "identifier"),
        ("f", [0.1, 0.5, None] * 8, "identifier"),
        ("top_secret", ["yes", "no", "no"] * 8, "quasi"),
    ],
)
def test_roles(name: str, cells: list[object], role: str) -> None:
    frame = pl.DataFrame({"age": [30, 40, 50] * 8, name: cells})
    assert roles(frame)[name] == role


def test_nothing_is_ever_insensitive() -> None:
    frame = pl.DataFrame({f"c{i}": ["a", "b"] * 10 for i in range(5)} | {"notes": ["x"] * 20})
    assert "insensitive" not in roles(frame).values()


def test_there_is_one_sensitivity_at_most() -> None:
    found = roles(pl.DataFrame({"age": [30, 40], "f": [0.1, 0.2], "sensitivity": [0.3, 0.4]}))
    assert found == {"age": "quasi", "f": "sensitivity", "sensitivity": "identifier"}


def test_a_plan_always_has_a_quasi_identifier() -> None:
    for columns in ({"email": ["a@b.c", "d@e.f"]}, {"income": [1, 2]}):
        frame = pl.DataFrame(columns)
        assert list(roles(frame).values()) == ["quasi"]
        assert run(frame, propose(profile(frame))).holds


def test_every_role_has_its_reason_in_the_plan() -> None:
    found = proposal(profile(generate(500, 1)))
    lines = found.text.splitlines()
    for entry in found.entries:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"  {entry.name}: "))
        assert lines[place - 1].startswith(f"  # {entry.proposed.reason}")


def test_no_cell_is_in_the_plan() -> None:
    frame = generate(400, 1)
    text = propose(profile(frame))
    cells = {
        str(cell)
        for name in ("name", "postcode", "birth_date", "diagnosis", "ward", "income")
        for cell in frame[name]
        if len(str(cell)) > 3
    }
    assert [cell for cell in cells if cell in text] == []


@pytest.mark.parametrize(
    ("name", "cells", "text", "kind"),
    [
        ("age", list(range(18, 95)), "{width: 5, levels: 3}", Kind.NUMERIC),
        ("share", [i / 100 for i in range(101)], "{width: 0.05, levels: 4}", Kind.NUMERIC),
        ("year", [1990, 1991, 1995], "{width: 2, levels: 1}", Kind.NUMERIC),
        ("x", [1, 2], "flat", Kind.NUMERIC),
        ("x", [7], "flat", Kind.NUMERIC),
        ("plz", ["04109", "27340"], "{mask: 5}", Kind.CATEGORICAL),
        ("zip", [13053, 14850], "{mask: 5}", Kind.CATEGORICAL),
        ("code", ["007", "011", "100"], "{mask: 3}", Kind.CATEGORICAL),
        ("zip", ["AB1", "AB12 3CD"], "flat", Kind.CATEGORICAL),
        ("town", ["Ulm", "Bonn"], "flat", Kind.CATEGORICAL),
        ("day", ["2020-01-31", "2020-05-01"], "{dates: [day, month, year]}", Kind.DATE),
        ("born", ["1940-01-31", "2020-05-01"], "{dates: [day, month, year, decade]}", Kind.DATE),
    ],
)
def test_ladders(name: str, cells: list[object], text: str, kind: Kind) -> None:
    ladder = propose_ladder(profile(pl.DataFrame({name: cells}))[name])
    assert (ladder.text, ladder.kind) == (text, kind)


@given(st.floats(1e-11, 1e300))
def test_widths_are_round_and_not_too_wide(least: float) -> None:
    width = nice_width(least)
    assert least * 0.999 <= width <= 2.6 * least
    assert f"{width:e}"[0] in "125"


def test_a_hierarchy_file_is_taken_where_it_has_every_value(tmp_path: Path) -> None:
    files = [tmp_path / "my_hierarchy_town.csv", tmp_path / "my_hierarchy_downtown.csv"]
    files[0].write_text("Ulm;south;*\nBonn;west;*\n")
    files[1].write_text("Ulm;no;*\nBonn;no;*\n")
    frame = pl.DataFrame({"town": ["Ulm", "Bonn"]})
    ladder = propose_ladder(profile(frame)["town"], files, tmp_path)
    assert ladder.text == "my_hierarchy_town.csv"
    files[0].write_text("Ulm;south;*\n")
    ladder = propose_ladder(profile(frame)["town"], files, tmp_path)
    assert (ladder.text, ladder.note) == ("flat", "'my_hierarchy_town.csv' does not fit its values")


def test_a_damaged_hierarchy_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_bytes(b"\xff\xfe")
    frame = pl.DataFrame({"town": ["Ulm", "Bonn"]})
    assert "hierarchy: flat" in propose(profile(frame), hierarchies=tmp_path)


def test_k_is_lowered_for_a_small_table_and_that_is_said() -> None:
    found = proposal(profile(pl.DataFrame({"age": [30, 40, 50]})), k=10)
    assert found.k == 3
    assert any("3 rows" in note and "not 10" in note for note in found.notes)
    assert proposal(profile(pl.DataFrame({"age": [30, 40, 50]})), k=2).k == 2


def test_l_is_at_most_the_number_of_values() -> None:
    frame = pl.DataFrame({"age": [30] * 6, "income": [1, 2] * 3, "diagnosis": ["a"] * 6})
    found = proposal(profile(frame))
    assert found.diversity == {"income": 2}
    assert any("'diagnosis'" in note for note in found.notes)


def test_a_missing_header_and_markers_are_pointed_out() -> None:
    found = proposal(profile(pl.DataFrame({"39": ["?", "1"], "77516": ["3", "4"]})))
    assert any("header" in note for note in found.notes)
    assert any("'39'" in note and "1 cell " in note and "numbers" in note for note in found.notes)


def test_plans_of_the_demo_run(tmp_path: Path) -> None:
    write_demo(tmp_path, 800, 1)
    for name in ("patients", "diagnoses"):
        frame = shoal.profile.profile(tmp_path / f"{name}.csv").frame  # type: ignore[attr-defined]
        text = propose(
            profile(frame), source=f"{name}.csv", hierarchies=tmp_path / "hierarchies",
            base=tmp_path, output=f"release-{name}",
        )  # fmt: skip
        plan = tmp_path / f"{name}.yaml"
        plan.write_text(text, encoding="utf-8")
        assert shoal.run(plan).holds
        assert (tmp_path / f"release-{name}" / "manifest.json").is_file()


def test_the_ward_takes_its_file(tmp_path: Path) -> None:
    write_demo(tmp_path, 50, 1)
    text = propose(profile(tmp_path / "patients.csv"), hierarchies=tmp_path / "hierarchies",
                   base=tmp_path)  # fmt: skip
    assert "ward: {role: quasi, kind: categorical, hierarchy: hierarchies/ward.csv}" in text


@pytest.mark.data
def test_adult(data_folder: Path, tmp_path: Path) -> None:
    raw = (data_folder / "adult" / "adult.data").read_text().replace(", ", ",").strip()
    lines = [line for line in raw.splitlines() if line and "?" not in line]
    (tmp_path / "adult.csv").write_text("\n".join([ADULT, *lines]) + "\n")
    folder = data_folder / "adult" / "hierarchies-arx"
    found = proposal(profile(tmp_path / "adult.csv"), source="adult.csv", hierarchies=folder,
                     base=tmp_path)  # fmt: skip
    filed = {e.name for e in found.entries if e.ladder and "adult_hierarchy_" in e.ladder.text}
    assert filed == {"age", "workclass", "education", "marital-status", "occupation", "race", "sex",
                     "native-country"}  # fmt: skip
    roles = {e.name: e.role for e in found.entries}
    assert roles["salary-class"] is Role.SENSITIVE
    assert all(roles[n] is Role.QUASI for n in ("age", "sex", "race", "fnlwgt", "relationship"))
    plan = tmp_path / "plan.yaml"
    plan.write_text(found.text, encoding="utf-8")
    release = shoal.run(plan)
    assert release.holds
    assert release.counts.published == len(lines)


@given(st.text(min_size=1, max_size=12).filter(lambda t: "\0" not in t))
def test_any_name_can_be_quoted(name: str) -> None:
    text = f"attributes: {{{quoted(name)}: quasi}}\nprivacy: [{{k-anonymity: {{k: 2}}}}]"
    assert [a.name for a in Plan.parse(text).schema.attributes] == [name]


_WORDS = ["age", "name", "id", "income", "zip", "patient_id", "born", "email", "a: b", "#", "no",
          "x\ny", "f", "zip_secret", "diagnosis", "2005", "é", "{a}", "'", '"']  # fmt: skip
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
    text = propose(profile(frame), k=k)
    Plan.parse(text)
    with suppress(InfeasibleError):
        assert run(frame, text).holds
