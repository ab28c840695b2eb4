"""Half-open intervals over numbers: between declared cuts, or of a width that doubles.

An interval contains its values when both are compared as floats: the edge that counts is the float
nearest to the printed decimal, not the decimal itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.errors import DataError, PlanError, Problem
from shoal.hierarchy.decimal import places_of, plain, plain_all, plain_number, scaled
from shoal.hierarchy.level import ROOT, Bools, Floats, Ints, Level, Levels, Values
from shoal.schema import HierarchySpec

_EXACT = 2**52  # every integer up to here, and one beyond, is a float
# Cells are int64, and those next to a cell must be, too.
_TOO_FAR = 2**61


def climb_intervals(spec: HierarchySpec, values: Values) -> Levels:
    """`[a, b[` between consecutive cuts with the tails `<a` and `>=b`, then the root."""
    numbers = _numbers(values, spec.form)
    edges = [plain_number(cut) for cut in spec.cuts]

    def label(place: int) -> str:
        if place == 0:
            return f"<{edges[0]}"
        if place == len(edges):
            return f">={edges[-1]}"
        return f"[{edges[place - 1]}, {edges[place]}["

    places = np.searchsorted(np.array(spec.cuts), numbers, side="right").astype(np.int64)
    return Levels((Level.of_keys(places, label), Level.root(len(numbers))), ROOT)


def climb_widths(spec: HierarchySpec, values: Values) -> Levels:
    """`[a, b[` of widths w, 2w, 4w … from the origin, then the root."""
    numbers = _numbers(values, spec.form)
    grid = IntervalGrid.of(spec.width, spec.origin)
    cells = grid.locate(numbers, values.where)
    distinct, codes = np.unique(cells, return_inverse=True)
    upper = []
    for doubling in range(spec.levels):
        upper.append(Level(codes, grid.labels(distinct, doubling)))
        halved = distinct >> 1
        # Cells are in ascending order, so those that share a parent follow each other.
        begins = np.diff(halved, prepend=halved[:1] - 1) != 0
        codes = (np.cumsum(begins) - 1)[codes]
        distinct = halved[begins]
    return Levels((*upper, Level.root(len(numbers))), ROOT)


def _numbers(values: Values, form: str) -> Floats:
    if values.numbers is None:
        raise PlanError(
            Problem(
                f"A hierarchy of form '{form}' needs numbers, but the kind is '{values.kind}'.",
                values.where,
                "Declare 'kind: numeric', or use another hierarchy.",
            )
        )
    return values.numbers


@dataclass(frozen=True, slots=True)
class IntervalGrid:
    """Cells of one width: cell c reaches from (origin + c * width) / 10**places to the next."""

    origin: int
    width: int
    places: int

    @classmethod
    def of(cls, width: float, origin: float) -> IntervalGrid:
        """The grid whose numbers are the shortest decimals of these."""
        places = max(places_of(width), places_of(origin))
        return cls(scaled(origin, places), scaled(width, places), places)

    @property
    def scale(self) -> int:
        """How many units make 1."""
        return int(10**self.places)

    def labels(self, cells: Ints, doubling: int = 0) -> tuple[str, ...]:
        """The texts of cells whose width has been doubled this many times.

        >>> IntervalGrid.of(0.1, 0).labels(np.array([2]))
        ('[0.2, 0.3[',)
        >>> IntervalGrid.of(5, 0).labels(np.array([2]), 1)
        ('[20, 30[',)
        """
        width = self.width << doubling
        furthest = int(np.abs(cells).max(initial=0)) + 1
        # Where 64 bits hold all edges, they are computed at once; else one by one, in Python.
        if furthest * width + abs(self.origin) < 2**63:
            low = plain_all(cells * width + self.origin, self.places)
            high = plain_all((cells + 1) * width + self.origin, self.places)
            return tuple(("[" + low + ", " + high + "[").to_list())
        ends = ((c * width + self.origin, (c + 1) * width + self.origin) for c in cells.tolist())
        return tuple(f"[{plain(a, self.places)}, {plain(b, self.places)}[" for a, b in ends)

    def locate(self, numbers: Floats, where: str = "") -> Ints:
        """The cell that contains each number; an error if one is too far from the origin."""
        cells, found = self._estimate(numbers)
        rest = np.flatnonzero(~found)
        exact = [self._locate_one(number) for number in numbers[rest].tolist()]
        n_far = sum(abs(cell) >= _TOO_FAR for cell in exact)
        if n_far:
            raise DataError(
                Problem(
                    f"{n_far} of {len(numbers)} values are too far from the origin of the "
                    "hierarchy for its width.",
                    where,
                    "Use a larger 'width'.",
                )
            )
        cells[rest] = exact
        return cells

    def _estimate(self, numbers: Floats) -> tuple[Ints, Bools]:
        """Cells by float arithmetic, and where these are proven to be right.

        Integers below 2**53 and powers of ten up to 10**22 are floats, so their quotient is the
        float nearest to the edge.
        """
        if self.places > 22 or max(self.width, abs(self.origin)) >= _EXACT:
            return np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=np.bool_)
        with np.errstate(over="ignore", invalid="ignore"):
            guess = np.floor((numbers - self.origin / self.scale) / (self.width / self.scale))
            # Every edge that is looked at below must be exact, even if the guess is one off.
            safe = (np.abs(guess) + 3) * self.width + abs(self.origin) < _EXACT
        cells = np.where(safe, guess, 0).astype(np.int64)

        def edges(cells: Ints) -> Floats:
            return (cells * self.width + self.origin) / float(self.scale)

        # The guess may be off by one either way: the edges themselves decide.
        cells -= edges(cells) > numbers
        cells += edges(cells + 1) <= numbers
        return cells, safe & (edges(cells) <= numbers) & (numbers < edges(cells + 1))

    def _locate_one(self, number: float) -> int:
        """The last cell whose lower edge, rounded to a float, is not above the number."""
        if not math.isfinite(number):
            return _TOO_FAR
        above = math.nextafter(number, math.inf)
        gap = above - number if math.isfinite(above) else math.ulp(number)
        # An edge is rounded to the nearest float: what lies up to half way to the next one becomes
        # this number, or less.
        half_way = Fraction(number) + Fraction(gap) / 2
        cell = math.floor((half_way * self.scale - self.origin) / self.width)
        if self._edge(cell) > number:  # the edge is half way, and is rounded to even
            cell -= 1
        return cell

    def _edge(self, cell: int) -> float:
        units = cell * self.width + self.origin
        try:
            return units / self.scale
        except OverflowError:
            return math.inf if units > 0 else -math.inf
