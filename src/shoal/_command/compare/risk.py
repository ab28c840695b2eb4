"""How easily readers can find people in a published table."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal._run import Release
from shoal.release.crowd import description


@dataclass(frozen=True)
class LinkageRisk:
    """The chance of picking the right row of a person whose description is known.

    It is one in as many people as share the published description: `mean` over the published rows,
    and `largest`, in the smallest class.
    """

    n_classes: int
    smallest: int
    mean: float
    largest: float


def risk_of(release: Release) -> LinkageRisk:
    """The risk in a release, from its published table alone."""
    table = release.coded["data"]
    described = description(table, release.schema.quasi, release.keeps_secrets)
    keys = [key.alias(f"key{i}") for i, key in enumerate(described)]
    has_people = release.schema.individual is not None
    people = pl.col("Id_num").n_unique() if has_people else pl.len()
    person = [pl.col("Id_num")] if has_people else []
    # The constant key makes one class of everybody where no column describes people.
    rows = table.lazy().select(*keys, *person, pl.repeat(0, pl.len()).alias("key"))
    groups = rows.group_by(pl.col("^key[0-9]*$")).agg(pl.len().alias("rows"), people.alias("n"))
    found = groups.select(
        pl.len().alias("classes"),
        pl.col("n").min().alias("smallest"),
        ((pl.col("rows") / pl.col("n")).sum() / pl.col("rows").sum()).alias("mean"),
    ).collect()
    n_classes, smallest, mean = found.row(0)
    return LinkageRisk(int(n_classes), int(smallest), float(mean), 1 / int(smallest))
