"""Whole classes of all shards, counted and judged again as a reader can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from shoal._run.engine import Rows
from shoal._run.part.fact import SHARD
from shoal._run.part.finish import named
from shoal._run.part.release import WrittenRelease
from shoal._run.part.solve import worse
from shoal.folder.counted import Counted
from shoal.reading.digest import hash_rows
from shoal.schema import Schema, Verdict
from shoal.verify import Recount, audit_table


def by_class(quasi: list[str], n: int, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with a number that all rows of a class have, and sorted by it."""
    hashes = hash_rows([rows[name] for name in quasi], rows.height, 1, numbers=False)
    numbers = (hashes % np.uint64(n)).astype(np.uint32)
    return rows.with_columns(pl.Series(SHARD, numbers)).sort(SHARD, maintain_order=True)


def count_rows(
    names: tuple[str, ...], schema: Schema, symbols: frozenset[str], rows: pl.DataFrame
) -> Counted:
    """The counts of whole classes."""
    return Counted.of(named(names, rows), schema, symbols)


def recount(
    classes: Rows, release: WrittenRelease, schema: Schema, symbols: tuple[str, ...]
) -> Recount:
    """What a reader of the published table can count, class by class."""
    judge = partial(
        audit_table,
        schema=schema,
        requirements=release.requirements,
        ranges=release.ranges,
        n_repeated=release.counts.repeated,
        symbols=symbols,
        n_suppressed=release.counts.suppressed,
        whole={
            a.name: release.labels[a.name].rename({"label": "value"})
            for a in release.schema.sensitive
        },
    )
    names = tuple(release.published.data.columns)
    return classes.fold(partial(_judged, judge, names), _worse)


def settled(verdicts: Sequence[Verdict], found: Recount) -> tuple[Verdict, ...]:
    """The verdicts on shards with what whole classes reach, where a reader can count that.

    Classes of shards that publish the same labels are one class, which may reach more.
    """
    known = {(v.requirement, v.attribute): v.reached for v in found.verdicts if v.holds}
    reached = ((v, known.get((v.requirement, v.attribute))) for v in verdicts)
    return tuple(v if own is None else replace(v, reached=own) for v, own in reached)


def _judged(
    judge: Callable[[pl.DataFrame], Recount], names: tuple[str, ...], rows: pl.DataFrame
) -> Recount:
    # A shard may have left everybody out: no class proves nothing, and breaks nothing.
    return judge(named(names, rows)) if rows.height else Recount(())


def _worse(one: Recount, other: Recount) -> Recount:
    if not one.verdicts or not other.verdicts:
        return one if one.verdicts else other
    return Recount(tuple(map(worse, one.verdicts, other.verdicts)))
