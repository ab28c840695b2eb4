"""The three regions of sensitivities, at their edges."""

from __future__ import annotations

from shoal.model.sensitivity import asked_k, first_decisions, region_names, regions

F = [1.0, 0.8, 0.7999, 0.2001, 0.2, 0.0]


def test_the_edges_belong_to_the_outer_regions() -> None:
    positive, boundary, negative = regions(F, 0.8, 0.2)
    assert positive.tolist() == [True, True, False, False, False, False]
    assert boundary.tolist() == [False, False, True, True, False, False]
    assert negative.tolist() == [False, False, False, False, True, True]
    positive, boundary, negative = regions([0.5], 0.5, 0.5)
    assert (positive[0], boundary[0], negative[0]) == (True, False, False)


def test_the_first_level_that_decides() -> None:
    f = [0.9, 0.7, 0.6, 0.5, 0.4, 0.3, 0.1]
    level, positive, negative = first_decisions(f, [(0.8, 0.2), (0.6, 0.4)])
    assert level.tolist() == [0, 1, 1, 1, 1, 1, 0]
    assert positive.tolist() == [True, True, True, False, False, False, False]
    assert negative.tolist() == [False, False, False, False, True, True, True]
    three = first_decisions([0.5, 0.9], [(0.8, 0.2), (0.7, 0.3), (0.6, 0.4)])[0]
    assert three.tolist() == [2, 0]
    asked = asked_k(f, [(0.8, 0.2), (0.6, 0.4)], [(6, 1), (5, 2)])
    assert asked.tolist() == [6, 5, 5, 5, 2, 2, 1]


def test_names() -> None:
    assert region_names(2) == ["POS1", "BND1", "NEG1", "POS2", "BND2", "NEG2"]
