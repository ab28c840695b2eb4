"""The publisher's own report: everything, original values included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from shoal.measure.price import prices_everybody
from shoal.reading.manifest import Manifest, Stated
from shoal.release.advice import warnings_of
from shoal.release.crowd import description
from shoal.release.outcome import Outcome
from shoal.report.comparison import Shift, compare_attributes, shortened
from shoal.report.flag import bound_of_privacy_loss, leaks_of
from shoal.report.graph import draw_graph
from shoal.report.level import levels_of
from shoal.report.page import render
from shoal.report.public import summarise
from shoal.report.risk import risk_of_release
from shoal.report.secret import risks_of
from shoal.report.wording import best_possible, measure_rows
from shoal.schema import Role
from shoal.table.partition import SUPPRESSED

_N_CLASSES = 12
_QUERIES = ("query-count", "query-sum")


@dataclass(frozen=True)
class Missing:
    """Who is not published: rows in all, and how many units the method and the repair left out."""

    n_rows: int
    unit: str
    by_method: int
    by_repair: int


@dataclass(frozen=True)
class Alike:
    """Groups in which all, rows or people, have the same value of a sensitive column."""

    name: str
    n_groups: int
    n_rows: int


def private_report(release: Outcome, manifest: Manifest) -> str:
    """The full report for the publisher: it shows values and must never be handed out."""
    frame = release.source
    comparisons = _comparisons(release, frame)
    queries = {name: release.measures[name] for name in _QUERIES if name in release.measures}
    return render(
        "private.html",
        summary=summarise(in_full(release, manifest), release.coded),
        comparisons=comparisons,
        queries=measure_rows(queries),
        # A bound that leaves most people out says little, and takes longer than everything else
        # here.
        best_possible=best_possible(release.measures)
        if prices_everybody(release.measures.view.table)
        else "",
        classes=_class_tables(release.classes),
        n_made=release.classes.height,
        missing=_missing(release),
        levels=levels_of(release),
        picture=_picture(release),
        vertex="a row" if release.schema.individual is None else "a person",
        alike=[] if manifest.keeps_secrets else _alike(release.coded["data"], manifest),
        risks=risks_of(release),
        attacks_of=risk_of_release(release, manifest),
        leaks=leaks_of(release),
        rpl=bound_of_privacy_loss(release, frame),
        hidden=_wholly_hidden(comparisons, release),
        merged=release.counts.merged_by_repair,
        concealment=release.concealment,
        warnings=warnings_of(release),
        notes=release.notes,
        seed=release.seed,
        seed_given=release.seed_given,
        plan_text=release.plan_text,
    )


def in_full(release: Outcome, manifest: Manifest) -> Manifest:
    """The manifest with what the run found, and not only what readers can tell."""
    columns = [
        c
        if c.role == "person"
        else c.model_copy(update={"kind": release.schema[c.name].kind, "loss_over": None})
        for c in manifest.columns
    ]
    counts = asdict(release.counts)
    return manifest.model_copy(
        update={
            "columns": tuple(columns),
            "verdicts": tuple(
                Stated(
                    requirement=v.requirement,
                    attribute=v.attribute,
                    holds=v.holds,
                    asked=v.asked,
                    reached=v.reached,
                    offending=len(v.offending),
                    posterior=v.posterior,
                )
                for v in release.verdicts
            ),
            "measures": release.measures.quick,
            "loss_by_attribute": release.measures.by_attribute,
            "singled_out": release.singled_out,
            "counts": manifest.counts | {name: n for name, n in counts.items() if n is not None},
        }
    )


def _picture(release: Outcome) -> str:
    """The graph of a small table, where the method works on one."""
    if release.distances is None:
        return ""
    groups: dict[int | None, list[int]] = {}
    for unit, c in enumerate(release.measures.view.partition.unit_class.tolist()):
        groups.setdefault(None if c == SUPPRESSED else int(release.number[c]), []).append(unit)
    ordered = dict(sorted(groups.items(), key=lambda item: (item[0] is None, item[0] or 0)))
    return draw_graph(release.distances, ordered)


def _comparisons(release: Outcome, frame: pl.DataFrame) -> list[Shift]:
    if not release.schema.quasi or frame.height == 0:
        return []
    return compare_attributes(release.schema, release.coded["data"], frame, release.origin)


def _wholly_hidden(comparisons: Sequence[Shift], release: Outcome) -> list[str]:
    """The attributes that cannot be compared: nothing of them is shown."""
    compared = {c.name for c in comparisons}
    return [a.name for a in release.schema.quasi if a.name not in compared]


def _class_tables(classes: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The smallest and the largest classes; all of them where there are few."""
    ordered = classes.sort("size", "class")
    if ordered.height <= 2 * _N_CLASSES:
        return [("All groups", _texts(ordered))] if ordered.height else []
    largest = ordered.tail(_N_CLASSES).reverse()
    return [
        (f"The {_N_CLASSES} smallest groups", _texts(ordered.head(_N_CLASSES))),
        (f"The {_N_CLASSES} largest groups", _texts(largest)),
    ]


