"""l-diversity can be achieved up to what rows of the table reach; its parameters go together."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from pydantic import ValidationError

import shoal
from shoal.model import LDiversity
from shoal.model.base import Bound, Reach
from shoal.model.l_diversity import limits_guesses
from shoal.schema import Attribute, Role, Schema
from tests.model.small import table_of
from tests.verify.small import said

AAB = 3 / 4 ** (1 / 3)


@pytest.mark.parametrize(
    ("kind", "l", "spare", "possible"),
    [
        ("distinct", 2, 0, True), ("distinct", 3, None, False),
        ("frequency", 1.5, 0, True), ("frequency", 1.5 + 1e-9, 0, False),
        ("frequency", 2, 1, True), ("frequency", 2.001, None, False),
        ("entropy", AAB * (1 - 1e-12), 0, True), ("entropy", AAB * (1 + 2e-9), 0, False),
        ("entropy", 2, 1, True), ("entropy", 2.001, None, False), ("entropy", 1.0, 0, True),
        ("recursive", 2, 0, True), ("recursive", 3, None, False),
    ],
)  # fmt: skip
def test_what_the_rows_that_are_kept_reach(
    kind: Any,
    l: float,  # noqa: E741
    spare: int | None,
    possible: bool,
) -> None:
    """An a of two a and a b may be left out, or none."""
    c = 9.0 if kind == "recursive" else None
    model = LDiversity(l=l, kind=kind, c=c)
    assert (model.infeasible(table_of("aab"), spare) == []) is possible
    assert (model.infeasible(table_of("baa", values=["a", "b", "c"]), spare) == []) is possible


def test_a_small_c_can_be_out_of_reach() -> None:
    table = table_of("aabb")
    assert LDiversity(l=2, kind="recursive", c=1.001).infeasible(table) == []
    (problem,) = LDiversity(l=2, kind="recursive", c=1).infeasible(table)
    assert problem.hint == "c must be above 1."
    assert LDiversity(l=1, kind="recursive", c=0.6).infeasible(table) == []
    (problem,) = LDiversity(l=2, kind="recursive", c=0.1).infeasible(table_of("abcd"))
    assert problem.hint == "c must be above 0.3334.", "above 0.3333 would not be enough"


def test_the_hint_gives_the_largest_l() -> None:
    for kind in ("distinct", "frequency", "entropy"):
        (problem,) = LDiversity(l=9, kind=kind).infeasible(table_of("aab"))
        assert problem.hint == "The largest possible l is 2."
        assert "has 2 distinct values" in str(problem)
    (problem,) = LDiversity(l=2, kind="frequency").infeasible(table_of("aab"), 0)
    assert "without at least 1 row, but the suppression limit allows 0" in problem.text


@pytest.mark.parametrize("kind", ["distinct", "frequency", "entropy", "recursive"])
def test_missing_values_may_not_count_in_the_whole_table(kind: Any) -> None:
    c = 9.0 if kind == "recursive" else None
    table = table_of(["a", "b", None])
    assert LDiversity(l=2, kind=kind, c=c, missing="ignore").infeasible(table) == []
    (problem,) = LDiversity(l=3, kind=kind, c=c, missing="ignore").infeasible(table)
    assert "has 2 distinct known values" in str(problem)
    assert LDiversity(l=3, kind=kind, c=c).infeasible(table) == []
    assert LDiversity(l=1, kind=kind, c=c, missing="ignore").infeasible(table_of([None, None]))


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"l": 1}, True), ({"l": 0.99}, False), ({"l": 2, "kind": "recursive", "c": 1}, True),
        ({"l": 2, "kind": "recursive"}, False), ({"l": 2, "c": 1.0}, False), ({"l": 2.5}, False),
        ({"l": 2.5, "kind": "recursive", "c": 1}, False), ({"l": 2.5, "kind": "entropy"}, True),
        ({"l": 2.5, "kind": "frequency"}, True), ({"l": 2, "kind": "recursive", "c": 0}, False),
        ({"l": 2.0}, True), ({"l": float("inf")}, False),
    ],
)  # fmt: skip
def test_parameters_go_together(given: dict[str, Any], fits: bool) -> None:
    if fits:
        assert LDiversity(**given).l == given["l"]
        return
    with pytest.raises(ValidationError):
        LDiversity(**given)


def test_bounds_and_columns() -> None:
    schema = Schema((Attribute("s", Role.SENSITIVE), Attribute("f", Role.FLAG)))
    recursive = LDiversity(l=2, kind="recursive", c=1.5)
    assert recursive.bounds(schema) == [Bound(Reach.RECURSIVE, 2, "s", 1.5)]
    assert LDiversity(l=2).bounds(schema) == [Bound(Reach.DISTINCT, 2, "s", 0.0)]
    ignoring = LDiversity(l=2, missing="ignore")
    assert ignoring.bounds(schema) == [Bound(Reach.DISTINCT, 2, "s", 0.0, known=True)]
    assert ignoring.parameters()["missing"] == "ignore"
    assert "missing" not in LDiversity(l=2).parameters()
    assert (recursive.names_kind, LDiversity(l=2).names_kind) == (True, False)
    assert LDiversity(l=2, personal="f").problems(schema) == []
    assert LDiversity(l=2).problems(schema) == []
    assert "must name a column of role flag" in said(LDiversity(l=2, personal="s").problems(schema))


def test_a_run_gathers_values_that_are_known() -> None:
    """Each pair of neighbours has one known value and one missing: l = 2 needs four of them."""
    frame = pl.DataFrame({"age": range(8), "ill": ["yes", None, "no", None] * 2})
    plan = {"attributes": {"age": "quasi", "ill": "sensitive"}, "seed": 1}

    def sizes(**missing: str) -> list[int]:
        asked = {**plan, "privacy": [{"l-diversity": {"l": 2, **missing}}]}
        return sorted(shoal.run(asked, frame).classes["size"].to_list())

    assert sizes() == [2, 2, 2, 2]
    assert sizes(missing="ignore") == [4, 4]


@pytest.mark.parametrize("kind", ["distinct", "frequency", "entropy", "recursive"])
def test_guesses_are_limited_where_values_are_counted(kind: str) -> None:
    assert limits_guesses("l-diversity", {"l": 2, "kind": kind}) == (
        kind in ("distinct", "frequency")
    )
    assert not limits_guesses("ir-kl", {"l": 2, "kind": kind})
