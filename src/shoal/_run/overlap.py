"""What two versions of a release reveal together about those who are in both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.release import Release
from shoal.folder.state import State

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
    pairs = pl.DataFrame(
        {
            "old": state.classes[stay],
            "new": release.published.classes[:n_stay].astype(np.int64),
        }
    )
    both = pairs.filter(pl.col("old") > 0, pl.col("new") > 0)
    least: int | None = None
    worst = pl.DataFrame(schema={"old": pl.Int64, "new": pl.Int64})
    for attribute in release.schema.sensitive:
        shared = _shared(release, state, attribute.name, both)
        counts = [*shared["shared"].to_list(), *([] if least is None else [least])]
        least = min(counts, default=None)
        required = _required(release, attribute.name)
        worst = pl.concat([worst, shared.filter(pl.col("shared") < required).select("old", "new")])
    exposed = both.join(worst.unique(), on=["old", "new"], how="semi").height
    return Overlap(both.height, least, exposed)


def _shared(release: Release, state: State, name: str, both: pl.DataFrame) -> pl.DataFrame:
    """For every pair of classes of somebody, how many values of an attribute both have."""
    before, after = state.frame[name], release.published.original[name]
    if before.dtype != after.dtype:
        before, after = before.cast(pl.String), after.cast(pl.String)
    codes = _codes(pl.concat([before, after]))
    old = pl.DataFrame({"old": state.classes, "value": codes.head(before.len())})
    new = pl.DataFrame(
        {
            "new": release.published.classes.astype(np.int64),
            "value": codes.tail(after.len()),
        }
    )
    found = (
        both.unique()
        .join(old.unique(), on="old")
        .join(new.unique(), on=["new", "value"], nulls_equal=True)
        .group_by("old", "new")
        .len("shared")
    )
    return both.unique().join(found, on=["old", "new"], how="left").fill_null(0)


def _codes(values: pl.Series) -> pl.Series:
    """Numbers that are equal where values are; a missing value stays null."""
    if values.dtype.is_integer():
        return values
    return values.cast(pl.String).cast(pl.Categorical).to_physical()


def _required(release: Release, name: str) -> int:
    """The number of values that a class must have of an attribute: its l, else 2."""
    named = [
        int(np.ceil(float(r.parameters["l"])))
        for r in release.requirements
        if "l" in r.parameters and r.parameters.get("attribute") in (None, name)
    ]
    return max([_FEWEST, *named])
