"""Which rows of a piece of a stream do not fit the plan, before they are acknowledged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.read import form_schema
from shoal.errors import DataError, Problem
from shoal.plan import Plan
from shoal.schema import Attribute, Role
from shoal.table.cell import rows_text
from shoal.table.column import encode_column

_CODED = (Role.QUASI, Role.SENSITIVE)


@dataclass(frozen=True)
class Fit:
    """The rows that do not fit, for each column that is to blame."""

    wrong: Mapping[str, NDArray[np.bool_]]
    n_rows: int

    @property
    def fits(self) -> NDArray[np.bool_]:
        every = np.zeros(self.n_rows, dtype=np.bool_)
        return ~reduce(np.logical_or, self.wrong.values(), every)

    def refuse(self, first: int) -> None:
        """Raise DataError if any row does not fit; the first row of this piece is row `first`."""
        problems = [
            Problem(
                f"Column {name!r} of the stream must contain what the plan declares, but "
                f"{rows_text(np.flatnonzero(wrong) + first)} "
                f"{'does' if np.count_nonzero(wrong) == 1 else 'do'} not.",
                hint="Correct them, declare more, or leave them out with 'delay: {…, unfit: "
                "suppress}'.",
            )
            for name, wrong in self.wrong.items()
        ]
        if problems:
            raise DataError(problems)


def find_unfit(plan: Plan, frame: pl.DataFrame) -> Fit:
    """Which rows have a coded cell that the plan does not allow, or name nobody."""
    wrong = {}
    for attribute in form_schema(plan).of(*_CODED):
        cells = frame[attribute.name]
        bad = _bad_cells(cells.unique(), attribute)
        if len(bad):
            wrong[attribute.name] = cells.is_in(bad.implode()).fill_null(value=False).to_numpy()
    individual = plan.schema.individual
    if individual is not None:
        names, absent = frame[individual.column], plan.schema[individual.column].missing
        nobody = (names.is_null() | names.is_in(["", *absent])).fill_null(value=True).to_numpy()
        if nobody.any():
            wrong[individual.column] = nobody | wrong.get(individual.column, nobody)
    return Fit(wrong, frame.height)


def _bad_cells(cells: pl.Series, attribute: Attribute) -> pl.Series:
    """The cells, of different ones, that the plan does not allow."""
    if _is_allowed(cells, attribute):
        return cells.clear()
    if len(cells) == 1:
        return cells
    # encode_column says whether all cells fit, but not which do not.
    half = len(cells) // 2
    return pl.concat([_bad_cells(part, attribute) for part in (cells[:half], cells[half:])])


def _is_allowed(cells: pl.Series, attribute: Attribute) -> bool:
    try:
        encode_column(cells, attribute)
    except DataError:
        return False
    return True
