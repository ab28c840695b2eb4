"""The input of a run, read and with the conflicts within people settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal._run.engine import Engine
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.table import settle_conflicts


@dataclass(frozen=True)
class Input:
    """The table as it was handed over, and with one description for each person.

    `replaced` tells how many cells of each attribute that changed.
    """

    given: pl.DataFrame
    frame: pl.DataFrame
    replaced: Mapping[str, int]


def read_input(plan: Plan, data: Any, engine: Engine) -> Input:
    """Read the plan's source, or what is handed over in its place; all its columns are declared."""
    if data is None and not plan.source:
        raise PlanError(
            "The plan names no source, and no data was handed over.",
            hint="Add 'source: FILE' to the plan, or hand the data over.",
        )
    source = data if data is not None else plan.source
    if isinstance(source, (tuple, list)):
        given = engine.read(tuple(source), plan.base)
    else:
        given = engine.read(source, Path.cwd())
    problems = plan.check_columns(given.columns)
    if problems:
        raise PlanError(problems)
    frame, replaced = settle_conflicts(given, plan.schema)
    return Input(given, frame, replaced)
