"""Published labels as a distribution: each counts evenly for all that it covers."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reading.cell import read_numbers, read_times
from shoal.reading.label import parse_set
from shoal.report.cell import distinct_labels
from shoal.report.chart import round_step
from shoal.schema import Attribute, Kind
from shoal.table import Domain

Floats = NDArray[np.float64]

_MOST_BINS = 20
_COMMON = 0.98
_BIN_DAYS = (1, 7, 14, 30, 61, 91, 183, 365, 730, 1826, 3652, 7305, 36525)
_MICROSECONDS = 86_400_000_000
_ENDS = r"\A(?:\[(?<low>.+), (?<high>.+)(?<close>[\]\[])|(?<tail><=|>=|<|>)(?<end>.+))\z"


def read_line(column: pl.Series, attribute: Attribute) -> Floats:
    """Cells as numbers, or as days since 1970; nan where there is none."""
    if attribute.kind is Kind.DATE:
        times = read_times(column, attribute.missing)
        days = (times.low // _MICROSECONDS).astype(np.float64)
        return np.where(times.missing | times.unreadable, np.nan, days)
    cells = read_numbers(column, attribute.missing)
    return np.where(cells.missing | cells.unreadable, np.nan, cells.low)


def unit_of(numbers: Floats) -> float:
    """1 where all numbers are whole: then 30 to 34 are five numbers, and not a length of four."""
    return 1.0 if (numbers == np.round(numbers)).all() else 0.0


def bin_edges(numbers: Floats, kind: Kind | None) -> Floats:
    """Round edges of at most about twenty bins over these numbers, or days.

    Where a few numbers lie far above all others, the last bin is wide and takes them.

    >>> bin_edges(np.array([18.0, 90.0]), Kind.NUMERIC)[:3]
    array([15., 20., 25.])
    """
    low, last = float(numbers.min()), float(numbers.max())
    common = float(np.quantile(numbers, _COMMON))
    high = common if common - low < (last - low) / 3 else last
    unit = unit_of(numbers)
    least = (high - low + unit) / _MOST_BINS or 1.0
    if kind is Kind.DATE:
        width = float(next((d for d in _BIN_DAYS if d >= least), round_step(least)))
        start = low
    else:
        width = max(round_step(least), unit)
        start = float(np.floor(low / width)) * width
    n_bins = int(np.floor((high - start) / width)) + 1
    edges: Floats = np.asarray(start + width * np.arange(n_bins + 1), dtype=np.float64)
    return edges if edges[-1] > last else np.append(edges, last + (unit or width))


def spread_ranges(
    published: pl.DataFrame, attribute: Attribute, numbers: Floats, edges: Floats
) -> tuple[Floats, float]:
    """Rows in each bin if a range counts evenly over its length, and rows without a value.

    `numbers` are the originals: `*` and one-sided ranges reach as far as they do.
    """
    low, high, weights = _ends(published, attribute, numbers)
    missing = np.isnan(low)
    kept = weights[~missing]
    low = np.clip(low[~missing], edges[0], edges[-1])
    high = np.clip(high[~missing], edges[0], edges[-1])
    point = high <= low
    covered = np.clip(edges[:, None], low, np.maximum(low, high)) - low
    share = np.diff(covered, axis=0) / np.where(point, 1.0, high - low)
    after = share @ np.where(point, 0.0, kept)
    after += np.histogram(low[point], edges, weights=kept[point])[0]
    return after, float(weights[missing].sum())


def _ends(
    published: pl.DataFrame, attribute: Attribute, numbers: Floats
) -> tuple[Floats, Floats, Floats]:
    """The ends of each distinct range, made half-open, and its rows; nan where there is none."""
    unit, name = unit_of(numbers), attribute.name
    if name not in published.columns:
        ends = published.lazy().select(low=f"{name}_low", high=f"{name}_high")
        pairs = ends.group_by("low", "high").agg(pl.len().alias("n")).collect()
        low, high = (_floats(pairs[end].cast(pl.Float64)) for end in ("low", "high"))
        return low, high + unit, _floats(pairs["n"].cast(pl.Float64))
    counted = distinct_labels(published, name)
    labels = counted["label"]
    parts = labels.str.extract_groups(_ENDS).struct.unnest()
    low = read_line(parts["low"].fill_null(parts["end"]).fill_null(labels), attribute)
    high = read_line(parts["high"].fill_null(parts["end"]).fill_null(labels), attribute)
    tail = parts["tail"].fill_null("")
    star = (labels == "*").fill_null(False)
    closed = (parts["close"] != "[").fill_null(True) & (tail != "<")
    low = np.where((star | tail.is_in(["<", "<="])).to_numpy(), numbers.min(), low)
    high = np.where(
        (star | tail.is_in([">", ">="])).to_numpy(),
        numbers.max() + unit,
        high + unit * closed.to_numpy(),
    )
    return low, high, _floats(counted["n"].cast(pl.Float64))


def _floats(column: pl.Series) -> Floats:
    return np.asarray(column.fill_null(np.nan).to_numpy())


def spread_values(published: pl.DataFrame, domain: Domain) -> Floats:
    """How many rows each value of a domain has if a label counts evenly for all its values."""
    after = np.zeros(len(domain))
    where = _spans(domain)
    for label, weight in _members(distinct_labels(published, domain.attribute.name), domain):
        if label in where:
            first, last = where[label]
            after[first : last + 1] += weight / (last - first + 1)
        elif label == "*":
            after += weight / len(domain)
    return after


def _spans(domain: Domain) -> dict[str | None, tuple[int, int]]:
    """The codes from first to last that a label covers, values and nodes alike."""
    spans = {text: (code, code) for code, text in enumerate(domain.texts)}
    if domain.tree is not None:
        tree = domain.tree
        ends = zip(tree.first.tolist(), tree.last.tolist(), strict=True)
        spans |= dict(zip(tree.labels, ends, strict=True))
    return spans


def _members(counted: pl.DataFrame, domain: Domain) -> list[tuple[str | None, float]]:
    """Labels and their rows, with sets taken apart into their values.

    Sets without quotes, nearly all, are split as columns; the others are parsed one by one.
    """
    label = pl.col("label")
    is_set = label.str.contains(r"(?s)\A\{.*\}\z") & ~label.is_in(
        [text for text in domain.texts if text is not None]
    )
    if domain.tree is not None:
        is_set = pl.lit(False)
    marked = counted.with_columns(
        is_set.fill_null(False).alias("set"),
        label.str.contains('"', literal=True).fill_null(False).alias("quoted"),
    )
    found = list(marked.filter(~pl.col("set")).select("label", "n").iter_rows())
    split = (
        marked.filter(pl.col("set") & ~pl.col("quoted"))
        .with_columns(label.str.slice(1, label.str.len_chars() - 2).str.split(", "))
        .with_columns(pl.col("n") / label.list.len())
        .explode("label")
        .group_by("label")
        .agg(pl.col("n").sum())
    )
    found += list(split.sort("label").iter_rows())
    for text, n in marked.filter(pl.col("set") & pl.col("quoted")).select("label", "n").iter_rows():
        members = parse_set(text) or ()
        found += [(member or None, n / len(members)) for member in members]
    return found
