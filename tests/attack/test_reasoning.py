"""Tables 3 and 4 of the paper: hypertension for certain, and not."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.attack import Reasoning, Target
from shoal.schema import Attribute, Individual, Kind, Requirement, Role, Schema

SCHEMA = Schema(
    (
        Attribute("Id_num", Role.IDENTIFIER),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE),
    ),
    Individual("Id_num"),
)
PEOPLE = {
    "Mike": (36, ["Hypertension", "Heart"]),
    "Lily": (37, ["Cancer"]),
    "Tim": (36, ["Hypertension"]),
    "Jane": (33, ["Hypertension", "Diabetes"]),
    "Tina": (38, ["HIV"]),
    "Ella": (34, ["Leukaemia", "Heart"]),
    "Lucy": (33, ["Syphilis"]),
}
KNOWN = pl.DataFrame(
    [(name, age, ill) for name, (age, ills) in PEOPLE.items() for ill in ills],
    schema=["name", "age", "ill"],
    orient="row",
)


def released(*classes: tuple[str, list[str]]) -> Target:
    """Everybody of a class shows one label; a number is the place of a name."""
    rows = [
        (str(list(PEOPLE).index(name) + 1), label, ill)
        for label, names in classes
        for name in names
        for ill in PEOPLE[name][1]
    ]
    data = pl.DataFrame(rows, schema=["Id_num", "age", "ill"], orient="row")
    limit = (Requirement("eir-alpha-beta", {"alpha": 0.4, "beta": 0.6}),)
    return Target(data, SCHEMA, limit, KNOWN, person="name")


def test_table_3_gives_hypertension_away() -> None:
    """In its second class everyone has hypertension; labels are such that only it fits them."""
    target = released(("{}", []), ("[33, 36]", ["Mike", "Tim", "Jane"]),
                      ("[37, 38]", ["Lily", "Tina"]))  # fmt: skip
    (found,) = Reasoning().run(target)
    assert (found.worst, found.holds, found.person) == (1.0, False, 0)


def test_table_4_does_not() -> None:
    target = released(("[33, 34]", ["Jane", "Ella", "Lucy"]),
                      ("[36, 38]", ["Mike", "Lily", "Tim", "Tina"]))  # fmt: skip
    (found,) = Reasoning().run(target)
    assert (found.worst, found.bound, found.holds) == (0.5, 0.6, True)
    assert "0% of people" in found.note
    assert found.baseline.share == pytest.approx(3 / 7)


def test_it_is_about_people_with_records() -> None:
    plain = Target(KNOWN, Schema(SCHEMA.attributes[1:]), (), KNOWN)
    assert list(Reasoning().run(plain)) == []
