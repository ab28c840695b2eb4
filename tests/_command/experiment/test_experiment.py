"""A whole experiment: run, written, and run again."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal._command.experiment import experiment
from shoal._command.experiment.cache import Cache
from shoal.errors import DataError
from tests._command.experiment.small import PEOPLE, grid


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")


def test_results_figures_and_a_second_run() -> None:
    found = experiment(grid(seeds=2), "out", workers=1)
    assert found.computed == 8
    names = {path.name for path in found.written}
    assert names == {"results.csv", "figure-1.svg", "figure-1.csv", "figure-2.svg", "figure-2.csv"}
    table = pl.read_csv("out/results.csv")
    assert table["k", "method", "seed"].n_unique() == 8
    files = {path: path.read_bytes() for path in found.written}
    again = experiment(grid(seeds=2), "out", workers=1)
    assert again.computed == 0
    assert {path: path.read_bytes() for path in again.written} == files


def test_more_seeds_only_add_theirs() -> None:
    experiment(grid(seeds=1), "out", workers=1)
    assert experiment(grid(seeds=2), "out", workers=1).computed == 4


def test_another_table_is_another_result() -> None:
    experiment(grid(), "out", workers=1)
    PEOPLE.head(50).write_csv("people.csv")
    assert experiment(grid(), "out", workers=1).computed == 4


def test_results_of_another_version_are_not_used_and_named() -> None:
    Cache(Path("out/cache"), "older").put("ab", {})
    found = experiment(grid(), "out", workers=1)
    assert "results-0.1.0-older" in found.notes[0]


def test_a_plan_that_fails_is_a_row() -> None:
    words = grid(vary={"k": {"at": "privacy[0].k-anonymity.k", "values": [2, 100]}})
    found = experiment(words, "out", workers=1)
    assert found.results.frame["error"].null_count() == 1
    assert len(found.results.errors) == 1


def test_a_table_that_is_not_there() -> None:
    with pytest.raises(DataError):
        experiment(grid(data="none.csv"), "out", workers=1)
