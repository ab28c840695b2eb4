"""A few lines of HTML for notebooks: a title and a table, without a value of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shoal.report.page import render
from shoal.schema import Verdict
from shoal.schema.wording import brief_of, number

_WORDS = {True: "✓ holds", False: "✗ does not hold", None: "? open"}


def snippet(title: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table under a title; numbers are written as people read them.

    >>> "<td>1,234</td>" in snippet("Rows", ["n"], [[1234]])
    True
    """
    return render("snippet.html", title=title, names=names, rows=[map(number, row) for row in rows])


def verdict_snippet(title: str, verdicts: Iterable[Verdict]) -> str:
    """What is required and what is achieved; a line for each level where people differ."""
    rows: list[tuple[Any, ...]] = []
    for v in verdicts:
        rows.append((brief_of(v.requirement, v.attribute), v.asked, v.reached, _WORDS[v.holds]))
        rows += [
            (f"k = {one.k}, for {one.people:,}", one.k, one.crowd, _WORDS[one.below == 0])
            for one in v.levels
        ]
    return snippet(title, ("Requirement", "Required", "Achieved", "Verdict"), rows)
