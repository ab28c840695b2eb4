"""Rows by what their people keep secret, and parts that are too small for a class (LGB)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.table import Table
from shoal.table.partition import PUBLIC, SECRET, WITHHELD
from shoal.table.space import packed_codes, space_of, starts_of

RowNumbers = NDArray[np.int64]
Pattern = NDArray[np.int8]


@dataclass(frozen=True)
class PatternPart:
    """Rows in table order, and what each quasi-identifier is for all of them."""

    rows: RowNumbers
    pattern: Pattern

    @property
    def public(self) -> NDArray[np.int64]:
        """QI[t]: the places of the quasi-identifiers that others may know."""
        return np.flatnonzero(self.pattern == PUBLIC)


def parts_of(table: Table) -> list[PatternPart]:
    """Rows of one QI[t] (Definition 8), by each part's first row."""
    own = own_patterns(table)
    part = np.zeros(table.n_rows, dtype=np.int64)
    for secret in (own == SECRET).T:
        pair = 2 * part + secret
        # Numbers are closed up at once: there are never more than twice the patterns that occur.
        part = (np.cumsum(np.bincount(pair) > 0) - 1)[pair]
    _, first = np.unique(part, return_index=True)
    order = np.argsort(part, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(part))[:-1])
    found = [PatternPart(rows, own[rows[0]]) for rows in groups]
    return [found[i] for i in np.argsort(first).tolist()]


def own_patterns(table: Table) -> NDArray[np.int8]:
    """What the person of every row shows and keeps secret of each quasi-identifier."""
    own = np.full((table.n_rows, len(table.quasi)), PUBLIC, dtype=np.int8)
    for j, attribute in enumerate(table.schema.quasi):
        if attribute.name in table.flags:
            own[table.flags[attribute.name] > 0, j] = SECRET
    return own


def join_small(table: Table, parts: list[PatternPart], least: int) -> list[PatternPart]:
    """Parts of at least `least` rows; rows that are in none of them are suppressed.

    The smallest part (ties: the earlier) joins the part with which together it loses least (ties:
    the earlier): with those of its rows that cost least, if `least` of its own stay there, else
    with all. What only one of the two knows is withheld in the joined part. A part is suppressed
    where that loses less, one for each attribute and row, or where there is nothing to join.
    """
    if all(len(p.rows) >= least for p in parts):
        return parts
    n_attributes = len({a.name for a in (*table.schema.quasi, *table.schema.secret)})
    seek = _Seeker(table, least)
    while any(len(p.rows) < least for p in parts):
        x = min(range(len(parts)), key=lambda i: len(parts[i].rows))
        small = parts[x]
        y, loss, taken = seek.partner(parts, x)
        if y < 0 or len(small.rows) * n_attributes < loss:
            parts = parts[:x] + parts[x + 1 :]
            continue
        joined, rest = _join(small, parts[y], taken)
        stay = [p for i, p in enumerate(parts) if i not in (x, y)]
        # By first rows again, since of parts that tie the earlier is taken.
        parts = sorted([*stay, joined, *rest], key=lambda p: p.rows[0])
    return parts


def _join(
    small: PatternPart, other: PatternPart, taken: RowNumbers
) -> tuple[PatternPart, list[PatternPart]]:
    """The joined part, and what stays of the other."""
    same = small.pattern == other.pattern
    # Not SECRET: a cell that some know must not enter a bucket, for whoever knows it could strike
    # it out and learn the others.
    pattern = np.where(same, small.pattern, WITHHELD).astype(np.int8)
    joined = PatternPart(np.sort(np.concatenate([small.rows, taken])), pattern)
    rest = np.setdiff1d(other.rows, taken, assume_unique=True)
    return joined, [PatternPart(rest, other.pattern)] if len(rest) else []


class _Seeker:
    """What the search for a partner needs all the time."""

    def __init__(self, table: Table, least: int) -> None:
        from shoal.kernels.box.element import boxes_of_people, room_to_grow

        codes = packed_codes(table)
        n, d = codes.shape
        self.least = least
        self.space = space_of(table.quasi, "ncp")
        self.points = boxes_of_people(codes, np.ones(n, dtype=np.int64))
        self.growing = room_to_grow(int(self.space.start[-1]), d)
        self.nothing = np.empty((0, 2 * d), np.int64), np.empty(0, np.int32)
        self.room = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)

    def partner(self, parts: list[PatternPart], x: int) -> tuple[int, float, RowNumbers]:
        """The part to join (-1: none), the loss of the two, and the rows that it gives."""
        from shoal.kernels.bucket.pattern import find_partner

        starts = starts_of([len(p.rows) for p in parts])
        members = np.concatenate([p.rows for p in parts])
        patterns = np.array([p.pattern for p in parts], dtype=np.int8)
        y, loss, n = find_partner(
            self.space, self.points, np.int64(x), np.int64(self.least), starts, members, patterns,
            self.growing, self.nothing, self.room,
        )  # fmt: skip
        return int(y), float(loss), self.room[1][:n].copy()
