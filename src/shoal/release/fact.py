"""Facts that both warnings and public reports state, each worded only here.

Warnings add what the publisher can do, reports what follows for readers. `which` are names of
columns, already listed in the style of the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from shoal.schema import Kind

# Columns in the open are mentioned if they single out more than this share of the rows.
MANY = 0.1

COMPOSITION = (
    "Whoever holds both can compare them: what each hides by itself, the two together may show "
    "(composition)."
)


class Ranged(Protocol):
    """A column that may be published as ranges."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str | None: ...

    @property
    def hierarchy(self) -> object: ...


def with_real_ends(quasi: Iterable[Ranged], ranges: str) -> list[str]:
    """The names of the quasi-identifiers whose ranges end in values of the table."""
    if ranges == "snapped":
        return []
    kinds = (Kind.NUMERIC, Kind.DATE)
    return [column.name for column in quasi if column.kind in kinds and not column.hierarchy]


def real_ends(which: str) -> str:
    """The ranges are tight."""
    return f"The ends of the ranges of {which} are values of real people."


def replaced_cells(which: str) -> str:
    """Conflicts of a person's rows were settled; `which` also says how many cells."""
    return (
        "Where the rows of one person differed in what describes them, one value was taken for all "
        f"of them. These cells do not say what the original says: {which}."
    )


def singled_out(which: str, n_columns: int, share: float) -> str:
    """Columns in the open take the place of quasi-identifiers."""
    subject = f"Taken together, {which} single" if n_columns > 1 else f"{which} alone singles"
    return (
        f"{subject} out {share:.0%} of the rows: whoever knows this of a person from elsewhere "
        "finds the row, however large its group is."
    )


def unprotected(which: str, people: bool) -> str:
    """Nothing was required of a sensitive column."""
    return (
        f"No requirement is about {which}: where all {'people' if people else 'rows'} of a group "
        "share one value, whoever finds the group knows it."
    )


def listed(names: Sequence[str], most: int = 8, last: str = "and") -> str:
    """Names in a row: `a, b and c`.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed(list("abcd"), most=2)
    ('a, b and c', 'a', 'a, b and 2 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} {last} {len(names) - most} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
