"""The page of an explanation."""

from __future__ import annotations

from shoal._command.explain import Cost, Explanation, explanation_page
from tests.report.document import Document

COST = Cost("requirement", "l-diversity {l: 3}", "left out", 0.81, 0.44)


def test_the_dearest_is_the_headline() -> None:
    page = Document(explanation_page(Explanation(0.81, (COST,), 100, 100)))
    assert page.faults == []
    assert "The plan loses 81% of the detail. Without l-diversity {l: 3} the loss" in page.words
    assert "random sample" not in page.words


def test_samples_and_problems_are_said() -> None:
    found = Explanation(0.0, (), 100, 50, (("age, left out", "No attribute is left."),))
    words = Document(explanation_page(found)).words
    assert "random sample of 50 of 100 rows" in words
    assert "age, left out: cannot be rehearsed. No attribute is left." in words
    assert "Without" not in words
