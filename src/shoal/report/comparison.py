"""A quasi-identifier before and after: what the published labels still say of its distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.reading.encoding import Flags, Floats, Integers
from shoal.reading.line import read_points
from shoal.report.histogram import Histogram, histogram
from shoal.report.spread import bin_edges, spread_ranges, spread_values
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.schema.wording import percent
from shoal.table import Domain, encode, read_secrets, without_missing

_MOST_VALUES = 10
_LONGEST = 60
_MONTH, _YEAR = 30, 365
# A year has no comma.
_GROUPED = 10_000


@dataclass(frozen=True)
class Pair:
    """A value, or the rest of them, and its share before and after."""

    label: str
    before: float
    after: float
    rest: bool = False


@dataclass(frozen=True)
class Shift:
    """An attribute before and after; `moved` is the share of the rows that seem to have moved."""

    name: str
    moved: float
    chart: Histogram | None = None
    pairs: tuple[Pair, ...] = ()

    @property
    def widest(self) -> float:
        """The largest share that is drawn."""
        return max([max(p.before, p.after) for p in self.pairs if not p.rest], default=0.0) or 1.0


def compare_attributes(
    schema: Schema, published: pl.DataFrame, frame: pl.DataFrame, origin: Integers
) -> list[Shift]:
    """Every quasi-identifier before and after, as shares of the rows that there are.

    `origin` is the row of the frame of each published row. Of a semi-sensitive attribute only the
    public cells are compared; one without any is left out.
    """
    found = []
    for attribute in schema.quasi:
        if attribute.flag is None:
            found.append(_compare(attribute, published, frame))
            continue
        before = read_secrets(frame[attribute.flag], attribute.name) == 0
        after = _public_cells(attribute, published, frame[attribute.name], origin)
        if before.any() and after.any():
            known = replace(attribute, role=Role.QUASI, flag=None)
            found.append(_compare(known, published.filter(after), frame, before))
    return found


def _public_cells(
    attribute: Attribute, published: pl.DataFrame, cells: pl.Series, origin: Integers
) -> pl.Series:
    """Which published cells say what the original does: neither in a bucket nor withheld."""
    name = attribute.name
    label = published[name if name in published.columns else f"{name}_low"]
    given = without_missing(cells.cast(pl.String), attribute.missing).gather(origin)
    public = label.is_not_null() | given.is_null()
    pointer = f"{name}_BID"
    return public & published[pointer].is_null() if pointer in published.columns else public


def _compare(
    attribute: Attribute,
    published: pl.DataFrame,
    frame: pl.DataFrame,
    public: Flags | None = None,
) -> Shift:
    """Before and after; `public` are the rows that count before."""
    chosen = np.ones(frame.height, dtype=np.bool_) if public is None else public
    if attribute.hierarchy is None and attribute.kind in (Kind.NUMERIC, Kind.DATE):
        cells = read_points(frame[attribute.name], attribute.kind, attribute.missing)[0][chosen]
        numbers = cells[np.isfinite(cells)]
        if len(numbers):
            edges = bin_edges(numbers, attribute.kind)
            after, missing = spread_ranges(published, attribute, numbers, edges)
            before = np.histogram(numbers, edges)[0]
            return _binned(
                attribute, edges, [*before, len(cells) - len(numbers)], [*after, missing]
            )
    column = encode(frame.select(attribute.name), Schema((attribute,))).columns[attribute.name]
    counts = np.bincount(column.codes[chosen], minlength=len(column.domain)).astype(np.float64)
    return _compare_values(column.domain, counts, spread_values(published, column.domain))


def _compare_values(domain: Domain, before: Floats, after: Floats) -> Shift:
    """Values one by one; many numbers in bins."""
    numbers = domain.numbers
    if numbers is None or len(domain) <= _MOST_VALUES or not np.isfinite(numbers).any():
        return _valued(domain, before, after)
    present = np.isfinite(numbers)
    edges = bin_edges(numbers[present], domain.attribute.kind)
    old, new = (
        [*np.histogram(numbers[present], edges, weights=x[present])[0], x[~present].sum()]
        for x in (before, after)
    )
    return _binned(domain.attribute, edges, old, new)


def _binned(
    attribute: Attribute, edges: Floats, before: Sequence[float], after: Sequence[float]
) -> Shift:
    """A histogram; the last count of both is of the missing."""
    labels = [*_edge_texts(attribute, edges), "missing"]
    if not (before[-1] or after[-1]):
        labels, before, after = labels[:-1], before[:-1], after[:-1]
    old, new = _shares(before), _shares(after)
    moved = _moved(old, new)
    chart = histogram(
        attribute.name,
        f"Bars: distribution of {attribute.name} before. Line: after. {percent(moved)} of the "
        "rows appear to have moved.",
        labels,
        old,
        [
            f"{label}: {percent(a)} before, {percent(b)} after"
            for label, a, b in zip(labels, old, new, strict=True)
        ],
        second=new,
        percent=True,
        gap=0.08,
    )
    return Shift(attribute.name, moved, chart)


def _edge_texts(attribute: Attribute, edges: Floats) -> list[str]:
    """Where each bin begins; days by their month, or year, where bins are long."""
    width = edges[1] - edges[0]
    if attribute.kind is Kind.DATE:
        n_letters = 10 if width < _MONTH else 7 if width < _YEAR else 4
        days = edges[:-1].astype(np.int64).astype("datetime64[D]")
        texts = [str(day)[:n_letters] for day in days]
    else:
        texts = [f"{e:,.10g}" if abs(e) >= _GROUPED else f"{e:.10g}" for e in edges[:-1].tolist()]
    # The last bin may have taken all that lies far above (bin_edges).
    if edges[-1] - edges[-2] > width * 1.5:
        texts[-1] += "+"
    return texts


def _valued(domain: Domain, before: Floats, after: Floats) -> Shift:
    """The commonest values, and the rest as one."""
    old, new = _shares(before.tolist()), _shares(after.tolist())
    # Ordered values are read in their order, others by how common they are.
    ordinal = domain.attribute.kind is Kind.ORDINAL
    order = domain.natural.tolist() if ordinal else np.argsort(-before, kind="stable").tolist()
    # One further value takes no more room than a line that says there is another.
    most = len(order) if len(order) <= _MOST_VALUES + 1 else _MOST_VALUES
    pairs = [Pair(shortened(domain.texts[c]), old[c], new[c]) for c in order[:most]]
    rest = order[most:]
    if rest:
        left = [sum(x[c] for c in rest) for x in (old, new)]
        pairs.append(Pair(f"{len(rest):,} other values", left[0], left[1], rest=True))
    return Shift(domain.attribute.name, _moved(old, new), pairs=tuple(pairs))


def shortened(text: str | None) -> str:
    """A value for the page, cut where it is long."""
    if text is None:
        return "missing"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _shares(counts: Sequence[float]) -> list[float]:
    total = float(sum(counts))
    return [float(n) / total if total else 0.0 for n in counts]


def _moved(before: Sequence[float], after: Sequence[float]) -> float:
    """Total variation: half of the summed differences; all where nothing is left."""
    if not any(after):
        return 1.0
    return sum(abs(a - b) for a, b in zip(before, after, strict=True)) / 2
