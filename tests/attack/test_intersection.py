"""Two releases together allow less than each by itself."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from shoal.attack import Intersection
from shoal.schema import Requirement
from tests.attack.test_inference import released


def test_two_classes_that_share_one_value() -> None:
    """Ganta et al.: a person in both is in {a, b} and in {a, c}, and so has a."""
    one = released(["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"], "abcd", [1, 2, 3, 4])
    data = pl.DataFrame({"age": ["[1, 3]", "[2, 4]", "[1, 3]", "[2, 4]"], "ill": list("abcd")})
    two = replace(one, data=data)
    (found,) = Intersection().run(replace(one, other=two))
    assert found.worst == 1.0
    assert found.success.share > found.baseline.share == 0.5
    assert "one value only, the one 0%" in found.note


def test_without_another_release() -> None:
    assert list(Intersection().run(released(["*"], "a", [1]))) == []


def test_releases_that_promise_to_hold_together_are_counted_by_values() -> None:
    """Both allow {a, b} and {c, d}; another leaves those of 1 and of 4 one value each."""
    least = (Requirement("l-diversity", {"l": 2}),)
    one = replace(
        released(["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"], "abcd", [1, 2, 3, 4]),
        requirements=least,
        together=True,
    )
    found = next(iter(Intersection().run(replace(one, other=one))))
    assert (found.bound, found.worst, found.holds) == (0.5, 0.5, True)
    assert "0 people fewer than 2" in found.note
    data = pl.DataFrame({"age": ["[1, 3]", "[2, 4]", "[1, 3]", "[2, 4]"], "ill": list("abcd")})
    broken = next(iter(Intersection().run(replace(one, other=replace(one, data=data)))))
    assert broken.holds is False
    assert "2 people fewer than 2" in broken.note
