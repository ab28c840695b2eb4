"""Every plan ends in a release or in an error of a known kind, never in one of our own making."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import shoal
from shoal.errors import DataError, InfeasibleError, PlanError
from tests.legitimate import Maker

CASES = int(os.environ.get("SHOAL_PLAN_CASES", "200"))
BLOCK = 20


@pytest.mark.parametrize("block", range(-(-CASES // BLOCK)))
def test_no_plan_ends_in_an_error_of_ours(block: int, tmp_path: Path) -> None:
    """Some releases are written, and audited: their files are verified once more."""
    for seed in range(block * BLOCK, min(block * BLOCK + BLOCK, CASES)):
        plan, table = Maker(seed).case()
        written = tmp_path / str(seed) if seed % 10 == 0 else None
        try:
            shoal.run(plan, table, output=written)
        except (PlanError, DataError, InfeasibleError):
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        if written is not None:
            found = shoal.audit(written, original=table)
            assert (found.findings, found.unlike) == ((), ()), seed


def test_most_plans_give_a_release() -> None:
    """Else the test above proves little."""
    made = 0
    for seed in range(60):
        plan, table = Maker(seed).case()
        try:
            shoal.run(plan, table)
        except (PlanError, DataError, InfeasibleError):
            continue
        made += 1
    assert made >= 20
