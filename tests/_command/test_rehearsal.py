"""What a plan would lose, and how many cells would show nothing."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal._command.rehearsal import rehearse
from shoal._run.code import code
from shoal._run.engine import LocalEngine
from shoal._run.read import read_input
from shoal.plan import Plan

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
