"""Kinds that readers can tell, and those that only hidden cells decide."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.folder.kind import kind_by_cells, kind_by_plan
from shoal.schema import Attribute, HierarchySpec, Kind, Requirement, Role

N, C, D = Kind.NUMERIC, Kind.CATEGORICAL, Kind.DATE
QUASI, SENSITIVE = Role.QUASI, Role.SENSITIVE


def rows(*leaves: str) -> HierarchySpec:
    return HierarchySpec("file", rows=tuple((leaf, "*") for leaf in leaves))


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ({}, None),
        ({"kind": Kind.ORDINAL}, Kind.ORDINAL),
        ({"domain": (0.0, 9.0)}, N),
        ({"values": ("1", "2")}, C),
        ({"hierarchy": HierarchySpec("width", width=5, levels=2)}, N),
        ({"hierarchy": HierarchySpec("dates", units=("day", "year"))}, D),
        ({"hierarchy": HierarchySpec("mask", mask=2)}, C),
        ({"hierarchy": HierarchySpec("flat")}, None),
        ({"hierarchy": rows("1", "2", "")}, N),
        ({"hierarchy": rows("a", "b")}, C),
        ({"hierarchy": rows("1", "b")}, None),
    ],
)
def test_what_the_plan_declares_tells_the_kind(words: dict[str, Any], kind: Kind | None) -> None:
    assert kind_by_plan(Attribute("a", QUASI, **words), []) is kind


def test_a_model_of_numbers_tells_the_kind() -> None:
    every, one = (
        Requirement("k-e", {"k": 2, "attribute": None}),
        Requirement("k-e", {"attribute": "a"}),
    )
    assert kind_by_plan(Attribute("a", SENSITIVE), [every]) is N
    assert kind_by_plan(Attribute("a", SENSITIVE), [one]) is N
    assert kind_by_plan(Attribute("b", SENSITIVE), [one]) is None
    assert kind_by_plan(Attribute("b", QUASI), [every]) is None


@pytest.mark.parametrize(
    ("role", "cells", "whole", "part"),
    [
        (SENSITIVE, ["1", "2", None], N, None),
        (SENSITIVE, ["1", "x"], C, C),
        (SENSITIVE, ["2024-01-02"], D, None),
        (SENSITIVE, ["2024-01-02", "7"], C, C),
        (SENSITIVE, ["02135"], C, C),
        (SENSITIVE, ["1234567890123456"], None, None),
        (SENSITIVE, ["0.1234567890123456"], N, None),
        (SENSITIVE, ["[1, 2]"], C, C),
        (SENSITIVE, [None], None, None),
        (QUASI, ["[1, 2]", "7", "*"], N, N),
        (QUASI, ["[2024-01-02, 2024-03-04]"], D, D),
        (QUASI, ["{1, 2}", "3"], C, C),
        (QUASI, ["1", "2"], N, None),
        (QUASI, ["1", "*"], None, None),
        (QUASI, ["*"], None, None),
        (QUASI, ["[1, 2]", "x"], C, C),
    ],
)
def test_cells_tell_the_kind_where_no_hidden_one_could_change_it(
    role: Role, cells: list[str | None], whole: Kind | None, part: Kind | None
) -> None:
    attribute, shown = Attribute("a", role), pl.Series(cells, dtype=pl.String)
    assert kind_by_cells(attribute, shown, whole=True, split=False) is whole
    assert kind_by_cells(attribute, shown, whole=False, split=False) is part


def test_numbers_would_have_two_columns() -> None:
    shown = pl.Series(["1", "2"])
    assert kind_by_cells(Attribute("a", QUASI), shown, whole=True, split=True) is C


def test_mixed_leaves_stay_open() -> None:
    attribute = Attribute("a", QUASI, hierarchy=rows("1", "b"))
    assert kind_by_cells(attribute, pl.Series(["1"]), whole=True, split=False) is None
