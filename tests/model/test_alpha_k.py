"""(alpha, k)-anonymity can be achieved down to one in as many as there are values."""

from __future__ import annotations

from shoal.model import AlphaK
from shoal.model.base import Bound, Reach
from tests.model.small import table_of
from tests.verify.small import said


def test_the_least_alpha_is_one_in_as_many_as_there_are_values() -> None:
    table = table_of("aab")
    assert AlphaK(alpha=0.5, k=3).infeasible(table) == [], "without an a"
    assert "the table has 2 distinct values" in said(AlphaK(alpha=0.499, k=3).infeasible(table))
    assert "alpha-k with k = 4" in said(AlphaK(alpha=1, k=4).infeasible(table))
    wanted = [Bound(Reach.SIZE, 2), Bound(Reach.SHARE, 0.5, "s")]
    assert AlphaK(alpha=0.5, k=2).bounds(table.schema) == wanted


def test_a_limit_on_suppression_is_the_obstacle() -> None:
    table = table_of("aaaab")
    assert AlphaK(alpha=0.5, k=2).infeasible(table, 3) == []
    found = said(AlphaK(alpha=0.5, k=2).infeasible(table, 2))
    assert "without at least 3 rows, but the suppression limit allows 2" in found
