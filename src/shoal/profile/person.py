"""Whether people have several rows, and which column tells them apart.

Where they do and the plan does not say so, a crowd of five rows may be one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from shoal.profile.hint import Hint, hints_of, names_people, stays_for_life
from shoal.profile.profile import Profile
from shoal.profile.role import MANY, Proposed
from shoal.schema import Kind, Role

_HARDLY_TWICE = 0.95


@dataclass(frozen=True)
class Person:
    """The column whose equal values are one person, and the columns that differ within one."""

    column: str
    n_people: int
    differing: tuple[str, ...]


def find_person(profile: Profile, roles: Sequence[Proposed]) -> Person | None:
    """The identifier that repeats because people have several rows; None where rows are people.

    A number that the name says is a person's comes before other numbers, and those before names.
    A name, which namesakes share, and a number that hardly ever occurs twice, which may be a slip,
    count only where there is a column of what people do not change and nobody's rows differ in it.
    """
    known = [one.name for one in roles if one.role is Role.QUASI]
    for one in sorted(filter(_repeats, roles), key=_rank):
        n_people = one.column.n_distinct
        differing = tuple(n for n in known if _differs(profile.frame, one.name, n, n_people))
        is_sure = _rank(one) < 3 and one.column.variety <= _HARDLY_TWICE
        if is_sure or _same_for_life(known, differing):
            return Person(one.name, n_people, differing)
    return None


def repeating(roles: Sequence[Proposed]) -> list[str]:
    """The identifiers that may be a person's and occur in several rows."""
    return [one.name for one in roles if _repeats(one)]


def _same_for_life(known: Sequence[str], differing: Sequence[str]) -> bool:
    lasting = [name for name in known if stays_for_life(name)]
    return bool(lasting) and not set(lasting) & set(differing)


def _repeats(one: Proposed) -> bool:
    column = one.column
    if one.role is not Role.IDENTIFIER or column.n_missing or column.n_markers:
        return False
    is_exact = column.kind is Kind.CATEGORICAL or column.whole
    is_some = _rank(one) < 2 or names_people(one.name) or column.variety >= MANY
    return is_exact and is_some and 1 < column.n_distinct < column.n_rows and _rank(one) < 4


def _rank(one: Proposed) -> int:
    hints = hints_of(one.name)
    if Hint.PERSON_NUMBER in hints:
        return 0
    if Hint.PERSON_NAME in hints or Hint.CONTACT in hints:
        return 4  # many people share a first name or a street
    if Hint.NUMBER in hints and Hint.NAME not in hints:
        return 1 if names_people(one.name) else 2
    return 3 if Hint.NAME in hints else 4


def _differs(frame: pl.DataFrame, person: str, name: str, n_people: int) -> bool:
    pairs = pl.DataFrame([frame.get_column(person), frame.get_column(name)])
    return pairs.hash_rows().n_unique() > n_people
