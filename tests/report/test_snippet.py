"""What notebooks show: verdicts and numbers, escaped, and no value of the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.report.snippet import snippet, verdict_snippet
from shoal.schema import LevelReach, Verdict
from tests.report.document import Document

SECRET = "S3CRET"
FRAME = pl.DataFrame({"age": range(8), "ill": [SECRET, "b"] * 4})
PLAN: dict[str, Any] = {
    "attributes": {"age": "quasi", "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
    "seed": 1,
}


def test_names_and_cells_are_escaped() -> None:
    found = snippet("<b>", ["<i>"], [["<u>", None], [1234.5, 3]])
    assert "<b>" not in found
    assert "&lt;u&gt;" in found
    assert "1,234.5" in found


def test_levels_have_a_line_each() -> None:
    levels = (LevelReach(6, 9, 4, 2), LevelReach(1, 3, 1, 0))
    found = verdict_snippet("t", [Verdict("multi-level-k {}", False, 6, 4, levels=levels)])
    assert "k = 6, for 9" in found
    assert found.count("does not hold") == 2
    assert found.count("✓ holds") == 1


SHOWN = ["release", "check", "audit", "comparison", "explanation", "answer", "suggestions"]


def suggestions() -> Any:
    table = FRAME.with_columns(f=pl.Series([0.1, 0.9] * 4))
    ladder = {"role": "quasi", "hierarchy": {"width": 4, "levels": 2}}
    attributes = {"age": ladder, "ill": "sensitive", "f": "sensitivity"}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 1}}], "seed": 1}
    return shoal.suggest({**plan, "method": "ka"}, table, highest_k=2, schemes=["ece-mks3wd"])


@pytest.mark.parametrize("name", SHOWN)
def test_everything_that_a_notebook_may_show(name: str, tmp_path: Path) -> None:
    release = shoal.run(PLAN, FRAME, output=tmp_path / "release")
    made: dict[str, Any] = {
        "release": lambda: release,
        "check": lambda: shoal.check(FRAME, plan=PLAN),
        "audit": lambda: shoal.audit(tmp_path / "release"),
        "comparison": lambda: shoal.compare([PLAN], FRAME),
        "explanation": lambda: shoal.explain(PLAN, FRAME),
        "answer": lambda: shoal.query(tmp_path / "release", "SELECT COUNT(*)"),
        "suggestions": suggestions,
    }
    found = made[name]()
    html = found._repr_html_()
    assert Document(f"<html lang=en><head><title>t</title></head><body>{html}</body></html>").words
    assert html.count("<table>") == 1
    assert SECRET not in html
    assert SECRET not in repr(found)
    assert len(repr(found)) < 80 * 24


def test_a_check_fits_on_a_screen() -> None:
    found = shoal.check(FRAME, plan=PLAN)
    assert repr(found) == (
        "<Check of 8 rows in 8 classes: does not hold k-anonymity {k: 2}, l-diversity {l: 2}>"
    )
