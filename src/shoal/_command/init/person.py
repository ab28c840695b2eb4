"""Whether people have several rows, and which column tells them apart.

Where they do and the plan does not say so, a crowd of five rows may be one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from shoal._command.init.hint import Hint, hints_of, names_group, names_people, stays_for_life
from shoal._command.init.profile import Profile
from shoal._command.init.role import MANY, Proposed
from shoal.schema import Kind, Role

_HARDLY_TWICE = 0.95
_FEW_SLIPS = 0.02


@dataclass(frozen=True)
class Person:
    """The column whose equal values are one person, and the columns that differ within one.

    `overwritten` has for each of these the rows that do not say the person's commonest value.
    """

    column: str
    n_people: int
    differing: tuple[str, ...]
    overwritten: tuple[int, ...] = ()


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
            counts = tuple(_overwritten(profile.frame, one.name, name) for name in differing)
            return Person(one.name, n_people, differing, counts)
    return None


def leave_out_visits(
    roles: Sequence[Proposed], person: Person | None, n_rows: int
) -> tuple[list[Proposed], Person | None]:
    """Without the quasi-identifiers that differ within people too often to be slips.

    These are facts of a visit: one value for all rows of a person would be false. One
    quasi-identifier is kept, the one that differs least.
    """
    if person is None:
        return list(roles), None
    slips = dict(zip(person.differing, person.overwritten, strict=True))
    quasi = [one.name for one in roles if one.role is Role.QUASI]
    kept = min(quasi, key=lambda name: slips.get(name, 0))
    visits = {n for n, count in slips.items() if count > _FEW_SLIPS * n_rows and n != kept}
    rest = {name: count for name, count in slips.items() if name not in visits}
    changed = [_of_visit(o, slips[o.name] / n_rows) if o.name in visits else o for o in roles]
    return changed, replace(person, differing=tuple(rest), overwritten=tuple(rest.values()))


def _of_visit(one: Proposed, share: float) -> Proposed:
    said = f"differs within a person in {share:.1%} of rows"
    if Hint.SECRET in hints_of(one.name):
        return Proposed(one.column, Role.SENSITIVE, f"{said}, and the name hints at a secret")
    reason = f"{said}: overwriting it would publish what never happened; decide"
    return Proposed(one.column, Role.IDENTIFIER, reason)


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
    if names_group(one.name):
        return 4
    if Hint.PERSON_NAME in hints or Hint.CONTACT in hints:
        return 4  # many people share a first name or a street
    if Hint.NUMBER in hints and Hint.NAME not in hints:
        return 1 if names_people(one.name) else 2
    return 3 if Hint.NAME in hints else 4


def _overwritten(frame: pl.DataFrame, person: str, name: str) -> int:
    """The rows that do not have the commonest value of their person."""
    pairs = pl.DataFrame(
        [frame.get_column(person).alias("person"), frame.get_column(name).alias("value")]
    )
    counted = pairs.lazy().group_by("person", "value").len(name="n")
    commonest = counted.group_by("person").agg(pl.col("n").max()).select(pl.col("n").sum())
    return frame.height - int(commonest.collect().item())


def _differs(frame: pl.DataFrame, person: str, name: str, n_people: int) -> bool:
    pairs = pl.DataFrame([frame.get_column(person), frame.get_column(name)])
    return pairs.hash_rows().n_unique() > n_people
