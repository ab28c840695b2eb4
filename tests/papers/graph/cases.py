"""The graph paper's table, and random tables in the words of the twin of its methods."""

from __future__ import annotations

from typing import Any

from tests.cases import Case
from tests.papers.graph import twin as twin
from tests.papers.naive import Field

SEVEN = [(45, "M"), (46, "F"), (47, "M"), (48, "M"), (48, "F"), (42, "F"), (42, "F")]
EIGHT = [*SEVEN, (45, "F")]
ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi", "kind": "numeric"},
    "sex": {"role": "quasi", "hierarchy": "flat"},
}


def graph_column(quasi: Field) -> twin.Column:
    """A quasi-identifier in the words of the twin."""

    if quasi.tree:
        return ("tree", [tuple(quasi.above(v)) for v in quasi.values])
    if quasi.is_range:
        numbers = [quasi.number(v) for v in quasi.values if v is not None]
        low, high = quasi.domain or (min(numbers, default=0), max(numbers, default=0))
        return ("numeric", low, high)
    return ("set", len(quasi.values))


def graph_rows(case: Case) -> list[tuple[Any, ...]]:
    """The units of a case as rows of the twin."""

    def value(quasi: Field, row: int) -> Any:
        cell = quasi.cells[row]
        if quasi.tree:
            return quasi.above(cell)[0]
        return quasi.number(cell) if quasi.is_range and cell is not None else cell

    return [tuple(value(q, unit[0]) for q in case.quasi) for unit in case.units]
