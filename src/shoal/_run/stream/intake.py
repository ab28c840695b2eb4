"""Where the rows of a stream come from: read ahead by a thread, handed over piece by piece.

A thread may block in a read for as long as nothing arrives; the stream itself never does, so that
it can acknowledge what has arrived, and end when asked.
"""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import polars as pl

from shoal.source import read as read_table
from shoal.source.feed import decode, decode_file
from shoal.source.inbox import Inbox

# Pieces that wait to be taken: reading runs ahead, but memory does not grow with the stream.
_AHEAD = 2
_BLOCK = 1 << 22
# How often a folder is looked at for new files, and a pipe left for a request to end.
_LOOK_AGAIN, _LISTEN = 0.5, 0.05


@dataclass(frozen=True)
class Piece:
    """Rows in the order of their arrival; of a file, from its row `start` on.

    `taken` are the files that were there when this one was begun and come before it.
    """

    frame: pl.DataFrame
    file: str = ""
    start: int = 0
    taken: tuple[str, ...] = ()

    def rest(self, n: int) -> Piece:
        """The piece without its first n rows."""
        return Piece(self.frame[n:], self.file, self.start + n, self.taken)


@dataclass(frozen=True)
class From:
    """Where to begin in a folder: at row `row` of `file`; `taken` came before it."""

    file: str = ""
    row: int = 0
    taken: tuple[str, ...] = ()


def pieces_of_folder(
    inbox: Inbox, names: list[str], begin: From, *, follow: bool
) -> Iterator[Piece]:
    """The rows of the files of a folder, from a place on; with `follow`, forever."""
    last, skip, taken = begin.file, begin.row, set(begin.taken)
    if last and (inbox.folder / last).is_file():
        yield from _of_file(inbox, last, names, skip, tuple(sorted(taken)))
    while True:
        found = inbox.after(last, taken | {last})
        for name in found[:1]:
            taken = (taken | {last}) & set(inbox.listed())
            last = name
            yield from _of_file(inbox, name, names, 0, tuple(sorted(taken)))
        if not found and not follow:
            return
        if not found:
            time.sleep(_LOOK_AGAIN)


def _of_file(
    inbox: Inbox, name: str, names: list[str], skip: int, taken: tuple[str, ...]
) -> Iterator[Piece]:
    start = 0
    for frame in decode_file(inbox.folder / name, f"'{name}'", names):
        piece = Piece(frame, name, start, taken)
        start += frame.height
        if start > skip:
            yield piece.rest(max(skip - piece.start, 0))


class Closed(Exception):
    """Nobody wants more of a pipe; a record that has only begun to arrive is not one."""


def pieces_of_pipe(
    file: IO[bytes], names: list[str], closing: threading.Event | None = None
) -> Iterator[Piece]:
    """The rows of a file object, as soon as they arrive, until it ends or is `closing`."""
    number = file.fileno()

    def read() -> bytes:
        while not select.select([number], [], [], _LISTEN)[0]:
            _refuse_closed(closing)
        _refuse_closed(closing)
        data = os.read(number, _BLOCK)
        # What is there already is read at once: a pipe hands over 64 kB at a time.
        while data and len(data) < _BLOCK and select.select([number], [], [], 0)[0]:
            more = os.read(number, _BLOCK)
            if not more:
                break
            data += more
        return data

    for frame in decode(read, "The stream", names):
        yield Piece(frame)


def _refuse_closed(closing: threading.Event | None) -> None:
    if closing is not None and closing.is_set():
        raise Closed


def pieces_of_tables(tables: Iterable[Any]) -> Iterator[Piece]:
    """Tables of a program, one after the other."""
    for table in tables:
        frame = read_table(table)
        yield Piece(frame.with_columns(pl.all().cast(pl.String)))


class Ahead:
    """Pieces read ahead by a thread; what it raises is raised here.

    `closing` ends a source whose rows cannot be read again: those that were read are handed over.
    """

    def __init__(self, pieces: Iterator[Piece], closing: threading.Event | None = None) -> None:
        self._pieces, self._closing = pieces, closing
        self._queue: queue.Queue[Piece | BaseException | None] = queue.Queue(_AHEAD)
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for piece in self._pieces:
                self._queue.put(piece)
        except Closed:
            pass
        except BaseException as error:
            self._queue.put(error)
        self._queue.put(None)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._ended

    def close(self) -> None:
        """Read no more; what was read and cannot be read again still comes."""
        if self._closing is None:
            self._ended = True
        else:
            self._closing.set()

    @property
    def drains(self) -> bool:
        """Whether what was read must be taken, since it cannot be read again."""
        return self._closing is not None

    def next(self, patience: float) -> Piece | None:
        """The next piece; None where none comes in time, or none is left."""
        if self._ended:
            return None
        try:
            found = self._queue.get(timeout=patience)
        except queue.Empty:
            return None
        if isinstance(found, BaseException):
            self._ended = True
            raise found
        self._ended = found is None
        return found
