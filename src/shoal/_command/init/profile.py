"""A whole table in numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from shoal._command.init.column import ColumnProfile, profile_column
from shoal.schema import Attribute, Role, Schema
from shoal.source import read
from shoal.table.form import settle_forms

# A decimal comma, or a date in another order or with its time.
_ODD = re.compile(r"[+-]?\d*,\d.*|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.*")


@dataclass(frozen=True)
class Profile:
    """The columns of a table in numbers; the table itself stays inside."""

    n_rows: int
    columns: tuple[ColumnProfile, ...]
    frame: pl.DataFrame = field(repr=False, compare=False)

    def n_singled_out(self, names: list[str], person: str | None = None) -> int:
        """How many rows differ from all others in these columns together.

        Where a column says whose each row is, how many people differ so from all other people.
        """
        if not names:
            return 0
        # By name: to polars '*' and '^…$' would mean several columns.
        columns = pl.DataFrame([self.frame.get_column(name) for name in names]).hash_rows()
        if person is None:
            return int(columns.is_unique().sum())
        people = pl.DataFrame({"key": columns, "who": self.frame.get_column(person)}).unique()
        return people.filter(pl.col("key").is_unique())["who"].n_unique()


def profile(frame: Any) -> Profile:
    """Count every column of a table: polars, pandas, pyarrow, or a path.

    >>> found = profile(pl.DataFrame({"sex": ["f", "m", "f"], "id": [1, 2, 3]}))
    >>> [(column.name, column.kind.value, column.uniqueness) for column in found.columns]
    [('sex', 'categorical', 0.3333333333333333), ('id', 'numeric', 1.0)]
    """
    table = read(frame)
    odd = [column.name for column in table.iter_columns() if _may_be_odd(column)]
    table, _ = settle_forms(table, Schema(tuple(Attribute(name, Role.QUASI) for name in odd)))
    return Profile(table.height, tuple(profile_column(c) for c in table.iter_columns()), table)


def _may_be_odd(series: pl.Series) -> bool:
    """Whether a column may have another form than the usual one, without a look at every cell.

    All cells of such a column have the same form, except that a decimal comma may be left out.
    """
    if series.dtype != pl.String:
        return isinstance(series.dtype, pl.Datetime)
    place = series.is_not_null().arg_max()
    first = "" if place is None else (series[place] or "").strip()
    if first.lstrip("+-").isdigit():
        return bool(series.str.contains(",", literal=True).any())
    return bool(_ODD.fullmatch(first))
