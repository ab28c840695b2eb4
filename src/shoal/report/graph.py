"""A picture of the weighted graph of rows as SVG (Figs. 4, 8 and 9 of the graph paper)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import combinations
from math import cos, pi, sin, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.reading.encoding import Floats

Edge: TypeAlias = tuple[int, int]

MOST_DRAWN = 60

# Okabe and Ito's colours, which colour-blind readers can tell apart; after six classes the shape
# changes, given by its corners.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
_CORNERS = (0, 4, 6, 3, 5)
_INK, _SOFT, _FAINT, _GREY = "#17222d", "#52606d", "#d5dde3", "#8795a1"
_RADIUS, _APART, _MARGIN, _LINE, _ITEM = 15.0, 76.0, 46.0, 24.0, 104.0
_FEW, _NEAREST, _MOST_WEIGHTS = 12, 3, 150
_CAPTION = (
    "Similar rows are drawn close together; the number on a line is the distance between two rows."
)
_CAPTION_WIDTH = 470.0


def draw_graph(
    matrix: NDArray[Any], groups: Mapping[int | None, Sequence[int]], title: str = ""
) -> str:
    """The rows of a matrix of distances as vertices, coloured by class; None are the suppressed."""
    return _Picture(matrix, _places(matrix), dict(groups), title).svg()


def _places(matrix: NDArray[Any]) -> Floats:
    """Where the vertices are, in pixels from the top left: similar rows are near, none overlap."""
    width = 420 + 65 * sqrt(len(matrix))
    places = _scaled(matrix.astype(np.float64))
    places *= width / (np.ptp(places[:, 0]) or 1.0)
    tallest = np.ptp(places[:, 1])
    places[:, 1] *= min(0.6 * width / tallest, 3.0) if tallest > 1e-6 * width else 0.0
    if np.ptp(places[:, 1]) < 0.2 * width:  # on a bow no vertex hides an edge between two others
        places[:, 1] -= 1.2 / width * places[:, 0] ** 2
    # Rows at distance 0 are in one place. Each is moved by another golden angle, so that they part
    # in all directions, always in the same way.
    turns = np.arange(len(matrix)) * 2.399963
    places += np.stack([np.cos(turns), np.sin(turns)], 1) * np.sqrt(turns + 1)[:, np.newaxis]
    return _pushed_apart(places)


def _scaled(distances: Floats) -> Floats:
    """Classical multidimensional scaling to two dimensions, signs fixed."""
    squares = (distances / (distances.max() or 1.0)) ** 2
    means = squares.mean(axis=0)
    values, vectors = np.linalg.eigh((means + means[:, np.newaxis] - squares - means.mean()) / 2)
    axes = np.zeros((len(distances), 2))
    for axis in range(min(2, len(distances))):
        vector = vectors[:, -1 - axis]
        # An eigenvector has no sign of its own, and libraries differ: the largest part decides,
        # rounded so that a tie goes to the first.
        sign = np.sign(vector[np.abs(vector).round(9).argmax()])
        axes[:, axis] = vector * sign * sqrt(max(values[-1 - axis], 0.0))
    return axes


def _pushed_apart(places: Floats) -> Floats:
    """Moved in small steps until there is space for a distance between every two vertices."""
    for _ in range(600):
        lines = places[:, np.newaxis] - places
        lengths = np.hypot(lines[..., 0], lines[..., 1])
        np.fill_diagonal(lengths, np.inf)
        lacking = np.clip(_APART - lengths, 0, None) / lengths
        if lacking.max() < 0.01:
            break
        # Less than half of what is lacking, as both ends move: else they would swing.
        steps = 0.45 * (lines * lacking[..., np.newaxis]).sum(axis=1)
        # At most 8 pixels at once, so that a vertex does not jump over another.
        places = places + steps / np.maximum(np.hypot(*steps.T) / 8, 1)[:, np.newaxis]
    return np.asarray(places - places.min(axis=0) + _MARGIN)


class _Look(NamedTuple):
    """How the vertices of a class are drawn."""

    name: str
    colour: str
    corners: int = 0
    dashed: bool = False

    @classmethod
    def of(cls, number: int | None, place: int) -> _Look:
        if number is None:
            return cls("suppressed", _GREY, dashed=True)
        shape = _CORNERS[place // len(_COLOURS) % len(_CORNERS)]
        return cls(f"class {number}", _COLOURS[place % len(_COLOURS)], shape)

    def vertex(self, x: float, y: float, radius: float = _RADIUS) -> str:
        dashes = ' stroke-dasharray="4 3"' if self.dashed else ""
        style = f'fill="#fff" stroke="{self.colour}" stroke-width="3"{dashes}'
        if not self.corners:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {style}/>'
        # With fewer corners a shape looks smaller than a circle of the same reach.
        reach = radius * (1 + 1.2 / self.corners)
        turns = [(2 * i + 1 - self.corners % 2) * pi / self.corners for i in range(self.corners)]
        corners = [(x + reach * sin(turn), y - reach * cos(turn)) for turn in turns]
        return f'<polygon points="{_points(corners)}" {style} stroke-linejoin="round"/>'


_PLAIN = _Look("", _SOFT)


@dataclass(frozen=True, eq=False)
class _Picture:
    """A graph whose vertices have their places; `groups` is empty where there are no classes."""

    matrix: NDArray[Any]
    places: Floats
    groups: Mapping[int | None, Sequence[int]]
    title: str

    def svg(self) -> str:
        width = max(self.places[:, 0].max() + _MARGIN, _CAPTION_WIDTH)
        bottom = self.places[:, 1].max() + _MARGIN
        legend = self._legend(width, bottom)
        height = bottom + _LINE * (len(legend) + 1)
        n_classes = sum(number is not None for number in self.groups)
        title = self.title or f"The graph of {len(self.matrix)} rows"
        words = f" in {n_classes} class{'es' * (n_classes != 1)}" if self.groups else ""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="img" '
            f'font-family="system-ui, sans-serif" font-size="13" fill="{_INK}">',
            f"<title>{escape(title)}</title>",
            f"<desc>{len(self.matrix)} rows{words}. {_CAPTION}</desc>",
            '<rect width="100%" height="100%" fill="#fff"/>',
            *(
                self._ground(i, rows)
                for i, (n, rows) in enumerate(self.groups.items())
                if n is not None
            ),
            *self._edges(),
            *self._vertices(),
            *(item for line in legend for item in line),
            f'<text x="{_MARGIN / 2:.0f}" y="{height - 14:.0f}" font-size="12" fill="{_SOFT}">'
            f"{_CAPTION}</text>",
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    @cached_property
    def curves(self) -> dict[Edge, Floats]:
        """Both ends of every edge, and between them the point to which it bends."""
        return {e: _curve(self.places, e) for e in combinations(range(len(self.matrix)), 2)}

    @cached_property
    def looks(self) -> list[_Look]:
        looks = [_PLAIN] * len(self.matrix)
        for place, (number, rows) in enumerate(self.groups.items()):
            for row in rows:
                looks[row] = _Look.of(number, place)
        return looks

    def _ground(self, place: int, rows: Sequence[int]) -> str:
        """A soft ground under the rows of a class."""
        colour = _COLOURS[place % len(_COLOURS)]
        hull = _points(_hull([(x, y) for x, y in self.places[list(rows)].tolist()]))
        return (
            f'<polygon points="{hull}" fill="{colour}" stroke="{colour}" opacity="0.13" '
            f'stroke-width="{3.4 * _RADIUS:.0f}" stroke-linejoin="round" stroke-linecap="round"/>'
        )

    def _edges(self) -> list[str]:
        """The faint edges, the others, and as many distances as fit next to them."""
        inside, faint = self._chosen_edges()
        widest, many = float(self.matrix.max()) or 1.0, len(inside) > _MOST_WEIGHTS
        lines = [self._line(edge, _FAINT, 1.0) for edge in faint]
        for edge in inside:
            colour = self.looks[edge[0]].colour if self.groups else _GREY
            near = 1 - self.matrix[edge] / widest
            lines.append(self._line(edge, colour, 0.4 if many else 1.2 + 2 * near))
        labels = [
            f'<text x="{x:.1f}" y="{y + 4:.1f}">{_short(self.matrix[edge])}</text>'
            for edge, (x, y) in _label_places(
                self.places, {e: self.curves[e] for e in inside}
            ).items()
        ]
        return [
            *lines,
            '<g text-anchor="middle" font-size="12" stroke="#fff" stroke-width="4" '
            'stroke-linejoin="round" paint-order="stroke" pointer-events="none">',
            *labels,
            "</g>",
        ]

    def _chosen_edges(self) -> tuple[list[Edge], list[Edge]]:
        every = list(combinations(range(len(self.matrix)), 2))
        few = len(self.matrix) <= _FEW
        # All edges of a larger graph would hide one another.
        if not self.groups:
            near = np.argsort(self.matrix, axis=1, kind="stable")[:, : _NEAREST + 1]
            return [(i, j) for i, j in every if few or i in near[j] or j in near[i]], []
        classes = [set(rows) for number, rows in self.groups.items() if number is not None]
        inside = {e for e in every if any(rows.issuperset(e) for rows in classes)}
        return sorted(inside), [e for e in every if few and e not in inside]

    def _line(self, edge: Edge, colour: str, width: float) -> str:
        (x1, y1), (x, y), (x2, y2) = self.curves[edge].tolist()
        says = f"rows {edge[0] + 1} and {edge[1] + 1}: {_short(self.matrix[edge])}"
        return (
            f'<path d="M{x1:.1f} {y1:.1f}Q{x:.1f} {y:.1f} {x2:.1f} {y2:.1f}" fill="none" '
            f'stroke="{colour}" stroke-width="{width:.1f}"><title>{says}</title></path>'
        )

    def _vertices(self) -> list[str]:
        return [
            f'<g class="vertex"><title>row {row + 1}{look.name and ", "}{look.name}</title>'
            f'{look.vertex(x, y)}<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" '
            f'font-weight="600">{row + 1}</text></g>'
            for row, (look, (x, y)) in enumerate(zip(self.looks, self.places, strict=True))
        ]

    def _legend(self, width: float, top: float) -> list[list[str]]:
        """A sign and a name for every class, in lines as wide as the picture."""
        looks = [_Look.of(number, place) for place, number in enumerate(self.groups)]
        n_across = max(1, int((width - _MARGIN) // _ITEM))
        lines: list[list[str]] = [[] for _ in looks[::n_across]]
        for place, look in enumerate(looks):
            x = _MARGIN / 2 + 8 + _ITEM * (place % n_across)
            y = top + _LINE * (place // n_across)
            name = f'<text x="{x + 14:.0f}" y="{y + 4.5:.0f}">{look.name}</text>'
            lines[place // n_across].append(look.vertex(x, y, 6.0) + name)
        return lines


def _short(distance: float) -> str:
    """A distance in few digits."""
    return f"{distance:.0f}" if distance >= 100 or distance == int(distance) else f"{distance:.3g}"


def _points(corners: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The convex hull, by Andrew's monotone chain."""
    ordered = sorted(points)
    hull: list[tuple[float, float]] = []
    for chain in (ordered, ordered[::-1]):
        least = len(hull) + 1
        for x, y in chain:
            while len(hull) > least and not _turns_left(hull[-2], hull[-1], (x, y)):
                hull.pop()
            hull.append((x, y))
    return hull


