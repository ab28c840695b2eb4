"""A folder that fills."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import DataError
from shoal.source.inbox import Inbox


def test_complete_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.csv", "a.jsonl", ".c.csv", "d.csv.tmp", "e.part", "f~"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    inbox = Inbox(tmp_path, "in")
    assert inbox.after("", ()) == ["a.jsonl", "b.csv"]
    assert inbox.after("a.jsonl", ("a.jsonl",)) == ["b.csv"]
    assert inbox.after("b.csv", ("a.jsonl", "b.csv")) == []


def test_nothing_is_passed_over_in_silence(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path, "in")
    (tmp_path / "a.csv").touch()
    (tmp_path / "b.pdf").touch()
    with pytest.raises(DataError) as caught:
        inbox.after("b.csv", ("b.csv",))
    assert [p.text for p in caught.value.problems] == [
        "The format of 'b.pdf' is unknown.",
        "'a.csv' comes before a file that was already read.",
    ]
    with pytest.raises(DataError, match="no folder 'none'"):
        Inbox(tmp_path / "none", "none").listed()
