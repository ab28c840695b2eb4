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
from shoal._command.demo import diagnoses, generate, write_demo
from shoal._command.init import profile, propose
from shoal._command.init.ladder import nice_width, propose_ladder
from shoal._command.init.quote import quoted
from shoal.errors import DataError, InfeasibleError
from shoal.plan import Plan
from shoal.schema import Kind, Role

ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,salary-class"
)


def roles(frame: Any, **options: Any) -> dict[str, str]:
    return {e.name: str(e.role) for e in propose(profile(frame), **options).entries}


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
    found = propose(profile(diagnoses(500, 1)))
    assert found.person is not None
    assert found.person.column == "name"
    assert found.person.differing == ()
    assert "individual: name\n" in found.text
    since = next(entry for entry in found.entries if entry.name == "since")
    assert since.role is Role.IDENTIFIER
    assert "% of rows: overwriting it would publish what never happened" in since.proposed.reason


def visits(n_slips: int, **more: list[object]) -> pl.DataFrame:
    """Hundred people with three visits each; a town differs in so many rows."""
    rows = range(300)
    towns = ["Bonn" if i % 3 == 0 and i < 3 * n_slips else "Ulm" for i in rows]
    return pl.DataFrame({"patient_id": [f"p{i // 3}" for i in rows], "town": towns,
                         "age": [20 + i // 3 % 50 for i in rows], **more})  # fmt: skip


def test_few_slips_within_people_are_overwritten_and_counted() -> None:
    found = propose(profile(visits(6)))
    assert found.person is not None
    assert (found.person.differing, found.person.overwritten) == (("town",), (6,))
    assert "individual: {column: patient_id, conflict: mode}" in found.text
    assert "(town: 6 rows)" in found.text


def test_what_differs_often_within_people_is_of_the_visit() -> None:
    frame = visits(7, ward=["a", "b", "c"] * 100, diagnosis=["x", "y", "z"] * 100)
    found = propose(profile(frame))
    assert found.person is not None
    assert (found.person.column, found.person.differing) == ("patient_id", ())
    told = {entry.name: (str(entry.role), entry.proposed.reason) for entry in found.entries}
    assert told["town"][0] == told["ward"][0] == "identifier"
    assert told["ward"][1].startswith("differs within a person in 66.7% of rows: overwriting it")
    assert (told["age"][0], told["diagnosis"][0]) == ("quasi", "sensitive")
    assert "conflict" not in found.text
    assert run(frame, found.text).holds


def test_a_quasi_identifier_is_kept_even_if_it_differs_within_people() -> None:
    found = propose(profile(visits(7).drop("age")))
    assert {e.name: str(e.role) for e in found.entries}["town"] == "quasi"
    assert "(town: 7 rows)" in found.text


@pytest.mark.parametrize("name", ["DUID", "PID", "PATID", "householdId", "famNr", "house_key"])
def test_keys_that_many_rows_share_are_left_out(name: str) -> None:
    key = [7_000 + i // 10 % 60 for i in range(6_000)]
    frame = pl.DataFrame({"age": [20 + i % 60 for i in range(6_000)], name: key})
    found = propose(profile(frame))
    entry = next(entry for entry in found.entries if entry.name == name)
    assert entry.role is Role.IDENTIFIER
    assert name == "PATID" or "and it has 60 values: it may be the key" in entry.proposed.reason
    assert found.person is None or name == "PATID"


@pytest.mark.parametrize("name", ["admission_type_id", "TYPEID", "PAID"])
def test_few_codes_and_words_that_only_end_so_are_no_keys(name: str) -> None:
    n_values = 60 if name == "PAID" else 8
    codes = [i % n_values for i in range(6_000)]
    frame = pl.DataFrame({"age": [20 + i % 60 for i in range(6_000)], name: codes})
    assert roles(frame)[name] == "quasi"


def test_the_key_of_a_secret_thing_is_left_out_but_not_the_code_of_a_secret() -> None:
    rows = range(1_000)
    frame = pl.DataFrame({"age": [20 + i % 60 for i in rows], "loan_id": [i // 2 for i in rows],
                          "diagnosis_id": [i % 60 for i in rows]})  # fmt: skip
    found = roles(frame)
    assert (found["loan_id"], found["diagnosis_id"]) == ("identifier", "sensitive")


def test_a_household_is_no_person() -> None:
    rows = range(300)
    frame = pl.DataFrame({"person_id": [f"p{i}" for i in rows], "sex": ["f", "m", "f"] * 100,
                          "household_id": [f"h{i // 3}" for i in rows]})  # fmt: skip
    found = propose(profile(frame))
    assert found.person is None
    assert {e.name: str(e.role) for e in found.entries}["household_id"] == "identifier"


@pytest.mark.parametrize(
    ("name", "n_values", "is_code"),
    [
        ("x", 12, True),
        ("x", 13, False),
        ("RACEX", 13, True),
        ("discharge_status", 30, True),
        ("discharge_status", 31, False),
        ("age", 9, False),
        ("number_inpatient", 9, False),
    ],
)
def test_few_whole_numbers_are_codes(name: str, n_values: int, is_code: bool) -> None:
    frame = pl.DataFrame({name: [i % n_values for i in range(200)]})
    ladder = propose_ladder(profile(frame)[name])
    assert (ladder.kind is Kind.CATEGORICAL) == is_code
    assert (ladder.text == "flat") == is_code
    assert ("taken as codes" in ladder.note) == is_code


def test_numbers_that_hardly_repeat_or_are_not_whole_are_no_codes() -> None:
    for cells in ([1, 2, 3, 4, 5], [0.5, 1.5, 2.5] * 20):
        assert propose_ladder(profile(pl.DataFrame({"x": cells}))["x"]).kind is Kind.NUMERIC


def test_namesakes_are_not_one_person_but_are_named() -> None:
    frame = generate(200, 1).with_columns(pl.Series("name", [f"N{i % 150}" for i in range(200)]))
    found = propose(profile(frame))
    assert found.person is None
    assert any("'name'" in note and "individual" in note for note in found.notes)


def test_a_number_that_was_given_twice_by_mistake_makes_no_person() -> None:
    frame = generate(200, 1).with_columns(pl.Series("ssn", [f"S{i % 199}" for i in range(200)]))
    found = propose(profile(frame))
    assert found.person is None
    assert any("'ssn'" in note and "individual" in note for note in found.notes)


def test_a_surname_alone_is_no_person() -> None:
    frame = generate(200, 1).with_columns(pl.Series("name", [f"N{i % 150}" for i in range(200)]))
    for name in ("surname", "patient_first_name", "customer_street"):
        found = propose(profile(frame.rename({"name": name})))
        assert found.person is None
        assert not any("individual" in note for note in found.notes)


def test_a_persons_number_comes_before_other_numbers() -> None:
    rows = range(60)
    frame = pl.DataFrame({"visit_no": [f"v{i // 2}" for i in rows],
                          "patient_nbr": [f"p{i // 3}" for i in rows],
                          "age": [20 + i // 3 for i in rows]})  # fmt: skip
    found = propose(profile(frame))
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
        ("x", ["same"] * 24, "identifier"),
        ("Krankheit", ["Grippe"] * 24, "identifier"),
        ("x", [None] * 24, "identifier"),
        ("x", [*["same"] * 23, None], "quasi"),
        ("sensitivity", [0.5] * 24, "sensitivity"),
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
        assert run(frame, propose(profile(frame)).text).holds


def test_every_role_has_its_reason_in_the_plan() -> None:
    found = propose(profile(generate(500, 1)))
    lines = found.text.splitlines()
    for entry in found.entries:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"  {entry.name}: "))
        assert lines[place - 1].startswith(f"  # {entry.proposed.reason}")


def test_no_cell_is_in_the_plan() -> None:
    frame = generate(400, 1)
    text = propose(profile(frame)).text
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


def test_ragged_text_files_are_found_by_the_end_of_their_name(tmp_path: Path) -> None:
    (tmp_path / "informs_RACEX.txt").write_text("1;*\n2;other;*\n")
    (tmp_path / "adult_marital_status.txt").write_text("never;*\nwed;Married;*\n")
    frame = pl.DataFrame({"RACEX": [1, 2] * 9, "marital-status": ["never", "wed"] * 9})
    found = propose(profile(frame), hierarchies=tmp_path, base=tmp_path)
    ladders = [entry.ladder.text for entry in found.entries if entry.ladder]
    assert ladders == ["informs_RACEX.txt", "adult_marital_status.txt"]
    assert not any("hierarchy file" in note for note in found.notes)
    joined = frame.rename({"marital-status": "MARITALSTATUS"})
    assert "adult_marital_status.txt" in propose(profile(joined), hierarchies=tmp_path).text


def test_hierarchy_files_that_none_takes_are_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "colour.csv").write_text("red;*\n")
    (tmp_path / "wood.txt").write_text("oak;*\n")
    (tmp_path / "notes.md").write_text("none")
    counted = profile(pl.DataFrame({"town": ["Ulm", "Bonn"]}))
    notes = propose(counted, hierarchies=tmp_path).notes
    assert any("no hierarchy file is used, 2 files" in note for note in notes)
    assert not any("hierarchy" in note for note in propose(counted).notes)


def test_a_damaged_hierarchy_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_bytes(b"\xff\xfe")
    frame = pl.DataFrame({"town": ["Ulm", "Bonn"]})
    assert "hierarchy: flat" in propose(profile(frame), hierarchies=tmp_path).text


def test_k_is_lowered_for_a_small_table_and_that_is_said() -> None:
    found = propose(profile(pl.DataFrame({"age": [30, 40, 50]})), k=10)
    assert found.k == 3
    assert any("3 rows" in note and "not 10" in note for note in found.notes)
    assert propose(profile(pl.DataFrame({"age": [30, 40, 50]})), k=2).k == 2


def test_l_is_at_most_the_number_of_values() -> None:
    frame = pl.DataFrame({"age": [30, 40] * 3, "income": [1, 2] * 3, "diagnosis": list("abcdef")})
    assert propose(profile(frame)).diversity == {"income": 2, "diagnosis": 3}


def test_a_constant_column_is_the_quasi_identifier_where_a_plan_lacks_one() -> None:
    found = roles(pl.DataFrame({"income": [1, 2, 3], "country": ["here"] * 3}))
    assert found == {"income": "sensitive", "country": "quasi"}


@pytest.mark.parametrize(
    "columns",
    [
        {"39": ["40", "41"], "77516": ["3", "4"], "x": ["u", "v"]},
        {"State-gov": ["Private", "State-gov"], "Male": ["Male", "Female"], "x": ["u", "v"]},
    ],
)
def test_a_table_without_a_header_is_refused(columns: dict[str, list[str]]) -> None:
    with pytest.raises(DataError, match="looks like a row, not like a header") as caught:
        propose(profile(pl.DataFrame(columns)))
    assert "State-gov" not in str(caught.value)


def test_one_odd_name_is_no_missing_header() -> None:
    columns = {"1990": ["3", "4"], "x": ["x", "y"], "age": [30, 40], "sex": ["f", "m"]}
    assert len(propose(profile(pl.DataFrame(columns))).entries) == 4


def test_texts_that_mean_missing_are_named_with_their_columns() -> None:
    columns = {"age": ["?", "1", "2"], "sex": ["f", " NA", "secret-x"], "job": ["NA", "u", "NA"]}
    found = propose(profile(pl.DataFrame(columns)))
    assert any("'age' has in 1 cell " in n and "(?), and all others numbers" in n
               for n in found.notes)  # fmt: skip
    assert any("'sex', 'job' have in 3 cells " in n and "(NA)" in n for n in found.notes)
    assert "secret-x" not in str(found.notes)


def test_frequent_negative_codes_are_pointed_out() -> None:
    often = [-9, -1, *range(48)]
    columns = {"a": often, "b": [*often[:-1], -350], "c": [float(i) for i in often],
               "d": ["-9", "-1", *(f"V{i}" for i in range(10, 48)), *(f"{i}" for i in range(10))],
               "e": list(range(50))}  # fmt: skip
    notes = propose(profile(pl.DataFrame(columns))).notes
    (note,) = [note for note in notes if "negative whole number" in note]
    assert note.startswith("'a', 'c', 'd' have in 6 cells")
    rare = pl.DataFrame({"a": [-9, *range(299)]})
    assert not any("negative" in note for note in propose(profile(rare)).notes)


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


def test_the_ward_takes_its_file(tmp_path: Path) -> None:
    write_demo(tmp_path, 50, 1)
    text = propose(profile(tmp_path / "patients.csv"), hierarchies=tmp_path / "hierarchies",
                   base=tmp_path).text  # fmt: skip
    assert "ward: {role: quasi, kind: categorical, hierarchy: hierarchies/ward.csv}" in text


@pytest.mark.data
def test_adult(data_folder: Path, tmp_path: Path) -> None:
    raw = (data_folder / "adult" / "adult.data").read_text().replace(", ", ",").strip()
    lines = [line for line in raw.splitlines() if line and "?" not in line]
    (tmp_path / "adult.csv").write_text("\n".join([ADULT, *lines]) + "\n")
    folder = data_folder / "adult" / "hierarchies-arx"
    found = propose(profile(tmp_path / "adult.csv"), source="adult.csv", hierarchies=folder,
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
