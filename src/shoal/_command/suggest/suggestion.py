"""The result of `suggest`: candidates with what each would cost, and the best of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import polars as pl

from shoal.method import Method
from shoal.model import KAnonymity, MultiLevelK
from shoal.report.snippet import snippet

MEASURES = ("isr", "igr", "ilr", "f1", "glm")
# Losses that agree to this many digits are equal: the difference is not worth another level.
_ALIKE_DIGITS = 3


@dataclass(frozen=True)
class Suggestion:
    """A candidate under a scheme, and what it would cost; number 0 is one k for all.

    `people` counts, over the whole table, how many ask for each k. `problem` says why nothing can
    be published; there are no measures then.
    """

    number: int
    family: str
    scheme: str
    model: MultiLevelK | KAnonymity
    method: Method
    people: Mapping[int, int]
    measures: Mapping[str, float]
    holds: bool
    n_below: int
    seconds: float
    problem: str = ""

    @property
    def n_levels(self) -> int:
        return len(self.thresholds)

    @property
    def thresholds(self) -> tuple[tuple[float, float], ...]:
        return self.model.thresholds if isinstance(self.model, MultiLevelK) else ()

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        return self.model.pairs if isinstance(self.model, MultiLevelK) else ()

    @property
    def ilr(self) -> float | None:
        return self.measures.get("ilr")

    @property
    def glm(self) -> float | None:
        return self.measures.get("glm")

    @property
    def loss(self) -> float | None:
        """What candidates are compared by: ILR, or GLM if there are no levels to climb."""
        return self.measures.get("ilr", self.measures.get("glm"))

    @property
    def mean_k(self) -> float:
        """The mean k that people ask for."""
        total = sum(self.people.values())
        return sum(k * n for k, n in self.people.items()) / total

    @property
    def mostly_bare(self) -> bool:
        """Whether more than half of the people ask for k = 1, which hides nobody."""
        return 2 * self.people.get(1, 0) > sum(self.people.values())

    def as_data(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "number": self.number,
            "family": self.family,
            "scheme": self.scheme,
            "levels": self.n_levels,
            "thresholds": [list(pair) for pair in self.thresholds],
            "pairs": [list(pair) for pair in self.pairs],
            "loss": self.loss,
            **{name: self.measures.get(name) for name in MEASURES},
            "holds": self.holds,
            "rows_below": self.n_below,
            "people": [{"k": k, "people": n} for k, n in self.people.items()],
            "mean_k": self.mean_k,
            "seconds": self.seconds,
            "problem": self.problem or None,
        }


@dataclass(frozen=True, repr=False)
class Suggestions(Sequence[Suggestion]):
    """The candidates, two baselines, and notes on them.

    `baseline` is KA and `plain` is mondrian, both with the highest k for everybody. `share` is the
    share of people who may ask for the highest k, if it was given; `least` is the crowd that the
    plan's other requirements give everybody.
    """

    rows: tuple[Suggestion, ...]
    baseline: Suggestion
    plain: Suggestion
    n_rows: int
    n_judged: int
    share: float | None = None
    notes: tuple[str, ...] = ()
    least: int = 1

    @overload
    def __getitem__(self, place: int) -> Suggestion: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Suggestion, ...]: ...

    def __getitem__(self, place: int | slice) -> Suggestion | tuple[Suggestion, ...]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def _repr_html_(self) -> str:
        """Every candidate, the best marked; the two baselines first."""
        rows = [
            (r.number or "", r.family, r.scheme, r.loss, r.glm, r.mean_k,
             r.problem or ("best" if r is self.best else ""))
            for r in (self.baseline, self.plain, *self.rows)
        ]  # fmt: skip
        names = ("Number", "Family", "Scheme", "Loss", "Detail lost (glm)", "Mean k", "Note")
        return snippet(f"{len(self)} candidates and two baselines", names, rows)

    def __repr__(self) -> str:
        best = "none" if self.best is None else f"number {self.best.number}"
        return f"<Suggestions: {len(self)} candidates; best: {best}>"

    def numbered(self, number: int) -> Suggestion | None:
        """The row with this number, counted from 1."""
        return next((row for row in self.rows if row.number == number), None)

    @cached_property
    def best(self) -> Suggestion | None:
        """The least ILR among those that give everyone the k they ask for.

        Ties go to fewer levels, then to a scheme that does so on every table. If none does, which
        happens only with sd-mks3wd, the least ILR of all. Candidates in which more than half of
        the people ask for k = 1 count only if there are no others; if a share was given, only
        those that keep to it count. None if nothing can be published.
        """
        possible = self._possible
        covering = [row for row in possible if not row.mostly_bare]
        return min(covering or possible, key=_preference, default=None)

    @cached_property
    def passed_over(self) -> tuple[Suggestion, ...]:
        """Those that would come before the best if fewer people asked for k = 1."""
        best = self.best
        if best is None:
            return ()
        return tuple(row for row in self._possible if _preference(row) < _preference(best))

    @property
    def is_beaten(self) -> bool:
        """Whether the best loses more, by glm, than mondrian with the highest k for everybody."""
        glm = self.best.glm if self.best is not None else None
        return glm is not None and self.plain.glm is not None and glm > self.plain.glm

    @cached_property
    def _possible(self) -> list[Suggestion]:
        found = [row for row in self.rows if row.loss is not None and self._keeps_share(row)]
        return [row for row in found if row.holds] or found

    def _keeps_share(self, row: Suggestion) -> bool:
        n_highest = row.people.get(max(k for pair in row.pairs for k in pair), 0)
        return self.share is None or n_highest <= self.share * sum(row.people.values()) + 1e-9

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All rows, the two baselines first, as a table."""
        every = (self.baseline, self.plain, *self.rows)
        data = [{**row.as_data(), "best": row is self.best} for row in every]
        schema: dict[str, Any] = {
            "number": pl.Int64, "family": pl.String, "scheme": pl.String, "levels": pl.Int64,
            "thresholds": pl.List(pl.List(pl.Float64)), "pairs": pl.List(pl.List(pl.Int64)),
            **dict.fromkeys(("loss", *MEASURES), pl.Float64), "holds": pl.Boolean,
            "rows_below": pl.Int64,
            "people": pl.List(pl.Struct({"k": pl.Int64, "people": pl.Int64})),
            "mean_k": pl.Float64, "seconds": pl.Float64, "problem": pl.String, "best": pl.Boolean,
        }  # fmt: skip
        return pl.DataFrame(data, schema=schema)


def _preference(row: Suggestion) -> tuple[float, int, bool, int]:
    assert row.loss is not None
    may_miss = row.method.may_miss(row.model)
    return round(row.loss, _ALIKE_DIGITS), row.n_levels, may_miss, row.number
