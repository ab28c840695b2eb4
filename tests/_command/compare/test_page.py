"""The page of a comparison: whole, escaped, and every plan on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shoal._command.compare import Comparison, compare, comparison_page
from tests.report.document import Document
from tests.report.sample import PLAN, people


def plan(k: int, **changes: Any) -> dict[str, Any]:
    return {**PLAN, "privacy": [{"k-anonymity": {"k": k}}], **changes}


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare([plan(20), plan(3), plan(4000), plan(8)], people())


@pytest.mark.parametrize("change", [{"input_digest": "other"}, {"quasi": frozenset({"age"})}])
def test_plans_that_do_not_compare_have_no_front(found: Comparison, change: Any) -> None:
    assert found.comparable
    assert 'class="front"' in comparison_page(found)
    first, *rest = found.outcomes
    apart = Comparison((replace(first, **change), *rest))
    assert not apart.comparable
    assert apart.front == ()
    assert not apart.frame["front"].any()
    page = comparison_page(apart)
    words = Document(page).words
    assert "These plans cannot be compared." in words
    assert "beaten" not in words
    assert 'class="front"' not in page


def test_the_page_is_whole_and_shows_every_plan(found: Comparison) -> None:
    page = comparison_page(found)
    document = Document(page)
    assert document.faults == []
    assert not any(tag in ("script", "link", "img") for tag, _ in document.elements)
    assert "http" not in page
    for row in found.outcomes:
        assert row.plan in document.words
    assert found.outcomes[3].error in document.words
    dots = [a for a in document.of("circle") if a.get("r") is not None and "cx" not in a]
    assert len(dots) == 3


def test_names_on_the_page_are_escaped() -> None:
    page = comparison_page(compare([plan(3)], people(), names=["<b>&x"]))
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;x" in page


def test_a_page_of_failures_has_no_plot() -> None:
    page = comparison_page(compare([plan(4000)], people()))
    assert 'class="chart plot"' not in page
    assert "No plan meets its requirements." in page


@pytest.mark.parametrize(
    ("k", "claim"),
    [
        ([3], "The one plan holds."),
        ([3, 8], "None of the 2 plans is beaten by another."),
        ([3, 3, 4000], "Of 3 plans, plan 1 and plan 2 are not beaten by another."),
        ([3, 4, 5, 6, 4000], "4 of 5 plans are not beaten by another."),
    ],
)
def test_the_claim_counts_the_plans_that_are_not_beaten(k: list[int], claim: str) -> None:
    made = compare([plan(one) for one in k], people(60))
    assert claim in Document(comparison_page(made)).words
