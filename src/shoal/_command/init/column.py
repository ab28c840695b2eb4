"""One column in numbers: how many values, how many missing, how many that single out a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from shoal._command.init.shape import Shape, shape_of
from shoal.schema import Attribute, Kind, Role
from shoal.table.column import guess_kind

_MARKERS = ("?", "-", "--", ".", "na", "n/a", "nan", "null", "none", "missing", "unknown", "#n/a")
_NEGATIVE_CODES = ("-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9",
                   "-88", "-99", "-888", "-999", "-9999")  # fmt: skip
_YES_OR_NO = ("yes", "no", "true", "false", "1", "0")
_GLANCE = 1_000
_EXACT = 2.0**53


@dataclass(frozen=True)
class ColumnProfile:
    """What is counted in one column.

    `n_distinct` and `n_unique` (values that only one row has) count values that are present;
    `n_markers` counts the cells with a text that often means missing, and `markers` are these
    texts; `n_negative_codes` counts the cells with a number such as -9 if no other number is
    negative. `values` are the distinct values; these and the least and largest number are never
    shown.
    """

    name: str
    kind: Kind
    n_rows: int
    n_missing: int
    n_distinct: int
    n_unique: int
    n_markers: int
    numbers_but_markers: bool
    yes_or_no: bool
    shape: Shape
    values: pl.Series = field(repr=False, compare=False)
    low: float | None = field(default=None, repr=False)
    high: float | None = field(default=None, repr=False)
    whole: bool = field(default=False, repr=False)
    markers: tuple[str, ...] = ()
    n_negative_codes: int = 0

    @property
    def is_constant(self) -> bool:
        """Whether there are several rows and all are the same, or empty."""
        return self.n_rows > 1 and self.n_distinct + bool(self.n_missing) <= 1

    @property
    def uniqueness(self) -> float:
        """The share of all rows that this column alone singles out."""
        return self.n_unique / self.n_rows

    @property
    def variety(self) -> float:
        """Distinct values per row that has one; 1 if no value occurs twice."""
        return self.n_distinct / max(self.n_rows - self.n_missing, 1)

    def as_data(self) -> dict[str, Any]:
        """The numbers that may be shown."""
        return {
            "kind": str(self.kind),
            "distinct": self.n_distinct,
            "missing": self.n_missing,
            "unique_rows": self.n_unique,
            "unique_share": round(self.uniqueness, 6),
        }


def profile_column(series: pl.Series) -> ColumnProfile:
    """Count one column; its kind is guessed as in a run.

    >>> column = profile_column(pl.Series("age", ["36", "36", "41", None]))
    >>> column.kind.value, column.n_distinct, column.n_unique, column.n_missing
    ('numeric', 2, 1, 1)
    """
    counted = series.alias("value").to_frame().lazy().group_by("value").len(name="n").collect()
    present = counted.filter(pl.col("value").is_not_null())
    values, counts = present["value"], present["n"]
    texts = values.cast(pl.String)
    marker = texts.str.strip_chars().str.to_lowercase().is_in(_MARKERS)
    n_markers = int(counts.filter(marker).sum())
    kind, numbers = _kind(series.name, values, texts)
    return ColumnProfile(
        name=series.name,
        kind=kind,
        n_rows=len(series),
        n_missing=series.null_count(),
        n_distinct=present.height,
        n_unique=int((counts == 1).sum()),
        n_markers=n_markers,
        numbers_but_markers=bool(n_markers)
        and kind is Kind.CATEGORICAL
        and _kind(series.name, values.filter(~marker), texts.filter(~marker))[0] is Kind.NUMERIC,
        yes_or_no=bool(texts.str.to_lowercase().is_in(_YES_OR_NO).all()),
        shape=shape_of(texts),
        values=values,
        low=None if numbers is None else _number(numbers.min()),
        high=None if numbers is None else _number(numbers.max()),
        whole=numbers is not None and bool((numbers == numbers.round()).all()),
        markers=tuple(sorted(set(texts.filter(marker).str.strip_chars()))),
        n_negative_codes=_negative_codes(texts, counts),
    )


def _negative_codes(texts: pl.Series, counts: pl.Series) -> int:
    """The cells with a usual negative code, if there are no other negative numbers."""
    plain = texts.str.strip_chars().str.replace(r"\.0+$", "")
    is_code = plain.is_in(_NEGATIVE_CODES)
    is_odd = plain.str.contains(r"^-.*\d") & ~is_code
    if is_odd.any() or not plain.str.contains(r"^\d").any():
        return 0
    return int(counts.filter(is_code).sum())


def _number(value: Any) -> float:
    return float(value)


def _kind(name: str, values: pl.Series, texts: pl.Series) -> tuple[Kind, pl.Series | None]:
    """The kind that a run would guess, or categorical if the run would then refuse a value.

    A column whose first values are neither numbers nor dates is not looked at any further.
    """
    attribute = Attribute(name, Role.QUASI)
    glance = guess_kind(values.dtype, texts.head(_GLANCE).to_list(), attribute)
    if glance is Kind.CATEGORICAL or not len(values):
        return Kind.CATEGORICAL, None
    kind = guess_kind(values.dtype, texts.to_list(), attribute)
    if kind is Kind.NUMERIC:
        numbers = _as_numbers(values, texts)
        is_exact = numbers.is_finite().all() and _number(numbers.abs().max() or 0) < _EXACT
        return (kind, numbers) if is_exact else (Kind.CATEGORICAL, None)
    if kind is Kind.DATE:
        days = texts.str.strip_chars().str.to_date("%Y-%m-%d", strict=False)
        fits = days.null_count() == 0 and texts.str.contains(r"^\d{4}-\d{2}-\d{2}$").all()
        return (kind, days.to_physical()) if fits else (Kind.CATEGORICAL, None)
    return kind, None


def _as_numbers(values: pl.Series, texts: pl.Series) -> pl.Series:
    if values.dtype.is_numeric():
        return values.cast(pl.Float64)
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    return numbers.fill_null(float("nan"))
