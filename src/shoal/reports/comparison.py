"""A quasi-identifier before and after: what the published labels still say of its distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reports.cell import distinct_labels
from shoal.reports.chart import Histogram, histogram, round_step
from shoal.reports.wording import percent
from shoal.schema import Kind, Schema
from shoal.table import Domain, encode
from shoal.verify.label import parse_set

Floats = NDArray[np.float64]

_MOST_BINS = 20
_MOST_VALUES = 10
_MONTH, _YEAR = 30, 365
_DAYS = (1, 7, 14, 30, 61, 91, 183, 365, 730, 1826, 3652, 7305, 36525)
_ENDS = r"\A(?:\[(?<low>.+), (?<high>.+)(?<close>[\]\[])|(?<tail><=|>=|<|>)(?<end>.+))\z"


@dataclass(frozen=True)
class Pair:
    """A value, and its share before and after."""

    label: str
    before: float
    after: float
    rest: bool = False


@dataclass(frozen=True)
class Comparison:
    """An attribute before and after; `moved` is the share of the rows that seem to have moved."""

    name: str
    moved: float
    chart: Histogram | None
    pairs: tuple[Pair, ...]

    @property
    def widest(self) -> float:
        return max([max(p.before, p.after) for p in self.pairs if not p.rest], default=0.0) or 1.0


def compare_attributes(
    schema: Schema, published: pl.DataFrame, frame: pl.DataFrame
) -> list[Comparison]:
    """Every quasi-identifier before and after, as shares of the rows that there are.

    A label counts evenly for all that it covers: a range over its length, a set or a node of a
    hierarchy over its values.
    """
    coded = encode(frame.select(a.name for a in schema.quasi), Schema(schema.quasi))
    found = []
    for attribute in schema.quasi:
        column = coded.columns[attribute.name]
        before = np.bincount(column.codes, minlength=len(column.domain)).astype(np.float64)
        found.append(_compare(column.domain, before, published))
    return found


def _compare(domain: Domain, before: Floats, published: pl.DataFrame) -> Comparison:
    name = domain.attribute.name
    numbers = domain.numbers
    if domain.is_range and numbers is not None and np.isfinite(numbers).any():
        edges = bin_edges(domain)
        after, missing = _spread_ranges(domain, edges, published)
        return _binned(domain, edges, before, after, missing)
    labels = distinct_labels(published, name) if name in published.columns else None
    after = np.zeros(len(domain))
    if labels is not None:
        after = spread_values(domain, labels["label"].to_list(), labels["n"].to_numpy())
    if domain.attribute.kind in (Kind.NUMERIC, Kind.DATE) and numbers is not None:
        present = np.isfinite(numbers)
        if present.sum() > _MOST_VALUES:
            edges = bin_edges(domain)
            binned = np.histogram(numbers[present], edges, weights=after[present])[0]
            return _binned(domain, edges, before, binned, float(after[~present].sum()))
    return _valued(domain, before, after)


def spread_values(
    domain: Domain, labels: Sequence[str | None], weights: NDArray[np.int64]
) -> Floats:
    """How many rows each value would have if a label counted evenly for all that it covers."""
    where = {text: (code, code) for code, text in enumerate(domain.texts)}
    if domain.tree is not None:
        tree = domain.tree
        ends = zip(tree.first.tolist(), tree.last.tolist(), strict=True)
        where |= dict(zip(tree.labels, ends, strict=True))
    after = np.zeros(len(domain))
    for label, weight in zip(labels, weights.tolist(), strict=True):
        members = None if label is None else parse_set(label)
        if label in where:
            first, last = where[label]
            after[first : last + 1] += weight / (last - first + 1)
        elif members is not None and domain.tree is None:
            codes = [where[m or None][0] for m in members if (m or None) in where]
            after[codes] += weight / max(len(codes), 1)
        elif label == "*":
            after += weight / len(domain)
    return after


def bin_edges(domain: Domain) -> Floats:
    """Round edges of at most about twenty bins over the numbers, or days, that occur."""
    assert domain.numbers is not None
    numbers = domain.numbers[np.isfinite(domain.numbers)]
    low, high = float(numbers.min()), float(numbers.max())
    step = _step(numbers)
    least = (high - low + step) / _MOST_BINS or 1.0
    if domain.attribute.kind is Kind.DATE:
        width = float(next((d for d in _DAYS if d >= least), round_step(least)))
        start = low
    else:
        width = max(round_step(least), step)
        start = np.floor(low / width) * width
    n_bins = int(np.floor((high - start) / width)) + 1
    return start + width * np.arange(n_bins + 1)


def _step(numbers: Floats) -> float:
    """1 where all numbers are whole: then 30 to 34 are five numbers, and not a length of four."""
    return 1.0 if (numbers == np.round(numbers)).all() else 0.0


def _spread_ranges(domain: Domain, edges: Floats, published: pl.DataFrame) -> tuple[Floats, float]:
    """Rows in each bin if each range counts evenly over its length, and rows without a value."""
    low, high, weights = _ends(domain, published)
    missing = np.isnan(low)
    low, high, kept = low[~missing], high[~missing], weights[~missing]
    low, high = np.clip(low, edges[0], edges[-1]), np.clip(high, edges[0], edges[-1])
    length = high - low
    point = length <= 0
    covered = np.clip(edges[:, None], low, high) - low
    share = np.diff(covered, axis=0) / np.where(point, 1.0, length)
    after = share @ np.where(point, 0.0, kept)
    after += np.histogram(low[point], edges, weights=kept[point])[0]
    return after, float(weights[missing].sum())


def _ends(domain: Domain, published: pl.DataFrame) -> tuple[Floats, Floats, Floats]:
    """The ends of each distinct range, made half-open, and its rows; nan where there is none."""
    assert domain.numbers is not None
    numbers = domain.numbers[np.isfinite(domain.numbers)]
    step, name = _step(numbers), domain.attribute.name
    if name not in published.columns:
        pairs = published.lazy().select(low=f"{name}_low", high=f"{name}_high")
        counted = pairs.group_by("low", "high").agg(pl.len().alias("n")).collect()
        low = counted["low"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        high = counted["high"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return low, high + step, counted["n"].to_numpy().astype(np.float64)
    counted = distinct_labels(published, name)
    labels = counted["label"]
    parts = labels.str.extract_groups(_ENDS).struct.unnest()
    low = _read(domain, parts["low"].fill_null(parts["end"]).fill_null(labels))
    high = _read(domain, parts["high"].fill_null(parts["end"]).fill_null(labels))
    tail, open_end = parts["tail"].fill_null(""), (parts["close"] == "[").fill_null(False)
    above = tail.str.starts_with(">").to_numpy() | (labels == "*").fill_null(False).to_numpy()
    below = tail.str.starts_with("<").to_numpy() | (labels == "*").fill_null(False).to_numpy()
    closed = ~open_end.to_numpy() & (tail != "<").to_numpy()
    high = np.where(above, numbers.max() + step, high + step * closed)
    low = np.where(below, numbers.min(), low + step * (tail == ">").to_numpy())
    return low, high, counted["n"].to_numpy().astype(np.float64)


def _read(domain: Domain, texts: pl.Series) -> Floats:
    if domain.attribute.kind is Kind.DATE:
        days = texts.str.to_date("%Y-%m-%d", strict=False).to_physical()
        return days.cast(pl.Float64).fill_null(np.nan).to_numpy()
    return texts.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()


def _binned(
    domain: Domain, edges: Floats, counts: Floats, after: Floats, n_missing: float
) -> Comparison:
    assert domain.numbers is not None
    present = np.isfinite(domain.numbers)
    before = np.histogram(domain.numbers[present], edges, weights=counts[present])[0]
    old = _shares([*before, counts[~present].sum()])
    new = _shares([*after, n_missing])
    labels = _edge_texts(domain, edges)
    if not old[-1] and not new[-1]:
        old, new = old[:-1], new[:-1]
    else:
        labels.append("missing")
    name = domain.attribute.name
    titles = [
        f"{label}: {percent(a)} before, {percent(b)} after"
        for label, a, b in zip(labels, old, new, strict=True)
    ]
    moved = _moved(old, new)
    chart = histogram(
        name,
        f"Bars: distribution of {name} before. Line: after. {percent(moved)} of the rows seem to "
        "have moved.",
        labels,
        old,
        titles,
        second=new,
        percent=True,
        gap=0.08,
    )
    return Comparison(name, moved, chart, ())


def _edge_texts(domain: Domain, edges: Floats) -> list[str]:
    """Where each bin begins; days by their month, or year, where bins are long."""
    if domain.attribute.kind is not Kind.DATE:
        return [f"{edge:.10g}" for edge in edges[:-1]]
    width = edges[1] - edges[0]
    unit = "D" if width < _MONTH else "M" if width < _YEAR else "Y"
    return [str(np.datetime64(int(edge), "D").astype(f"datetime64[{unit}]")) for edge in edges[:-1]]


def _valued(domain: Domain, before: Floats, after: Floats) -> Comparison:
    """The commonest values, and the rest as one."""
    old, new = _shares(before.tolist()), _shares(after.tolist())
    ordinal = domain.attribute.kind is Kind.ORDINAL
    order = domain.natural.tolist() if ordinal else np.argsort(-before, kind="stable").tolist()
    most = len(order) if len(order) <= _MOST_VALUES + 1 else _MOST_VALUES
    pairs = [Pair(_value_text(domain.texts[c]), old[c], new[c]) for c in order[:most]]
    rest = order[most:]
    if rest:
        label = f"{len(rest):,} other values"
        pairs.append(Pair(label, sum(old[c] for c in rest), sum(new[c] for c in rest), True))
    return Comparison(domain.attribute.name, _moved(old, new), None, tuple(pairs))


def _value_text(text: str | None) -> str:
    return "missing" if text is None else text if len(text) <= 60 else text[:57] + "…"


def _shares(counts: Sequence[float]) -> list[float]:
    total = float(sum(counts))
    return [float(n) / total if total else 0.0 for n in counts]


def _moved(before: Sequence[float], after: Sequence[float]) -> float:
    """Total variation: half of the summed differences."""
    if not any(after):
        return 1.0
    return sum(abs(a - b) for a, b in zip(before, after, strict=True)) / 2
