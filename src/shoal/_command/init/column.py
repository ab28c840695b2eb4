"""One column in numbers: how many values, how many missing, how many that single out a row."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.init.shape import TextShape, shape_of
from shoal.schema import Kind
from shoal.table.band import order_bands

MARKERS = frozenset(
    ["?", "-", "--", ".", "na", "n/a", "nan", "null", "none", "missing", "unknown", "#n/a"]
)
# The longest marker has seven letters; there may be blanks around it.
_LONGEST_MARKER = 12
# How surveys code answers that are missing.
_NEGATIVE_CODES = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -88, -99, -888, -999, -9999)
_YES_OR_NO = frozenset(["yes", "no", "true", "false", "1", "0"])
_GLANCE = 40
_MOST_BANDS = 200
_FEW_TEXTS = 2_000
# From here on floats skip whole numbers, and a run refuses such a column as numeric.
_EXACT = 2.0**53
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# Digits that name something: with leading zeros, or more of them than a float holds.
_NO_NUMBER = r"^\s*[+-]?(0\d|\d{16,}\s*$)"


@dataclass(frozen=True)
class ColumnProfile:
    """What is counted in one column.

    `n_distinct` and `n_unique` (values that only one row has) count values that are present;
    `n_markers` counts the cells with a text that often means missing, and `markers` are these
    texts; `n_negative_codes` counts the cells with a number such as -9 if no other number is
    negative. `counts` are the rows of each value, the most common first. `is_rising` says that the
    numbers rise from row to row. `values` are the distinct values, and `numbers` what they are as
    numbers; these are never shown.
    """

    name: str
    kind: Kind
    n_rows: int
    n_missing: int
    n_markers: int
    numbers_but_markers: bool
    values: pl.Series = field(repr=False, compare=False)
    counts: NDArray[np.int64] = field(repr=False, compare=False)
    numbers: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    markers: tuple[str, ...] = ()
    n_negative_codes: int = 0
    is_rising: bool = False

    @property
    def n_distinct(self) -> int:
        return len(self.counts)

    @cached_property
    def n_unique(self) -> int:
        """The rows whose value no other row has."""
        return int(np.count_nonzero(self.counts == 1))

    @cached_property
    def has_bands(self) -> bool:
        """Whether its values are bands such as 70-79, in an order that a run finds by itself."""
        few = self.kind is Kind.CATEGORICAL and self.n_distinct <= _MOST_BANDS
        return few and order_bands(self.texts.to_list()) is not None

    @property
    def is_constant(self) -> bool:
        """Whether there are several rows and all are the same, or empty."""
        return self.n_rows > 1 and self.n_distinct + bool(self.n_missing) <= 1

    @property
    def uniqueness(self) -> float:
        """The share of all rows that this column alone singles out."""
        return self.n_unique / self.n_rows

    @property
    def known(self) -> float:
        """The share of rows with a value that does not say that there is none."""
        return 1 - (self.n_missing + self.n_markers) / max(self.n_rows, 1)

    @property
    def variety(self) -> float:
        """Distinct values per row that has one; 1 if no value occurs twice."""
        return self.n_distinct / max(self.n_rows - self.n_missing, 1)

    @cached_property
    def entropy(self) -> float:
        """How much the column tells apart, in bits; missing is a value."""
        counts = np.append(self.counts, self.n_missing) if self.n_missing else self.counts
        share = counts / max(self.n_rows, 1)
        return float(-(share * np.log2(share)).sum())

    @cached_property
    def texts(self) -> pl.Series:
        """The distinct values as texts."""
        return self.values.cast(pl.String)

    @cached_property
    def shape(self) -> TextShape:
        """What the texts look like."""
        return shape_of(self.texts)

    @cached_property
    def few(self) -> frozenset[str]:
        """The values in lower case where there are few of them, else nothing."""
        if self.n_distinct > _GLANCE:
            return frozenset()
        return frozenset(text.strip().lower() for text in self.texts)

    @property
    def yes_or_no(self) -> bool:
        return bool(self.few) and self.few <= _YES_OR_NO

    @cached_property
    def low(self) -> float | None:
        return None if self.numbers is None else float(self.numbers.min())

    @cached_property
    def high(self) -> float | None:
        return None if self.numbers is None else float(self.numbers.max())

    @cached_property
    def whole(self) -> bool:
        """Whether these are whole numbers, or dates."""
        return self.numbers is not None and bool((self.numbers == np.round(self.numbers)).all())

    @cached_property
    def mean(self) -> float:
        """The mean of the numbers that are present; 0 if there are none."""
        if self.numbers is None:
            return 0.0
        return float((self.numbers * self.counts).sum() / self.counts.sum())

    def rows_per_class(self, least: int) -> float:
        """How many rows a class has at least, on average, if each shows this many known values.

        All but the most common `least` - 1 values must suffice for one row in every class.
        """
        rest = int(self.counts[least - 1 :].sum())
        return self.n_rows / rest if rest else float("inf")

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
    counted = series.alias("value").value_counts(sort=True, name="n")
    if series.null_count():
        counted = counted.filter(counted["value"].is_not_null())
    values, counts = counted["value"], counted["n"].to_numpy().astype(np.int64)
    texts = values.cast(pl.String)
    kind, numbers = _kind(values, texts)
    marked = _markers(texts) if kind is Kind.CATEGORICAL else []
    others = np.setdiff1d(np.arange(len(counts)), marked)
    return ColumnProfile(
        name=series.name,
        kind=kind,
        n_rows=len(series),
        n_missing=series.null_count(),
        n_markers=int(counts[marked].sum()),
        numbers_but_markers=bool(marked)
        and _kind(values.gather(others), texts.gather(others))[0] is Kind.NUMERIC,
        values=values,
        counts=counts,
        numbers=numbers,
        markers=tuple(sorted({texts[place].strip() for place in marked})),
        n_negative_codes=_negative_codes(texts, numbers, counts),
        is_rising=numbers is not None and len(counts) == len(series) and _is_rising(series),
    )


def _markers(texts: pl.Series) -> list[int]:
    """Where the texts often mean missing."""
    if len(texts) > _FEW_TEXTS:
        # To look at each of a million texts in Python would take longer than all else here.
        short = (texts.str.len_bytes() <= _LONGEST_MARKER).arg_true()
        listed = zip(short, texts.gather(short), strict=True)
    else:
        listed = zip(range(len(texts)), texts, strict=True)
    return [place for place, text in listed if text.strip().lower() in MARKERS]


def _negative_codes(
    texts: pl.Series, numbers: NDArray[np.float64] | None, counts: NDArray[np.int64]
) -> int:
    """The cells with a usual negative code, if there are other numbers, but none below zero.

    Codes may stand among texts, where these are few.
    """
    if numbers is None:
        listed = texts.to_list() if len(texts) <= _FEW_TEXTS else []
        said = [float(text) if _NUMBER.fullmatch(text.strip()) else np.nan for text in listed]
        numbers, counts = np.array(said, dtype=np.float64), counts[: len(said)]
    below = numbers < 0
    is_code = np.isin(numbers[below], _NEGATIVE_CODES)
    return int(counts[below].sum()) if is_code.all() and (numbers >= 0).any() else 0


def _is_rising(series: pl.Series) -> bool:
    if not series.dtype.is_numeric():
        series = series.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return bool(series.is_sorted())


def _kind(values: pl.Series, texts: pl.Series) -> tuple[Kind, NDArray[np.float64] | None]:
    """The kind that a run would guess, or categorical if the run would then refuse a value.

    A column whose first values are neither numbers nor dates is not looked at any further.
    """
    numbers: NDArray[np.float64] | None = None
    if not len(values):
        return Kind.CATEGORICAL, None
    if values.dtype == pl.Date or _all_alike(_DATE, texts):
        numbers = _days(texts)
        return (Kind.CATEGORICAL, None) if numbers is None else (Kind.DATE, numbers)
    if values.dtype.is_numeric():
        numbers = values.cast(pl.Float64).to_numpy()
    elif _all_alike(_NUMBER, texts):
        numbers = _numbers(texts)
    if numbers is None or not np.isfinite(numbers).all() or np.abs(numbers).max() >= _EXACT:
        return Kind.CATEGORICAL, None
    return Kind.NUMERIC, numbers


def _all_alike(form: re.Pattern[str], texts: pl.Series) -> bool:
    return all(form.fullmatch(text.strip()) for text in texts.head(_GLANCE))


def _days(texts: pl.Series) -> NDArray[np.float64] | None:
    if not texts.str.contains(r"^\d{4}-\d{2}-\d{2}$").all():
        return None
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    return None if days.null_count() else days.to_physical().cast(pl.Float64).to_numpy()


def _numbers(texts: pl.Series) -> NDArray[np.float64] | None:
    """The numbers that the texts say; None if one says none, or is a code."""
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count():
        # Only now, as hardly any column has blanks around its numbers.
        numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    if numbers.null_count() or texts.str.contains(_NO_NUMBER).any():
        return None
    return numbers.to_numpy()
