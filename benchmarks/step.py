"""The method's step of a run by itself: what `shoal.run` hands to its method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchmarks.clock import best
from shoal.method import Method, Task
from shoal.model import SensitiveModel
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode
from shoal.table.partition import Partition


@dataclass(frozen=True)
class Step:
    """A method and its task."""

    plan: Plan
    method: Method
    task: Task

    @classmethod
    def of(cls, words: dict[str, Any], frame: pl.DataFrame) -> Step:
        """Where secrets go into buckets, classes have k alone to hold."""
        plan = Plan.of(words)
        table = encode(frame, plan.schema)
        models = [
            m
            for m in plan.models
            if not (plan.method.layout.keeps_secrets and isinstance(m, SensitiveModel))
        ]
        return cls(plan, plan.method, Task(table, Requirements.of(models, table), 1))

    def classes(self) -> Partition:
        return self.method.partition(self.task)

    def seconds(self, times: int = 3) -> float:
        """The time of the step, warm: the least of several after one that does not count."""
        self.classes()
        return best(self.classes, times)


def exponent(few: tuple[int, float], many: tuple[int, float]) -> float | None:
    """The exponent of growth between two pairs of rows and seconds; None between equal sizes."""
    (n_few, before), (n_many, after) = few, many
    return None if n_few == n_many else math.log(after / before) / math.log(n_many / n_few)
