"""What two versions of a release reveal together about those who are in both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.release import Release
from shoal.folder.state import State

Integers = NDArray[np.int64]

_FEWEST = 2


@dataclass(frozen=True)
class Overlap:
    """Of those who are in both versions, how few values their two classes have in common.

    `people` are in both, `least` is the fewest sensitive values that somebody's two classes share,
    of any attribute, and `exposed` is for how many that is fewer than required: l, or 2.
    """

    people: int
    least: int | None
    exposed: int


def compare_versions(release: Release, state: State, stay: NDArray[np.bool_]) -> Overlap:
    """Compare the class of everybody who stays with their class before.

    Somebody whose sensitive value is known to be among those of the one class and among those of
    the other has one of the values that both have (Xiao and Tao 2007): m-invariance keeps these the
    same; without it, they are counted here.
    """
    n_stay = int(np.count_nonzero(stay))
    now = np.maximum(release.published.classes.astype(np.int64), 0)
    old, new = state.classes[stay], now[:n_stay]
    both = (old > 0) & (new > 0)
    n_new = int(now.max(initial=0)) + 1
    pairs, n_people = np.unique(old[both] * n_new + new[both], return_counts=True)
    least: int | None = None
    exposed = np.zeros(len(pairs), dtype=np.bool_)
    for attribute in release.schema.sensitive:
        before, after, n_codes = _codes(release, state, attribute.name)
        shared = _shared(
            pairs // n_new,
            pairs % n_new,
            np.unique(state.classes * n_codes + before),
            np.unique(now * n_codes + after),
            n_codes,
        )
        least = min([*shared.tolist(), *([] if least is None else [least])], default=None)
        exposed |= shared < _required(release, attribute.name)
    return Overlap(int(np.count_nonzero(both)), least, int(n_people[exposed].sum()))


def _shared(
    old: Integers, new: Integers, before: Integers, after: Integers, n_codes: int
) -> Integers:
    """For pairs of classes, how many values both have.

    `before` and `after` are the values of classes, as class times the number of values plus value,
    in ascending order.
    """
    starts = np.searchsorted(before, old * n_codes)
    sizes = np.searchsorted(before, (old + 1) * n_codes) - starts
    pair = np.repeat(np.arange(len(old)), sizes)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    sought = new[pair] * n_codes + before[starts[pair] + place] % n_codes
    found = np.searchsorted(after, sought)
    same = after[np.minimum(found, len(after) - 1)] == sought
    return np.bincount(pair[same], minlength=len(old))


def _codes(release: Release, state: State, name: str) -> tuple[Integers, Integers, int]:
    """The values of an attribute in both versions as numbers, and how many there may be."""
    before, after = state.frame[name], release.published.original[name]
    if before.dtype != after.dtype:
        before, after = before.cast(pl.String), after.cast(pl.String)
    values = pl.concat([before, after]).cast(pl.String)
    codes = values.cast(pl.Categorical).to_physical().cast(pl.Int64).fill_null(-1).to_numpy() + 1
    numbers, n_codes = codes, int(codes.max(initial=0)) + 1
    return numbers[: before.len()], numbers[before.len() :], n_codes


def _required(release: Release, name: str) -> int:
    """The number of values that a class must have of an attribute: its l, else 2."""
    named = [
        int(np.ceil(float(r.parameters["l"])))
        for r in release.requirements
        if "l" in r.parameters and r.parameters.get("attribute") in (None, name)
    ]
    return max([_FEWEST, *named])
