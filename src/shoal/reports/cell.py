"""What became of the cells of a quasi-identifier: as they were, coarser, or hidden."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

import polars as pl

from shoal.release import Release
from shoal.verify.label import parse_set

ORIGINAL, COARSER, HIDDEN, UNKNOWN = "original", "generalised", "hidden", "either"

Judge: TypeAlias = Callable[[str], str]

_RANGE = re.compile(r"\[.*[\]\[]|[<>]=?.+", re.DOTALL)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBERS = ("numeric", "date")


def cells_by_attribute(release: Release) -> dict[str, dict[str, float]]:
    """Of each quasi-identifier the share of published cells that are original, generalised, hidden.

    Unlike a reader of the table, this knows which labels of a hierarchy are values.
    """
    table = release.coded["data"]
    found = {}
    for attribute in release.schema.quasi:
        spec = attribute.hierarchy
        leaves = {row[0] for row in spec.rows} if spec is not None and spec.rows else None
        form = "" if spec is None else spec.form
        shares = cell_shares(table, attribute.name, str(attribute.kind or ""), form, leaves)
        if shares:
            found[attribute.name] = shares
    return found


def cell_shares(
    table: pl.DataFrame,
    name: str,
    kind: str,
    form: str,
    leaves: Collection[str] | None = None,
) -> dict[str, float]:
    """The shares of one column's cells, from its labels; empty where there are no rows."""
    if table.height == 0:
        return {}
    if name in table.columns:
        states = _text_states(table, name, _judge(kind, form, leaves))
    elif f"{name}_low" in table.columns:
        states = _range_states(table, name)
    else:
        return {}
    return {state: n / table.height for state, n in states.items()}


def distinct_labels(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """The different labels of a column as text, and how many rows have each."""
    labels = table.lazy().select(pl.col(name).alias("label"))
    counted = labels.group_by("label").agg(pl.len().alias("n")).collect()
    return counted.with_columns(pl.col("label").cast(pl.String))


def _text_states(table: pl.DataFrame, name: str, judge: Judge) -> Mapping[str, int]:
    states: dict[str, int] = {}
    for label, n in distinct_labels(table, name).iter_rows():
        state = ORIGINAL if label is None else judge(label)
        states[state] = states.get(state, 0) + n
    return states


def _range_states(table: pl.DataFrame, name: str) -> Mapping[str, int]:
    low, high = table[f"{name}_low"], table[f"{name}_high"]
    n_empty, n_same = low.is_null().sum(), (low == high).sum()
    states = {ORIGINAL: n_same, COARSER: table.height - n_empty - n_same, HIDDEN: n_empty}
    return {state: int(n) for state, n in states.items() if n}


def _judge(kind: str, form: str, leaves: Collection[str] | None) -> Judge:
    """How to tell a value from a label, by the grammar of published text."""
    if form == "mask":
        return lambda t: HIDDEN if not t.strip("*") else COARSER if t.endswith("*") else ORIGINAL
    if form == "dates":
        return _starred(lambda t: ORIGINAL if _DAY.fullmatch(t) else COARSER)
    if form in ("file", "tree"):
        if leaves is None:
            return _starred(lambda t: UNKNOWN)
        known = leaves
        return _starred(lambda t: ORIGINAL if t in known else COARSER)
    if form == "flat":
        return _starred(lambda t: ORIGINAL)
    if form in ("width", "intervals") or kind in _NUMBERS:
        return _starred(lambda t: COARSER if _RANGE.fullmatch(t) else ORIGINAL)
    return _starred(lambda t: ORIGINAL if parse_set(t) is None else COARSER)


def _starred(judge: Judge) -> Judge:
    return lambda text: HIDDEN if text == "*" else judge(text)
