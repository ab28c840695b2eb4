"""Thresholds as bars with a mark: what was required, and what is achieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.report.finding import Finding
from shoal.schema.wording import AT_MOST


@dataclass(frozen=True)
class Gauge:
    """One threshold, what is achieved, and which side of the mark is good."""

    name: str
    asked: float
    reached: float
    at_most: bool

    @property
    def _full(self) -> float:
        # Some room beyond, so that a mark or a bar is seen to end.
        return max(self.asked, self.reached) * 1.12 or 1.0

    @property
    def mark(self) -> float:
        """Where the mark of the threshold is, in percent."""
        return 100 * self.asked / self._full

    @property
    def fill(self) -> float:
        """How long the bar of what is achieved is, in percent."""
        return 100 * self.reached / self._full

    @property
    def margin(self) -> str:
        """By how much, in words."""
        spare = self.asked - self.reached if self.at_most else self.reached - self.asked
        # Shares that are equal on paper may differ in the last digits.
        if abs(spare) <= 1e-9 * max(abs(self.asked), 1):
            return "exactly as required"
        if self.at_most:
            return f"{_short(abs(spare))} {'below' if spare > 0 else 'above'} the limit"
        return f"{_short(abs(spare))} {'more' if spare > 0 else 'less'} than required"


def gauges(finding: Finding) -> list[Gauge]:
    """One gauge for every threshold of which it is known what is achieved."""
    asked, reached = finding.asked, finding.reached
    if finding.idle:
        return []
    if not isinstance(asked, dict):
        # One number is the threshold of a model that has only one, its first parameter.
        name = next(iter(finding.parameters), "")
        asked, reached = {name: asked}, {name: reached}
    got = reached if isinstance(reached, dict) else {}
    pairs = [(name, _number(value), _number(got.get(name))) for name, value in asked.items()]
    return [
        Gauge(name, required, achieved, name in AT_MOST)
        for name, required, achieved in pairs
        if required is not None and achieved is not None
    ]


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"
