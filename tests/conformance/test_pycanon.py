"""`shoal.check` beside pycanon, which has an environment of its own, on real tables."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from benchmarks.environment import RIVALS, Unavailable, python_of

ADULT = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "salary-class",
]  # fmt: skip
TABLES = {
    "adult": (
        lambda folder: pl.read_csv(folder / "adult" / "adult.data", has_header=False,
                                   new_columns=ADULT, n_rows=4_000, truncate_ragged_lines=True),
        [["sex"], ["sex", "race"], ["marital-status", "sex", "salary-class"]],
        ["occupation", "hours-per-week"],
    ),
    "mushroom": (
        lambda folder: pl.read_csv(_only(folder / "uci-mushroom"), has_header=False, n_rows=4_000),
        [["column_2"], ["column_2", "column_4"]],
        ["column_1", "column_6"],
    ),
}  # fmt: skip


def _only(folder: Path) -> Path:
    return next(path for path in sorted(folder.rglob("*.data")))


@pytest.fixture(scope="module")
def python() -> Path:
    try:
        return python_of("pycanon")
    except Unavailable as error:
        pytest.skip(str(error))


def _text(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells without the blanks around them, which other tools keep."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(pl.col(texts).str.strip_chars())


def _reached(frame: pl.DataFrame, quasi: list[str], name: str) -> dict[str, Any]:
    kind = "numeric" if frame[name].dtype.is_numeric() else "categorical"
    attributes: dict[str, Any] = {n: {"role": "quasi", "kind": "categorical"} for n in quasi}
    attributes[name] = {"role": "sensitive", "kind": kind}
    models = {
        "alpha": {"alpha-k": {"alpha": 1, "k": 1}},
        "l": {"l-diversity": {"l": 1}},
        "entropy": {"l-diversity": {"l": 1, "kind": "entropy"}},
        "t": {"t-closeness": {"t": 1}},
        "basic": {"beta-likeness": {"beta": 1e9}},
        "enhanced": {"beta-likeness": {"beta": 1e9, "kind": "enhanced"}},
        "delta": {"delta-disclosure": {"delta": 1e9}},
    }
    found = shoal.check(
        frame.select(*quasi, name), attributes=attributes, privacy=list(models.values())
    )
    reached: dict[str, Any] = {
        key: verdict.reached for key, verdict in zip(models, found, strict=True)
    }
    reached["k"] = reached["alpha"]["k"]
    reached["alpha"] = reached["alpha"]["alpha"]
    reached["enhanced holds"] = found[list(models).index("enhanced")].holds
    return reached


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("which", sorted(TABLES))
def test_both_say_the_same(which: str, data_folder: Path, tmp_path: Path, python: Path) -> None:
    read, choices, sensitive = TABLES[which]
    path = tmp_path / "table.csv"
    _text(read(data_folder)).write_csv(path)
    frame = pl.read_csv(path)
    n_enhanced = 0
    for quasi in choices:
        command = [str(python), str(RIVALS / "check.py"), str(path)]
        told = subprocess.run(
            [*command, ",".join(quasi), ",".join(sensitive)], capture_output=True, text=True
        )
        assert told.returncode == 0, told.stderr
        for name, theirs in json.loads(told.stdout).items():
            ours = _reached(frame, quasi, name)
            for exact in ("k", "alpha", "l", "basic"):
                assert ours[exact] == theirs[exact], (quasi, name, exact)
            # Sums and logarithms: alike but for the rounding of the last operations.
            for rounded in ("t", "delta"):
                assert ours[rounded] == pytest.approx(theirs[rounded], rel=1e-12, abs=1e-15)
            # pycanon cuts the effective number of values off to a whole one.
            assert int(ours["entropy"] + 1e-12) == theirs["entropy"]
            if ours["enhanced holds"]:
                n_enhanced += 1
                assert ours["enhanced"] == theirs["enhanced"]
    assert n_enhanced > 0 or which != "adult", "the enhanced kind is compared where it holds"
