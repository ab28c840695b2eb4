"""What two versions of a release together reveal about the people who are in both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.release import Release
from shoal.folder.state import State
from shoal.release.ledger import held_in_buckets
from shoal.table.distinct import distinct

Integers = NDArray[np.int64]

# Where no l is required, one value in common would still give it away.
_FEWEST = 2
# Up to here a mark for every key that there may be is quicker than sorting those that there are.
_MARKS = 1 << 26
# Whole numbers this close together are their own codes.
_SMALL = 1 << 16
# Beyond, whole numbers are taken as text.
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Overlap:
    """What two versions together show of those who are in both.

    `people` are in both. `least` is the fewest sensitive values that somebody's two classes, or
    buckets, share, of any attribute, and `exposed` for how many that is fewer than required: l, or
    2. `candidates` is the fewest people who share both their classes, and `thinned` for how many
    that is fewer than the k that they require.
    """

    people: int
    least: int | None
    exposed: int
    candidates: int | None = None
    thinned: int = 0


@dataclass(frozen=True)
class _Groups:
    """The classes or buckets of those who are in both, and their values.

    `old` and `new` are those of each person (0 or less: none); `before` and `after` are pairs of a
    group and a value, as group times the number of values plus value.
    """

    old: Integers
    new: Integers
    before: Integers
    after: Integers
    n_values: int


def compare_versions(release: Release, state: State, stay: NDArray[np.bool_]) -> Overlap:
    """Compare the class of everybody who stays with their class before.

    Somebody whose sensitive value is known to be among those of the one class and among those of
    the other has one of the values that both have (Xiao and Tao 2007): m-invariance keeps these the
    same; without it, they are counted here. Where values are in buckets, these are compared.
    """
    rows = _one_row_each(release, int(np.count_nonzero(stay)))
    old = state.classes[stay][rows]
    new = release.published.classes[rows].astype(np.int64)
    both = (old > 0) & (new > 0)
    rows, old, new = rows[both], old[both], new[both]
    least: int | None = None
    exposed = np.zeros(len(rows), dtype=np.bool_)
    for name, groups in _by_attribute(release, state, stay, rows, old, new):
        inside = np.flatnonzero((groups.old > 0) & (groups.new > 0))
        shared = _shared(groups, inside)
        if len(inside):
            least = int(shared.min()) if least is None else min(least, int(shared.min()))
        exposed[inside] |= shared < _required(release, name)
    together = _pairs(old, new)
    alike = np.bincount(together.of_person, minlength=len(together.old))[together.of_person]
    return Overlap(
        len(rows),
        least,
        int(np.count_nonzero(exposed)),
        int(alike.min()) if len(alike) else None,
        int(np.count_nonzero(alike < _crowds(release, rows))),
    )


@dataclass(frozen=True)
class _Pairs:
    """The two groups of everybody, every pair once; a pair that nobody has may be among them."""

    old: Integers
    new: Integers
    of_person: Integers


def _pairs(old: Integers, new: Integers) -> _Pairs:
    """Number the pairs of an old and a new group, none of which is negative.

    Nearly everybody goes with the others of their group, so the number of the old group will
    do for them: only the pairs of the others are sorted.
    """
    main = np.zeros(int(old.max(initial=-1)) + 1, dtype=np.int64)
    main[old] = new
    apart = np.flatnonzero(main[old] != new)
    n_new = int(new.max(initial=0)) + 1
    keys, of_apart = np.unique(old[apart] * n_new + new[apart], return_inverse=True)
    of_person = old.copy()
    of_person[apart] = len(main) + of_apart
    return _Pairs(
        np.append(np.arange(len(main)), keys // n_new), np.append(main, keys % n_new), of_person
    )


def _one_row_each(release: Release, n_stay: int) -> Integers:
    """A row of every person of the first rows, which stay."""
    if release.table.people is None:
        return np.arange(n_stay)
    _, first = np.unique(release.table.unit_of_row()[:n_stay], return_index=True)
    return np.asarray(first)


def _crowds(release: Release, rows: Integers) -> Integers:
    """The k that the person of each row requires; 0 where none is."""
    required = release.measures.view.required_k
    if required is None:
        return np.zeros(len(rows), dtype=np.int64)
    return release.table.by_row(required)[rows].astype(np.int64)


def _by_attribute(
    release: Release,
    state: State,
    stay: NDArray[np.bool_],
    rows: Integers,
    old: Integers,
    new: Integers,
) -> Iterator[tuple[str, _Groups]]:
    """What is compared of each attribute: its buckets, or else classes."""
    if release.keeps_secrets:
        held = held_in_buckets(release.published)
        for name in held.keys() & state.held.keys():
            (before, owners, values), (after, own, cells) = state.held[name], held[name]
            codes, n = _codes(values, cells)
            had, have = owners * n + codes[: len(owners)], own * n + codes[len(owners) :]
            groups = before[stay][rows], after[rows]
            yield name, _Groups(*groups, _distinct(had), _distinct(have), n)
        return
    now = np.maximum(release.published.classes.astype(np.int64), 0)
    for attribute in release.schema.sensitive:
        was, is_ = state.frame[attribute.name], release.published.original[attribute.name]
        codes, n = _codes(was, is_)
        had, have = state.classes * n + codes[: len(was)], now * n + codes[len(was) :]
        yield attribute.name, _Groups(old, new, _distinct(had), _distinct(have), n)


def _shared(groups: _Groups, people: Integers) -> Integers:
    """For each of these people, how many values both their groups have."""
    n, after = groups.n_values, groups.after
    together = _pairs(groups.old[people], groups.new[people])
    n_old, n_new = (
        int(max(own.max(initial=0), listed.max(initial=0) // n)) + 1
        for own, listed in ((together.old, groups.before), (together.new, after))
    )
    if max(n_old, n_new, len(together.old)) * n < _MARKS:
        had, have = np.zeros((n_old, n), dtype=np.bool_), np.zeros((n_new, n), dtype=np.bool_)
        had.ravel()[groups.before], have.ravel()[after] = True, True
        shared = np.count_nonzero(had[together.old] & have[together.new], axis=1)
        return np.asarray(shared[together.of_person])
    starts = np.searchsorted(groups.before, together.old * n)
    sizes = np.searchsorted(groups.before, (together.old + 1) * n) - starts
    pair = np.repeat(np.arange(len(together.old)), sizes)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    sought = together.new[pair] * n + groups.before[starts[pair] + place] % n
    found = np.minimum(np.searchsorted(after, sought), max(len(after) - 1, 0))
    same = pair[after[found] == sought]
    return np.bincount(same, minlength=len(together.old))[together.of_person]


def _distinct(keys: Integers) -> Integers:
    """Every key once, in ascending order; none is negative."""
    most = int(keys.max(initial=-1))
    if most < _MARKS:
        seen = np.zeros(most + 1, dtype=np.bool_)
        seen[keys] = True
        return np.flatnonzero(seen)
    return distinct(keys)


def _codes(before: pl.Series, after: pl.Series) -> tuple[Integers, int]:
    """The values of both versions as numbers, and how many there may be."""
    if before.dtype != after.dtype:
        before, after = before.cast(pl.String), after.cast(pl.String)
    values = pl.concat([before.alias(""), after.alias("")])
    if values.dtype.is_integer() and len(values) and not values.null_count():
        least, most = int(values.min()), int(values.max())  # type: ignore[arg-type]
        if most - least < _SMALL and least >= -_LARGEST and most <= _LARGEST:
            return values.cast(pl.Int64).to_numpy() - least, most - least + 1
    coded = values.cast(pl.String).cast(pl.Categorical).to_physical()
    codes = coded.cast(pl.Int64).fill_null(-1).to_numpy() + 1
    return codes, int(codes.max(initial=0)) + 1


def _required(release: Release, name: str) -> int:
    """The number of values that a class must have of an attribute: its l, else 2."""
    named = [
        int(np.ceil(float(r.parameters["l"])))
        for r in release.requirements
        if "l" in r.parameters and r.parameters.get("attribute") in (None, name)
    ]
    return max([_FEWEST, *named])
