"""What an update starts from: the input of a run, its classes, and the plan, on the private side.

`state.json` is written last and has the digest of every file that belongs to the state, so that a
damaged one, or one whose files come from two runs, is refused.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.folder.table import write_table
from shoal.hierarchy.file import write_rows
from shoal.release.outcome import Outcome

FORMAT = 1
STATE, INPUT, ROWS, HEIGHTS = "state.json", "input.parquet", "rows.parquet", "heights.parquet"


@dataclass(frozen=True)
class State:
    """A run as its private side tells it.

    `classes` has the class of every input row, 0 where it is suppressed; `heights` the hierarchy
    levels at which each class is published, by its number from 1, where the method says so.
    `typed`: the source had types of its own.
    """

    folder: Path
    plan: dict[str, Any]
    frame: pl.DataFrame
    classes: NDArray[np.int64]
    heights: NDArray[np.int8] | None
    seed: int | str
    typed: bool


def write_state(release: Outcome, folder: Path) -> None:
    """Write what an update needs besides the row map, which is there already."""
    files = [ROWS, INPUT]
    write_table(release.published.original, folder / INPUT)
    heights = release.measures.view.partition.heights
    if heights is not None:
        by_number = np.zeros((int(release.number.max(initial=0)), heights.shape[1]), dtype=np.int8)
        by_number[release.number - 1] = heights
        write_table(pl.DataFrame(by_number), folder / HEIGHTS)
        files.append(HEIGHTS)
    for name, rows in release.portable.hierarchies.items():
        write_rows(folder / name, rows)
        files.append(name)
    facts = {
        "format": FORMAT,
        "plan": release.portable.plan,
        "seed": release.seed,
        "typed": bool(release.types),
        "files": {name: _digest(folder / name) for name in files},
    }
    text = json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
    (folder / STATE).write_text(text, encoding="utf-8")


def read_state(folder: Path) -> State:
    """Read a state; raises DataError where it is none, damaged, or of another version."""
    if not folder.is_dir():
        raise DataError(
            f"The state must be the private folder of a run, but '{folder}' is no folder.",
            "Name the folder that was given with --private.",
        )
    facts = _facts(folder)
    wrong = [name for name, digest in facts["files"].items() if _digest(folder / name) != digest]
    if wrong:
        raise DataError(
            f"The state in '{folder}' is damaged or was changed: {', '.join(sorted(wrong))}.",
            "Take it from a backup, or run the plan again.",
        )
    classes = pl.read_parquet(folder / ROWS, columns=["class"])["class"].fill_null(0)
    heights = None
    if HEIGHTS in facts["files"]:
        heights = pl.read_parquet(folder / HEIGHTS).to_numpy().astype(np.int8)
    return State(
        folder,
        facts["plan"],
        pl.read_parquet(folder / INPUT),
        classes.to_numpy().astype(np.int64),
        heights,
        facts["seed"],
        bool(facts["typed"]),
    )


def _facts(folder: Path) -> dict[str, Any]:
    try:
        facts = json.loads((folder / STATE).read_text(encoding="utf-8"))
        version, files, _, _ = (facts[key] for key in ("format", "files", "plan", "typed"))
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"'{folder}' contains no state of a run that could be read.",
            "Name the folder that was given with --private, or run the plan again with it.",
        ) from None
    if version != FORMAT:
        raise DataError(
            f"The state in '{folder}' has format {version!r}, but this version reads {FORMAT}.",
            "Run the plan again.",
        )
    if not isinstance(files, dict) or not all(Path(name).name == name for name in files):
        raise DataError(f"The state in '{folder}' is damaged.", "Run the plan again.")
    return dict(facts)


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
