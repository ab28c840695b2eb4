from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from shoal.studio.page import inside, seconds, size, style


def test_the_inside_of_a_report_has_no_frame(tmp_path: Path) -> None:
    page = "<body>\n<header><h1>A</h1></header><main><p>b &lt;</p></main><footer>c</footer></body>"
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    shown = str(inside(tmp_path / "report.html"))
    assert shown.strip() == '<div><p class="eyebrow">A</p></div><div><p>b &lt;</p></div>'


def test_the_style_is_that_of_the_reports_and_more() -> None:
    assert "--accent" in style()
    assert ".studio" in style()


@pytest.mark.parametrize(
    ("n", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (2_000_000_000, "2.0 GB")],
)
def test_sizes(n: int, words: str) -> None:
    assert size(n) == words


def test_times() -> None:
    assert (seconds(None), seconds(1.25), seconds(120)) == ("", "1.2 s", "2.0 min")


def test_no_report_has_a_style_that_the_policy_forbids() -> None:
    templates = Path(str(files("shoal.report"))) / "templates"
    # Snippets are for notebooks, and never shown here.
    pages = [path for path in templates.glob("*.html") if path.name != "snippet.html"]
    assert len(pages) > 5
    for path in pages:
        assert not re.search(r"\sstyle=|<script|\son\w+=", path.read_text(encoding="utf-8")), path
