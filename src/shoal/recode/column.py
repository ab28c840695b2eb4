"""Published columns as dictionary-coded text: a few bytes a row, whatever the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


def text_column(
    name: str,
    texts: Sequence[str | None],
    codes: NDArray[Any],
    of_row: NDArray[Any] | None = None,
) -> pl.Series:
    """The column that shows texts[code] for every code; None is an empty cell.

    Where codes are those of classes, `of_row` is the class of every row.

    >>> text_column("sex", ["F", None, "F"], np.array([0, 1, 2])).cast(pl.String).to_list()
    ['F', None, 'F']
    """
    # An Enum has each text once, but several codes may publish the same text.
    categories = list(dict.fromkeys(t for t in texts if t is not None))
    place = {text: i for i, text in enumerate(categories)}
    nothing = len(categories)
    narrow = np.min_scalar_type(max(nothing, 1))
    of_code = np.array([nothing if t is None else place[t] for t in texts], dtype=narrow)
    shown = of_code[codes]
    series = pl.Series("code", shown if of_row is None else shown[of_row])
    if None in texts:
        present = pl.when(pl.col("code") != nothing).then(pl.col("code"))
        series = series.to_frame().select(present.alias("code"))["code"]
    return series.cat.to(pl.Enum(categories)).rename(name)
