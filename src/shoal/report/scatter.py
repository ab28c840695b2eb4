"""The geometry of a plot of points, in percent of its box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from shoal.report.scale import Scale, Tick

Side: TypeAlias = Literal["right", "left", "above", "below", "none"]

# The box for which labels are kept apart, in pixels; on narrower screens only numbers are shown.
_WIDTH, _HEIGHT = 620.0, 330.0
_LETTER, _LINE, _DOT = 6.3, 15.0, 11.0
# In percent of the box: points that are nearer than this would hide one another.
_ALIKE = 0.6


@dataclass(frozen=True)
class Point:
    """A place on the plot: its number and name, and what is shown to a reader who rests on it."""

    x: float
    y: float
    number: str
    label: str
    title: str
    best: bool = False
    sound: bool = True
    side: Side = "none"
    link: str = ""


@dataclass(frozen=True)
class Segment:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Scatter:
    """Points over two scales that start at zero; x and y in percent, y from the top.

    The marks are counted from zero.
    """

    points: tuple[Point, ...]
    x_marks: tuple[Tick, ...]
    y_marks: tuple[Tick, ...]
    front: tuple[Segment, ...]
    summary: str


def scatter(points: Sequence[Point], summary: str) -> Scatter:
    """Lay out points whose x and y are shares; the best of them are joined by a staircase.

    Points that would lie on each other become one with both names.
    """
    across, up = Scale.over(p.x for p in points), Scale.over(p.y for p in points)
    placed = [replace(p, x=across.place(p.x), y=100 - up.place(p.y)) for p in points]
    front = tuple(_staircase([p for p in placed if p.best]))
    return Scatter(
        points=tuple(_label(_join(placed), front)),
        x_marks=across.ticks(percent=True, most=5),
        y_marks=up.ticks(percent=True),
        front=front,
        summary=summary,
    )


def _join(points: Sequence[Point]) -> list[Point]:
    joined: list[Point] = []
    for point in points:
        twin = next((i for i, p in enumerate(joined) if _alike(p, point)), None)
        if twin is None:
            joined.append(point)
            continue
        there = joined[twin]
        joined[twin] = replace(
            there,
            number=f"{there.number}, {point.number}",
            label=f"{there.label}, {point.label}",
            title=f"{there.title}\n{point.title}",
            best=there.best or point.best,
            sound=there.sound or point.sound,
        )
    return joined


def _alike(a: Point, b: Point) -> bool:
    return abs(a.x - b.x) < _ALIKE and abs(a.y - b.y) < _ALIKE


def _staircase(points: Sequence[Point]) -> list[Segment]:
    """From each of the best to the next one: along the loss, then down in risk."""
    steps = []
    for a, b in pairwise(sorted(points, key=lambda p: (p.x, p.y))):
        steps += [Segment(a.x, a.y, b.x, a.y), Segment(b.x, a.y, b.x, b.y)]
    return steps


Box: TypeAlias = tuple[float, float, float, float]


def _label(points: Sequence[Point], front: Sequence[Segment]) -> list[Point]:
    """Put each name on the first free side of its point, clear of the staircase.

    Without a free side only its number is shown.
    """
    taken = [_box(p.x, p.y, _DOT * 2, _DOT * 2) for p in points]
    lines = [_line_box(segment) for segment in front]
    named = []
    for own, point in enumerate(points):
        others = [*(box for i, box in enumerate(taken) if i != own), *lines]
        sides = [s for s, box in _sides(point) if _inside(box) and not _hits(box, others)]
        side: Side = sides[0] if sides else "none"
        taken += [box for s, box in _sides(point) if s == side]
        named.append(replace(point, side=side))
    return named


def _sides(point: Point) -> list[tuple[Side, Box]]:
    width = len(point.label) * _LETTER
    x, y = point.x / 100 * _WIDTH, point.y / 100 * _HEIGHT
    across, half = _DOT + 4, _LINE / 2
    places: list[tuple[Side, Box]] = [
        ("right", (x + across, y - half, x + across + width, y + half)),
        ("left", (x - across - width, y - half, x - across, y + half)),
        ("above", (x - width / 2, y - _DOT - _LINE, x + width / 2, y - _DOT)),
        ("below", (x - width / 2, y + _DOT, x + width / 2, y + _DOT + _LINE)),
    ]
    # The staircase comes from above and leaves to the right.
    order = (1, 3, 0, 2) if point.best else (0, 1, 2, 3)
    return [places[i] for i in order]


def _box(x: float, y: float, width: float, height: float) -> Box:
    x, y = x / 100 * _WIDTH, y / 100 * _HEIGHT
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _line_box(line: Segment) -> Box:
    """A line with a little air on both sides."""
    x1, x2 = sorted(x / 100 * _WIDTH for x in (line.x1, line.x2))
    y1, y2 = sorted(y / 100 * _HEIGHT for y in (line.y1, line.y2))
    return x1 - 2, y1 - 2, x2 + 2, y2 + 2


def _inside(box: Box) -> bool:
    return box[0] >= 0 and box[2] <= _WIDTH and box[1] >= 0 and box[3] <= _HEIGHT


def _hits(box: Box, others: Sequence[Box]) -> bool:
    return any(box[0] < o[2] and o[0] < box[2] and box[1] < o[3] and o[1] < box[3] for o in others)
