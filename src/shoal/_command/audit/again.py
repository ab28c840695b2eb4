"""The plan, run again on the original: which rows does it leave out?

Whoever drops rows says that the run left them out. Nobody can tell from the original alone; but if
the plan makes the same rows again, those that are left out are the run's.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from shoal._run import run
from shoal.errors import ShoalError
from shoal.plan import Plan
from shoal.reading.manifest import Manifest
from shoal.schema import Layout

OTHERWISE = (
    "when run again, the plan gives another release (its seed was drawn, the release was updated "
    "since, or rows were dropped): only the private folder (--private) says which rows the run "
    "left out"
)


def made_again(plan: Plan, manifest: Manifest, data: pl.DataFrame, original: pl.DataFrame) -> bool:
    """Whether a run of the plan publishes these very rows, in any order.

    That it does not proves nothing: a seed may have been drawn, and an update keeps classes.
    """
    # What is polished for a time differs from run to run.
    drawn_out = plan.polish is not None and plan.polish.seconds is not None
    if manifest.form is not Layout.PLAIN or manifest.republish is not None or drawn_out:
        return False
    try:
        again = run(replace(plan, output=None, output_database=None), original).frame
    except ShoalError:
        return False
    names = [c.name for c in manifest.columns if c.role != "person"]
    shown = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    shown = [name for name in shown if name in data.columns]
    if not shown or data.height != again.height or not set(shown) <= set(again.columns):
        return False
    return _counted(data, shown).equals(_counted(again, shown))


def _counted(table: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """The different rows with their numbers, numbers alike however they are written."""
    rows = table.select(
        pl.coalesce(pl.col(n).cast(pl.String).cast(pl.Float64, strict=False).cast(pl.String),
                    pl.col(n).cast(pl.String)).alias(n)
        for n in names
    )  # fmt: skip
    return rows.group_by(names).len(name="").sort(names, nulls_last=True)
