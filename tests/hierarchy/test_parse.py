"""A hierarchy as a plan declares it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy, parse
from shoal.schema import HierarchySpec


@pytest.mark.parametrize(
    ("declared", "n_problems"),
    [
        ({"intervals": []}, 1),
        ({"intervals": 5}, 1),
        ({"intervals": "15"}, 1),
        ({"intervals": [1, 1]}, 1),
        ({"intervals": [2, 1]}, 1),
        ({"intervals": [math.nan, math.inf, True, "1"]}, 4),
        ({"width": 0, "levels": 0, "origin": math.inf}, 3),
        ({"width": -1, "levels": 1}, 1),
        ({"width": 10**400, "levels": 1.0}, 2),
        ({"width": 5}, 1),
        ({"width": 5, "levels": 51}, 1),
        ({"width": 5, "levels": True, "from": 3, "mask ": 1}, 3),
        ({"mask": 0}, 1),
        ({"mask": "3"}, 1),
        ({"mask": 3, "levels": 3}, 1),
        ({"dates": []}, 1),
        ({"dates": "year"}, 1),
        ({"dates": ["year", "month"]}, 1),
        ({"dates": ["month", "month"]}, 1),
        ({"dates": ["week", "year", "month", "second"]}, 3),
        ({"tree": {}}, 1),
        ({"tree": ["a"]}, 1),
        ({"rows": []}, 1),
        ({"rows": [["a", True], [], "ab", ["a", "*"]]}, 3),
        ({"rows": [["a", "A"], ["a", "B"]]}, 1),
        ({"mask": 2, "width": 3}, 1),
        ({}, 1),
        (None, 1),
        ("  ", 1),
        (["a.csv"], 1),
    ],
)
def test_every_fault_of_a_declaration_is_listed(declared: object, n_problems: int) -> None:
    with pytest.raises(PlanError) as caught:
        parse(declared, Path())
    assert len(caught.value.problems) == n_problems


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("flat", Hierarchy.flat()),
        ({"intervals": [1, 2.5]}, Hierarchy.intervals([1, 2.5])),
        ({"width": 5, "levels": 3}, Hierarchy.width(5, 3)),
        ({"width": 5, "levels": 3, "origin": 2}, Hierarchy.width(5, 3, 2)),
        ({"mask": 5}, Hierarchy.mask(5)),
        ({"dates": ["day", "year"]}, Hierarchy.dates(["day", "year"])),
        ({"tree": {"*": ["a"]}}, Hierarchy.tree({"*": ["a"]})),
        ({"rows": [["a", "*"], [39, "*"]]}, Hierarchy.rows([["a", "*"], ["39", "*"]])),
    ],
)
def test_parse(declared: object, expected: Hierarchy) -> None:
    parsed = parse(declared, Path())
    assert parsed == expected
    assert Hierarchy.from_spec(parsed.spec) == parsed
    assert parse(parsed, Path()) == parsed


def test_a_path_is_relative_to_the_plan(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "flat.csv").write_text("a;*\n")
    parsed = parse("sub/flat.csv", tmp_path)
    assert parsed.spec == HierarchySpec("file", rows=(("a", "*"),), path="sub/flat.csv")
    assert Hierarchy.from_spec(parsed.spec) == parsed
