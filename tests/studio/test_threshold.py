from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal._command.suggest.suggest import people_by_k
from shoal.errors import PlanError
from shoal.model import MultiLevelK
from shoal.plan.canonical import dump
from shoal.studio.draft import Draft
from shoal.studio.threshold import (
    ThresholdLevel,
    asked,
    first_levels,
    has_room,
    levels_given,
    levels_of,
    more,
    with_levels,
)

THREE = (
    ThresholdLevel(0.9, 0.1, 9, 1),
    ThresholdLevel(0.7, 0.3, 7, 2),
    ThresholdLevel(0.5, 0.5, 5, 3),
)


def draft(privacy: list[object]) -> Draft:
    content = {"privacy": privacy}
    return Draft(dump(content), content, None, ())


@pytest.mark.parametrize("levels", [first_levels(), THREE, THREE[:1]])
def test_rows_by_k_are_those_that_suggest_counts(levels: tuple[ThresholdLevel, ...]) -> None:
    draw = np.random.default_rng(1)
    f, n_rows = draw.random(200).round(2), draw.integers(1, 9, 200)
    found = asked(levels, f, n_rows)
    given: dict[str, Any] = {
        "thresholds": [(one.a, one.b) for one in levels],
        "levels": [{"k": (one.high, one.low)} for one in levels],
    }
    model = MultiLevelK(**given)
    assert dict(found.by_k) == people_by_k(model, np.repeat(f, n_rows))
    left = n_rows.sum() - sum(one.high + one.low for one in found.levels)
    assert found.levels[-1].open == left


def test_what_does_not_fit_together_is_said_without_counts() -> None:
    found = asked((ThresholdLevel(0.2, 0.8, 5, 2),), np.array([0.5]), np.array([1]))
    assert "a must be at least b" in found.problem
    assert found.by_k == ()


def test_levels_of_a_plan_need_not_fit_together() -> None:
    given = {"thresholds": [[0.2, 0.8]], "levels": [{"k": [5, 2], "l-diversity": {"l": 2}}]}
    assert levels_of(draft([{"multi-level-k": given}])) == (ThresholdLevel(0.2, 0.8, 5, 2),)
    assert levels_of(draft([{"multi-level-k": {"thresholds": "high"}}])) == ()
    assert levels_of(draft(["k-anonymity"])) == ()


def test_what_a_level_requires_besides_is_kept() -> None:
    given = {"thresholds": [[0.8, 0.2]], "levels": [{"k": [5, 2], "l-diversity": {"l": 2}}]}
    text = with_levels(draft([{"multi-level-k": given}]), [ThresholdLevel(0.7, 0.3, 6, 2)])
    assert "l-diversity: {l: 2}" in text
    assert "k: [6, 2]" in text
    assert "thresholds: [[0.7, 0.3]]" in text


def test_a_plan_without_levels_gets_them() -> None:
    text = with_levels(draft([{"k-anonymity": {"k": 2}}]), THREE)
    assert "k-anonymity: {k: 2}" in text
    assert "multi-level-k" in text


def test_a_level_more_fits_with_the_others_while_there_is_a_k_for_it() -> None:
    levels = more(first_levels())
    assert not asked(levels, np.array([0.5]), np.array([1])).problem
    assert len(levels) == 3
    assert not has_room(levels)
    assert more(levels) == levels


def test_a_form_must_have_numbers() -> None:
    assert levels_given({"a0": "0.8", "b0": "0.2", "h0": "5", "l0": "2", "about": "x"}) == (
        ThresholdLevel(0.8, 0.2, 5, 2),
    )
    with pytest.raises(PlanError):
        levels_given({"a0": "0.8", "b0": "0.2", "h0": "five", "l0": "2"})
