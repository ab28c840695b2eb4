"""Rehearsals of first plans: the loss is that of a run."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal._command.init import profile, propose
from shoal._command.init.person import Person
from shoal._command.init.trial import SAMPLE, TrialTable


def people(n_rows: int, seed: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, n_rows),
            "zip": draw.integers(10_000, 10_400, n_rows),
            "diagnosis": draw.choice(list("abcdef"), n_rows),
        }
    )


def test_the_loss_is_that_of_a_run() -> None:
    frame = people(1_000)
    found = propose(profile(frame))
    assert found.rehearsed is not None
    text = found.text.replace("output:", "# output:")
    release = shoal.run(shoal.Plan.parse(text + "seed: 1\norder: input\n"), frame)
    # A rehearsal is by mondrian: `auto` may find something better, and hardly anything worse.
    assert -0.01 < found.rehearsed.loss - release.measures["glm"] < 0.05
    assert found.rehearsed.stars == 0.0


def test_a_large_table_is_sampled_by_whole_people() -> None:
    frame = people(3 * SAMPLE).with_columns(who=pl.Series([i // 3 for i in range(3 * SAMPLE)]))
    table = profile(frame)
    assert TrialTable(table, None, 5).n_rows == SAMPLE
    trial = TrialTable(table, Person("who", SAMPLE), 5)
    assert trial.n_rows == SAMPLE // 3 * 3
    assert trial.has_people


def test_what_cannot_be_had_is_no_loss() -> None:
    frame = people(50)
    entries = propose(profile(frame)).entries
    trial = TrialTable(profile(frame), None, 5)
    assert trial.measure(entries, {"diagnosis": 2}) is not None
    assert trial.measure(entries, {"diagnosis": 40}) is None


def test_width_ladders_that_double_the_loss_are_not_chosen() -> None:
    """Numbers that hardly repeat lose least as ranges with their own ends."""
    draw = np.random.default_rng(3)
    frame = pl.DataFrame(
        {"age": draw.normal(50, 12, 300).round(1), "rooms": draw.integers(1, 9, 300)}
    )
    found = propose(profile(frame))
    assert "width" not in found.text
