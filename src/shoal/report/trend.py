"""Lines over steps, one for each series, in percent of their box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from shoal.report.scale import Scale, Tick


@dataclass(frozen=True)
class Dot:
    """A value at a step or, once laid out, a place on a line; `chosen` is ringed."""

    x: float
    y: float
    title: str
    chosen: bool = False


@dataclass(frozen=True)
class Series:
    """A line through points that follow each other from left to right."""

    name: str
    style: str
    points: tuple[Dot, ...]

    @property
    def segments(self) -> list[tuple[Dot, Dot]]:
        return list(pairwise(self.points))


@dataclass(frozen=True)
class TrendChart:
    """Series over the same steps; `level` is a line across, with its label."""

    name: str
    summary: str
    series: tuple[Series, ...]
    ticks: tuple[Tick, ...]
    steps: tuple[tuple[float, str], ...]
    level: Tick | None


def trend(
    name: str,
    summary: str,
    dots: Mapping[str, Sequence[Dot]],
    styles: Mapping[str, str],
    level: tuple[float, str] | None = None,
) -> TrendChart:
    """Lay out lines by name over whole steps from 1, on a scale that starts at zero.

    >>> found = trend("n", "s", {"a": [Dot(2, 0.5, ""), Dot(1, 1.0, "")]}, {"a": "first"})
    >>> [(p.x, p.y) for p in found.series[0].points]
    [(25.0, 92.0), (75.0, 46.0)]
    """
    every = [dot for line in dots.values() for dot in line]
    scale = Scale.over([*(dot.y for dot in every), *([level[0]] if level else [])])
    n_steps = int(max((dot.x for dot in every), default=1))
    width = 100 / n_steps
    series = []
    for line, found in dots.items():
        ordered = sorted(found, key=lambda dot: dot.x)
        placed = [replace(d, x=(d.x - 0.5) * width, y=scale.place(d.y)) for d in ordered]
        series.append(Series(line, styles[line], tuple(placed)))
    return TrendChart(
        name,
        summary,
        tuple(series),
        scale.ticks(),
        tuple(((step - 0.5) * width, str(step)) for step in range(1, n_steps + 1)),
        Tick(scale.place(level[0]), level[1]) if level else None,
    )
