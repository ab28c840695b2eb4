"""The page of a paper, as Markdown and as HTML."""

from __future__ import annotations

from shoal._command.experiment.pool import Finished
from shoal._command.experiment.result import Results
from shoal._command.reproduce.across import PAPER as ACROSS
from shoal._command.reproduce.claim import Reply, Ruling
from shoal._command.reproduce.mks3wd import PAPER
from shoal._command.reproduce.page import Page, PageBlock, across_page, paper_page
from shoal.errors import Problem
from tests._command.reproduce.made import made

ANSWERS = [
    Reply("a", "It is small.", "one | two", "1.5", "2 < 3", Ruling.NO),
    Reply("a", "It is small.", "three", "", "1", Ruling.YES),
    Reply("b", "It is quick.", "", "", "", Ruling.OPEN),
]


def test_a_page_says_everything() -> None:
    results = made(PAPER, lambda *_: 1.0, True)
    page = paper_page(PAPER, results, ANSWERS, [5, 7], True)
    text = page.markdown()
    assert "2 claims of the paper under 3 settings: 1 confirmed, 1 not confirmed" in text
    assert "| ✗ | It is small. | one \\| two | 1.5 | 2 < 3 | not confirmed |" in text
    assert "| ✓ |  | three |" in text
    assert "![Figure 7. " in text
    assert "figure-6.svg" not in text
    assert "quick run" in text
    html = page.html()
    assert "2 &lt; 3" in html
    assert 'src="mks3wd/figure-5.svg"' in html
    assert "<code>sd-mks3wd</code>" in html


def test_missing_tables_are_named() -> None:
    results = Results(Finished((), (), {"x": (Problem("Not there.", hint="Get it."),)}, 0))
    assert "Not there. Get it." in paper_page(PAPER, results, ANSWERS, [], False).markdown()


def test_all_systems_on_one_page() -> None:
    text = across_page(ACROSS, made(ACROSS, lambda *_: 1.0), [1]).markdown()
    assert "| Mondrian | 1 |" in text
    assert "values found by an attack" in text


def test_text_is_escaped() -> None:
    page = Page(
        "k", "t", "<b>", [PageBlock("paragraph", "a `<i>` b"), PageBlock("list", rows=[["<u>"]])]
    )
    assert "<b>" not in page.html()
    assert "<code>&lt;i&gt;</code>" in page.html()
    assert "&lt;u&gt;" in page.html()
