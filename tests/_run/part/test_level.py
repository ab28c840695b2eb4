"""Rows of several shards that look alike are one crowd."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal._run.part.level import Crowds, crowds_of, settle_crowds
from shoal.schema import Attribute, Requirement, Role, Schema, Verdict
from shoal.verify import check_table

SCHEMA = Schema((Attribute("age", Role.QUASI), Attribute("f", Role.SENSITIVITY)))
LEVELS = {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[6, 1], [4, 2]]}
REQUIRED = Requirement("multi-level-k", LEVELS)


@pytest.mark.parametrize("seed", range(5))
def test_the_verdict_is_that_on_all_rows(seed: int) -> None:
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": draw.integers(0, 9, 60).astype(str), "f": draw.random(60)})
    (expected,), _ = check_table(frame, SCHEMA, [REQUIRED])
    halves = [crowds_of(part, SCHEMA, [REQUIRED], part)[0] for part in (frame[:23], frame[23:])]
    for one, other in (halves, halves[::-1]):
        guess = Verdict(str(REQUIRED), False, None)
        (found,) = settle_crowds([guess], [one.merge(other)])
        assert (found.holds, found.asked) == (expected.holds, expected.asked)
        assert (found.reached, found.levels) == (expected.reached, expected.levels)


def test_other_verdicts_stay() -> None:
    other = Verdict("k-anonymity", True, 2, 3)
    assert settle_crowds([other], []) == (other,)
    assert crowds_of(pl.DataFrame(), SCHEMA, [Requirement("k-anonymity", {"k": 2})],
                     pl.DataFrame()) == ()  # fmt: skip
    nothing = Crowds(str(REQUIRED), pl.DataFrame({"vector": [], "k": [], "n": []}))
    assert settle_crowds([other], [nothing]) == (other,)
