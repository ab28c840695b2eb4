"""The published tables, in published order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.method.mhsa.symbol import ShownColumn
from shoal.recode.bucket import (
    Entries,
    bucket_column,
    bucket_numbers,
    bucket_table,
    in_buckets,
    number_buckets,
    with_entries,
)
from shoal.recode.column import text_column
from shoal.recode.label import Generalised
from shoal.recode.thread import side_by_side
from shoal.schema import Attribute, Kind, Layout, Role
from shoal.table import Column, Table, without_missing
from shoal.table.distinct import by_appearance

BucketNumbers = Mapping[str, NDArray[np.int32]]


@dataclass(frozen=True)
class Publication:
    """All that the tables are made of.

    `rows` are the input rows in published order, `classes` the number of the class of each. Buckets
    are those of all input rows; `layout` is that of the whole release. `shown` are the columns of
    symbols in place of sensitive values. `entries` of buckets belong to nobody.
    """

    table: Table
    frame: pl.DataFrame
    labels: Sequence[Generalised]
    of_label: NDArray[np.int32]
    classes: NDArray[np.int32]
    rows: NDArray[np.int64]
    ranges: str = "tight"
    layout: Layout = Layout.PLAIN
    buckets: BucketNumbers = field(default_factory=dict)
    shown: Mapping[str, ShownColumn] = field(default_factory=dict)
    entries: Mapping[str, Entries] = field(default_factory=dict)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The published tables by name."""
        columns: list[pl.Series] = []
        beside: dict[str, pl.DataFrame] = {}
        shown = side_by_side(self._columns, self.table.schema.published, len(self.rows))
        if self.table.people is not None:
            columns.append(_id_numbers(self.table.people.person[self.rows]))
        if self.layout.keeps_secrets:
            columns.append(_numbers("record", np.arange(1, len(self.rows) + 1)))
            columns.append(_numbers("GID", self.classes))
        for own, own_beside in shown:
            columns += own
            beside |= own_beside
        return {"data": pl.DataFrame(columns), **beside}

    def _columns(self, attribute: Attribute) -> tuple[list[pl.Series], dict[str, pl.DataFrame]]:
        """The columns of an attribute, and the table of its buckets where there is one."""
        name = attribute.name
        of_row = self.buckets.get(name)
        numbers = None if of_row is None else number_buckets(of_row, self.rows)
        if numbers is None or not numbers.any():
            return self._cells(attribute), {}
        column = self.table.columns[name]
        bids = bucket_column(name, numbers)
        if self.layout is Layout.SPLIT:
            beside = {f"buckets-{name}": self._bucket_table(column, numbers)}
            alone = attribute.role is Role.SENSITIVE
            return [bids] if alone else [*self._cells(attribute), bids], beside
        by_place, by_value = in_buckets(column, numbers, self.rows)
        shown = np.full(len(self.rows), -1, dtype=np.int64)
        shown[by_place] = column.codes[self.rows[by_value]]
        return [*self._cells(attribute, shown), bids], {}

    def _bucket_table(self, column: Column, numbers: NDArray[np.int64]) -> pl.DataFrame:
        name = column.attribute.name
        entries = self.entries.get(name)
        if entries is None or not len(entries):
            return bucket_table(column, numbers, self.rows)
        own = bucket_numbers(self.buckets[name], self.rows)[entries.buckets]
        cells = self.frame[name]
        return bucket_table(*with_entries(column, cells, numbers, self.rows, own, entries))

    def _cells(
        self, attribute: Attribute, shown: NDArray[np.int64] | None = None
    ) -> list[pl.Series]:
        """The column of an attribute; `shown` are codes that cells show in place of their own."""
        name = attribute.name
        label = next((x for x in self.labels if x.domain.attribute.name == name), None)
        column = self.table.columns.get(name)
        if name in self.shown:
            cells = self.shown[name]
            return [text_column(name, cells.texts, cells.symbol[self.rows])]
        if label is not None:
            return quasi_columns(label, self.of_label, self.ranges, shown)
        if column is not None:
            codes = column.codes[self.rows] if shown is None else shown
            return [text_column(name, column.domain.texts, codes)]
        texts = self.frame[name].gather(self.rows).cast(pl.String)
        return [without_missing(texts, attribute.missing)]

    def linked(self, data: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """The published table as two that only the class links: the rest, and what is sensitive.

        The second is sorted by what it shows, so that no position reveals a person.
        """
        gid = _numbers("GID", self.classes)
        sensitive = [a.name for a in self.table.schema.sensitive]
        values = data.select(sensitive).insert_column(0, gid)
        order = [pl.col("GID").cast(pl.Int64), *(pl.col(n).cast(pl.String) for n in sensitive)]
        return {
            "data": data.drop(sensitive).insert_column(0, gid),
            "sensitive": values.sort(order, nulls_last=True),
        }


def quasi_columns(
    label: Generalised,
    classes: NDArray[np.int32],
    ranges: str,
    shown: NDArray[np.int64] | None = None,
) -> list[pl.Series]:
    """The label of each row's class, or the two ends of its range; or the value that is shown."""
    domain = label.domain
    name = domain.attribute.name
    split = ranges == "columns" and domain.attribute.kind is Kind.NUMERIC
    if not split or label.low is None or label.high is None:
        if shown is None:
            return [text_column(name, label.texts, label.of_class, classes)]
        codes = label.of_class[classes].astype(np.int64)
        codes = np.where(shown >= 0, shown + len(label.texts), codes)
        return [text_column(name, (*label.texts, *domain.texts), codes)]
    of_row = label.of_class[classes]
    ends = [
        values[of_row] if shown is None or domain.numbers is None
        else np.where(shown >= 0, domain.numbers[shown], values[of_row])
        for values in (label.low, label.high)
    ]  # fmt: skip
    numbers = np.concatenate(ends)
    numbers = numbers[~np.isnan(numbers)]
    # By the ends that are published, not by the input, whose type would tell of rows that are
    # left out.
    whole = bool(((numbers % 1 == 0) & (np.abs(numbers) < 2**53)).all())
    return [
        pl.Series(f"{name}_{end}", values, nan_to_null=True).cast(pl.Int64 if whole else pl.Float64)
        for end, values in zip(("low", "high"), ends, strict=True)
    ]


def class_numbers(
    row_class: NDArray[np.int32], rows: NDArray[np.int64], n_classes: int
) -> NDArray[np.int32]:
    """Classes numbered from 1 in the order in which they appear in the published table."""
    return by_appearance(row_class[rows], n_classes) + np.int32(1)


def _numbers(name: str, numbers: NDArray[np.int64] | NDArray[np.int32]) -> pl.Series:
    return pl.Series(name, numbers).cast(pl.String)


def _id_numbers(person: NDArray[np.int32]) -> pl.Series:
    """Fresh numbers for people, in the order in which they appear in the published table."""
    number = by_appearance(person, int(person.max(initial=-1)) + 1)
    return _numbers("Id_num", number[person] + 1)
