"""A paper as it is reproduced: its grid, its figures, its claims, and its story."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from shoal._command.experiment.figure import Figure
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Grid
from shoal._command.reproduce.claim import Reply


@dataclass(frozen=True)
class ReproducedPaper:
    """A paper: `grid` makes its trials from the folder of data sets, a small one if quick."""

    key: str
    grid: Callable[[Path, bool], Grid]
    figures: tuple[Figure, ...]
    claims: Callable[[Results], list[Reply]]

    @cached_property
    def story(self) -> dict[str, Any]:
        """The text of its page, from story/KEY.toml."""
        file = files("shoal._command.reproduce") / "story" / f"{self.key}.toml"
        return tomllib.loads(file.read_text(encoding="utf-8"))
