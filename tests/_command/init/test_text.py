"""The plan file: every role with its reason, and no cell."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

import shoal
from shoal._command.demo import generate
from shoal._command.init import ColumnGroup, profile, propose
from shoal.plan import Plan


def test_columns_stand_in_groups_with_a_line_each() -> None:
    found = propose(profile(generate(500, 1)))
    lines = found.text.splitlines()
    groups = (
        ColumnGroup.QUASI,
        ColumnGroup.SENSITIVE,
        ColumnGroup.CONTROL,
        ColumnGroup.IDENTIFIER,
        ColumnGroup.OPEN,
    )
    titles = {g: [x.startswith(f"  # {g.value}") for x in lines] for g in groups}
    places = {group: starts.index(True) for group, starts in titles.items()}
    assert list(places.values()) == sorted(places.values())
    for entry in found.entries:
        (place,) = [i for i, line in enumerate(lines) if line.startswith(f"  {entry.name}: ")]
        above = [group for group, start in places.items() if start < place]
        assert above[-1] is ColumnGroup.of(entry)
        assert (f"# or {{role: {entry.instead}" in lines[place]) == entry.is_open


def test_what_is_left_out_can_be_published_by_what_stands_beside_it() -> None:
    frame = generate(500, 1)
    text = propose(profile(frame)).text
    assert "  insurance: drop" in text
    decided = re.sub(r"drop +# or (\{.*?\}).*", r"\1", text).replace("output:", "# output:")
    assert "drop" not in decided.split("attributes:")[1].split("privacy:")[0].replace("'drop'", "")
    assert "insurance" in shoal.run(Plan.parse(decided), frame).frame.columns


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
    assert {a.name for a in Plan.parse(text).schema.attributes} == {"a\nb\x1b", "age"}


def test_requirements_line_up_with_their_comments() -> None:
    frame = pl.DataFrame({"age": list(range(20)), "diagnosis": list("abcde") * 4})
    lines = propose(profile(frame), k=4, source="x.csv").text.splitlines()
    place = lines.index("privacy:")
    assert lines[place + 1] == (
        "  - k-anonymity: {k: 4}                        # every crowd has at least this many rows"
    )
    assert lines[place + 2].index("#") == lines[place + 1].index("#")
    assert lines[place + 3 :] == ["method: auto", "output: release/"]
    assert "source: x.csv" in lines


def test_bands_of_numbers_have_no_kind_in_the_plan(tmp_path: Path) -> None:
    """A run takes them as ordinal, which a declared kind would forbid without their values."""
    bands = [f"{n}-{n + 9}" for n in (0, 10, 20, 100)]
    table = pl.DataFrame({"age": bands * 10, "sex": ["f", "m", "m", "f"] * 10})
    text = shoal.init(table).text
    assert re.search(r"^  age: quasi\b", text, re.MULTILINE)
    release = shoal.run(Plan.parse(text, tmp_path), table)
    assert "age is taken as ordinal" in release.notes
