"""The axis of a plot: its ends, its ticks, and where a value is on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from shoal.report.scale import round_step

_TICKS = 4
# With fewer powers of ten there are ticks at 2 and 5, too.
_MANY_POWERS = 3


@dataclass(frozen=True)
class Spot:
    """A mean at a place, its interval, and how many values it is of."""

    x: Any
    y: float
    low: float
    high: float
    n: int = 1


@dataclass(frozen=True)
class Look:
    """How boxes are drawn.

    With `categories` x has names and spots are not joined. `limit` is what no value can exceed.
    With `log` the scale is logarithmic where all means are above 0.
    """

    categories: bool = False
    limit: float | None = None
    log: bool = False


@dataclass(frozen=True)
class AxisScale:
    """From low to high in even steps, zero among them.

    >>> list(AxisScale(0.0, 1.0, 0.5).ticks())
    [(0.0, '0'), (0.5, '0.5'), (1.0, '1')]
    """

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, spots: Sequence[Spot], look: Look) -> AxisScale:
        """The axis that these spots need.

        An interval that reaches below 0, or above the limit, does not draw the axis along.
        """
        bottom, top = min(min(s.low, s.y) for s in spots), max(max(s.high, s.y) for s in spots)
        if all(s.y >= 0 for s in spots):
            bottom = 0.0
        if look.limit is not None and all(s.y <= look.limit for s in spots):
            top = min(top, look.limit)
        bottom, top = min(bottom, 0.0), max(top, 0.0)
        if top - bottom < 1e-9:
            top += 1 if top == 0 else top / 2
        step = round_step((top - bottom) / _TICKS)
        # A hair more: what is a whole number of steps on paper must be one here.
        low = floor(bottom / step + 1e-9) * step
        high = low
        while high < top - 1e-9 * step:
            high += step
        return cls(low, high, step)

    def place(self, value: float) -> float:
        """Where a value is: 0 at the low end, 1 at the high one."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """The ticks with their labels."""
        for i in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + i * self.step
            yield value, short(value, self.step)


@dataclass(frozen=True)
class LogScale:
    """From one power of ten to another.

    >>> LogScale(-2, 0).place(0.1)
    0.5
    """

    low: int
    high: int

    @classmethod
    def of(cls, spots: Sequence[Spot]) -> LogScale:
        """The axis that these spots need; all means must be above 0."""
        low = floor(log10(min(s.y for s in spots)) + 1e-9)
        high = ceil(log10(max(max(s.high, s.y) for s in spots)) - 1e-9)
        return cls(low, max(high, low + 1))

    def place(self, value: float) -> float:
        """Where a value is: 0 at the low end, 1 at the high one."""
        # The end of an interval may be 0 or less, and is drawn at the edge of the box.
        return (log10(value) - self.low) / (self.high - self.low) if value > 0 else -1.0

    def ticks(self) -> Iterator[tuple[float, str]]:
        """The ticks with their labels."""
        parts = (1, 2, 5) if self.high - self.low < _MANY_POWERS else (1,)
        for power in range(self.low, self.high + 1):
            for part in parts if power < self.high else (1,):
                yield part * 10.0**power, short(part * 10.0**power, 10.0**power)


def short(value: float, step: float) -> str:
    """A tick in few signs: 1.5M, 20k, 0.05."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size and step >= size / 100:
            return f"{value / size:.10g}{sign}"
    return f"{value:.10g}" if abs(value) > 1e-12 else "0"
