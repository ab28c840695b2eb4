"""What people say of their own cells: that one is secret, or how deeply it must be hidden."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.table.cell import dictionary, rows_text

_SECRET = {"yes": 1, "true": 1, "1": 1, "no": 0, "false": 0, "0": 0}
_LEVEL = {"0": 0, "1": 1, "2": 2, "low": 0, "middle": 1, "high": 2}


def read_secrets(series: pl.Series, attribute: str) -> NDArray[np.uint8]:
    """Which cells of an attribute are secret: 1 for yes, true or 1, 0 for no, false or 0.

    Raises DataError, with row numbers, if a cell contains anything else or nothing.

    >>> read_secrets(pl.Series("hidden", ["yes", " No", "TRUE", "0"]), "zip").tolist()
    [1, 0, 1, 0]
    """
    required = f"say which cells of {attribute!r} are secret by yes or no"
    hint = "Write yes/no, true/false or 1/0 in every row."
    return _read(series, lambda text: _SECRET.get(text.lower()), required, hint).astype(np.uint8)


def read_levels(series: pl.Series, attribute: str) -> NDArray[np.uint8]:
    """How high each cell of an attribute is flagged: 0 low, 1 middle, 2 high.

    >>> read_levels(pl.Series("care", ["0", "high", "1"]), "disease").tolist()
    [0, 2, 1]
    """
    required = f"give every cell of {attribute!r} the flag 0, 1 or 2"
    hint = "Write 0 (low), 1 (middle) or 2 (high) in every row."
    return _read(series, lambda text: _LEVEL.get(text.lower()), required, hint).astype(np.uint8)


def read_own_l(series: pl.Series, least: float) -> NDArray[np.int64]:
    """The l that each person requires, never below `least`; an empty cell requires no more.

    >>> read_own_l(pl.Series("own", ["4", None, "2"]), 3).tolist()
    [4, 3, 3]
    """
    hint = "Write a whole number of at least 1, or leave the cell empty."
    own = _read(series, _whole, "give every person a whole l", hint, empty=1)
    return np.maximum(own, int(np.ceil(least)))


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text) < 2**31 else None


def _read(
    series: pl.Series,
    meaning: Callable[[str], int | None],
    required: str,
    hint: str,
    empty: int | None = None,
) -> NDArray[np.int64]:
    """The meaning of every cell, by its stripped text; `required` is what the column must do."""
    texts, codes = dictionary(series)
    stripped = [(text or "").strip() for text in texts]
    found = [meaning(text) if text else empty for text in stripped]
    numbers = np.array([-1 if number is None else number for number in found], dtype=np.int64)
    wrong = np.flatnonzero(numbers[codes] < 0)
    if len(wrong):
        text = f"Column {series.name!r} must {required}, but {rows_text(wrong)} do not."
        raise DataError(text, hint)
    return np.asarray(numbers[codes])
