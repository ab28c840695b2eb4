"""The cells of a column: distinct texts, missing values, and rows in words.

A column may have millions of cells; only its distinct texts are looked at one by one.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MINUTE = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}", re.ASCII)
_EPOCH = date(1970, 1, 1)
_START = datetime(1970, 1, 1)
_MINUTE_LONG = timedelta(minutes=1)
MINUTES = 24 * 60


def dictionary(series: pl.Series) -> tuple[list[str | None], NDArray[np.int32]]:
    """The distinct texts in order of appearance, and the place of each cell among them.

    Null is None, at the end.

    >>> texts, codes = dictionary(pl.Series(["b", None, "a", "b"]))
    >>> texts, codes.tolist()
    (['b', 'a', None], [0, 2, 1, 0])
    """
    encoded = series.to_arrow().dictionary_encode()
    texts = pl.Series(encoded.dictionary).cast(pl.String).to_list()
    codes = pl.Series(encoded.indices)
    if codes.null_count():
        codes = codes.fill_null(len(texts))
        texts.append(None)
    return texts, codes.to_numpy()


def dictionary_codes(series: pl.Series) -> NDArray[Any]:
    """A code for every different value, -1 for null; quicker than `dictionary` without texts."""
    return pl.Series(series.to_arrow().dictionary_encode().indices).fill_null(-1).to_numpy()


def without_missing(cells: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    """The cells with null for whatever means missing.

    >>> without_missing(pl.Series(["a", "", "?", None]), ("?",)).to_list()
    ['a', None, None, None]
    """
    lost = cells.is_in(["", *missing])
    return cells.zip_with(~lost.fill_null(True), pl.Series([None], dtype=pl.String))


def minute_number(text: str) -> float | None:
    """The days from 1970 to a moment YYYY-MM-DD HH:MM; None where that is none.

    >>> minute_number("1970-01-02 06:00"), minute_number("1970-01-02 24:00")
    (1.25, None)
    """
    try:
        found = datetime.fromisoformat(text) if _MINUTE.fullmatch(text) else None
    except ValueError:
        return None
    return None if found is None else (found - _START) / _MINUTE_LONG / MINUTES


def minute_text(days: float) -> str:
    """The moment that this many days from 1970 are, to the minute.

    >>> minute_text(1.25)
    '1970-01-02 06:00'
    """
    moment = np.datetime64(round(days * MINUTES), "m")
    return str(moment).replace("T", " ")


def day_number(text: str) -> float | None:
    """The days from 1970 to a date YYYY-MM-DD; None where that is no day of the calendar.

    >>> day_number("1970-02-01"), day_number("2019-02-29")
    (31.0, None)
    """
    try:
        return float((date.fromisoformat(text) - _EPOCH).days) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def rows_text(rows: NDArray[Any]) -> str:
    """How many rows, and the numbers of the first three, counted from 1.

    >>> rows_text(np.array([0, 4]))
    '2 rows (1, 5)'
    """
    first = ", ".join(str(row + 1) for row in rows[:3].tolist())
    more = ", …" if len(rows) > 3 else ""
    return f"{len(rows)} row{'s' if len(rows) != 1 else ''} ({first}{more})"
