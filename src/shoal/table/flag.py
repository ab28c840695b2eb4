"""What people say of their own cells: that one is secret, or how deeply it must be hidden.

Only the distinct texts of a column are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, Problem

_SECRET = {"yes": 1, "true": 1, "1": 1, "no": 0, "false": 0, "0": 0}
_LEVEL = {"0": 0, "1": 1, "2": 2, "low": 0, "middle": 1, "high": 2}


def read_secrets(series: pl.Series, attribute: str) -> NDArray[np.uint8]:
    """Which cells of an attribute are secret: 1 for yes, true or 1, 0 for no, false or 0.

    Raises DataError, with row numbers, where a cell says anything else or nothing.

    >>> read_secrets(pl.Series("hidden", ["yes", " No", "TRUE", "0"]), "zip").tolist()
    [1, 0, 1, 0]
    """
    problem = (
        f"column {series.name!r} tells which cells of {attribute!r} are secret, and {{rows}} say "
        "neither yes nor no."
    )
    hint = "Write yes/no, true/false or 1/0 in every row."
    return _read(series, lambda text: _SECRET.get(text.lower()), problem, hint).astype(np.uint8)


def read_levels(series: pl.Series, attribute: str) -> NDArray[np.uint8]:
    """How high each cell of an attribute is flagged: 0 low, 1 middle, 2 high.

    >>> read_levels(pl.Series("care", ["0", "high", "1"]), "disease").tolist()
    [0, 2, 1]
    """
    problem = (
        f"column {series.name!r} tells how high the cells of {attribute!r} are flagged, and "
        "{rows} say something else than 0, 1 or 2."
    )
    hint = "Write 0 (low), 1 (middle) or 2 (high) in every row."
    return _read(series, lambda text: _LEVEL.get(text.lower()), problem, hint).astype(np.uint8)


def read_own_l(series: pl.Series, least: float) -> NDArray[np.int64]:
    """The l that each person asks for, never below `least`; an empty cell asks for no more.

    >>> read_own_l(pl.Series("own", ["4", None, "2"]), 3).tolist()
    [4, 3, 3]
    """
    problem = f"column {series.name!r} tells the l of each person, and {{rows}} hold no whole l."
    hint = "Write a whole number of at least 1, or leave the cell empty."
    asked = _read(series, _whole, problem, hint, empty=1)
    return np.maximum(asked, int(np.ceil(least)))


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text) < 2**31 else None


def _read(
    series: pl.Series,
    meaning: Callable[[str], int | None],
    problem: str,
    hint: str,
    empty: int | None = None,
) -> NDArray[np.int64]:
    """What every cell means, by its stripped text."""
    encoded = series.to_arrow().dictionary_encode()
    texts = pl.Series(encoded.dictionary).cast(pl.String).to_list()
    found = [empty if not (text or "").strip() else meaning(text.strip()) for text in texts]
    meant = np.array([-1 if m is None else m for m in [*found, empty]], dtype=np.int64)
    codes = pl.Series(encoded.indices).fill_null(len(texts)).to_numpy()
    wrong = np.flatnonzero(meant[codes] < 0)
    if len(wrong):
        raise DataError(Problem(problem.format(rows=rows_text(wrong)), hint=hint))
    return np.asarray(meant[codes])


def rows_text(rows: NDArray[Any]) -> str:
    """How many rows, and the numbers of the first, counted from 1.

    >>> rows_text(np.array([0, 4]))
    '2 rows (1, 5)'
    """
    first = ", ".join(str(row + 1) for row in rows[:3].tolist())
    more = ", …" if len(rows) > 3 else ""
    return f"{len(rows)} row{'s' if len(rows) != 1 else ''} ({first}{more})"


def take_rows(
    arrays: Mapping[str, NDArray[Any]], rows: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """The same for some rows."""
    return {name: array[rows] for name, array in arrays.items()}
