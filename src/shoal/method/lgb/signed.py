"""Buckets of a later version in which everybody keeps their signature (Xiao and Tao 2007).

The signature of a person is the set of values of their bucket. As in the paper, people of one
signature are dealt into buckets that have each of its values once. Newcomers fill the gaps, and
what is still missing is an entry that belongs to nobody. Newcomers who fill no gap are put into new
buckets, as in a first version (Algorithm 2 of LGB).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.method.lgb.bucket import spread

NEW = -1
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class SecretCells:
    """Secret cells of one attribute, in an order that is drawn.

    `values` are numbers in the order of values, of which there are `n_values`. `signature` is the
    place of everybody's signature among `signatures` (-1: new), and has their value. `before` is
    the bucket in which a cell was (-1: none).
    """

    values: Integers
    signature: Integers
    signatures: Sequence[frozenset[int]]
    before: Integers
    n_values: int


@dataclass
class Signed:
    """The bucket of every cell, and the entries that belong to nobody: bucket and value."""

    buckets: NDArray[np.int32]
    entries: list[tuple[int, int]] = field(default_factory=list)
    n_buckets: int = 0


def sign_buckets(secrets: SecretCells, l: int) -> Signed | None:  # noqa: E741
    """Buckets of different values, at least l, each with the signature of all who are in it.

    Buckets whose people are all still there stay as they were. None where there are fewer than l
    values, whoever has them.
    """
    made = Signed(np.full(len(secrets.values), NEW, dtype=np.int32))
    gaps = _deal_known(secrets, made)
    left = _fill_gaps(secrets, made, gaps)
    return made if _deal_new(secrets, made, left, l) else None


def _deal_known(secrets: SecretCells, made: Signed) -> dict[int, list[int]]:
    """Give everybody who is known a bucket; returns the buckets that lack each value."""
    values, before = secrets.values.tolist(), secrets.before.tolist()
    of_signature: dict[int, list[int]] = {}
    for cell, signature in enumerate(secrets.signature.tolist()):
        if signature != NEW:
            of_signature.setdefault(signature, []).append(cell)
    gaps: dict[int, list[int]] = {}
    for signature in sorted(of_signature):
        wanted = secrets.signatures[signature]
        together: dict[int, list[int]] = {}
        for cell in of_signature[signature]:
            together.setdefault(before[cell], []).append(cell)
        by_value: dict[int, list[int]] = {value: [] for value in sorted(wanted)}
        for bucket, cells in together.items():
            whole = bucket != NEW and len(cells) == len(wanted)
            if whole and {values[cell] for cell in cells} == wanted:
                made.buckets[cells] = made.n_buckets
                made.n_buckets += 1
                continue
            for cell in cells:
                by_value[values[cell]].append(cell)
        # As many buckets as the commonest value needs; the others leave gaps in some.
        n = max(map(len, by_value.values()), default=0)
        for value, cells in by_value.items():
            made.buckets[cells] = np.arange(made.n_buckets, made.n_buckets + len(cells))
            short = range(made.n_buckets + len(cells), made.n_buckets + n)
            gaps.setdefault(value, []).extend(short)
        made.n_buckets += n
    return gaps


def _fill_gaps(secrets: SecretCells, made: Signed, gaps: dict[int, list[int]]) -> Integers:
    """Newcomers go where their value is missing, else an entry does; returns who is left."""
    new = np.flatnonzero(secrets.signature == NEW)
    waiting: dict[int, list[int]] = {}
    for cell, value in zip(new.tolist(), secrets.values[new].tolist(), strict=True):
        waiting.setdefault(value, []).append(cell)
    for value, buckets in sorted(gaps.items()):
        cells = waiting.get(value, [])
        n = min(len(cells), len(buckets))
        made.buckets[cells[:n]] = buckets[:n]
        made.entries += [(bucket, value) for bucket in buckets[n:]]
    return np.asarray(new[made.buckets[new] == NEW])


def _deal_new(secrets: SecretCells, made: Signed, cells: Integers, l: int) -> bool:  # noqa: E741
    """Put these cells into new buckets, with as many entries as make them eligible for l."""
    if not len(cells):
        return True
    values = secrets.values[cells]
    more = _entries_for(np.bincount(values, minlength=secrets.n_values), l)
    if more is None:
        return False
    found = spread(np.append(values, more), l) + made.n_buckets
    made.buckets[cells] = found[: len(cells)]
    made.entries += list(zip(found[len(cells) :].tolist(), more.tolist(), strict=True))
    made.n_buckets = int(found.max()) + 1
    return True


def _entries_for(counts: Integers, l: int) -> Integers | None:  # noqa: E741
    """As few values as make the commonest at most one in l; the commonest others first."""
    most = int(counts.max())
    wanted = l * most - int(counts.sum())
    if wanted <= 0:
        return np.empty(0, dtype=np.int64)
    if len(counts) < l:
        return None
    found: list[int] = []
    for value in np.argsort(-counts, kind="stable").tolist():
        n = min(most - int(counts[value]), wanted - len(found))
        found += [value] * n
    return np.array(found, dtype=np.int64)
