"""An attack measures what an adversary gains from a release, next to what was promised.

It looks only at the published files and what the adversary knows, never at how a release was
made. Every rate comes with what guessing from the published totals gives (the baseline) and what
the same attack gives for people who are not in the data (the control): only what exceeds both is
due to the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import ClassVar

import numpy as np

from shoal.attack.target import Crowd, Target, find_crowd
from shoal.reading.encoding import Floats, Integers
from shoal.schema.specification import Specification

__all__ = ["Attack", "Crowd", "Gain", "Rate", "Target", "find_crowd", "gain", "times"]

# 95 %.
_Z = 1.959963984540054
_QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True)
class Rate:
    """A share of `n` people, with the ends of Wilson's interval of 95 %.

    >>> rate = Rate.of(5, 10)
    >>> rate.share, round(rate.low, 3), round(rate.high, 3)
    (0.5, 0.237, 0.763)
    """

    share: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, successes: float, n: int) -> Rate:
        """The share of successes; an expected number of them will do."""
        if n == 0:
            return cls(0.0, 0.0, 1.0, 0)
        p, z = successes / n, _Z * _Z / n
        middle, half = p + z / 2, _Z * sqrt(p * (1 - p) / n + z / (4 * n))
        low, high = (middle - half) / (1 + z), (middle + half) / (1 + z)
        return cls(p, max(0.0, low), min(1.0, high), n)


@dataclass(frozen=True)
class Gain:
    """What one attack gains.

    `success` is the rate at which it is right, `bound` the rate that was promised for every single
    person, where one was, `baseline` that of guessing from the published totals, `control` that of
    people who are not in the data, and `strangers` says who these are. Where the bound is `beside`
    the attack, it was promised against a weaker adversary: to exceed it breaks no promise. `worst`
    is the highest chance of any person, whose row of what the adversary knows is `person` (from 0);
    `quantiles` are those of all people's chances.
    """

    attack: str
    about: str
    success: Rate
    baseline: Rate
    control: Rate | None
    worst: float
    bound: float | None = None
    person: int | None = None
    quantiles: Mapping[float, float] = field(default_factory=dict)
    note: str = ""
    strangers: str = ""
    beside: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether nobody's chance is beyond what was promised; None where nothing was."""
        if self.bound is None or self.beside:
            return None
        # Chances are sums of shares: what exceeds a promise by rounding alone does not break it.
        return self.worst <= self.bound * (1 + 1e-9)


def gain(
    attack: str,
    about: str,
    chances: Floats,
    success: Rate,
    baseline: Rate,
    control: Rate | None,
    rows: Integers | None = None,
) -> Gain:
    """A gain whose worst person and quantiles are those of these chances.

    `rows` are the known rows of the people, where they are not simply all of them.
    """
    if not len(chances):
        return Gain(attack, about, success, baseline, control, 0.0)
    # The chance of somebody, rather than a value between those of two people.
    spread = {q: float(np.quantile(chances, q, method="higher")) for q in _QUANTILES}
    worst = int(np.argmax(chances))
    return Gain(
        attack,
        about,
        success,
        baseline,
        control,
        float(chances[worst]),
        person=worst if rows is None else int(rows[worst]),
        quantiles=spread,
    )


def times(factor: float) -> str:
    """A factor in words.

    >>> times(1.26), times(17.6), times(1764.7)
    ('1.3 times', '18 times', '1,760 times')
    """
    if factor < 10:
        return f"{factor:.1f} times"
    digits = len(str(int(factor)))
    return f"{round(factor, min(0, 3 - digits)):,.0f} times"


class Attack(Specification):
    """Something that an adversary may try.

    `needs` is what it must be given, `more` are further options of `shoal audit` that it asks for,
    `case` is a small example in words.
    """

    needs: ClassVar[str] = "the original"
    more: ClassVar[str] = ""
    case: ClassVar[str] = ""

    def run(self, target: Target) -> Iterator[Gain]:
        """What the attack gains, one gain for each thing that it is about."""
        raise NotImplementedError
