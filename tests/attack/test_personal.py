"""What the size of a class says: nobody in it requires more."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from shoal.attack import Personal, Target
from shoal.schema import Attribute, Kind, Requirement, Role, Schema

SCHEMA = Schema((Attribute("age", Role.QUASI, Kind.NUMERIC),))
LEVELS = Requirement("multi-level-k", {"thresholds": [[0.8, 0.2]], "levels": [[3, 1]]})


def released(labels: list[str], ages: list[int], f: list[float]) -> Target:
    known = pl.DataFrame({"age": ages, "f": f})
    return Target(pl.DataFrame({"age": labels}), SCHEMA, (LEVELS,), known, sensitivity="f")


ONE = released(["1", "[5, 7]", "[5, 7]", "[5, 7]"], [1, 5, 6, 7], [0.1, 0.9, 0.9, 0.1])


def test_somebody_alone_requires_nothing() -> None:
    (found,) = Personal().run(ONE)
    assert (found.worst, found.person) == (1.0, 0)
    # In the class of three both k may be; of all people as many require 3 as 1.
    assert found.success.share == pytest.approx((1 + 3 * 1 / 2) / 4)
    assert found.baseline.share == 0.5
    assert "for 25% of people" in found.note
    assert found.holds is None


def test_large_classes_say_nothing() -> None:
    one = released(["*"] * 4, [1, 5, 6, 7], [0.1, 0.9, 0.9, 0.1])
    (found,) = Personal().run(one)
    assert found.worst == found.baseline.share == 0.5


@pytest.mark.parametrize(
    "changes",
    [{"sensitivity": None}, {"sensitivity": "g"}, {"requirements": ()}],
    ids=["no column", "another column", "no levels"],
)
def test_where_nobody_requires_a_crowd(changes: dict[str, object]) -> None:
    assert list(Personal().run(replace(ONE, **changes))) == []
