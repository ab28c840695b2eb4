"""Results in a table, and their means with intervals over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import sqrt
from typing import Any

import polars as pl

from shoal._command.experiment.pool import Finished

# An interval of 95 % leaves out 2.5 % on each side.
_LEVEL = 0.975


@cache
def _quantile(freedom: int) -> float:
    """Student's t, as far as a 95 % interval reaches to one side."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, _LEVEL))


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds with its 95 % interval (Student's t); without one where n is 1."""

    mean: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """The estimate of some values.

        >>> Estimate.of([1.0, 3.0])
        Estimate(mean=2.0, low=-10.706204736174694, high=14.706204736174694, n=2)
        """
        n, mean = len(values), sum(values) / len(values)
        if n == 1:
            return cls(mean, mean, mean, 1)
        spread = sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
        half = _quantile(n - 1) * spread / sqrt(n)
        return cls(mean, mean - half, mean + half, n)

    def around(self, mean: float) -> Estimate:
        """An interval as wide as this one, around another mean.

        >>> Estimate(2.0, 1.0, 3.0, 2).around(5.0)
        Estimate(mean=5.0, low=4.0, high=6.0, n=2)
        """
        half = (self.high - self.low) / 2
        return Estimate(mean, mean - half, mean + half, self.n)

    def __str__(self) -> str:
        half = (self.high - self.low) / 2
        return f"{self.mean:.4g}" if half < 1e-12 else f"{self.mean:.4g} ± {half:.2g}"


@dataclass(frozen=True)
class Results:
    """What the trials of a grid found."""

    finished: Finished

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A row per trial: where it stands, what was read, and why nothing was."""
        rows = [
            {
                **trial.place,
                **{name: found.get("readings", {}).get(name) for name in trial.readings},
                "error": found.get("error"),
            }
            for trial, found in zip(self.finished.trials, self.finished.found, strict=True)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def errors(self) -> list[str]:
        """What went wrong, each once."""
        return list(dict.fromkeys(f["error"] for f in self.finished.found if f.get("error")))

    def where(self, place: Mapping[str, Any]) -> pl.DataFrame:
        """The trials at these places; a list stands for any of its members."""
        frame = self.frame
        for name, value in place.items():
            if name not in frame.columns:
                return frame.clear()
            several = value if isinstance(value, (list, tuple)) else [value]
            frame = frame.filter(pl.col(name).is_in(list(several)))
        return frame

    def estimates(
        self, place: Mapping[str, Any], by: Sequence[str], reading: str
    ) -> dict[tuple[Any, ...], Estimate]:
        """The mean of a reading over seeds, for every combination of `by`, in order of the grid."""
        frame = self.where(place)
        if frame.is_empty() or reading not in frame.columns:
            return {}
        kept = frame.filter(pl.col(reading).is_not_null())
        groups = kept.group_by(by, maintain_order=True).agg(pl.col(reading))
        return {row[:-1]: Estimate.of(row[-1]) for row in groups.iter_rows()}
