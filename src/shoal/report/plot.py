"""Curves with intervals in several boxes, as one SVG that stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor
from typing import Any

from shoal.report.scale import round_step

# Colours that people with any sight can tell apart, and a shape with each (after Okabe and Ito).
_COLOURS = ("#12708f", "#c4500b", "#6b7a87", "#7a3e9d", "#2f8f4e", "#a8861a", "#b3306a", "#333f4a")
_WIDTH, _HEIGHT = 230.0, 150.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 18.0, 30.0, 50.0
_ACROSS = 3
_LETTER = 6.6
_TICKS = 4


@dataclass(frozen=True)
class Spot:
    """A mean at a place, its interval, and how many values it is of."""

    x: Any
    y: float
    low: float
    high: float
    n: int = 1


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


def draw_plots(
    title: str,
    plots: Sequence[Plot],
    y_label: str,
    categories: bool = False,
    from_zero: bool = True,
) -> str:
    """All boxes, three in a row, under one legend.

    Whiskers are intervals. With `categories` x has names and spots are not joined.

    >>> spots = (Spot(2, 0.1, 0.1, 0.1), Spot(5, 0.3, 0.2, 0.4))
    >>> draw_plots("Loss", [Plot("adult", "k", (Curve("mondrian", spots),))], "glm")[:4]
    '<svg'
    """
    names = list(dict.fromkeys(curve.name for plot in plots for curve in plot.curves))
    looks = {name: place for place, name in enumerate(names)}
    across = min(_ACROSS, len(plots))
    step_x, step_y = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    width = max(across * step_x, 420.0)
    legend, legend_height = _legend(names, width)
    head = 34 + legend_height
    height = head + -(-len(plots) // across) * step_y
    boxes = [
        f'<g transform="translate({_LEFT + step_x * (i % across):.0f} '
        f'{head + _TOP + step_y * (i // across):.0f})">'
        + "".join(_Box(plot, looks, y_label, categories, from_zero).draw())
        + "</g>"
        for i, plot in enumerate(plots)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" font-size="11.5" fill="#52606d" '
        'font-family="system-ui, Segoe UI, Roboto, Noto Sans, Liberation Sans, Arial, sans-serif">'
        f"<title>{escape(title)}</title>"
        '<rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="14" y="22" font-size="13.5" font-weight="600" fill="#17222d">{escape(title)}'
        f"</text>{legend}{''.join(boxes)}</svg>\n"
    )


def _legend(names: Sequence[str], width: float) -> tuple[str, float]:
    x, y, parts = 20.0, 42.0, []
    for place, name in enumerate(names):
        length = 22 + len(name) * _LETTER + 16
        if x + length > width and x > 20:
            x, y = 20.0, y + 18
        parts.append(
            _mark(place, x, y) + f'<text x="{x + 11:.1f}" y="{y + 4:.1f}">{escape(name)}</text>'
        )
        x += length
    return "".join(parts), y - 42 + 18


def _mark(place: int, x: float, y: float, says: str = "") -> str:
    colour = _COLOURS[place % len(_COLOURS)]
    title = f"<title>{escape(says)}</title>" if says else ""
    look = f'fill="{colour}" stroke="#fff" stroke-width="0.8"'
    match place % 4:
        case 0:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" {look}>{title}</circle>'
        case 1:
            corners = (
                f"{x:.1f},{y - 4.4:.1f} {x + 4.2:.1f},{y + 3.2:.1f} {x - 4.2:.1f},{y + 3.2:.1f}"
            )
        case 2:
            corners = " ".join(
                f"{x + dx:.1f},{y + dy:.1f}"
                for dx, dy in ((-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3))
            )
        case _:
            steps = ((0, -4.6), (4.6, 0), (0, 4.6), (-4.6, 0))
            corners = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in steps)
    return f'<polygon points="{corners}" {look}>{title}</polygon>'


@dataclass(frozen=True)
class _Box:
    plot: Plot
    looks: dict[str, int]
    y_label: str
    categories: bool
    from_zero: bool

    def draw(self) -> Iterator[str]:
        low, high, step = self._span()
        yield (
            f'<text x="0" y="-9" font-weight="600" fill="#17222d">{escape(self.plot.title)}</text>'
        )
        for i in range(round((high - low) / step) + 1):
            value = low + i * step
            y = self._y(value, low, high)
            yield f'<line x1="0" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d5dde3"/>'
            yield f'<text x="-7" y="{y + 4:.1f}" text-anchor="end">{_short(value, step)}</text>'
        yield from self._across()
        middle = _HEIGHT / 2
        yield (
            f'<text x="{-_LEFT + 14}" y="{middle}" text-anchor="middle" '
            f'transform="rotate(-90 {-_LEFT + 14} {middle})">{escape(self.y_label)}</text>'
        )
        for curve in self.plot.curves:
            yield from self._curve(curve, low, high)

    def _span(self) -> tuple[float, float, float]:
        spots = [spot for curve in self.plot.curves for spot in curve.spots]
        top = max(max(s.high, s.y) for s in spots)
        bottom = min(min(s.low, s.y) for s in spots)
        if self.from_zero:
            bottom, top = min(bottom, 0.0), max(top, 0.0)
        if top - bottom < 1e-9:
            bottom, top = (
                bottom - (0 if self.from_zero else 0.5),
                top + (1 if top == 0 else abs(top) / 2),
            )
        step = round_step((top - bottom) / _TICKS)
        low = floor(bottom / step + 1e-9) * step
        high = low
        while high < top - 1e-9 * step:
            high += step
        return low, high, step

    def _y(self, value: float, low: float, high: float) -> float:
        return _HEIGHT * (1 - (value - low) / (high - low))

    def _xs(self) -> list[Any]:
        found = list(dict.fromkeys(s.x for c in self.plot.curves for s in c.spots))
        numbers = all(isinstance(x, (int, float)) for x in found)
        return found if self.categories or not numbers else sorted(found)

    def _x(self, x: Any, curve: Curve | None = None) -> float:
        xs = self._xs()
        if self.categories or not all(isinstance(one, (int, float)) for one in xs):
            slot = _WIDTH / len(xs)
            n = len(self.plot.curves)
            place = 0.0 if curve is None else self.plot.curves.index(curve) - (n - 1) / 2
            return slot * (xs.index(x) + 0.5) + place * min(9.0, slot / (n + 1))
        low, high = xs[0], xs[-1]
        return 10 + (_WIDTH - 20) * ((x - low) / (high - low) if high > low else 0.5)

    def _across(self) -> Iterator[str]:
        yield f'<line x1="0" x2="{_WIDTH}" y1="{_HEIGHT}" y2="{_HEIGHT}" stroke="#52606d"/>'
        last = -100.0
        for x in self._xs():
            at, text = self._x(x), f"{x:g}" if isinstance(x, (int, float)) else str(x)
            if at - last < len(text) * _LETTER + 3:
                continue
            last = at
            yield (
                f'<text x="{at:.1f}" y="{_HEIGHT + 16}" text-anchor="middle">{escape(text)}</text>'
            )
        yield (
            f'<text x="{_WIDTH / 2}" y="{_HEIGHT + 33}" text-anchor="middle">'
            f"{escape(self.plot.x_label)}</text>"
        )

    def _curve(self, curve: Curve, low: float, high: float) -> Iterator[str]:
        place = self.looks[curve.name]
        colour = _COLOURS[place % len(_COLOURS)]
        spots = [(self._x(s.x, curve), s) for s in curve.spots]
        if not self.categories:
            spots.sort(key=lambda pair: pair[0])
            path = " ".join(f"{x:.1f},{self._y(s.y, low, high):.1f}" for x, s in spots)
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        for x, s in spots:
            ends = [min(max(self._y(v, low, high), 0), _HEIGHT) for v in (s.low, s.high)]
            if abs(ends[0] - ends[1]) > 1:
                yield (
                    f'<path d="M{x:.1f} {ends[0]:.1f}V{ends[1]:.1f}M{x - 3:.1f} {ends[0]:.1f}h6'
                    f'M{x - 3:.1f} {ends[1]:.1f}h6" stroke="{colour}" fill="none"/>'
                )
            says = f"{curve.name}, {s.x}: {s.y:.4g}"
            if s.n > 1:
                says += f" (95 %: {s.low:.4g} to {s.high:.4g}, n = {s.n})"
            yield _mark(place, x, self._y(s.y, low, high), says)


def _short(value: float, step: float) -> str:
    """A tick in few signs: 1.5M, 20k, 0.05."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size and step >= size / 100:
            return f"{value / size:.10g}{sign}"
    return f"{value:.10g}" if abs(value) > 1e-12 else "0"
