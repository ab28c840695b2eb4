"""Run a grid of plans, and write what it found: tables, figures, and a cache to continue from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal._command.experiment.cache import Cache, write_file
from shoal._command.experiment.figure import Figure
from shoal._command.experiment.grid import read_grid
from shoal._command.experiment.pool import OnProgress, carry_out
from shoal._command.experiment.result import Results
from shoal.errors import DataError


@dataclass(frozen=True)
class Experiment:
    """What an experiment found and wrote."""

    results: Results
    figures: tuple[Figure, ...]
    written: tuple[Path, ...]
    computed: int
    notes: tuple[str, ...] = ()


def experiment(
    grid: str | Path | Mapping[str, Any],
    output: str | Path,
    *,
    workers: int | None = None,
    progress: OnProgress | None = None,
) -> Experiment:
    """Run every plan of a grid with every seed, and write results and figures to a folder.

    `grid` is a file or a mapping: `plan`, `data`, `vary`, `seeds`, `measures`, `figures`. Results
    are kept in `output/cache` as soon as they are there. A plan that fails is a row with its error.
    """
    design, folder = read_grid(grid), Path(output)
    cache = Cache(folder / "cache")
    finished = carry_out(design.grid, cache, workers, progress)
    if finished.missing:
        raise DataError([p for problems in finished.missing.values() for p in problems])
    results = Results(finished)
    table = folder / "results.csv"
    write_file(table, results.frame.write_csv().encode())
    written = [table]
    for figure in design.figures:
        written += figure.write(results, folder)
    return Experiment(
        results, design.figures, tuple(written), finished.computed, cache_notes(cache)
    )


def cache_notes(cache: Cache) -> tuple[str, ...]:
    """What to say of results that were not used."""
    if not cache.others:
        return ()
    return (
        f"The cache also holds results of other versions of shoal ({', '.join(cache.others)}), "
        "which are not used. They can be removed.",
    )
