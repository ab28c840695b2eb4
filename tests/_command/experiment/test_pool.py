"""Trials are run once, in processes, and a failure costs nothing that was done."""

from __future__ import annotations

import errno
from pathlib import Path

import polars as pl
import pytest

from shoal._command.experiment.cache import Cache
from shoal._command.experiment.pool import StageTimes, carry_out, perform
from shoal._command.experiment.trial import Grid, Trial
from shoal.errors import DataError
from tests._command.experiment.small import PEOPLE, PLAN


def trial(k: int, seed: int = 1, data: str = "people") -> Trial:
    plan = {**PLAN, "privacy": [{"k-anonymity": {"k": k}}], "seed": seed}
    return Trial(plan, data, {"k": k, "seed": seed}, ("glm", "seconds"))


def grid(*trials: Trial) -> Grid:
    return Grid(trials, {"people": lambda: PEOPLE, "missing": missing})


def missing() -> pl.DataFrame:
    raise DataError("It is not there.", hint="Get it.")


def test_a_second_run_computes_nothing(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    asked = grid(trial(2), trial(5), trial(2))
    first = carry_out(asked, Cache(tmp_path), 1, lambda *pair: told.append(pair))
    again = carry_out(asked, Cache(tmp_path), 1)
    assert (first.computed, again.computed) == (2, 0)
    assert first.found == again.found
    assert len(first.found) == 3
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert first.found[0]["readings"]["seconds"] >= 0


@pytest.mark.slow
def test_processes_find_the_same(tmp_path: Path) -> None:
    asked = Grid(
        tuple(Trial(t.plan, t.data, t.place, ("glm",)) for t in (trial(2), trial(5))),
        {"people": lambda: PEOPLE},
    )
    alone = carry_out(asked, Cache(tmp_path / "one"), 1)
    two = carry_out(asked, Cache(tmp_path / "two"), 2)
    assert [one["readings"] for one in two.found] == [one["readings"] for one in alone.found]


def test_a_missing_table_is_named_and_the_others_run(tmp_path: Path) -> None:
    finished = carry_out(grid(trial(2), trial(5, data="missing")), Cache(tmp_path), 1)
    assert len(finished.found) == 1
    assert finished.missing["missing"][0].hint == "Get it."


def test_a_full_disk_keeps_what_was_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, asked = Cache(tmp_path), grid(trial(2), trial(3), trial(4))
    put, kept = cache.put, []

    def fill(key: str, result: dict[str, object]) -> None:
        if kept:
            raise OSError(errno.ENOSPC, "full")
        put(key, result)
        kept.append(key)

    monkeypatch.setattr(cache, "put", fill)
    with pytest.raises(OSError, match="full"):
        carry_out(asked, cache, 1)
    assert carry_out(asked, Cache(tmp_path), 1).computed == 2


def test_errors_are_results(tmp_path: Path) -> None:
    _, file = Cache(tmp_path).keep_table(PEOPLE)
    hopeless = {**PLAN, "privacy": [{"k-anonymity": {"k": 100}}], "seed": 1}
    found = perform(Trial(hopeless, "people", {}, ("glm",)), file)
    assert "100" in found["error"]
    nobody = Trial(hopeless, "people", {}, ("glm",), {"glm": 1.0})
    assert perform(nobody, file)["readings"] == {"glm": 1.0}
    assert perform(Trial({"attributes": {}}, "people", {}, ("glm",)), file)["error"]


def test_a_method_that_publishes_nobody_takes_time_too(tmp_path: Path) -> None:
    _, file = Cache(tmp_path).keep_table(PEOPLE)
    hopeless = {**PLAN, "privacy": [{"k-anonymity": {"k": 100}}], "seed": 1}
    found = perform(Trial(hopeless, "people", {}, ("glm", "seconds"), {"glm": 1.0}), file)
    assert found["readings"]["glm"] == 1.0
    assert "seconds" in found["readings"]
    assert found["cpu"] >= 0


def test_the_least_time_of_every_stage_is_kept() -> None:
    stages = StageTimes()
    for loops in (200_000, 10, 100_000):
        with stages("solve"):
            sum(range(loops))
    with pytest.raises(ValueError, match="broken"), stages("publish"):
        raise ValueError("broken")
    assert set(stages.seconds) == {"solve", "publish"}
    assert stages.total == sum(stages.seconds.values())
    longest = StageTimes()
    with longest("solve"):
        sum(range(2_000_000))
    assert stages.seconds["solve"] < longest.seconds["solve"]


def test_the_processor_time_of_all_trials_is_told(tmp_path: Path) -> None:
    asked = grid(trial(2), trial(5))
    first = carry_out(asked, Cache(tmp_path), 1)
    assert first.cpu > 0
    assert carry_out(asked, Cache(tmp_path), 1).cpu == first.cpu
