"""The plan file: every role with its reason, and no cell."""

from __future__ import annotations

import polars as pl

from shoal._command.demo import generate
from shoal._command.init import profile, propose
from shoal.plan import Plan


def test_every_role_has_its_reason_in_the_plan() -> None:
    found = propose(profile(generate(500, 1)))
    lines = found.text.splitlines()
    for entry in found.entries:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"  {entry.name}: "))
        assert lines[place - 1].startswith(f"  # {entry.reason}")


def test_no_cell_is_in_the_plan() -> None:
    frame = generate(400, 1)
    text = propose(profile(frame)).text
    cells = {
        str(cell)
        for name in ("name", "postcode", "birth_date", "diagnosis", "ward", "income")
        for cell in frame[name]
        if len(str(cell)) > 3
    }
    assert [cell for cell in cells if cell in text] == []


def test_signs_that_a_terminal_would_obey_stay_out_of_comments() -> None:
    frame = pl.DataFrame({"a\nb\x1b": ["?", "x", "x"], "age": [1, 2, 3]})
    text = propose(profile(frame)).text
    assert not any(sign in text for sign in "\x1b\x00")
    assert [a.name for a in Plan.parse(text).schema.attributes] == ["a\nb\x1b", "age"]


def test_requirements_line_up_with_their_comments() -> None:
    frame = pl.DataFrame({"age": list(range(20)), "diagnosis": list("abcde") * 4})
    lines = propose(profile(frame), k=4, source="x.csv").text.splitlines()
    place = lines.index("privacy:")
    assert lines[place + 1] == (
        "  - k-anonymity: {k: 4}                         # every crowd has at least so many rows"
    )
    assert lines[place + 2].index("#") == lines[place + 1].index("#")
    assert lines[place + 3 :] == ["method: auto", "output: release/"]
    assert "source: x.csv" in lines
