"""The paper's patients, and random tables in the words of the twin of its methods."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl

from tests.cases import Case
from tests.papers.identity import twin as twin
from tests.papers.naive import Field

ROWS = [
    ("Mike", "M", 36, "10085", "Hypertension"),
    ("Mike", "M", 36, "10085", "Heart"),
    ("Lily", "F", 37, "10076", "Cancer"),
    ("Tim", "M", 36, "10086", "Hypertension"),
    ("Jane", "F", 33, "10087", "Hypertension"),
    ("Jane", "F", 33, "10087", "Diabetes"),
    ("Tina", "F", 38, "10077", "HIV"),
    ("Ella", "F", 34, "10070", "Leukaemia"),
    ("Ella", "F", 34, "10070", "Heart"),
    ("Lucy", "F", 33, "10073", "Syphilis"),
]
COLUMNS = ["name", "gender", "age", "postcode", "disease"]
PATIENTS = pl.DataFrame(ROWS, schema=COLUMNS, orient="row")


def twin_attribute(quasi: Field) -> twin.Attribute:
    """A quasi-identifier in the words of the twin."""
    if quasi.tree:
        return ("tree", [tuple(quasi.above(v)) for v in quasi.values])
    if quasi.kind in ("numeric", "date"):
        numbers = [n for n in map(_number, quasi.values) if n is not None]
        low, high = quasi.domain or (min(numbers, default=0), max(numbers, default=0))
        return ("numeric", low, high)
    return ("set", len(quasi.values))


def _number(text: str | None) -> float | None:
    if text is None:
        return None
    return float(date.fromisoformat(text).toordinal()) if text.count("-") == 2 else float(text)


def twin_people(case: Case) -> list[twin.Person]:
    """The units of a case as people of the twin."""

    def value(quasi: Field, row: int) -> Any:
        cell = quasi.cells[row]
        if not quasi.tree and quasi.kind in ("numeric", "date"):
            return _number(cell)
        return quasi.above(cell)[0] if quasi.tree else cell

    return [
        twin.Person(
            tuple(value(q, rows[0]) for q in case.quasi),
            len(rows),
            tuple(tuple(s.cells[row] for row in rows) for s in case.sensitive),
        )
        for rows in case.units
    ]


def asked_by_number(case: Case) -> list[dict[str, Any]]:
    """The requirements with sensitive attributes by number."""
    place = {field.name: i for i, field in enumerate(case.sensitive)}
    return [
        {
            model: {k: place[v] if k == "attribute" else v for k, v in given.items()}
            for model, given in asked.items()
        }
        for asked in case.privacy
    ]
