"""Results as a grid would have found them, made by a rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal._command.experiment.pool import Finished
from shoal._command.experiment.result import Results
from shoal._command.reproduce.paper import ReproducedPaper

Rule = Callable[[dict[str, Any], str], float]
NOWHERE = Path("nowhere")


def made(paper: ReproducedPaper, rule: Rule, quick: bool = False) -> Results:
    """The whole grid of a paper, each reading by the rule."""
    trials = paper.grid(NOWHERE, quick).trials
    found = tuple({"readings": {r: rule(dict(t.place), r) for r in t.readings}} for t in trials)
    return Results(Finished(trials, found, {}, 0))
