"""Multi-level k: what the paper demands of thresholds and pairs, at its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from shoal.model import LDiversity, MultiLevelK
from shoal.model.multi_level_k import GranularityLevel
from shoal.model.requirement import Requirements
from shoal.schema import Attribute, Role, Schema
from tests.model.small import table_of
from tests.verify.small import said


def model(thresholds: Any, levels: Any) -> MultiLevelK:
    return MultiLevelK(thresholds=thresholds, levels=levels)


@pytest.mark.parametrize(
    ("thresholds", "levels"),
    [
        ([(0.5, 0.5)], [(2, 1)]),
        ([(0.8, 0.2), (0.8, 0.2)], [(4, 1), (3, 2)]),
        ([(0.8, 0.2), (0.6, 0.4)], [(4, 1), (3, 2)]),
        ([(1, 0)], [(2, 1)]),
    ],
)
def test_what_is_allowed(thresholds: Any, levels: Any) -> None:
    assert model(thresholds, levels).pairs == tuple(levels)


@pytest.mark.parametrize(
    ("thresholds", "levels", "finding"),
    [
        ([(0.5, 0.50001)], [(2, 1)], "a must be at least b at every level"),
        ([(0.8, 0.2), (0.3, 0.5)], [(4, 1), (3, 2)], "a must be at least b at every level"),
        ([(0.7, 0.2), (0.70001, 0.2)], [(4, 1), (3, 2)], "a must not rise"),
        ([(0.7, 0.2), (0.7, 0.19999)], [(4, 1), (3, 2)], "b must not fall"),
        ([(0.8, 0.2)] * 2, [(4, 1), (4, 2)], "HK must fall at every level"),
        ([(0.8, 0.2)] * 2, [(4, 2), (3, 2)], "LK must rise at every level"),
        ([(0.8, 0.2)], [(2, 2)], "HK must be larger than LK at the last level"),
        ([(0.8, 0.2)] * 2, [(4, 1), (2, 3)], "HK must be larger than LK at the last level"),
        ([(0.8, 0.2)], [(2, 1), (1, 1)], "one pair for each of the 1 thresholds, got 2"),
        ([], [], "one pair for each of the 0 thresholds, got 0"),
        ([(1.1, 0)], [(2, 1)], "less than or equal to 1"),
        ([(0.8, 0.2)], [(2**31, 1)], "less than or equal to 2147483647"),
        ([(0.8, 0.2)], [{"k": (2, 1), "other": {}}], "cannot require 'other'"),
        ([(0.8, 0.2)], [{"k": (2, 1), "multi-level-k": {}}], "cannot require 'multi-level-k'"),
    ],
)
def test_what_is_forbidden(thresholds: Any, levels: Any, finding: str) -> None:
    with pytest.raises(ValidationError, match=finding):
        model(thresholds, levels)


def test_as_many_as_the_table_has_may_be_asked_for() -> None:
    one = [(0.8, 0.2)]
    table = table_of("abc", sensitivities=[0.9, 0.1, 0.1])
    assert model(one, [(3, 1)]).infeasible(table) == []
    assert model(one, [(4, 1)]).infeasible(table) == [], "the first can be left out"
    assert "everybody requires a k of 4 or more, but the table has 3 rows" in said(
        model(one, [(4, 1)]).infeasible(table_of("abc", sensitivities=[0.9] * 3))
    )
    assert model(one, [(4, 1)]).infeasible(table_of("a", sensitivities=[0.1])) == []


def test_a_table_of_nobody_has_too_few_for_any_k() -> None:
    (problem,) = model([(0.8, 0.2)], [(4, 1)]).infeasible(table_of("", sensitivities=[]))
    assert "everybody requires a k of 1 or more, but the table has 0 rows" in problem.text


def test_a_class_of_exactly_the_k_that_somebody_asks_for_is_large_enough() -> None:
    table = table_of("abc", sensitivities=[0.9, 0.1, 0.1])
    for k, holds in ((3, True), (4, False)):
        required = Requirements.of([model([(0.8, 0.2)], [(k, 1)])], table)
        assert required.holds(np.arange(3, dtype=np.int32)) is holds


def test_a_level_is_frozen_and_refuses_without_telling_what() -> None:
    with pytest.raises(ValidationError):
        model([(0.8, 0.2)], [(4, 1)]).levels[0].k = (2, 1)
    with pytest.raises(ValidationError) as caught:
        GranularityLevel.model_validate({"k": ["S3CRET", 1]})
    assert "S3CRET" not in str(caught.value)


def test_a_level_may_ask_for_more_models() -> None:
    more = {"k": [2, 1], "l-diversity": {"l": 2}}
    asked = model([(0.8, 0.2)], [more])
    assert asked.levels[0].stronger == (LDiversity(l=2),)
    assert asked.asks_more_at_levels
    assert model([(0.8, 0.2), (0.6, 0.4)], [(4, 1), {**more, "k": [3, 2]}]).asks_more_at_levels
    assert not model([(0.5, 0.5)], [(2, 1)]).asks_more_at_levels
    assert not LDiversity(l=2).asks_more_at_levels
    assert asked.parameters() == {"thresholds": [[0.8, 0.2]], "levels": [more], "strict": False}
    assert model([(0.8, 0.2)], [(2, 1)]).parameters()["levels"] == [[2, 1]]


def test_one_column_of_sensitivities() -> None:
    asked = model([(0.8, 0.2)], [{"k": [2, 1], "l-diversity": {"l": 2}}])
    f, s = Attribute("f", Role.SENSITIVITY), Attribute("s", Role.SENSITIVE)
    assert asked.problems(Schema((f, s))) == []
    assert "but there are 0" in said(asked.problems(Schema((s,))))
    assert "but there are 2" in said(asked.problems(Schema((f, s, Attribute("g", f.role)))))
    assert "l-diversity needs a sensitive attribute" in said(asked.problems(Schema((f,))))
