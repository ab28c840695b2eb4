"""LKC-privacy and k^m-anonymity: what methods aim at is enough for them."""

from __future__ import annotations

from shoal.model import KM, LKC
from shoal.model.base import Bound, Reach
from tests.model.small import table_of
from tests.verify.small import said


def test_methods_aim_at_whole_classes() -> None:
    table = table_of("aab")
    wanted = [Bound(Reach.SIZE, 2), Bound(Reach.SHARE, 0.5, "s")]
    assert LKC(l=1, k=2, c=0.5).bounds(table.schema) == wanted
    assert KM(k=2, m=1).bounds(table.schema) == wanted[:1]


def test_what_cannot_be_had() -> None:
    table = table_of("aab")
    assert LKC(l=1, k=3, c=0.5).infeasible(table) == [], "without an a"
    found = said(LKC(l=1, k=4, c=0.4).infeasible(table, 0))
    assert "lkc with k = 4 cannot be achieved: the table has 3 rows." in found
    assert "lkc with c = 0.4 cannot be achieved for 's': the table has 2 distinct values." in found
    assert "The smallest possible c is 0.5." in found
    assert "without at least 1 row" in said(LKC(l=1, k=2, c=0.5).infeasible(table, 0))
    assert "km with k = 4" in said(KM(k=4, m=1).infeasible(table))
    assert KM(k=3, m=1).infeasible(table) == []


def test_a_level_cannot_require_them() -> None:
    import pytest
    from pydantic import ValidationError

    from shoal.model import MultiLevelK

    with pytest.raises(ValidationError, match="cannot require 'km'"):
        MultiLevelK(thresholds=[(0.8, 0.2)], levels=[{"k": [3, 1], "km": {"k": 2, "m": 1}}])