def _turns_left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0


def _curve(places: Floats, edge: Edge) -> Floats:
    """An edge is straight unless another vertex is in its way; then it bends past it."""
    start, end = places[list(edge)]
    line = end - start
    across = np.array([-line[1], line[0]]) / np.hypot(*line)
    others = np.delete(places, edge, axis=0) - start
    shares = others @ line / (line @ line)
    aside = np.where((shares > 0) & (shares < 1), others @ across, np.inf)
    nearest = aside[np.abs(aside).argmin()] if len(aside) else np.inf
    # To the other side than the vertex that is in the way.
    bend = 0.0 if abs(nearest) > _RADIUS + 5 else 3.2 * _RADIUS * (-1 if nearest > 0 else 1)
    return np.stack([start, (start + end) / 2 + bend * across, end])


def _along(curve: Floats, shares: Floats) -> Floats:
    """Points of a quadratic Bézier curve, which is given by its three."""
    t = shares[:, np.newaxis]
    return np.asarray((1 - t) ** 2 * curve[0] + 2 * t * (1 - t) * curve[1] + t**2 * curve[2])


def _label_places(places: Floats, curves: Mapping[Edge, Floats]) -> dict[Edge, tuple[float, float]]:
    """Where on each edge its distance is best read; edges without a free place are left out."""
    found: dict[Edge, tuple[float, float]] = {}
    if len(curves) > _MOST_WEIGHTS:
        return found
    dotted = {edge: _along(curve, np.linspace(0, 1, 41)) for edge, curve in curves.items()}
    for edge, curve in curves.items():
        # The middle first: of equally free places the first is taken.
        spots = _along(curve, np.array([0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73]))
        free = (_gaps(spots, [places]) > _RADIUS + 8) & (_gaps(spots, [*found.values()]) > 16)
        gaps = _gaps(spots, [dots for other, dots in dotted.items() if other != edge])
        if free.any():
            x, y = spots[np.where(free, np.minimum(gaps, 12).round(), -1).argmax()].tolist()
            found[edge] = (x, y)
    return found


def _gaps(spots: Floats, points: Sequence[Any]) -> Floats:
    """How far each spot is from the nearest point."""
    lines = spots[:, np.newaxis] - np.concatenate([np.empty((0, 2)), *map(np.atleast_2d, points)])
    return np.asarray(np.hypot(lines[..., 0], lines[..., 1]).min(axis=1, initial=np.inf))
