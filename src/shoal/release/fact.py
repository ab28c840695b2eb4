"""Facts that both warnings and public reports state; this is the only place that words them.

Warnings add what the publisher can do, reports what follows for readers. `which` are names of
columns, already listed in the style of the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from shoal.release.crowd import Clue
from shoal.schema import Kind
from shoal.schema.wording import counted, percent

# Columns in the open are mentioned if they single out more than this share of the rows.
MANY = 0.1

CONFLICTS = (
    "Where the rows of one person gave different descriptions, one value was used for all of them."
)
COMPOSITION = (
    "Anybody who has both can compare them: together, the two may show what each hides by itself "
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


def with_sets(quasi: Iterable[Ranged]) -> list[str]:
    """The names of the quasi-identifiers that are generalised to sets."""
    ranged = (Kind.NUMERIC, Kind.DATE)
    return [column.name for column in quasi if column.kind not in ranged and not column.hierarchy]


def exact_sets(which: str) -> str:
    """Sets say what is there, and so what is not."""
    return (
        f"The sets of {which} list exactly the values that are in a group: somebody has each "
        "listed value, and nobody has any other."
    )


def rows_of_person(share: float) -> str:
    """The rows of a person can be counted."""
    return (
        f"{percent(share, 0)} of the people have a number of rows that nobody else in their group "
        "has: anybody who knows how often a person appears finds all their rows."
    )


def replaced_cells(which: str) -> str:
    """Conflicts of a person's rows were settled; `which` also says how many cells."""
    return f"{CONFLICTS} These cells differ from the original: {which}."


def telling_columns(which: str, n_columns: int, share: float) -> str:
    """Columns in the open serve as quasi-identifiers."""
    subject = f"Taken together, {which} single" if n_columns > 1 else f"{which} alone singles"
    return (
        f"{subject} out {percent(share, 0)} of the rows: anybody who knows this about a person "
        "from elsewhere finds the row, however large its group is."
    )


def published_alone(n: int, people: bool) -> str:
    """A low k of 1 lets people be published by themselves."""
    return (
        f"{_counted(n, people)} {'is' if n == 1 else 'are'} published in a group of one, as a low "
        "k of 1 allows: anybody who knows the quasi-identifiers of such a person can read "
        "everything else in the row."
    )


def size_clues(clues: Sequence[Clue], people: bool) -> str:
    """Small groups hold nobody who requires a large one."""
    found = [f"{clue} for {_counted(clue.n_people, people)}" for clue in clues]
    return (
        "A group smaller than a given k holds nobody who requires that k. So the sizes of groups, "
        "together with the published thresholds of the levels, show that the sensitivity is "
        f"{listed(found)}."
    )


def _counted(n: int, people: bool) -> str:
    return counted(n, "person", "people") if people else counted(n, "row")


def unprotected(which: str, people: bool) -> str:
    """Nothing was required of a sensitive column."""
    return (
        f"No requirement covers {which}: where all {'people' if people else 'rows'} in a group "
        "share one value, anybody who finds the group knows it."
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
