"""The tables that benchmarks run on: Adult from the data folder, and synthetic rows by seed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal._command.reproduce import table

QUASI = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
CARDINALITIES = (74, 7, 16, 7, 14, 5, 2, 41)
SYNTHETIC = [f"q{j}" for j in range(len(CARDINALITIES))]


def data_folder() -> Path:
    """SHOAL_DATA, else shared/data beside the project."""
    given = os.environ.get("SHOAL_DATA")
    return Path(given) if given else Path(__file__).parents[2] / "shared" / "data"


def adult() -> pl.DataFrame:
    """The 30,162 complete rows of Adult's training part, 9 quasi-identifiers."""
    return complete_adult("adult.data").select(QUASI)


def complete_adult(*files: str) -> pl.DataFrame:
    """The rows of these files of Adult without a missing value, as text."""
    return table.complete_adult(data_folder(), *files)


def adult_attributes() -> dict[str, Any]:
    """Every column a quasi-identifier with its ARX hierarchy."""
    folder = data_folder() / "adult" / "hierarchies-arx"
    return {
        name: {"role": "quasi", "hierarchy": str(folder / f"adult_hierarchy_{name}.csv")}
        for name in QUASI
    }


def synthetic(rows: int) -> pl.DataFrame:
    """Skewed, independent quasi-identifiers of fixed cardinality, and a sensitive column."""
    draw = np.random.default_rng(20_261_115)
    columns: dict[str, Any] = {}
    for name, n in zip(SYNTHETIC, CARDINALITIES, strict=True):
        columns[name] = draw.choice(n, size=rows, p=draw.dirichlet(np.full(n, 0.7))).astype("int16")
    columns["s"] = draw.integers(0, 20, rows).astype("int16")
    return pl.DataFrame(columns)


def loaded(rows: int) -> pl.DataFrame:
    """The same from a file made by another process, whose memory does not count in this one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic.parquet"
        code = (
            f"from benchmarks.data import synthetic; synthetic({rows}).write_parquet({str(path)!r})"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        return pl.read_parquet(path, memory_map=False)


def synthetic_attributes() -> dict[str, Any]:
    """q0 and q2 are numbers without a hierarchy, the others categories without one."""
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "kind": "numeric" if name in ("q0", "q2") else "categorical"}
        for name in SYNTHETIC
    }
    return {**attributes, "s": {"role": "sensitive", "kind": "categorical"}}


def synthetic_ladder() -> dict[str, Any]:
    """The same with hierarchies, for methods that climb: widths of 4, 8, 16 for all."""
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 4, "levels": 3}}
        for name in SYNTHETIC
    }
    return {**attributes, "s": {"role": "sensitive", "kind": "categorical"}}


LADDER_QUASI = [f"a{j}" for j in range(6)]


def sensitive(rows: int) -> pl.DataFrame:
    """Six skewed quasi-identifiers of 32 values each, and a personal sensitivity f."""
    draw = np.random.default_rng(20_261_116)
    columns: dict[str, Any] = {
        name: np.minimum(draw.geometric(0.15, rows) - 1, 31).astype("int16")
        for name in LADDER_QUASI
    }
    return pl.DataFrame({**columns, "f": draw.random(rows)})


def ladder_attributes() -> dict[str, Any]:
    """Hierarchies of four levels: value, width 8, width 16, `*`."""
    quasi: dict[str, Any] = {
        name: {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 8, "levels": 2}}
        for name in LADDER_QUASI
    }
    return {**quasi, "f": "sensitivity"}


def magic() -> tuple[pl.DataFrame, dict[str, Any]]:
    """MAGIC with ten equal-frequency bins per column, then 5, 2 (of 3 and 2), `*`; f by seed."""
    (path,) = sorted((data_folder() / "uci-magic").glob("*.data"))
    raw = pl.read_csv(path, has_header=False)
    columns: dict[str, Any] = {}
    quasi: dict[str, Any] = {}
    rows = [[str(b), f"{b // 2}/5", f"{b // 6}/2", "*"] for b in range(10)]
    for name in raw.columns[:10]:
        rank = raw[name].rank("ordinal").to_numpy() - 1
        columns[name] = (rank * 10 // raw.height).astype("int64")
        quasi[name] = {"role": "quasi", "kind": "categorical", "hierarchy": {"rows": rows}}
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({**columns, "f": draw.random(raw.height)})
    return frame, {**quasi, "f": "sensitivity"}
