"""What a terminal shows: aligned, wrapped, and without signs that steer it."""

from __future__ import annotations

import io

import pytest

from shoal.cli.failure import Failure
from shoal.cli.terminal import Terminal
from shoal.errors import Problem
from shoal.schema import LevelReach, Verdict
from shoal.schema.advice import Advice, Severity


class Screen:
    """A terminal of 40 columns, and what is on it."""

    def __init__(self) -> None:
        self.file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        self.terminal = Terminal(self.file)
        self.terminal.width = 40

    @property
    def lines(self) -> list[str]:
        self.file.flush()
        return self.file.buffer.getvalue().decode().splitlines()  # type: ignore[attr-defined]


@pytest.fixture
def screen() -> Screen:
    return Screen()


def test_numbers_are_on_the_right_and_lines_end_with_their_text(screen: Screen) -> None:
    screen.terminal.table(("Name", "N"), [("a", "1"), ("", "1,000")], right=("N",))
    assert screen.lines == ["Name      N", "a         1", "      1,000"]


def test_no_cell_steers_the_terminal(screen: Screen) -> None:
    screen.terminal.table(("a\x1b[31m",), [("b\x1b[0m",)])
    screen.terminal.facts({"c\x1b": "d\x07"})
    screen.terminal.listing("T", ["e\x1b"])
    screen.terminal.done("f\x1b")
    text = "\n".join(screen.lines)
    assert "\x1b" not in text
    assert "\x07" not in text


def test_a_path_is_not_broken(screen: Screen) -> None:
    screen.terminal.done("The release is in " + "x" * 60)
    assert screen.lines == ["✓ The release is in " + "x" * 60]


def test_a_listing_is_indented_and_an_empty_one_is_not_there(screen: Screen) -> None:
    screen.terminal.listing("Notes", [])
    assert screen.lines == []
    screen.terminal.listing("Notes", ["word " * 10])
    assert screen.lines == ["", "Notes", "- word word word word word word word", "  word word word"]


def test_every_level_of_a_verdict_has_a_line(screen: Screen) -> None:
    screen.terminal.width = 80
    levels = (LevelReach(6, 1200, 5, 3), LevelReach(1, 4, 1, 0))
    screen.terminal.verdicts([Verdict("multi-level-k {}", False, 6, 5, levels=levels)], True)
    lines = [line.split() for line in screen.lines[2:]]
    assert lines[0][:7] == ["k", "=", "6,", "for", "1,200", "6", "5"]
    assert lines[0][-1] == "3"
    assert "does not hold" in " ".join(lines[0])
    assert lines[1][:7] == ["k", "=", "1,", "for", "4", "1", "1"]


def test_verdicts_have_attributes_only_where_there_are_some(screen: Screen) -> None:
    screen.terminal.width = 80
    screen.terminal.verdicts([Verdict("k-anonymity {k: 5}", True, 5, 7)])
    screen.terminal.verdicts(
        [Verdict("l-diversity {l: 3, attribute: ill}", None, 3, attribute="ill", offending=(1, 2))],
        failing=True,
    )
    assert screen.lines == [
        "Requirement         Required  Reached  Verdict",
        "k-anonymity {k: 5}         5        7  ✓ holds",
        "Requirement         Attribute  Required  Reached  Verdict  Failing",
        "l-diversity {l: 3}  ill               3        –  ? open         2",
    ]


def test_problems_are_numbered_where_there_are_several(screen: Screen) -> None:
    one, two = Problem("bad", "age", "fix it", 3), Problem("worse")
    screen.terminal.failure(Failure("PlanError", "No", (one,), 2))
    screen.terminal.failure(Failure("PlanError", "No", (one, two), 2))
    screen.terminal.failure(Failure("Interrupted", "Stopped", (), 130))
    assert screen.lines == [
        "✗ No.",
        "",
        "  line 3, age",
        "  bad",
        "  fix it",
        "✗ No: 2 problems.",
        "",
        " 1. line 3, age",
        "    bad",
        "    fix it",
        " 2. worse",
        "✗ Stopped.",
    ]


def test_a_hundred_problems_are_listed_and_the_rest_is_counted(screen: Screen) -> None:
    problems = tuple(Problem(f"p{i}") for i in range(1, 1_102))
    screen.terminal.failure(Failure("PlanError", "Wrong", problems[:100], 2))
    assert screen.lines[-1].split() == ["100.", "p100"]
    screen.terminal.failure(Failure("PlanError", "Wrong", problems, 2))
    assert "✗ Wrong: 1101 problems." in screen.lines
    assert " ".join(screen.lines[-2:]).split()[:4] == ["…", "and", "1,001", "more;"]


def test_warnings_begin_with_how_severe_they_are(screen: Screen) -> None:
    screen.terminal.warnings(
        [Advice("a", Severity.DANGER, "Somebody is found."), Advice("b", Severity.NOTE, "Mind it.")]
    )
    assert [line.strip() for line in screen.lines[1:]] == [
        "Warnings", "- Danger: Somebody is found.", "- Note: Mind it."
    ]  # fmt: skip
