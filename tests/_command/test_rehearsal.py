"""What a plan would lose, how many cells would show nothing, and samples of whole people."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._command.rehearsal import rehearse, sample_people
from shoal._run.code import code
from shoal._run.engine import LocalEngine
from shoal._run.read import read_input
from shoal.plan import Plan
from tests.model.small import table_of

FRAME = pl.DataFrame({"age": [30, 31, 32, 60, 61, 62, 63], "sex": list("fffmfmm")})


@pytest.mark.parametrize("k", [2, 3, 7])
def test_loss_and_stars_are_those_of_the_release(k: int) -> None:
    plan = Plan.parse(
        {
            "attributes": {"age": "quasi", "sex": {"role": "quasi", "hierarchy": "flat"}},
            "privacy": [{"k-anonymity": {"k": k}}],
            "seed": 1,
            "order": "input",
        }
    )
    found = rehearse(plan, code(plan, read_input(plan, FRAME, LocalEngine()), 1))
    release = shoal.run(plan, FRAME)
    cells = [cell for name in release.frame.columns for cell in release.frame[name]]
    assert found.loss == pytest.approx(release.measures["glm"])
    assert found.stars == pytest.approx(cells.count("*") / len(cells))
    assert set(found.by_attribute) == {"age", "sex"}


def test_people_are_sampled_whole() -> None:
    people = [str(i % 10) for i in range(40)]
    rows = sample_people(table_of(["a"] * 40, people=people), 12)
    assert rows is not None
    chosen = {people[row] for row in rows.tolist()}
    assert len(chosen) == 3
    assert sorted(rows.tolist()) == [i for i in range(40) if people[i] in chosen]


def test_the_seed_decides_who_is_in_it() -> None:
    table = table_of(["a"] * 100)
    samples = [sample_people(table, 10, seed) for seed in (1, 1, 2)]
    assert all(found is not None and len(found) == 10 for found in samples)
    assert np.array_equal(samples[0], samples[1])  # type: ignore[arg-type]
    assert not np.array_equal(samples[0], samples[2])  # type: ignore[arg-type]
    assert sample_people(table, 100) is None
