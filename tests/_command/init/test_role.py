"""A role for every column, by its name, its form and its numbers."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal._command.demo import generate
from shoal._command.init import profile, propose
from shoal.schema import Role


def roles(frame: Any, **options: Any) -> dict[str, str]:
    return {e.name: str(e.role) for e in propose(profile(frame), **options).entries}


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


@pytest.mark.parametrize("name", ["DUID", "PID", "PATID", "householdId", "famNr", "house_key"])
def test_keys_that_many_rows_share_are_left_out(name: str) -> None:
    key = [7_000 + i // 10 % 60 for i in range(6_000)]
    frame = pl.DataFrame({"age": [20 + i % 60 for i in range(6_000)], name: key})
    found = propose(profile(frame))
    entry = next(entry for entry in found.entries if entry.name == name)
    assert entry.role is Role.IDENTIFIER
    assert name == "PATID" or "60 different values: it may be the key" in entry.reason
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


def test_a_constant_column_is_the_quasi_identifier_where_a_plan_lacks_one() -> None:
    found = roles(pl.DataFrame({"income": [1, 2, 3], "country": ["here"] * 3}))
    assert found == {"income": "sensitive", "country": "quasi"}
