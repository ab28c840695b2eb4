"""(alpha, k)-anonymity can be achieved down to the share of the commonest value."""

from __future__ import annotations

from shoal.model import AlphaK
from shoal.model.base import Bound, Reach
from tests.model.small import table_of
from tests.verify.small import said


def test_the_share_of_the_commonest_value_is_the_least_alpha() -> None:
    table = table_of("aab")
    assert AlphaK(alpha=2 / 3, k=3).infeasible(table) == []
    assert AlphaK(alpha=2 / 3 - 5e-13, k=3).infeasible(table) == []
    assert "one value is more frequent" in said(AlphaK(alpha=2 / 3 - 1e-11, k=3).infeasible(table))
    assert "one value is more frequent" in said(AlphaK(alpha=0.65, k=3).infeasible(table))
    assert "alpha-k with k = 4" in said(AlphaK(alpha=1, k=4).infeasible(table))
    wanted = [Bound(Reach.SIZE, 2), Bound(Reach.SHARE, 0.5, "s")]
    assert AlphaK(alpha=0.5, k=2).bounds(table.schema) == wanted
