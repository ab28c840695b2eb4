"""Identity-reserved models: what a table cannot give, at its edges."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from shoal.model import EIRAlphaBeta, EIRl, IRAlphaBeta, IRk, IRkl
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.schema import Attribute, Individual, Role, Schema
from shoal.table import Table
from tests.model.small import table_of
from tests.verify.small import said


def four() -> Table:
    """A table of four people and three values."""
    return table_of("aabbc", people="ppqrt")


@pytest.mark.parametrize(
    ("model", "possible"),
    [
        (IRk(k=4), True), (IRk(k=5), False), (IRkl(k=4, l=3), True), (IRkl(k=5, l=3), False),
        (IRkl(k=4, l=4), False), (IRAlphaBeta(alpha=0.25, beta=1), True),
        (IRAlphaBeta(alpha=np.nextafter(0.25, 0), beta=1), False), (EIRl(l=3), True),
        (EIRl(l=4), False), (EIRAlphaBeta(alpha=0.25, beta=1 / 3), True),
        (EIRAlphaBeta(alpha=0.25, beta=np.nextafter(1 / 3, 0)), False),
        (EIRAlphaBeta(alpha=np.nextafter(0.25, 0), beta=1), False),
    ],
)  # fmt: skip
def test_what_the_table_can_give(model: Any, possible: bool) -> None:
    assert (model.infeasible(four()) == []) is possible


@pytest.mark.parametrize(
    ("cells", "people", "found", "hint"),
    [
        ("aabbc", "ppqrt", "4 people and 3 distinct values", "The largest possible l is 3."),
        ("abcd", "ppqr", "3 people and 4 distinct values", "The largest possible l is 3."),
        ("ab" * 6, "abcdefghijkl", "12 people and 2 distinct", "The largest possible l is 2."),
        ("", "", "0 people and 0 distinct values", "The largest possible l is 0."),
    ],
)
def test_too_few_people_or_values(cells: str, people: str, found: str, hint: str) -> None:
    (problem,) = EIRl(l=4).infeasible(table_of(cells, people=people))
    assert f"the table has {found}" in problem.text
    assert problem.hint == hint


@pytest.mark.parametrize("cells", ["a", ""])
def test_one_alone_has_the_whole_of_it(cells: str) -> None:
    """One person has all rows, and one value all people; of nobody no more is known."""
    table = table_of(cells, people=cells)
    assert EIRAlphaBeta(alpha=1, beta=1).infeasible(table) == []
    (of_people,) = IRAlphaBeta(alpha=0.9, beta=1).infeasible(table)
    assert of_people.hint == "The smallest possible alpha is 1."
    (of_values,) = EIRAlphaBeta(alpha=1, beta=0.9).infeasible(table)
    assert of_values.hint == "The smallest possible beta is 1."


def test_a_search_that_runs_out_of_steps_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three values cover everybody, but that is only known after a search."""
    table = table_of("abbcca", people="ppqqrr")
    assert "covered by 2 of its values" in said(EIRl(l=3).infeasible(table))
    short = partial(Requirements, budget=1)
    monkeypatch.setattr("shoal.model.requirement.Requirements", short)
    assert EIRl(l=3).infeasible(table) == []


def test_values_that_everybody_shares() -> None:
    table = table_of("abacad", people="ppqqrr")
    assert EIRl(l=1).infeasible(table) == []
    (problem,) = EIRl(l=2).infeasible(table)
    assert "everybody is covered by 1 of its values" in str(problem)
    assert "The largest possible l is 1." in str(problem.hint)


@pytest.mark.parametrize(("n", "hint"), [(10, "l is 10."), (11, "l is at most 11.")])
def test_a_large_l_is_only_bounded(n: int, hint: str) -> None:
    table = table_of([f"v{i:02}" for i in range(n)], people=[f"p{i}" for i in range(n)])
    (problem,) = EIRl(l=n + 1).infeasible(table)
    assert hint in str(problem.hint)


def test_no_sensitive_value_is_missing() -> None:
    assert EIRl(l=1).unfit(four()) == []
    found = said(EIRl(l=1).unfit(table_of(["a", None, None], people="pqr")))
    assert "missing in 2 rows (first: row 2)" in found


def test_people_must_be_named() -> None:
    schema = Schema((Attribute("s", Role.SENSITIVE),))
    assert "the plan names no individual" in said(IRk(k=2).problems(schema))
    assert "the plan names no individual" in said(EIRl(l=2).problems(schema))
    assert EIRl(l=2).problems(Schema(schema.attributes, Individual("who"))) == []


def test_bounds() -> None:
    schema = four().schema
    assert IRk(k=2).bounds(schema) == [Bound(Reach.SIZE, 2)]
    assert IRkl(k=2, l=3).bounds(schema) == [Bound(Reach.SIZE, 2), Bound(Reach.DISTINCT, 3, "s")]
    assert IRAlphaBeta(alpha=0.5, beta=0.4).bounds(schema) == [
        Bound(Reach.PERSON_SHARE, 0.5), Bound(Reach.VALUE_ROWS, 0.4, "s"),
    ]  # fmt: skip
    assert EIRl(l=3).bounds(schema) == [Bound(Reach.HITTING, 3, "s")]
    assert EIRAlphaBeta(alpha=0.5, beta=0.4).bounds(schema) == [
        Bound(Reach.PERSON_SHARE, 0.5), Bound(Reach.VALUE_PEOPLE, 0.4, "s"),
    ]  # fmt: skip
