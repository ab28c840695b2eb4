"""k-anonymity can be achieved up to the size of the table."""

from __future__ import annotations

from shoal.model import KAnonymity
from shoal.model.base import Bound, Reach
from tests.model.small import table_of
from tests.verify.small import said


def test_as_many_people_as_there_are_but_not_one_more() -> None:
    table = table_of("aaa")
    assert KAnonymity(k=3).infeasible(table) == []
    assert "the table has 3 rows" in said(KAnonymity(k=4).infeasible(table))
    people = table_of("aaa", people="ppq")
    assert KAnonymity(k=2).infeasible(people) == []
    assert "The largest possible k is 2" in said(p.hint for p in KAnonymity(k=3).infeasible(people))
    assert KAnonymity(k=4).bounds(table.schema) == [Bound(Reach.SIZE, 4)]
