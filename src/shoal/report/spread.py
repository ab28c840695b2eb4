"""Published labels as a distribution: each counts evenly for all that it covers."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.reading.encoding import Floats
from shoal.reading.label import STAR, Sets
from shoal.reading.line import read_line
from shoal.report.cell import distinct_labels
from shoal.report.scale import round_step
from shoal.schema import Attribute, Kind
from shoal.table import Domain

_MOST_BINS = 20
# The rest may be outliers, which would squeeze everything else into one bin.
_COMMON = 0.98
# Lengths that people think in: days, weeks, months, quarters, years, decades, a century.
_BIN_DAYS = (1, 7, 14, 30, 61, 91, 183, 365, 730, 1826, 3652, 7305, 36525)


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
        low, high, n = (
            pairs[end].cast(pl.Float64).fill_null(np.nan).to_numpy() for end in pairs.columns
        )
        return low, high + unit, n
    counted = distinct_labels(published, name)
    line = read_line(counted["label"], attribute.kind)
    low, high = (np.where(line.known, end, np.nan) for end in (line.low, line.high))
    low = np.where(line.star | np.isneginf(low), numbers.min(), low)
    high = np.where(line.star | np.isposinf(high), numbers.max(), high)
    if unit:
        # An open end between two whole numbers covers only those inside.
        low, high = np.ceil(low), np.floor(high)
    # A line ends with an entry for the empty cell, which is a label of its own here if it occurs.
    return low[:-1], high[:-1] + unit, counted["n"].cast(pl.Float64).to_numpy()


def spread_values(published: pl.DataFrame, domain: Domain) -> Floats:
    """How many rows each value of a domain has if a label counts evenly for all its values."""
    counted = distinct_labels(published, domain.attribute.name)
    labels, n = counted["label"], counted["n"].cast(pl.Float64).to_numpy()
    where = _spans(domain)
    # A value may look like a set; labels of a hierarchy never are one.
    is_value = pl.Series([label in where for label in labels], dtype=pl.Boolean)
    some = labels if domain.tree is None else labels.clear(len(labels))
    sets = Sets.read(some.zip_with(~is_value, labels.clear(len(labels))))
    each = n / np.maximum(sets.sizes, 1)
    in_sets = np.bincount(sets.codes, each[sets.owners], minlength=len(sets.members))
    after = np.zeros(len(domain))
    for label, weight in [
        *zip(labels.filter(~sets.is_set), n[~sets.is_set], strict=True),
        *zip((member or None for member in sets.members), in_sets, strict=True),
    ]:
        if label in where:
            first, last = where[label]
            after[first : last + 1] += weight / (last - first + 1)
        elif label == STAR:
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
