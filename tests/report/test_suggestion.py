"""The page of `suggest`; `tests/cli/test_suggest.py` makes it from a plan."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.report.suggestion import suggestion_report
from tests.report.document import Document


def candidate(number: int, loss: float | None, **changes: Any) -> dict[str, Any]:
    row = {
        "number": number,
        "family": "even",
        "scheme": "se-mks3wd",
        "levels": number or 1,
        "thresholds": [[0.8, 0.2]],
        "pairs": [[5, 1]],
        "people": [{"k": 5, "people": 9}, {"k": 1, "people": 3}],
        "problem": "",
        "mean_k": 4.0,
        "rows_below": 0,
        "loss": loss,
        "ilr": loss,
        "isr": 0.1,
        "igr": 0.1,
        "glm": loss,
        "f1": None,
    }
    return {**row, **changes}


BASE = candidate(0, 0.5, family="–", thresholds=[])


def words(*rows: dict[str, Any], best: int | None = None, **more: Any) -> str:
    document = Document(suggestion_report(rows, BASE, best, **more))
    assert not document.faults
    return document.words


def test_the_recommended_one_is_named() -> None:
    said = words(candidate(1, 0.4), candidate(2, 0.3), best=2, notes=["mind the gap"])
    assert "2 levels with even thresholds by se-mks3wd are recommended: the loss is 0.300." in said
    assert "mind the gap" in said


def test_nothing_can_be_published() -> None:
    said = words(candidate(1, None, problem="too few people"))
    assert "Nothing can be published with any of these levels." in said
    assert "too few people" in said


@pytest.mark.parametrize(
    ("glm", "beaten"), [(0.2, True), (0.3, False), (0.9, False), (None, False)]
)
def test_one_k_for_all_may_be_better(glm: float | None, beaten: bool) -> None:
    plain = candidate(0, 0.1, glm=glm, scheme="mondrian", thresholds=[])
    said = words(candidate(1, 0.3), best=1, plain=plain)
    assert ("personal k does not pay" in said) == beaten


def test_each_scheme_has_its_chart() -> None:
    page = suggestion_report([candidate(1, 0.3), candidate(2, 0.4, scheme="sd-mks3wd")], BASE, 1)
    charts = [a["aria-label"] for a in Document(page).of("svg") if a.get("role") == "img"]
    assert charts == [
        "Lines: loss by se-mks3wd against the number of levels; the least is 0.300.",
        "Lines: loss by sd-mks3wd against the number of levels; the least is 0.400.",
    ]
    assert page.count('class="ring"') == 1
