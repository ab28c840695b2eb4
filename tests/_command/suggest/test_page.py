"""The page of `suggest`; `tests/cli/test_suggest.py` makes it from a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shoal._command.suggest.page import suggestion_page
from shoal._command.suggest.suggest import suggest
from shoal._command.suggest.suggestion import Suggestion, Suggestions
from tests._command.suggest.people import PLAN, people
from tests.report.document import Document


@pytest.fixture(scope="module")
def found() -> Suggestions:
    return suggest(PLAN, people(), highest_k=6, schemes=["se-mks3wd"])


def of_levels(found: Suggestions, levels: int, loss: float | None, **changes: Any) -> Suggestion:
    row = next(row for row in found if row.n_levels == levels and row.family == "even")
    measures = {} if loss is None else {"ilr": loss, "isr": 0.1, "igr": 0.1, "glm": loss}
    return replace(row, number=levels, measures=measures, holds=True, **changes)


def words(found: Suggestions, *rows: Suggestion, **changes: Any) -> str:
    document = Document(suggestion_page(replace(found, rows=rows, **changes)))
    assert not document.faults
    return document.words


def test_the_recommended_one_is_named(found: Suggestions) -> None:
    rows = of_levels(found, 1, 0.4), of_levels(found, 2, 0.3)
    said = words(found, *rows, notes=("mind the gap",))
    assert "2 levels with even thresholds by se-mks3wd are recommended: the loss is 0.300." in said
    assert "mind the gap" in said


def test_nothing_can_be_published(found: Suggestions) -> None:
    said = words(found, of_levels(found, 1, None, problem="too few people"))
    assert "Nothing can be published with any of these levels." in said
    assert "too few people" in said


@pytest.mark.parametrize(
    ("glm", "beaten"), [(0.2, True), (0.3, False), (0.9, False), (None, False)]
)
def test_one_k_for_all_may_be_better(found: Suggestions, glm: float | None, beaten: bool) -> None:
    plain = replace(found.plain, measures={} if glm is None else {"glm": glm})
    said = words(found, of_levels(found, 1, 0.3), plain=plain)
    assert ("personal k does not pay" in said) == beaten


def test_each_scheme_has_its_chart(found: Suggestions) -> None:
    rows = of_levels(found, 1, 0.3), of_levels(found, 2, 0.4, scheme="sd-mks3wd")
    page = suggestion_page(replace(found, rows=rows))
    charts = [a["aria-label"] for a in Document(page).of("svg") if a.get("role") == "img"]
    assert charts == [
        "Lines: loss by se-mks3wd against the number of levels; the least is 0.300.",
        "Lines: loss by sd-mks3wd against the number of levels; the least is 0.400.",
    ]
    assert page.count('class="ring"') == 1
