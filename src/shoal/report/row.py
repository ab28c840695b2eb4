"""A line for every name, with a box for every plot: what a legend of many names cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from shoal.report.axis import AxisScale, Look, Spot
from shoal.report.drawing import COLOURS, LETTER, describe, draw_mark, draw_picture
from shoal.report.plot import Plot

_GAP, _ACROSS, _LINE, _HEAD = 26.0, 165.0, 21.0, 62.0


def draw_rows(title: str, plots: Sequence[Plot]) -> str:
    """A line for every name on the x axes, and a box for every plot: spots with their intervals.

    >>> from shoal.report.plot import Curve
    >>> spots = (Spot("mondrian", 0.2, 0.1, 0.3), Spot("k-member", 0.1, 0.1, 0.1))
    >>> draw_rows("Loss", [Plot("glm", "", (Curve("glm", spots),))]).count("mondrian")
    2
    """
    names = list(dict.fromkeys(str(s.x) for p in plots for c in p.curves for s in c.spots))
    left = 24 + max(map(len, names)) * LETTER
    width = left + len(plots) * (_ACROSS + _GAP)
    parts = list(_lines(names, left, width - _GAP))
    for place, plot in enumerate(plots):
        parts += _Box(plot, names, left + place * (_ACROSS + _GAP)).draw()
    return draw_picture(title, width, _HEAD + len(names) * _LINE + 30, "".join(parts))


def _lines(names: Sequence[str], left: float, right: float) -> Iterator[str]:
    for row, name in enumerate(names):
        y = _HEAD + (row + 0.5) * _LINE
        yield (
            f'<text x="{left - 12:.1f}" y="{y + 4:.1f}" text-anchor="end" '
            f'fill="#17222d">{escape(name)}</text>'
            f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eef2f4"/>'
        )


@dataclass(frozen=True)
class _Box:
    plot: Plot
    names: Sequence[str]
    start: float

    def draw(self) -> Iterator[str]:
        spots = [spot for curve in self.plot.curves for spot in curve.spots]
        scale, bottom = AxisScale.of(spots, Look()), _HEAD + len(self.names) * _LINE
        yield (
            f'<text x="{self.start:.1f}" y="{_HEAD - 8}" font-weight="600" fill="#17222d">'
            f"{escape(self.plot.title)}</text>"
        )
        for value, label in scale.ticks():
            x = self._x(scale, value)
            yield (
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_HEAD}" y2="{bottom:.1f}" stroke="#d5dde3"/>'
                f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{label}</text>'
            )
        for spot in spots:
            yield from self._spot(spot, scale)

    def _x(self, scale: AxisScale, value: float) -> float:
        return self.start + _ACROSS * min(max(scale.place(value), 0.0), 1.0)

    def _spot(self, spot: Spot, scale: AxisScale) -> Iterator[str]:
        y = _HEAD + (self.names.index(str(spot.x)) + 0.5) * _LINE
        x, low, high = (self._x(scale, value) for value in (spot.y, spot.low, spot.high))
        # A shorter interval is hidden by the mark itself.
        if high - low > 1:
            yield (
                f'<path d="M{low:.1f} {y:.1f}H{high:.1f}M{low:.1f} {y - 3:.1f}v6'
                f'M{high:.1f} {y - 3:.1f}v6" stroke="{COLOURS[0]}" fill="none"/>'
            )
        yield draw_mark(0, x, y, describe(str(spot.x), spot))
