"""Lines over steps, one for each series, in percent of their box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shoal.report.chart import Tick, round_ticks

_TOP = 8.0


@dataclass(frozen=True)
class Point:
    """A place on a line; `chosen` is ringed."""

    x: float
    height: float
    title: str
    chosen: bool = False


@dataclass(frozen=True)
class Series:
    """A line through points that follow each other from left to right."""

    name: str
    style: str
    points: tuple[Point, ...]

    @property
    def segments(self) -> list[tuple[Point, Point]]:
        return list(pairwise(self.points))


@dataclass(frozen=True)
class Trend:
    """Series over the same steps; `level` is a line across, with its label."""

    name: str
    summary: str
    series: tuple[Series, ...]
    ticks: tuple[Tick, ...]
    steps: tuple[tuple[float, str], ...]
    level: Tick | None


@dataclass(frozen=True)
class Dot:
    """A value at a step, before it is laid out."""

    step: int
    value: float
    title: str
    chosen: bool = False


def trend(
    name: str,
    summary: str,
    dots: Mapping[str, Sequence[Dot]],
    styles: Mapping[str, str],
    level: tuple[float, str] | None = None,
) -> Trend:
    """Lay out lines by name over whole steps from 1, on a scale that starts at nought.

    >>> found = trend("n", "s", {"a": [Dot(1, 1.0, ""), Dot(2, 0.5, "")]}, {"a": "first"})
    >>> [(p.x, p.height) for p in found.series[0].points]
    [(25.0, 92.0), (75.0, 46.0)]
    """
    every = [dot for line in dots.values() for dot in line]
    top = max([*(dot.value for dot in every), *([level[0]] if level else []), 0.0]) or 1.0
    n_steps = max((dot.step for dot in every), default=1)
    scale, width = (100 - _TOP) / top, 100 / n_steps

    def place(dot: Dot) -> Point:
        return Point((dot.step - 0.5) * width, dot.value * scale, dot.title, dot.chosen)

    series = [
        Series(line, styles[line], tuple(place(dot) for dot in sorted(found, key=_step)))
        for line, found in dots.items()
    ]
    return Trend(
        name,
        summary,
        tuple(series),
        tuple(Tick(t * scale, f"{t:,.10g}") for t in round_ticks(top)),
        tuple(((step - 0.5) * width, str(step)) for step in range(1, n_steps + 1)),
        Tick(level[0] * scale, level[1]) if level else None,
    )


def _step(dot: Dot) -> int:
    return dot.step
