"""What a cell says: missing, a number, a span of time, or text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reading.encoding import Flags, Floats, Integers, encode_text, is_text

DAY = 86_400_000_000  # in microseconds
HOUR = DAY // 24

# From here on a double does not tell every whole number from its neighbours.
LARGEST_WHOLE = 2.0**53
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_CALENDAR = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?"
    r"|-Q(?P<quarter>[1-4])|-(?P<until>\d{4}))?",
    re.ASCII,
)
_HOUR = re.compile(r"(\d{4}-\d{2}-\d{2} \d{2})h", re.ASCII)
_CLOCK = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?", re.ASCII)


@dataclass(frozen=True)
class Extents:
    """Cells as closed spans on a line: `low <= x <= high` for all that a cell stands for.

    Numbers are float64 and times are int64 microseconds. `missing` and `unreadable` cells have no
    meaningful span.
    """

    low: NDArray[Any]
    high: NDArray[Any]
    missing: Flags
    unreadable: Flags


def find_missing(series: pl.Series, missing: tuple[str, ...]) -> Flags:
    """Which cells are missing: null, empty, or their text form is declared to mean it."""
    null = series.is_null()
    if is_text(series):
        text = series.cast(pl.String)
        null = null | text.is_in(["", *missing]).fill_null(True)
    elif missing:
        null = null | series.cast(pl.String).is_in(list(missing)).fill_null(True)
    return null.to_numpy().astype(np.bool_)


def parse_number(text: str) -> float | None:
    """The finite number that a text says, else None.

    >>> parse_number("-1.50"), parse_number("nan"), parse_number("1_000")
    (-1.5, None, None)
    """
    # Python reads 1_000 as a number; hardly any other reader does.
    if "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def read_numbers(series: pl.Series, missing: tuple[str, ...] = ()) -> Extents:
    """Every cell as a number; 0 where it is missing or none."""
    absent = find_missing(series, missing)
    numbers = _text_numbers(series) if is_text(series) else _typed_numbers(series)
    unreadable = ~np.isfinite(numbers) & ~absent
    numbers[absent | unreadable] = 0.0
    return Extents(numbers, numbers, absent, unreadable)


def _text_numbers(series: pl.Series) -> Floats:
    if series.dtype != pl.String:
        coded = encode_text(series)
        return np.append(_text_numbers(coded.texts), np.nan)[coded.codes]
    numbers = series.cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy(writable=True)
    # What the cast refuses may be a number with blanks around it; what is infinite is none.
    doubtful = np.flatnonzero(~np.isfinite(numbers))
    if len(doubtful):
        coded = encode_text(series.gather(doubtful))
        parsed = [parse_number(text) for text in coded.texts]
        again = np.array([math.nan if x is None else x for x in (*parsed, None)])
        numbers[doubtful] = again[coded.codes]
    return numbers


def _typed_numbers(series: pl.Series) -> Floats:
    if not series.dtype.is_numeric():
        return np.full(len(series), np.nan)
    # A single-precision 0.7 is a little less than 0.7: its text is the number that was meant.
    if series.dtype.is_decimal() or series.dtype == pl.Float32:
        return _text_numbers(series.cast(pl.String))
    return series.cast(pl.Float64).fill_null(math.nan).to_numpy(writable=True)


def whole_numbers(texts: pl.Series) -> pl.Series:
    """Whole numbers that are written in digits, one way for each; null for other texts.

    >>> whole_numbers(pl.Series(["+012", "-7 ", "-0", "1.0", "+-7"])).to_list()
    ['12', '-7', '0', None, None]
    """
    digits = texts.str.strip_chars().str.extract("^([+-]?[0-9]+)$").str.strip_prefix("+")
    return digits.str.replace(r"^(-?)0+([0-9])", "${1}${2}").str.replace("^-0$", "0")


def parse_time(text: str, *, coarse: bool = False) -> tuple[int, int] | None:
    """The first and the last microsecond of a day, month, year or moment, else None.

    With `coarse`, an hour `2020-01-31 07h`, a quarter `2020-Q1` and a decade `2020-2029` are
    understood too.

    >>> parse_time("1970-01-01"), parse_time("1970-Q1"), parse_time("1970-02-30")
    ((0, 86399999999), None, None)
    """
    try:
        if _CLOCK.fullmatch(text):
            moment = (datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND
            return moment, moment
        if coarse and (hour := _HOUR.fullmatch(text)):
            moment = (datetime.fromisoformat(f"{hour[1]}:00") - _EPOCH) // _MICROSECOND
            return moment, moment + HOUR - 1
        found = _CALENDAR.fullmatch(text)
        return None if found is None else _calendar_span(found, coarse)
    except (ValueError, OverflowError):
        return None


def _calendar_span(found: re.Match[str], coarse: bool) -> tuple[int, int] | None:
    year, month, day, quarter, until = (int(part) if part else None for part in found.groups())
    if year is None or ((quarter or until) and not coarse):
        return None
    if day is not None and month is not None:
        return _days(date(year, month, day), date(year, month, day))
    if month is not None:
        return _days(date(year, month, 1), _month_end(year, month))
    if quarter is not None:
        return _days(date(year, 3 * quarter - 2, 1), _month_end(year, 3 * quarter))
    last = year if until is None else until
    # Of spans of years only decades are units.
    if until is not None and (year % 10 or until != year + 9):
        return None
    return _days(date(year, 1, 1), date(last, 12, 31))


def _month_end(year: int, month: int) -> date:
    if month == 12:
        return date(year, 12, 31)
    return date(year, month + 1, 1) - timedelta(days=1)


def _days(first: date, last: date) -> tuple[int, int]:
    start = _EPOCH.date()
    return (first - start).days * DAY, ((last - start).days + 1) * DAY - 1


def read_times(
    series: pl.Series, missing: tuple[str, ...] = (), *, coarse: bool = False
) -> Extents:
    """Every cell as a span of time; a day lasts from its first to its last microsecond."""
    absent = find_missing(series, missing)
    if is_text(series):
        low, high, known = _text_times(series, coarse)
    else:
        low, high, known = _typed_times(series)
    return Extents(low, high, absent, ~known & ~absent)


def _text_times(series: pl.Series, coarse: bool) -> tuple[Integers, Integers, Flags]:
    coded = encode_text(series)
    spans = [*(parse_time(text, coarse=coarse) for text in coded.texts), None]
    low = np.array([span[0] if span else 0 for span in spans], dtype=np.int64)
    high = np.array([span[1] if span else 0 for span in spans], dtype=np.int64)
    known = np.array([span is not None for span in spans], dtype=np.bool_)
    return low[coded.codes], high[coded.codes], known[coded.codes]


def _typed_times(series: pl.Series) -> tuple[Integers, Integers, Flags]:
    # Which day it is depends on the zone, whose clock the source takes before anything else.
    zoned = isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is not None
    if zoned or not (series.dtype == pl.Date or isinstance(series.dtype, pl.Datetime)):
        nothing = np.zeros(len(series), dtype=np.int64)
        return nothing, nothing, np.zeros(len(series), dtype=np.bool_)
    moments = series.cast(pl.Datetime("us")).to_physical()
    low = moments.fill_null(0).to_numpy()
    high = low + (DAY - 1) if series.dtype == pl.Date else low
    return low, high, moments.is_not_null().to_numpy()
