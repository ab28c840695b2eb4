"""Histograms: columns next to each other, in percent of their box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.report.scale import Scale, Tick

# As many as a phone has room for.
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
class Histogram:
    """Columns next to each other over a scale that starts at zero."""

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
    """Lay out columns; only as many labels are kept as a phone can show."""
    scale = Scale.over([*values, *(second or ())])
    width = 100 / max(len(values), 1)
    most = _MOST_LABELS if max(map(len, labels), default=0) < _LONG else _MOST_LONG_LABELS
    labelled = _spaced(len(values), most)
    bars = [
        Bar(
            x=i * width + width * gap / 2,
            width=width * (1 - gap),
            height=scale.place(value),
            title=titles[i],
            label=labels[i] if i in labelled else "",
            second=None if second is None else scale.place(second[i]),
        )
        for i, value in enumerate(values)
    ]
    return Histogram(tuple(bars), scale.ticks(percent=percent), name, summary)


def _spaced(n: int, most: int) -> set[int]:
    """At most `most` places out of n, evenly, the first and the last among them."""
    every = max(1, -(-(n - 1) // max(most - 1, 1)))
    return {i for i in range(0, n, every) if n - 1 - i >= every} | {n - 1}
