"""Numbers of households and of the people in them, found by what their rows have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from shoal._command.init.entry import Entry
from shoal._command.init.nature import Nature
from shoal._command.init.profile import Profile
from shoal.schema import Kind, Role

_LARGEST = 40
_MEAN_SIZES = (1.1, 8.0)
_NEARLY_ALL = 0.98
# This many of the columns that may count people are compared with one that may be a household's.
_MOST_PAIRS = 20


def name_households(profile: Profile, entries: Sequence[Entry]) -> list[Entry]:
    """The same with the numbers of households and of the people in them named for what they are.

    A household's number repeats a few times, and the people in it are numbered 1, 2, 3 …, or have
    a number that together with the household's is different in every row.
    """
    found: dict[str, tuple[Nature, str]] = {}
    members = [(one, ones) for one in entries if (ones := _ones(one))]
    for house in filter(_may_be_house, entries):
        n_houses = house.column.n_distinct
        fitting = [one for one, n in members if _NEARLY_ALL * n_houses <= n <= n_houses]
        tried = (one for one in fitting[:_MOST_PAIRS] if _numbers(profile, house, one))
        member = next(tried, None)
        if member is None:
            continue
        size = profile.n_rows / house.column.n_distinct
        found[house.name] = Nature.HOUSEHOLD, f"{size:.1f} rows each"
        found.setdefault(member.name, (Nature.MEMBER, f"1, 2, 3 … in each {house.name}"))
    return [
        replace(one, nature=found[one.name][0], role=Role.IDENTIFIER, reason=found[one.name][1],
                instead=None)
        if one.name in found
        else one
        for one in entries
    ]  # fmt: skip


def _may_be_house(one: Entry) -> bool:
    column = one.column
    exact = column.kind is Kind.CATEGORICAL or column.whole
    if not exact or column.n_missing or column.n_rows < 10 or not column.n_distinct:
        return False
    if one.role is Role.QUASI or one.nature in (Nature.PERSON_NUMBER, Nature.PERSON_NAME):
        return False
    return _MEAN_SIZES[0] <= column.n_rows / column.n_distinct <= _MEAN_SIZES[1]


def _ones(one: Entry) -> int:
    """How many rows are 1 in a column that may number the people of a household, else 0.

    Every household has a first person: there are as many of them as there are households.
    """
    column = one.column
    if one.role is Role.QUASI or column.kind is not Kind.NUMERIC or column.n_missing:
        return 0
    if column.numbers is None or column.n_distinct > _LARGEST or column.low != 1:
        return 0
    return int(column.counts[column.numbers == 1].sum()) if column.whole else 0


def _numbers(profile: Profile, house: Entry, member: Entry) -> bool:
    """Whether the rows of nearly every household are numbered 1, 2, 3 …"""
    pairs = pl.DataFrame(
        {
            "house": profile.frame.get_column(house.name),
            "member": profile.frame.get_column(member.name).cast(pl.Float64, strict=False),
        }
    )
    of_house = (
        pairs.lazy()
        .group_by("house")
        .agg((pl.col("member").max() == pl.len()) & (pl.col("member").n_unique() == pl.len()))
    )
    fits = of_house.select(pl.col("member").sum()).collect().item()
    return bool(fits >= _NEARLY_ALL * house.column.n_distinct)
