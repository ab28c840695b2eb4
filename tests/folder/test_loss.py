"""What labels lose of what is declared, or of what is shown."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.folder.loss import is_declared, losses_of
from shoal.schema import Attribute, HierarchySpec, Kind, Role

TREE = HierarchySpec(
    "tree", rows=(("a", "A", "*"), ("b", "A", "*"), ("c", "B", "*"), ("d", "B", "*"))
)
WIDTH = HierarchySpec("width", width=5, levels=2)
CUTS = HierarchySpec("intervals", cuts=(10.0, 20.0))
DATES = HierarchySpec("dates", units=("day", "month", "year"))
MASK = HierarchySpec("mask", mask=4)
N, C, D = Kind.NUMERIC, Kind.CATEGORICAL, Kind.DATE
Words = dict[str, Any]


def attribute(**words: Any) -> Attribute:
    return Attribute("a", Role.QUASI, **words)


@pytest.mark.parametrize(
    ("words", "labels", "glm"),
    [
        ({"kind": N}, ["[0, 5]", "3", "[5, 20]", "*", None], [0.25, 0, 0.75, 1, 0]),
        ({"kind": N, "domain": (0.0, 100.0)}, ["[0, 5]", "[90, 120]"], [0.05, 0.1]),
        ({"kind": N}, ["7", "7"], [0, 0]),
        ({"kind": N, "hierarchy": CUTS}, ["<10", "[10, 20[", ">=20"], [1, 1, 1]),
        (
            {"kind": N, "hierarchy": CUTS, "domain": (0.0, 50.0)},
            ["<10", "[10, 20[", ">=20", "12"],
            [0.2, 0.2, 0.6, 0],
        ),
        ({"kind": N, "hierarchy": WIDTH}, ["[0, 5[", "[10, 20[", "3"], [0.25, 0.5, 0]),
        ({"kind": D}, ["[2024-01-01, 2024-01-11]", "2024-01-21"], [0.5, 0]),
        ({"kind": D, "hierarchy": DATES}, ["2023", "2023-02", "2023-01-01"], [1, 27 / 364, 0]),
        ({"kind": C}, ["{x, y}", "z", '{"", w, x}', "*"], [0.25, 0, 0.5, 1]),
        ({"kind": C, "values": tuple("uvwxyz")}, ["{x, y}", "z", "*"], [0.2, 0, 1]),
        ({"kind": C, "hierarchy": TREE}, ["A", "a", "*", None], [0.25, 0, 1, 0]),
        ({"kind": C, "hierarchy": MASK}, ["1234", "12**", "****", "*"], [0, 0.5, 1, 1]),
        ({"kind": C, "hierarchy": HierarchySpec("flat")}, ["x", "*"], [0, 1]),
        ({}, ["*", None], [1, 0]),
    ],
)
def test_shares_are_of_what_is_declared_or_shown(
    words: Words, labels: list[str | None], glm: list[float]
) -> None:
    assert losses_of(attribute(**words), labels).glm == pytest.approx(glm, abs=1e-9)


def test_measures_differ_for_categories_only() -> None:
    found = losses_of(attribute(kind=C, hierarchy=TREE), ["A", "c", "*"])
    assert found.ncp.tolist() == [0.5, 0, 1]
    assert found.infoloss.tolist() == [0.25, 0, 0.75]
    assert losses_of(attribute(kind=C), ["*"]).infoloss.tolist() == [1]
    ranges = losses_of(attribute(kind=N), ["[0, 5]", "[0, 10]"])
    assert ranges.ncp.tolist() == ranges.infoloss.tolist() == ranges.prec.tolist() == [0.5, 1]


@pytest.mark.parametrize(
    ("words", "labels", "prec"),
    [
        ({"kind": C, "hierarchy": TREE}, ["a", "A", "*", None], [0, 1 / 2, 1, 0]),
        ({"kind": N, "hierarchy": WIDTH}, ["7", "[5, 10[", "[0, 10[", "*"], [0, 1 / 3, 2 / 3, 1]),
        ({"kind": N, "hierarchy": CUTS}, ["7", "<10", ">=20", "*"], [0, 1 / 2, 1 / 2, 1]),
        (
            {"kind": D, "hierarchy": DATES},
            ["2024-02-03", "2024-02", "2024", "*", None],
            [0, 1 / 3, 2 / 3, 1, 0],
        ),
        ({"kind": C, "hierarchy": MASK}, ["1234", "123*", "****"], [0, 1 / 4, 1]),
        ({"kind": C}, ["x", "{x, y}"], [0, 1]),
    ],
)
def test_heights_are_levels_of_the_declared_hierarchy(
    words: Words, labels: list[str | None], prec: list[float]
) -> None:
    assert losses_of(attribute(**words), labels).prec == pytest.approx(prec)


def test_values_in_buckets_are_shown_too() -> None:
    found = losses_of(attribute(kind=C), ["{x, y}"], ["x", "z", "w"])
    assert (found.n_values, found.glm.tolist()) == (4, [1 / 3])


def test_an_empty_cell_may_stand_for_anything() -> None:
    found = losses_of(attribute(kind=N), ["1", None], empty=1.0)
    assert found.glm.tolist() == found.prec.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("words", "declared"),
    [
        ({"kind": N}, False),
        ({"kind": N, "domain": (0.0, 1.0)}, True),
        ({"kind": N, "hierarchy": WIDTH}, False),
        ({"kind": C}, False),
        ({"kind": C, "values": ("a",)}, True),
        ({"kind": C, "hierarchy": TREE}, True),
        ({"kind": N, "hierarchy": TREE}, True),
        ({"kind": C, "hierarchy": MASK}, True),
        ({"kind": C, "hierarchy": HierarchySpec("flat")}, False),
    ],
)
def test_readers_are_told_what_is_declared(words: Words, declared: bool) -> None:
    assert is_declared(attribute(**words)) is declared
