"""What became of the cells of a quasi-identifier: as they were, coarser, or hidden."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from shoal.reading.label import RANGE, STAR

ORIGINAL, COARSER, HIDDEN, UNKNOWN = "original", "generalised", "hidden", "either"
SECRET, EMPTY = "secret", "empty"

_LABEL = pl.col("label")
_NUMBERS = ("numeric", "date")


def cell_shares(
    table: pl.DataFrame,
    name: str,
    kind: str,
    form: str,
    leaves: Collection[str] | None = None,
    *,
    withheld: bool = False,
) -> dict[str, float]:
    """The shares of one column's cells, from its labels; empty where there are no rows.

    A cell with the number of a bucket is secret, whatever it shows. With `withheld`, an empty cell
    may be withheld as well as missing.
    """
    n_rows = table.height
    if n_rows == 0:
        return {}
    own = table[f"{name}_BID"].is_null() if f"{name}_BID" in table.columns else None
    public = table if own is None else table.filter(own)
    if name in table.columns:
        labels = distinct_labels(public, name)
        return counted_shares(labels, kind, form, leaves, withheld=withheld, n_rows=n_rows)
    if f"{name}_low" not in table.columns:
        return {}
    empty = public[f"{name}_low"].null_count() if withheld else 0
    states = _range_states(public, name)
    return _shares(states, HIDDEN, empty, n_rows - public.height, n_rows)


def counted_shares(
    labels: pl.DataFrame,
    kind: str,
    form: str,
    leaves: Collection[str] | None,
    *,
    withheld: bool,
    n_rows: int,
) -> dict[str, float]:
    """The same from the different labels of public cells, and their counts; all others are secret.

    `withheld` is as in `cell_shares`.
    """
    states = _states_of(labels, _judge(kind, form, leaves))
    empty = int(labels.filter(_LABEL.is_null())["n"].sum()) if withheld else 0
    return _shares(states, ORIGINAL, empty, n_rows - int(labels["n"].sum()), n_rows)


def _shares(
    states: Mapping[str, int], taken_for: str, empty: int, n_secret: int, n_rows: int
) -> dict[str, float]:
    """Shares of all rows; the cells that may be withheld were taken for those of another state."""
    rest = {taken_for: states.get(taken_for, 0) - empty, EMPTY: empty, SECRET: n_secret}
    return {state: n / n_rows for state, n in {**states, **rest}.items() if n}


def distinct_labels(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """The different labels of a column as text, and how many rows have each."""
    labels = table.lazy().select(pl.col(name).alias("label"))
    counted = labels.group_by("label").agg(pl.len().alias("n")).collect()
    return counted.with_columns(pl.col("label").cast(pl.String))


def _states_of(labels: pl.DataFrame, state: pl.Expr) -> Mapping[str, int]:
    # An empty cell was missing in the original, too. Those that may be withheld instead are taken
    # off again in _shares.
    whole = pl.when(_LABEL == STAR).then(pl.lit(HIDDEN)).otherwise(state)
    judged = labels.with_columns(
        pl.when(_LABEL.is_null()).then(pl.lit(ORIGINAL)).otherwise(whole).alias("state")
    )
    return dict(judged.group_by("state").agg(pl.col("n").sum()).sort("state").iter_rows())


def _range_states(table: pl.DataFrame, name: str) -> Mapping[str, int]:
    low, high = table[f"{name}_low"], table[f"{name}_high"]
    # In two columns a hidden cell is empty in both.
    n_empty, n_same = low.null_count(), int((low == high).sum())
    states = {ORIGINAL: n_same, COARSER: table.height - n_empty - n_same, HIDDEN: n_empty}
    return {state: n for state, n in states.items() if n}


def _judge(kind: str, form: str, leaves: Collection[str] | None) -> pl.Expr:
    """The state of a label that is not `*`, by the grammar of published text."""
    if form == "mask":
        star = pl.when(_LABEL.str.ends_with(STAR)).then(pl.lit(COARSER)).otherwise(pl.lit(ORIGINAL))
        return pl.when(_LABEL.str.contains(r"\A\*+\z")).then(pl.lit(HIDDEN)).otherwise(star)
    if form in ("file", "tree") and leaves is None:
        return pl.lit(UNKNOWN)
    if form in ("file", "tree"):
        original = _LABEL.is_in(list(leaves or ()))
    elif form == "flat":
        # All that such a hierarchy has above the values is '*', which is counted as hidden.
        original = pl.lit(True)
    elif form == "dates":
        original = _LABEL.str.contains(r"\A\d{4}-\d{2}-\d{2}\z")
    elif form in ("width", "intervals") or kind in _NUMBERS:
        original = ~_LABEL.str.contains(RANGE)
    else:
        original = ~_LABEL.str.contains(r"(?s)\A\{.*, .*\}\z")
    return pl.when(original).then(pl.lit(ORIGINAL)).otherwise(pl.lit(COARSER))
