"""The scale of every chart: from zero to the top of its box, in percent.

Percent rather than pixels, so that a chart fits a phone and a sheet alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10

# Percent of the box that stay free above the largest value.
_FREE = 8.0
_ZERO = 1e-9


@dataclass(frozen=True)
class Tick:
    """A line across a chart: how far from zero, in percent, and its label."""

    at: float
    label: str


@dataclass(frozen=True)
class Scale:
    """Places values from zero up to `top`."""

    top: float

    @classmethod
    def over(cls, values: Iterable[float]) -> Scale:
        """A scale for these values; those too small to be told from zero do not set its top."""
        top = max([*values, 0.0])
        return cls(top if top > _ZERO else 1.0)

    def place(self, value: float) -> float:
        """How far from zero a value lies, in percent.

        >>> Scale(4).place(2)
        46.0
        """
        return value * ((100 - _FREE) / self.top)

    def ticks(self, *, percent: bool = False, most: int = 4) -> tuple[Tick, ...]:
        """At most `most` lines at round values."""
        return tuple(
            Tick(self.place(value), f"{value * 100:g}%" if percent else f"{value:,.10g}")
            for value in round_ticks(self.top, most)
        )


def round_ticks(top: float, most: int = 4) -> list[float]:
    """Round numbers above zero up to the top, at most `most` of them.

    >>> round_ticks(1234), round_ticks(0.3)
    ([500.0, 1000.0], [0.1, 0.2, 0.3])
    """
    step = round_step(top / most)
    # Rounded, as 3 * 0.1 is 0.30000000000000004 and labels would say so.
    return [round(i * step, 12) for i in range(1, floor(top / step * (1 + 1e-9)) + 1)]


def round_step(least: float) -> float:
    """The least of 1, 2 or 5 times a power of ten that is not below `least`.

    >>> [round_step(n) for n in (0.03, 1, 3, 11)]
    [0.05, 1.0, 5.0, 20.0]
    """
    power = floor(log10(least))
    # As written in decimals, not as a product: people read it, in charts and in plans.
    steps = (float(f"{f}e{power}") for f in (1, 2, 5, 10))
    return next(step for step in steps if step >= least * (1 - 1e-9))
