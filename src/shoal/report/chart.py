"""The geometry of charts, in percent of their box, so that they fit a phone and a sheet alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from shoal.report.finding import Finding

_TOP = 8.0
_MOST_LABELS, _MOST_LONG_LABELS = 7, 4
_LONG = 7


@dataclass(frozen=True)
class Bar:
    """A column of a histogram; `second` is the height of the line that is drawn over it."""

    x: float
    width: float
    height: float
    title: str
    label: str = ""
    second: float | None = None

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True)
class Tick:
    """A line across the chart."""

    height: float
    label: str


@dataclass(frozen=True)
class Histogram:
    """Columns side by side over a scale that starts at nought."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    name: str
    summary: str


def histogram(
    name: str,
    summary: str,
    labels: Sequence[str],
    values: Sequence[float],
    titles: Sequence[str],
    *,
    second: Sequence[float] | None = None,
    percent: bool = False,
    gap: float = 0.14,
) -> Histogram:
    """Lay out columns; only as many labels as a phone can show are kept."""
    top = max([*values, *(second or ()), 0.0]) or 1.0
    scale = (100 - _TOP) / top
    width = 100 / max(len(values), 1)
    most = _MOST_LABELS if max(map(len, labels), default=0) < _LONG else _MOST_LONG_LABELS
    shown = _spaced(len(values), most)
    bars = [
        Bar(
            x=i * width + width * gap / 2,
            width=width * (1 - gap),
            height=value * scale,
            title=titles[i],
            label=labels[i] if i in shown else "",
            second=None if second is None else second[i] * scale,
        )
        for i, value in enumerate(values)
    ]
    ticks = [Tick(t * scale, _tick(t, percent)) for t in round_ticks(top)]
    return Histogram(tuple(bars), tuple(ticks), name, summary)


def _spaced(n: int, most: int) -> set[int]:
    """At most `most` places out of n, evenly, the first and the last among them."""
    every = max(1, -(-(n - 1) // max(most - 1, 1)))
    shown = {i for i in range(0, n, every) if n - 1 - i >= every}
    return shown | {n - 1}


def round_ticks(top: float, most: int = 4) -> list[float]:
    """Round numbers above nought up to the top, at most `most` of them.

    >>> round_ticks(1234), round_ticks(0.3)
    ([500.0, 1000.0], [0.1, 0.2, 0.3])
    """
    step = round_step(top / most)
    return [round(i * step, 12) for i in range(1, floor(top / step * (1 + 1e-9)) + 1)]


def round_step(least: float) -> float:
    """The least of 1, 2 or 5 times a power of ten that is not below `least`."""
    power = 10.0 ** floor(log10(least))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= least * (1 - 1e-9))


def _tick(value: float, percent: bool) -> str:
    return f"{value * 100:g}%" if percent else f"{value:,.10g}"


@dataclass(frozen=True)
class Gauge:
    """One threshold: how far it was reached, and on which side of the mark is good."""

    name: str
    asked: float
    reached: float | None
    at_most: bool

    @property
    def _full(self) -> float:
        return max(self.asked, self.reached or 0.0) * 1.12 or 1.0

    @property
    def mark(self) -> float:
        """Where the mark of what was asked stands, in percent."""
        return 100 * self.asked / self._full

    @property
    def fill(self) -> float:
        """How far the bar of what was reached goes, in percent."""
        return 100 * (self.reached or 0.0) / self._full

    @property
    def margin(self) -> str:
        """By how much, in words."""
        if self.reached is None:
            return "not known"
        spare = self.asked - self.reached if self.at_most else self.reached - self.asked
        if abs(spare) <= 1e-9 * max(abs(self.asked), 1):
            return "exactly as asked"
        if self.at_most:
            return f"{_short(abs(spare))} {'below' if spare > 0 else 'above'} the limit"
        return f"{_short(abs(spare))} {'more' if spare > 0 else 'less'} than asked"


_AT_MOST = ("alpha", "beta", "t")
_MAIN = {"k-anonymity": "k", "l-diversity": "l", "t-closeness": "t", "eir-l": "l", "ir-k": "k"}


def gauges(finding: Finding) -> list[Gauge]:
    """One gauge for every threshold that is a number."""
    asked, reached = finding.asked, finding.reached
    if finding.idle:
        return []
    if not isinstance(asked, dict):
        name = _MAIN.get(finding.model, "")
        asked, reached = {name: asked}, {name: reached}
    got = reached if isinstance(reached, dict) else {}
    return [
        Gauge(name, float(value), _number(got.get(name)), name in _AT_MOST)
        for name, value in asked.items()
        if _number(value) is not None and (name in got or len(asked) == 1)
    ]


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"
