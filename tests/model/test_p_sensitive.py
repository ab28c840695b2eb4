"""p-sensitivity needs p values in the table."""

from __future__ import annotations

from shoal.model import PSensitive
from shoal.model.base import Bound, Reach
from tests.model.small import table_of
from tests.verify.small import said


def test_p_values() -> None:
    table = table_of("aab")
    assert PSensitive(p=2).bounds(table.schema) == [Bound(Reach.DISTINCT, 2, "s")]
    assert PSensitive(p=2).infeasible(table) == []
    found = said(PSensitive(p=3).infeasible(table))
    assert "p-sensitive with p = 3 cannot be achieved for 's': the table has 2 distinct" in found
    assert "The largest possible p is 2." in found
