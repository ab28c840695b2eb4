"""Values in buckets: the mean of their shares in the buckets of rows that can be somebody."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.attack import Bucket, Target
from shoal.schema import Attribute, Kind, Requirement, Role, Schema

SCHEMA = Schema((Attribute("age", Role.QUASI, Kind.NUMERIC), Attribute("ill", Role.SENSITIVE)))
HELD = (np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), pl.Series(["a", "b", "a", "c"]))


def test_the_posterior_of_buckets() -> None:
    """Lemma 2: one half of a from each bucket, and a quarter of b and of c."""
    data = pl.DataFrame({"age": ["[1, 4]"] * 4})
    known = pl.DataFrame({"age": [1, 2, 3, 4], "ill": list("abac")})
    limit = (Requirement("l-diversity", {"l": 2, "kind": "distinct"}),)
    (found,) = Bucket().run(Target(data, SCHEMA, limit, known, buckets={"ill": HELD}))
    assert (found.worst, found.bound, found.holds) == (0.5, 0.5, True)
    assert found.success.share == pytest.approx(2 / 4)
    assert found.baseline.share == pytest.approx(2 / 4)


def test_a_bucket_of_one_value_gives_it_away() -> None:
    data = pl.DataFrame({"age": ["1", "1", "9", "9"]})
    known = pl.DataFrame({"age": [1, 1, 9, 9], "ill": list("aabb")})
    held = (np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), pl.Series(list("aabb")))
    limit = (Requirement("l-diversity", {"l": 2}),)
    (found,) = Bucket().run(Target(data, SCHEMA, limit, known, buckets={"ill": held}))
    assert (found.worst, found.holds, found.success.share) == (1.0, False, 1.0)


def test_two_columns_together() -> None:
    schema = Schema((*SCHEMA.attributes, Attribute("job", Role.SENSITIVE)))
    data = pl.DataFrame({"age": ["[1, 4]"] * 4})
    known = pl.DataFrame({"age": [1, 2, 3, 4], "ill": list("abac"), "job": list("xyxy")})
    jobs = (np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), pl.Series(list("xyxy")))
    target = Target(data, schema, (), known, buckets={"ill": HELD, "job": jobs})
    *_, both = Bucket().run(target)
    assert (both.about, both.worst, both.bound) == ("ill and job", 0.25, None)
    assert both.success.share == pytest.approx((1 / 2 + 0 + 1 / 2 + 0) / 4)
