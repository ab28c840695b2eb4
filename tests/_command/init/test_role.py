"""What every column is by its values and its name, and the role that follows."""

from __future__ import annotations

import polars as pl
import pytest

from shoal._command.demo import generate
from shoal._command.init import propose
from shoal._command.init.nature import Nature
from shoal._command.init.profile import profile
from shoal._command.init.role import choose_roles, with_a_quasi_identifier
from shoal.schema import Role

ROWS = range(6_000)
AGES = [20 + i % 60 for i in ROWS]


def found(**columns: list[object]) -> dict[str, tuple[str, Nature]]:
    entries = choose_roles(profile(pl.DataFrame(columns)))
    return {one.name: (str(one.role), one.nature) for one in entries}


def test_roles_of_the_patients() -> None:
    entries = choose_roles(profile(generate(2_000, 1)))
    assert {one.name: str(one.role) for one in entries} == {
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


@pytest.mark.parametrize("name", ["DUID", "PID", "householdId", "famNr", "house_key", "PATID"])
def test_keys_that_many_rows_share_are_left_out(name: str) -> None:
    frame = pl.DataFrame({"age": AGES, name: [7_000 + i // 10 % 60 for i in ROWS]})
    proposed = propose(profile(frame))
    entry = next(entry for entry in proposed.entries if entry.name == name)
    assert entry.role is Role.IDENTIFIER
    assert (proposed.person is not None) == (name == "PATID")


@pytest.mark.parametrize("name", ["admission_type_id", "TYPEID", "PAID"])
def test_few_codes_and_words_that_only_end_so_are_no_keys(name: str) -> None:
    n_values = 60 if name == "PAID" else 8
    role, nature = found(age=AGES, **{name: [i % n_values for i in ROWS]})[name]
    assert role in ("quasi", "drop")
    assert nature in (Nature.VISIT, Nature.CODE, Nature.NUMBER)


def test_the_key_of_a_secret_thing_is_left_out_but_not_the_code_of_a_secret() -> None:
    roles = found(age=AGES, loan_id=[i // 2 for i in ROWS], diagnosis_id=[i % 60 for i in ROWS])
    assert (roles["loan_id"][0], roles["diagnosis_id"][0]) == ("identifier", "sensitive")


@pytest.mark.parametrize(
    ("name", "cells", "role", "nature"),
    [
        ("email", ["a@b.de", "c@d.de", "e@f.de"] * 8, "identifier", Nature.CONTACT),
        ("Vorname", ["Ada", "Bo", "Cy"] * 8, "identifier", Nature.PERSON_NAME),
        ("x", [f"+49 30 12345{i:02d}" for i in range(24)], "identifier", Nature.CONTACT),
        ("x", [f"word{i}" for i in range(24)], "identifier", Nature.KEY),
        ("x", list(range(1, 25)), "identifier", Nature.KEY),
        ("x", [i * i * 1_000 for i in range(24)], "identifier", Nature.KEY),
        ("PatientID", [f"{i:03d}" for i in range(24)], "identifier", Nature.KEY),
        ("remarks", ["fine", "well", "so so"] * 8, "identifier", Nature.FREE_TEXT),
        ("diagnosis_text", [f"see letter {i}" for i in range(24)], "identifier", Nature.KEY),
        ("FIRST", ["Ada", "Bo", "Cy"] * 8, "identifier", Nature.PERSON_NAME),
        ("patient_name", [f"P{i % 20}" for i in range(24)], "identifier", Nature.NAME),
        ("SSN", [f"{i % 5:03d}" for i in range(24)], "identifier", Nature.PERSON_NUMBER),
        ("ward_id", [1, 2, 3] * 8, "quasi", Nature.VISIT),
        ("hospital_name", ["north", "south", "east"] * 8, "quasi", Nature.VISIT),
        ("Geschlecht", ["m", "w", "d"] * 8, "quasi", Nature.SEX),
        ("x", ["m", "f", "f"] * 8, "quasi", Nature.SEX),
        ("x", ["a", "b", "c"] * 8, "drop", Nature.CODE),
        ("x", ["yes", "no", "no"] * 8, "drop", Nature.YES_NO),
        ("x", [1.5, 2.25, 8.0] * 8, "drop", Nature.NUMBER),
        ("x", ["same"] * 24, "drop", Nature.CONSTANT),
        ("Krankheit", ["Grippe"] * 24, "drop", Nature.CONSTANT),
        ("x", [None] * 24, "drop", Nature.EMPTY),
        ("sensitivity", [0.5] * 24, "sensitivity", Nature.SENSITIVITY),
        ("Krankheit", ["Grippe", "Angina", "Asthma"] * 8, "sensitive", Nature.HEALTH),
        ("Diabetes", ["yes", "no", "no"] * 8, "sensitive", Nature.HEALTH),
        ("SameSex", ["yes", "no", "no"] * 8, "drop", Nature.SEXUALITY),
        ("AgeFirstMarij", [15, 16, 17] * 8, "drop", Nature.HEALTH),
        ("x", [f"E{i:02d}.{i % 9}" for i in range(20)] * 2, "sensitive", Nature.HEALTH),
        ("monthlySalary", [1000, 2000, 3000] * 8, "sensitive", Nature.MONEY),
        ("account_balance", [10, 20, 30] * 8, "sensitive", Nature.MONEY),
        ("f", [0.1, 0.5, 1.0] * 8, "sensitivity", Nature.SENSITIVITY),
        ("age_secret", ["yes", "no", "no"] * 8, "flag", Nature.FLAG),
        ("age_secret", ["high", "low", "low"] * 8, "identifier", Nature.FLAG),
        ("f", [0.1, 0.5, None] * 8, "identifier", Nature.SENSITIVITY),
        ("top_secret", ["yes", "no", "no"] * 8, "drop", Nature.YES_NO),
    ],
)
def test_roles(name: str, cells: list[object], role: str, nature: Nature) -> None:
    assert found(age=[30] * len(cells), **{name: cells})[name] == (role, nature)


@pytest.mark.parametrize(
    ("name", "cells", "nature"),
    [
        ("PWGTP", [7 * i % 400 for i in range(500)], Nature.WEIGHT),
        ("fnlwgt", [12_285 + 17 * i for i in range(500)], Nature.WEIGHT),
        ("weight", [1_000.5 + 17 * (i % 300) for i in range(500)], Nature.WEIGHT),
        ("weight", [0.5 + i / 499 for i in range(500)], Nature.WEIGHT),
        ("w", [0.5 + i / 499 for i in range(500)], Nature.WEIGHT),
        ("weight", [45.5 + i % 80 for i in range(500)], Nature.BODY),
        ("ratio", [3.5 + i / 499 for i in range(500)], Nature.NUMBER),
    ],
)
def test_survey_weights_are_known_by_their_numbers(
    name: str, cells: list[object], nature: Nature
) -> None:
    """A body weighs less than a person of a survey stands for, and its mean is not 1."""
    role, seen = found(**{name: cells})[name]
    assert seen is nature
    assert role == ("quasi" if nature is Nature.BODY else "drop")


def test_nothing_is_ever_insensitive() -> None:
    columns: dict[str, list[object]] = {f"c{i}": ["a", "b"] * 10 for i in range(5)}
    assert {role for role, _ in found(**columns, notes=["x"] * 20).values()} == {"drop"}


def test_there_is_one_sensitivity_at_most() -> None:
    roles = found(age=[30, 40], f=[0.1, 0.2], sensitivity=[0.3, 0.4])
    assert [role for role, _ in roles.values()] == ["quasi", "sensitivity", "identifier"]


def test_a_constant_column_is_the_quasi_identifier_where_a_plan_lacks_one() -> None:
    frame = pl.DataFrame({"income": [1, 2, 3], "country": ["here"] * 3})
    entries = with_a_quasi_identifier(choose_roles(profile(frame)))
    assert [str(one.role) for one in entries] == ["sensitive", "quasi"]


@pytest.mark.parametrize(
    ("name", "letter"),
    [
        ("case", "P"),
        ("code", "A"),
        ("pseudonym", "M"),
        ("record", "K"),
        ("ref", "P"),
        ("x", "T"),
        ("kz", "B"),
        ("Kürzel", "P"),
    ],
)
def test_a_letter_and_digits_in_every_row_are_a_key_and_no_disease(name: str, letter: str) -> None:
    keys = [f"{letter}{i:03}" for i in range(300)]
    assert found(**{name: keys, "age": AGES[:300]})[name] == ("identifier", Nature.KEY)


@pytest.mark.parametrize("name", ["case", "x", "kz"])
def test_keys_of_a_letter_and_digits_are_never_published_where_people_return(name: str) -> None:
    keys = [f"P{i // 3:03}" for i in range(300)]
    assert found(**{name: keys, "age": AGES[:300]})[name][0] in ("identifier", "drop")


def test_codes_of_diseases_are_known_by_their_form_or_by_form_and_name() -> None:
    often = [f"{'ABC'[i % 3]}{i % 25:02}.{i % 4}" for i in range(1_500)]
    assert found(q7=often)["q7"] == ("sensitive", Nature.HEALTH)
    rare = [f"J{i:02}" for i in range(60)]
    assert found(diagnosis=rare)["diagnosis"] == ("sensitive", Nature.HEALTH)


def test_the_date_of_a_case_is_no_key() -> None:
    days = [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(300)]
    assert found(record_date=days)["record_date"][1] is Nature.DATE


@pytest.mark.parametrize("name", ["ill", "sick", "q7"])
def test_illnesses_are_secret_by_name_or_by_value(name: str) -> None:
    cells = [("flu", "asthma", "angina", "gout")[i % 4] for i in range(300)]
    assert found(**{name: cells})[name] == ("sensitive", Nature.HEALTH)
