"""The tables that stay with the publisher: which row went where, and what each class shows."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.measure import View
from shoal.model.sensitivity import region_names
from shoal.recode import Generalised, text_column
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition


def private_rows(
    frame: pl.DataFrame, table: Table, partition: Partition, row_class: NDArray[np.int64]
) -> pl.DataFrame:
    """For every input row its class (null: suppressed), level, k, region and person."""
    unit = table.unit_of_row()
    kept = row_class != SUPPRESSED
    columns = {
        "row": pl.Series(np.arange(table.n_rows)),
        "class": pl.Series(row_class, dtype=pl.Int32),
    }
    for name, values in (("level", partition.level), ("k", partition.k)):
        columns[name] = (
            pl.Series(np.zeros(table.n_rows, np.int32)) if values is None
            else pl.Series(values[unit].astype(np.int32))
        )  # fmt: skip
    # Classes, levels and k begin at 1: 0, or less, says that there is none.
    rows = pl.DataFrame(columns).with_columns(
        pl.when(pl.col(name) > 0).then(pl.col(name)).alias(name) for name in ("class", "level", "k")
    )
    individual = table.schema.individual
    return rows.with_columns(
        pl.when(pl.Series(kept)).then(pl.col("level")).alias("level"),
        _regions(partition, unit),
        frame[individual.column].cast(pl.String).alias("individual")
        if individual is not None
        else pl.lit(None, dtype=pl.String).alias("individual"),
    )


def _regions(partition: Partition, unit: NDArray[np.int32]) -> pl.Expr | pl.Series:
    if partition.region is None:
        return pl.lit(None, dtype=pl.String).alias("region")
    names = region_names(int(partition.region.max(initial=0)) // 3 + 1)
    return text_column("region", names, partition.region[unit]).cast(pl.String)


def private_classes(view: View, number: NDArray[np.int32]) -> pl.DataFrame:
    """For every class its number, its size, its people and what it publishes."""
    columns = [
        pl.Series("class", number),
        pl.Series("size", view.class_rows),
        pl.Series("people", view.partition.sizes()),
        *(
            text_column(column_beside(x.domain.attribute.name), _texts(x), x.of_class)
            for x in view.labels
        ),
    ]
    return pl.DataFrame(columns).sort("class")


def column_beside(name: str) -> str:
    """The name of a quasi-identifier in a table of classes, which has columns of its own."""
    own = ("class", "size", "people", "first_row")
    return f"{name} (published)" if name in own else name


def _texts(label: Generalised) -> list[str | None]:
    """The labels, with a word for what a class shows of an attribute in buckets or not at all."""
    texts = list(label.texts)
    for place, word in ((label.secret, "(secret)"), (label.withheld, "(withheld)")):
        if place >= 0:
            texts[place] = word
    return texts
