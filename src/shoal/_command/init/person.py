"""Whether people have several rows, and which column says whose row it is.

If they do and the plan does not say so, a crowd of five rows may be one person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from shoal._command.init.entry import Entry
from shoal._command.init.nature import Nature
from shoal._command.init.profile import Profile
from shoal._command.init.role import MANY
from shoal._command.init.term import is_about_a_group, is_about_people, natures_of
from shoal.schema import Kind, Role
from shoal.schema.wording import percent

# Above this share of different values, the few that repeat may be slips.
_HARDLY_TWICE = 0.95
# What differs within people in more rows than that is a fact of a visit.
_FEW_SLIPS = 0.02
_MOST_COMPARED = 200
# What a person never changes.
_LASTING = (Nature.SEX, Nature.BIRTH, Nature.ORIGIN)


@dataclass(frozen=True)
class Person:
    """The column whose equal values are one person.

    `overwritten` counts, for each column that differs within a person, the rows without the
    person's most common value.
    """

    column: str
    n_people: int
    overwritten: Mapping[str, int] = field(default_factory=dict)


def find_person(profile: Profile, roles: Sequence[Entry]) -> Person | None:
    """The identifier that repeats because people have several rows; None if every row is a person.

    Numbers that are named as a person's come first, then other numbers, then names. Namesakes share
    a name, and a number that hardly ever repeats may be a slip: these count only if there is a
    column that people never change, and it never differs between the rows of a person.
    """
    unclear = [one.name for one in roles if one.is_open and not one.nature.is_clear]
    known = [*(one.name for one in roles if one.role is Role.QUASI), *unclear[:_MOST_COMPARED]]
    for one in sorted(filter(_repeats, roles), key=_rank):
        n_people = one.column.n_distinct
        differing = [n for n in known if _differs(profile.frame, one.name, n, n_people)]
        is_sure = _rank(one) < 3 and one.column.variety <= _HARDLY_TWICE
        if is_sure or _same_for_life(known, differing):
            counts = {name: _overwritten(profile.frame, one.name, name) for name in differing}
            return Person(one.name, n_people, counts)
    return None


def with_differing(profile: Profile, person: Person, names: Sequence[str]) -> Person:
    """The same person, with what differs in these columns between the rows of a person."""
    differing = [n for n in names if _differs(profile.frame, person.column, n, person.n_people)]
    counts = {name: _overwritten(profile.frame, person.column, name) for name in differing}
    return replace(person, overwritten=counts)


def leave_out_visits(
    roles: Sequence[Entry],
    person: Person | None,
    n_rows: int,
    decided: frozenset[str] = frozenset(),
) -> tuple[list[Entry], Person | None]:
    """Leave out the quasi-identifiers that differ within people too often to be slips.

    These are facts of a visit: one value for all rows of a person would be false. At least one
    quasi-identifier is kept, the one that differs least, and those that are decided.
    """
    quasi = [one.name for one in roles if one.role is Role.QUASI]
    if person is None or not quasi:
        return list(roles), person
    slips = person.overwritten
    kept = {*decided, min(quasi, key=lambda name: slips.get(name, 0))}
    visits = {n for n, count in slips.items() if count > _FEW_SLIPS * n_rows and n not in kept}
    changed = [_of_visit(o, slips[o.name] / n_rows) if o.name in visits else o for o in roles]
    rest = {name: count for name, count in slips.items() if name not in visits}
    return changed, replace(person, overwritten=rest)


def _of_visit(one: Entry, share: float) -> Entry:
    return one.left_open(f"differs within people in {percent(share)} of rows", Role.SENSITIVE)


def repeating(roles: Sequence[Entry]) -> list[str]:
    """The identifiers that may be a person's and repeat in several rows."""
    return [one.name for one in roles if _repeats(one)]


def _same_for_life(known: Sequence[str], differing: Sequence[str]) -> bool:
    lasting = [name for name in known if set(natures_of(name)) & set(_LASTING)]
    return bool(lasting) and not set(lasting) & set(differing)


def _repeats(one: Entry) -> bool:
    column = one.column
    if one.role is not Role.IDENTIFIER or column.n_missing or column.n_markers:
        return False
    is_exact = column.kind is Kind.CATEGORICAL or column.whole
    is_some = _rank(one) < 2 or is_about_people(one.name) or column.variety >= MANY
    return is_exact and is_some and 1 < column.n_distinct < column.n_rows and _rank(one) < 4


def _rank(one: Entry) -> int:
    said = natures_of(one.name)
    if Nature.PERSON_NUMBER in said:
        return 0
    # Many people share a household, a first name or a street.
    shared = (Nature.HOUSEHOLD, Nature.MEMBER, Nature.PERSON_NAME, Nature.CONTACT)
    if one.nature in shared or set(said) & set(shared) or is_about_a_group(one.name):
        return 4
    if Nature.KEY in said and Nature.NAME not in said:
        return 1 if is_about_people(one.name) else 2
    return 3 if Nature.NAME in said else 4


def _overwritten(frame: pl.DataFrame, person: str, name: str) -> int:
    """The rows without the most common value of their person."""
    pairs = pl.DataFrame(
        [frame.get_column(person).alias("person"), frame.get_column(name).alias("value")]
    )
    counted = pairs.lazy().group_by("person", "value").len(name="n")
    commonest = counted.group_by("person").agg(pl.col("n").max()).select(pl.col("n").sum())
    return frame.height - int(commonest.collect().item())


def _differs(frame: pl.DataFrame, person: str, name: str, n_people: int) -> bool:
    pairs = pl.DataFrame([frame.get_column(person), frame.get_column(name)])
    return pairs.hash_rows().n_unique() > n_people
