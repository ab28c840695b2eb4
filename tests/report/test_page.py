from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from shoal.report.page import render
from shoal.report.trend import Dot, trend

ROW = {
    "number": 0, "family": "<b>", "scheme": "ka", "thresholds": [], "pairs": [],
    "people": [{"k": 5}], "problem": "", "mean_k": 5, "rows_below": 0, "ilr": None, "isr": 0.1,
    "igr": 0.2, "glm": 0.3, "f1": None, "loss": 0.3,
}  # fmt: skip
FACTS = {
    "rows": [ROW], "baseline": ROW, "plain": None, "beaten": False, "best": None, "families": [],
    "charts": [trend("<i>", "s", {"a": [Dot(1, 1 / 3, "")]}, {"a": "first"})],
    "highest": 5, "notes": ["a & b"],
}  # fmt: skip


def test_everything_is_escaped_and_numbers_are_short() -> None:
    page = render("suggest.html", **FACTS)
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "a &amp; b" in page
    assert 'cx="50%" cy="8%"' in page


def test_a_fact_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("suggest.html", **{name: fact for name, fact in FACTS.items() if name != "highest"})
