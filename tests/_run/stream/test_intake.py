"""Pieces that are read ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from shoal._run.stream.intake import Ahead, From, Piece, pieces_of_folder, pieces_of_tables
from shoal.errors import DataError
from shoal.source.inbox import Inbox


def everything(ahead: Ahead) -> Iterator[Piece]:
    while not ahead.ended:
        piece = ahead.next(5)
        if piece is not None:
            yield piece


def test_pieces_come_in_order_and_errors_too() -> None:
    def pieces() -> Iterator[Piece]:
        yield Piece(pl.DataFrame({"a": ["1"]}))
        raise DataError("broken")

    ahead = Ahead(pieces())
    first = ahead.next(5)
    assert first is not None
    assert first.frame.rows() == [("1",)]
    with pytest.raises(DataError, match="broken"):
        ahead.next(5)
    assert ahead.ended
    assert ahead.next(5) is None


def test_nothing_in_time_is_not_the_end() -> None:
    go_on = threading.Event()

    def pieces() -> Iterator[Piece]:
        go_on.wait()
        yield Piece(pl.DataFrame({"a": ["1"]}))

    ahead = Ahead(pieces())
    assert ahead.next(0.01) is None
    assert not ahead.ended
    go_on.set()
    assert len(list(everything(ahead))) == 1


def test_a_folder_from_the_middle_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n2\n3\n")
    (tmp_path / "b.csv").write_text("x\n4\n5\n")
    inbox = Inbox(tmp_path, "in")

    def found(begin: From) -> list[tuple[str, int, list[str], tuple[str, ...]]]:
        pieces = pieces_of_folder(inbox, ["x"], begin, follow=False)
        return [(p.file, p.start, p.frame["x"].to_list(), p.taken) for p in pieces]

    assert found(From()) == [
        ("a.csv", 0, ["1", "2", "3"], ()),
        ("b.csv", 0, ["4", "5"], ("a.csv",)),
    ]
    assert found(From("a.csv", 2)) == [
        ("a.csv", 2, ["3"], ()),
        ("b.csv", 0, ["4", "5"], ("a.csv",)),
    ]
    assert found(From("b.csv", 2, ("a.csv",))) == []


def test_tables_are_text() -> None:
    (piece,) = pieces_of_tables([pl.DataFrame({"a": [1, None]})])
    assert piece.frame.rows() == [("1",), (None,)]
