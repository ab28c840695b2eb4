"""Are the rows in an order that a run can have given them?

A run orders rows by a keyed hash of what they publish. So equal rows are next to each other, and
the rest are in random order: an order by a column, such as that of the original, would reveal where
somebody was in it. Only the private folder knows which of the random orders it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from shoal.errors import Problem
from shoal.reading.encoding import encode_rows
from shoal.reading.manifest import Manifest
from shoal.schema import Layout, Role
from shoal.table.distinct import distinct
from shoal.verify.text.halves import CLASS_COLUMN, are_sorted
from shoal.verify.text.people import check_numbering

SURE = 6.0
"""Standard deviations: chance comes so far once in 500 million columns."""


def check_order(tables: Mapping[str, pl.DataFrame], manifest: Manifest) -> Iterator[Problem]:
    """Rows that are alike but not next to each other, and columns by which the rows are ordered.

    And numbers of people that do not follow the order of their rows.

    Not where secrets are kept: there the verifier requires numbers that follow the order of rows.
    """
    if manifest.keeps_secrets or not tables["data"].height:
        return
    data = tables["data"]
    if manifest.form is Layout.PLAIN and manifest.person in data.columns:
        # Anything else in their place, such as names, could say who the people are.
        yield from check_numbering(data[manifest.person])
    names = _content(data, manifest)
    changes = np.ones(data.height, dtype=np.bool_)
    if manifest.form is Layout.LINKED:
        yield from _check_classes(tables)
    elif names:
        changes, apart = _find_apart(data, names)
        if apart:
            yield Problem(
                f"Rows that publish the same values must be next to each other, but {apart} are "
                "not: a run does not order rows like this."
            )
    for name in names:
        if _sortedness(data[name].gather(np.flatnonzero(changes))) > SURE:
            text = f"The rows are ordered by {name!r}, but a run orders them at random."
            yield Problem(text, name)


def _find_apart(data: pl.DataFrame, names: list[str]) -> tuple[NDArray[np.bool_], int]:
    """Where another content begins, and how many contents begin once more.

    An empty cell may have been missing in several ways, so rows with one are ignored.
    """
    content, _ = encode_rows(data, names)
    changes = np.append(True, content[1:] != content[:-1])
    whole = ~data.select(pl.any_horizontal(pl.col(names).is_null())).to_series().to_numpy()
    known = content[changes & whole]
    return changes, len(known) - len(distinct(known))


def _check_classes(tables: Mapping[str, pl.DataFrame]) -> Iterator[Problem]:
    """Of two tables the first numbers classes as they appear, and the second is sorted."""
    data, beside = tables["data"], tables.get("sensitive")
    if beside is None or CLASS_COLUMN not in data.columns or CLASS_COLUMN not in beside.columns:
        return
    seen = data[CLASS_COLUMN].cast(pl.String).unique(maintain_order=True).to_list()
    if seen != [str(i + 1) for i in range(len(seen))]:
        yield Problem("Classes are not numbered as they appear.", CLASS_COLUMN)
    numbers = beside[CLASS_COLUMN].cast(pl.String).cast(pl.Int64, strict=False)
    if not are_sorted(numbers, list(beside.drop(CLASS_COLUMN))):
        yield Problem("The table of sensitive values is not sorted by class and value.")


def _content(data: pl.DataFrame, manifest: Manifest) -> list[str]:
    """The columns that show something of people, without the numbers that follow the order."""
    shown = [c.name for c in manifest.columns if c.role != "person" and c.role is not Role.FLAG]
    ends = [f"{name}{end}" for name in shown for end in ("", "_low", "_high")]
    return [name for name in ends if name in data.columns]


def _sortedness(cells: pl.Series) -> float:
    """How far the order of cells is from chance: Spearman's correlation with their places.

    In standard deviations of it, which is 1/sqrt(n - 1) whatever the ties are.
    """
    values = rankdata(_sortable(cells))
    places = np.arange(len(values), dtype=np.float64)
    if len(values) < 3 or values.std() == 0.0:
        return 0.0
    return float(abs(np.corrcoef(values, places)[0, 1]) * np.sqrt(len(values) - 1))


def _sortable(cells: pl.Series) -> NDArray[np.float64]:
    """Numbers as they are, ranges by their first end, and all else by its text."""
    text = cells.cast(pl.String).fill_null("")
    number = text.str.extract(r"^\[?([-+]?[0-9.eE+-]+)").cast(pl.Float64, strict=False)
    if number.null_count() > len(text) // 2:
        return text.rank("dense").to_numpy().astype(np.float64)
    return number.fill_null(0.0).to_numpy()