def _texts(table: pl.DataFrame) -> pl.DataFrame:
    """Cells as text, long ones cut, missing ones empty."""

    def short(cell: Any) -> str:
        if cell is None:
            return ""
        return f"{cell:,}" if isinstance(cell, int) else shortened(str(cell))

    columns = [
        pl.Series(name, [short(cell) for cell in table[name].to_list()], dtype=pl.String)
        for name in table.columns
    ]
    return pl.DataFrame(columns)


def _missing(release: Outcome) -> Missing:
    counts = release.counts
    n, unit = counts.suppressed, "rows"
    if release.schema.individual is not None:
        lost = release.rows.filter(pl.col("class").is_null())
        n, unit = lost["individual"].n_unique() if lost.height else 0, "people"
    by_repair = min(counts.suppressed_by_repair, n)
    return Missing(counts.suppressed, unit, n - by_repair, by_repair)


def _alike(table: pl.DataFrame, manifest: Manifest) -> list[Alike]:
    """For each sensitive column the groups that betray it."""
    sensitive = manifest.of_role(Role.SENSITIVE)
    names = [c.name for c in sensitive if c.name in table.columns and not c.symbols]
    if not names or table.height == 0:
        return []
    keys = [key.alias(f"key{i}") for i, key in enumerate(description(table, manifest.quasi))]
    people = [pl.col("Id_num").alias("person")] if manifest.counts_people else []
    values = [pl.col(name).alias(f"value{i}") for i, name in enumerate(names)]
    # Under names of our own, since a column of the table may have any. The key of zeros groups
    # all rows where no column describes people.
    rows = table.lazy().select(pl.lit(0, dtype=pl.Int8).alias("key"), *keys, *people, *values)
    every = ["key", *(f"key{i}" for i in range(len(keys)))]
    return [_alike_in(rows, every, f"value{i}", name) for i, name in enumerate(names)]


def _alike_in(rows: pl.LazyFrame, keys: list[str], value: str, name: str) -> Alike:
    """The groups with a value that all rows have, or all people, perhaps among others."""
    n = pl.col("person").n_unique() if "person" in rows.collect_schema() else pl.len()
    groups = rows.group_by(keys).agg(n.alias("all"), pl.len().alias("rows"))
    having = rows.group_by(*keys, value).agg(n.alias("have")).group_by(keys)
    found = (
        groups.join(having.agg(pl.col("have").max()), on=keys, nulls_equal=True)
        .filter(pl.col("have") == pl.col("all"))
        .select(pl.len().alias("groups"), pl.col("rows").sum())
        .collect()
    )
    return Alike(name, int(found["groups"][0]), int(found["rows"][0]))
