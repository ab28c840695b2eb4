"""What a paper claims, and what the trials say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import polars as pl

from shoal._command.experiment.result import Estimate, Results

GridPoint = Mapping[str, Any]
# Means that differ by less are equal.
_EQUAL = 5e-5


class Ruling(StrEnum):
    """The answer to a claim."""

    YES = "confirmed"
    NO = "not confirmed"
    OPEN = "cannot be tested here"

    @classmethod
    def of(cls, holds: bool | None) -> Ruling:
        """Confirmed or not; None if nothing was measured."""
        return cls.OPEN if holds is None else cls.YES if holds else cls.NO


@dataclass(frozen=True)
class Reply:
    """One claim under one setting: the paper's number, if it gives one, ours, and the verdict."""

    claim: str
    text: str
    setting: str
    paper: str
    ours: str
    verdict: Ruling

    @classmethod
    def of(
        cls, claim: str, text: str, setting: str, ours: object, holds: bool | None, paper: str = ""
    ) -> Reply:
        """The reply to a claim that holds, or does not; None: nothing was measured."""
        return cls(claim, text, setting, paper, str(ours), Ruling.of(holds))


def all_of(count: int, n: int) -> bool | None:
    """Whether all of n count; None if there are none."""
    return count == n if n else None


def most_of(count: int, n: int) -> bool | None:
    """Whether more than half of n count; None if there are none."""
    return count > n / 2 if n else None


@dataclass(frozen=True)
class Pairing:
    """Two series at the same points: at how many of them the left one is less, equal or more.

    `ratio` is that of their sums over all points and seeds, with the interval of the same ratio
    seed by seed; `least` and `most` are that of the means at single points.
    """

    less: int
    equal: int
    more: int
    ratio: Estimate | None
    least: float
    most: float

    @property
    def n(self) -> int:
        return self.less + self.equal + self.more

    def __str__(self) -> str:
        parts = [
            f"{word} at {count} of {self.n} points"
            for word, count in (("lower", self.less), ("equal", self.equal), ("higher", self.more))
            if count
        ]
        if self.ratio is None:
            return ", ".join(parts) or "nothing measured"
        return (
            f"{', '.join(parts)}; ratio {self.ratio} ({_short(self.least)} to {_short(self.most)})"
        )


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 1_000 else f"{number:,.0f}"


def pair(
    results: Results,
    reading: str,
    left: GridPoint,
    right: GridPoint,
    by: Sequence[str],
    where: GridPoint,
) -> Pairing:
    """Compare a reading of two series, point by point and seed by seed."""
    sides = [
        results.where({**where, **side}).select(*by, "seed", pl.col(reading).alias(name))
        for side, name in ((left, "left"), (right, "right"))
        if reading in results.frame.columns
    ]
    if len(sides) < 2:
        return Pairing(0, 0, 0, None, 0.0, 0.0)
    joined = sides[0].join(sides[1], on=[*by, "seed"]).drop_nulls(["left", "right"])
    if joined.is_empty():
        return Pairing(0, 0, 0, None, 0.0, 0.0)
    points = joined.group_by(by).agg(pl.col("left", "right").mean()) if by else joined.mean()
    apart = points["left"] - points["right"]
    level = _EQUAL * points["right"].abs().clip(1e-12)
    less, more = int((apart < -level).sum()), int((apart > level).sum())
    seeds = joined.group_by("seed").agg(pl.col("left", "right").sum())
    ratios = (points["left"] / points["right"]).drop_nans()
    estimate = Estimate.of((seeds["left"] / seeds["right"]).to_list())
    over, under = (sum(seeds[side].to_list()) for side in ("left", "right"))
    return Pairing(
        less,
        points.height - less - more,
        more,
        estimate.around(over / under) if under else estimate,
        float(ratios.min() or 0.0),  # type: ignore[arg-type]
        float(ratios.max() or 0.0),  # type: ignore[arg-type]
    )


@dataclass(frozen=True)
class Trend:
    """How curves go from their first x to their last: how many rise, fall, or stay."""

    rise: int
    fall: int
    stay: int
    dip: int

    @property
    def n(self) -> int:
        return self.rise + self.fall + self.stay

    def __str__(self) -> str:
        words = (("rise", self.rise), ("fall", self.fall), ("stay the same", self.stay))
        return ", ".join(f"{count} of {self.n} curves {word}" for word, count in words if count)


def trend(results: Results, reading: str, x: str, by: Sequence[str], where: GridPoint) -> Trend:
    """Where the curves over `x` go; `dip` counts those whose least value is not at an end."""
    curves: dict[tuple[Any, ...], list[tuple[Any, float]]] = {}
    for (at, *curve), e in results.estimates(where, [x, *by], reading).items():
        curves.setdefault(tuple(curve), []).append((at, e.mean))
    rise = fall = stay = dip = 0
    for spots in curves.values():
        ys = [y for _, y in sorted(spots)]
        apart, level = ys[-1] - ys[0], _EQUAL * max(abs(ys[0]), 1e-12)
        rise, fall = rise + (apart > level), fall + (apart < -level)
        stay += abs(apart) <= level
        dip += min(ys) < min(ys[0], ys[-1]) - level
    return Trend(rise, fall, stay, dip)


def mean_of(results: Results, reading: str, where: GridPoint) -> Estimate | None:
    """The mean of a reading over everything at these places, with the interval over seeds."""
    frame = results.where(where)
    if frame.is_empty() or reading not in frame.columns:
        return None
    kept = frame.filter(pl.col(reading).is_not_null())
    if kept.is_empty():
        return None
    return Estimate.of(kept.group_by("seed").agg(pl.col(reading).mean())[reading].to_list())
