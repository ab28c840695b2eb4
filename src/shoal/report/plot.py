"""Curves with intervals in several boxes, as one SVG that stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from shoal.report.axis import AxisScale, LogScale, Look, Spot
from shoal.report.drawing import COLOURS, LETTER, describe, draw_mark, draw_picture

_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 18.0, 30.0, 50.0
# Boxes in a row, and how wide and high they are, by how many there are; else three in a row.
_SIZES = {
    1: (1, 420.0, 210.0),
    2: (2, 320.0, 170.0),
    4: (2, 320.0, 170.0),
    8: (4, 230.0, 150.0),
}
_MANY = (3, 230.0, 150.0)


@dataclass(frozen=True)
class Curve:
    """A named line through spots."""

    name: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class Plot:
    """A box with curves."""

    title: str
    x_label: str
    curves: tuple[Curve, ...]


def draw_plots(title: str, plots: Sequence[Plot], y_label: str, look: Look | None = None) -> str:
    """All boxes, up to four in a row, under one legend.

    Whiskers are intervals, cut off where they leave what is possible.

    >>> spots = (Spot(2, 0.1, 0.1, 0.1), Spot(5, 0.3, 0.2, 0.4))
    >>> draw_plots("Loss", [Plot("adult", "k", (Curve("mondrian", spots),))], "glm")[:4]
    '<svg'
    """
    names = list(dict.fromkeys(curve.name for plot in plots for curve in plot.curves))
    looks = {name: place for place, name in enumerate(names)}
    most, box_width, box_height = _SIZES.get(len(plots), _MANY)
    across = min(most, len(plots))
    step_x, step_y = _LEFT + box_width + _RIGHT, _TOP + box_height + _BOTTOM
    width = across * step_x
    legend, legend_height = _legend(names, width)
    head = 34 + legend_height
    height = head + -(-len(plots) // across) * step_y
    boxes = [
        f'<g transform="translate({_LEFT + step_x * (i % across):.0f} '
        f'{head + _TOP + step_y * (i // across):.0f})">'
        + "".join(_Box(plot, looks, y_label, look or Look(), box_width, box_height).draw())
        + "</g>"
        for i, plot in enumerate(plots)
    ]
    return draw_picture(title, width, height, legend + "".join(boxes))


def _legend(names: Sequence[str], width: float) -> tuple[str, float]:
    x, y, parts = 20.0, 42.0, []
    for place, name in enumerate(names):
        length = 22 + len(name) * LETTER + 16
        if x + length > width and x > 20:
            x, y = 20.0, y + 18
        parts.append(
            draw_mark(place, x, y) + f'<text x="{x + 11:.1f}" y="{y + 4:.1f}">{escape(name)}</text>'
        )
        x += length
    return "".join(parts), y - 42 + 18


@dataclass(frozen=True)
class _Box:
    plot: Plot
    looks: dict[str, int]
    y_label: str
    look: Look
    width: float
    height: float

    def draw(self) -> Iterator[str]:
        spots = [spot for curve in self.plot.curves for spot in curve.spots]
        # A logarithm has no place for 0, so such a box keeps even steps.
        log = self.look.log and all(s.y > 0 for s in spots)
        scale = LogScale.of(spots) if log else AxisScale.of(spots, self.look)
        yield (
            f'<text x="0" y="-9" font-weight="600" fill="#17222d">{escape(self.plot.title)}</text>'
        )
        for value, label in scale.ticks():
            y = self.height * (1 - scale.place(value))
            yield f'<line x1="0" x2="{self.width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d5dde3"/>'
            yield f'<text x="-7" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
        yield from self._across()
        middle = self.height / 2
        yield (
            f'<text x="{-_LEFT + 14}" y="{middle}" text-anchor="middle" '
            f'transform="rotate(-90 {-_LEFT + 14} {middle})">{escape(self.y_label)}</text>'
        )
        for curve in self.plot.curves:
            yield from self._curve(curve, scale)

    def _xs(self) -> list[Any]:
        found = list(dict.fromkeys(s.x for c in self.plot.curves for s in c.spots))
        numbers = all(isinstance(x, (int, float)) for x in found)
        return found if self.look.categories or not numbers else sorted(found)

    def _x(self, x: Any, curve: Curve | None = None) -> float:
        xs = self._xs()
        if self.look.categories or not all(isinstance(one, (int, float)) for one in xs):
            slot = self.width / len(xs)
            n = len(self.plot.curves)
            # Side by side, so that the whiskers of a slot do not lie on one another.
            place = 0.0 if curve is None else self.plot.curves.index(curve) - (n - 1) / 2
            return slot * (xs.index(x) + 0.5) + place * min(9.0, slot / (n + 1))
        low, high = xs[0], xs[-1]
        return 10 + (self.width - 20) * ((x - low) / (high - low) if high > low else 0.5)

    def _across(self) -> Iterator[str]:
        yield (
            f'<line x1="0" x2="{self.width}" y1="{self.height}" y2="{self.height}" '
            'stroke="#52606d"/>'
        )
        for at, text in self._labels():
            yield (
                f'<text x="{at:.1f}" y="{self.height + 16}" text-anchor="middle">'
                f"{escape(text)}</text>"
            )
        yield (
            f'<text x="{self.width / 2}" y="{self.height + 33}" text-anchor="middle">'
            f"{escape(self.plot.x_label)}</text>"
        )

    def _labels(self) -> list[tuple[float, str]]:
        """Every label, or every second, or third, so that none touches the next."""
        every = [
            (self._x(x), f"{x:g}" if isinstance(x, (int, float)) else str(x)) for x in self._xs()
        ]
        for step in range(1, len(every) + 1):
            shown = every[::step]
            pairs = pairwise(shown)
            if all(b - a >= (len(s) + len(t)) / 2 * LETTER + 3 for (a, s), (b, t) in pairs):
                return shown
        return every[:1]

    def _curve(self, curve: Curve, scale: AxisScale | LogScale) -> Iterator[str]:
        place = self.looks[curve.name]
        colour = COLOURS[place % len(COLOURS)]
        spots = [(self._x(s.x, curve), s) for s in curve.spots]
        heights = [self.height * (1 - scale.place(s.y)) for _, s in spots]
        if not self.look.categories:
            line = sorted((x, y) for (x, _), y in zip(spots, heights, strict=True))
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        for (x, s), y in zip(spots, heights, strict=True):
            ends = [self.height * (1 - min(max(scale.place(v), 0), 1)) for v in (s.low, s.high)]
            # A shorter interval is hidden by the mark itself.
            if abs(ends[0] - ends[1]) > 1:
                yield (
                    f'<path d="M{x:.1f} {ends[0]:.1f}V{ends[1]:.1f}M{x - 3:.1f} {ends[0]:.1f}h6'
                    f'M{x - 3:.1f} {ends[1]:.1f}h6" stroke="{colour}" fill="none"/>'
                )
            yield draw_mark(place, x, y, describe(f"{curve.name}, {s.x}", s))
