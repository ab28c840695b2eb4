"""What an update starts from: the input of a run, its classes, and the plan, on the private side.

`state.json` is written last and has the digest of every file that belongs to the state, so that a
damaged one, or one whose files come from two runs, is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.folder.ledger import LEDGER, SIGNATURES, read_ledger, write_ledger
from shoal.folder.table import write_table
from shoal.hierarchy.file import write_rows
from shoal.release.ledger import HeldCells, Ledger, held_in_buckets
from shoal.release.outcome import Outcome

SmallInt = TypeVar("SmallInt", np.int8, np.int16)

FORMAT = 2
STATE, INPUT, ROWS, HEIGHTS = "state.json", "input.parquet", "rows.parquet", "heights.parquet"
PATTERNS = "patterns.parquet"
BUCKETS, VALUES = "buckets.parquet", "bucket-values.parquet"


@dataclass(frozen=True)
class State:
    """A run as its private side tells it.

    `classes` has the class of every input row, 0 where it is suppressed; `heights` the hierarchy
    levels at which each class is published, by its number from 1, where the method says so.
    `typed`: the source had types of its own. `ledger` has all versions so far, where they are to
    keep something together. Counterfeits are not in it: each version makes its own. `held` has for
    each attribute with secrets the bucket of every row, -1 where there is none, and what is in
    buckets; `patterns` what each class shows and keeps secret, by its number from 1.
    """

    folder: Path
    plan: dict[str, Any]
    frame: pl.DataFrame
    classes: NDArray[np.int64]
    heights: NDArray[np.int16] | None
    seed: int | str
    typed: bool
    ledger: Ledger | None = None
    held: Mapping[str, HeldCells] = field(default_factory=dict)
    patterns: NDArray[np.int8] | None = None


def write_state(release: Outcome, folder: Path) -> None:
    """Write what an update needs in addition to the row map, which is already there."""
    files = [ROWS, INPUT]
    write_table(release.published.original, folder / INPUT)
    partition = release.measures.view.partition
    for name, of_class in ((HEIGHTS, partition.heights), (PATTERNS, partition.pattern)):
        if of_class is not None and of_class.shape[1]:
            n_numbers = int(release.number.max(initial=0))
            # Hardly any hierarchy has so many levels that they need 16 bits.
            small = int(of_class.max(initial=0)) <= np.iinfo(np.int8).max
            shape = n_numbers, of_class.shape[1]
            by_number = np.zeros(shape, dtype=np.int8 if small else np.int16)
            by_number[release.number - 1] = of_class
            write_table(pl.DataFrame(by_number), folder / name)
            files.append(name)
    if release.keeps_secrets:
        _write_buckets(held_in_buckets(release.published), folder)
        files += [BUCKETS, VALUES]
    for name, rows in release.portable.hierarchies.items():
        write_rows(folder / name, rows)
        files.append(name)
    if release.ledger is not None:
        write_ledger(release.ledger, folder)
        files += [LEDGER, SIGNATURES]
    facts = {
        "format": FORMAT,
        "plan": release.portable.plan,
        "seed": release.seed,
        "typed": bool(release.types),
        "counterfeits": release.counts.counterfeits,
        "releases": [] if release.ledger is None else list(release.ledger.releases),
        "files": {name: _digest(folder / name) for name in files},
    }
    text = json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
    (folder / STATE).write_text(text, encoding="utf-8")


def read_state(folder: Path) -> State:
    """Read a state; raises DataError where it is none, damaged, or of another version."""
    if not folder.is_dir():
        raise DataError(
            f"The state must be the private folder of a run, but '{folder}' is not a folder.",
            "Name the folder that was given with --private.",
        )
    facts = _facts(folder)
    wrong = _changed(folder, facts)
    if wrong:
        raise DataError(
            f"The state in '{folder}' is damaged or was changed: {', '.join(wrong)}.",
            "Take it from a backup, or run the plan again.",
        )
    classes = pl.read_parquet(folder / ROWS, columns=["class"])["class"].fill_null(0)
    n_counterfeits = int(facts.get("counterfeits", 0))
    frame = pl.read_parquet(folder / INPUT)
    n_rows = frame.height - n_counterfeits
    return State(
        folder,
        facts["plan"],
        frame.head(n_rows),
        classes.head(n_rows).to_numpy().astype(np.int64),
        _of_classes(folder, facts, HEIGHTS, np.int16),
        facts["seed"],
        bool(facts["typed"]),
        _ledger(folder, facts),
        _read_buckets(folder, facts),
        _of_classes(folder, facts, PATTERNS, np.int8),
    )


def _of_classes(
    folder: Path, facts: dict[str, Any], name: str, dtype: type[SmallInt]
) -> NDArray[SmallInt] | None:
    """Heights or patterns, a row for every class; None where the release has none."""
    if name not in facts["files"]:
        return None
    return pl.read_parquet(folder / name).to_numpy().astype(dtype)


def _write_buckets(held: Mapping[str, HeldCells], folder: Path) -> None:
    write_table(pl.DataFrame({name: own[0] for name, own in held.items()}), folder / BUCKETS)
    listed = [
        pl.DataFrame({"bucket": own, "value": values}).with_columns(pl.lit(name).alias("attribute"))
        for name, (_, own, values) in held.items()
    ]
    schema = {"bucket": pl.Int64, "value": pl.String, "attribute": pl.String}
    write_table(pl.concat([pl.DataFrame(schema=schema), *listed]), folder / VALUES)


def _read_buckets(folder: Path, facts: dict[str, Any]) -> dict[str, HeldCells]:
    if BUCKETS not in facts["files"]:
        return {}
    of_row, values = pl.read_parquet(folder / BUCKETS), pl.read_parquet(folder / VALUES)
    found = {}
    for name in of_row.columns:
        own = values.filter(pl.col("attribute") == name)
        found[name] = of_row[name].to_numpy(), own["bucket"].to_numpy(), own["value"]
    return found


def changed_files(folder: Path) -> list[str]:
    """The files of a state that are not those that were written; none where there is no state."""
    return _changed(folder, _facts(folder)) if (folder / STATE).is_file() else []


def _changed(folder: Path, facts: dict[str, Any]) -> list[str]:
    listed = facts["files"].items()
    return sorted(name for name, digest in listed if _digest(folder / name) != digest)


def read_person(folder: Path) -> str | None:
    """The column of people by the plan of a state; None where there is none."""
    if not (folder / STATE).is_file():
        return None
    named = _facts(folder)["plan"].get("individual")
    return named.get("column") if isinstance(named, dict) else named


def read_decimal(folder: Path) -> str | None:
    """The decimal mark that the plan of a state declares, if any."""
    if not (folder / STATE).is_file():
        return None
    mark = _facts(folder)["plan"].get("decimal")
    return mark if isinstance(mark, str) else None


def read_counterfeits(folder: Path) -> pl.DataFrame:
    """The rows of the last version that belong to nobody; none where the folder has no state."""
    if not (folder / STATE).is_file():
        return pl.DataFrame()
    n = int(_facts(folder).get("counterfeits", 0))
    return pl.read_parquet(folder / INPUT).tail(n) if n else pl.DataFrame()


def read_versions(folder: Path) -> Ledger | None:
    """The ledger of a private folder; None where it has none."""
    return _ledger(folder, _facts(folder)) if (folder / STATE).is_file() else None


def _ledger(folder: Path, facts: dict[str, Any]) -> Ledger | None:
    if LEDGER not in facts["files"]:
        return None
    return replace(read_ledger(folder), releases=tuple(facts.get("releases", ())))


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
    # A name with a folder in it would reach files elsewhere.
    if not isinstance(files, dict) or not all(Path(name).name == name for name in files):
        raise DataError(f"The state in '{folder}' is damaged.", "Run the plan again.")
    return dict(facts)


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
