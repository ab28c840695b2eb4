"""A learner that sees what labels and buckets have in common."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.attack import Bucket, DeFinetti, Target
from shoal.schema import Attribute, Kind, Requirement, Role, Schema

SCHEMA = Schema(
    (
        Attribute("smoker", Role.QUASI, Kind.CATEGORICAL),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE),
    )
)
LIMIT = (Requirement("l-diversity", {"l": 2}),)


def released(ills_of: dict[str, str], seed: int = 3) -> Target:
    """Buckets of two, with a smoker in every other one."""
    draw = np.random.default_rng(seed)
    n = 80
    smoker = ["yes", "no", "no", "no"] * (n // 4)
    ill = [draw.choice([*ills_of[s]]) for s in smoker]
    bucket = np.arange(n) // 2
    data = pl.DataFrame({"smoker": smoker, "age": [str(age) for age in range(n)]})
    known = pl.DataFrame({"smoker": smoker, "age": list(range(n)), "ill": ill})
    order = draw.permutation(n)
    held = (bucket, bucket[order], pl.Series(ill).gather(order))
    return Target(data, SCHEMA, LIMIT, known, buckets={"ill": held})


def test_patterns_over_buckets_give_values_away() -> None:
    """Kifer's example: every bucket with a smoker has cancer, with all kinds of other illnesses."""
    one = released({"yes": "c", "no": "abdefg"})
    (plain,) = Bucket().run(one)
    (found,) = DeFinetti().run(one)
    assert found.success.share > plain.success.share + 0.1
    assert found.worst > 0.9
    assert found.bound == 0.5
    assert found.holds is None, "Lemma 2 promises nothing against a learner"


def test_where_there_is_no_pattern_nothing_is_learned() -> None:
    gained = []
    for seed in range(8):
        one = released({"yes": "abcd", "no": "abcd"}, seed)
        (plain,), (found,) = Bucket().run(one), DeFinetti().run(one)
        gained.append(found.success.share - plain.success.share)
    assert np.mean(gained) == pytest.approx(0, abs=0.1)


def test_made_up_people_are_not_known_any_better() -> None:
    (found,) = DeFinetti().run(released({"yes": "c", "no": "abdefg"}))
    assert found.baseline.share == pytest.approx(1 / 4)
    assert "without learning" in found.note


def test_without_buckets_there_is_nothing_to_learn() -> None:
    one = released({"yes": "c", "no": "ab"})
    assert list(DeFinetti().run(Target(one.data, SCHEMA, LIMIT, one.known))) == []
