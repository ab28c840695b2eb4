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
    """The table as it was given, and with one description for each person.

    `replaced` counts, for each attribute, the cells in which the two differ.
    """

    given: pl.DataFrame
    frame: pl.DataFrame
    replaced: Mapping[str, int]


def read_input(plan: Plan, data: Any, engine: Engine) -> Input:
    """Read the plan's source, or the data given in its place."""
    if data is None and not plan.source:
        raise PlanError(
            "The plan names no source, and no data was given.",
            hint="Add 'source: FILE' to the plan, or give the data.",
        )
    source = data if data is not None else plan.source
    if isinstance(source, (tuple, list)):
        return read_source(plan, tuple(source), plan.base, engine)
    return read_source(plan, source, Path.cwd(), engine)


def read_source(plan: Plan, source: Any, base: Path, engine: Engine) -> Input:
    """Read a source whose columns must all be declared; relative paths start at `base`."""
    given = engine.read(source, base)
    problems = plan.check_columns(given.columns)
    if problems:
        raise PlanError(problems)
    frame, replaced = settle_conflicts(given, plan.schema)
    return Input(given, frame, replaced)
