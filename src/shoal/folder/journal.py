"""How far a stream has come, kept so that a kill at any moment loses and repeats nothing.

One file, `stream.json`, says everything: how many rows are acknowledged, which of them still wait
(in segments, files that it names with their digests), and which batches are published. It is
replaced in one step, so that it is old or new. A segment that it does not name does not count and
is removed. A batch is decided when `stream.json` names its draft, and appears when the draft gets
its name; a kill between the two is made good when the stream goes on.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.folder.writing import settle

FORMAT = 1
FILE = "stream.json"
_ARRIVED = "arrived"
_SEGMENT = "waiting-{:09}.arrow"
_PEOPLE = "people-{:09}.bin"
# This many segments are joined, so that a stream that drips leaves no thousands of them.
_MOST_SEGMENTS = 64


@dataclass(frozen=True)
class Totals:
    """How many rows became what; what still waits is the rest."""

    published: int = 0
    suppressed: int = 0
    unfit: int = 0
    again: int = 0
    people_again: int = 0
    classes: int = 0
    lost: float = 0.0

    def __add__(self, other: Totals) -> Totals:
        sums = {name: own + getattr(other, name) for name, own in asdict(self).items()}
        return Totals(**sums)


@dataclass(frozen=True)
class StreamProgress:
    """All that a stream needs to know of its past; `output` is where it writes, seen from here.

    `rows` are acknowledged; `digest` is that of their cells. The row after the last is row `row` of
    `file`, where the rows come from files; `taken` are the files before it that are still there.
    `cut` is the number of rows that had arrived when the last batch was made, `batch` its number.
    `placing` is the draft of a batch that is decided, `place` the name that it gets.
    """

    plan: str
    seed: int | str
    output: str = ""
    rows: int = 0
    digest: tuple[int, int, int] = (0, 0, 0)
    file: str = ""
    row: int = 0
    taken: tuple[str, ...] = ()
    cut: int = 0
    batch: int = 0
    placing: str = ""
    place: str = ""
    totals: Totals = field(default_factory=Totals)
    segments: Mapping[str, str] = field(default_factory=dict)
    number: int = 0

    def text(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def of_text(cls, text: str) -> StreamProgress:
        found: dict[str, Any] = json.loads(text)
        version = found.pop("format")
        if version != FORMAT:
            raise DataError(
                f"The state of the stream has format {version!r}, but this version reads {FORMAT}.",
                "Continue with the version of shoal that wrote it.",
            )
        totals, digest = Totals(**found.pop("totals")), tuple(found.pop("digest"))
        return cls(**{**found, "taken": tuple(found["taken"])}, totals=totals, digest=digest)


@dataclass(frozen=True)
class Waiting:
    """Rows that are acknowledged but not published, and when each arrived, from 0."""

    frame: pl.DataFrame
    arrived: NDArray[np.int64]

    @classmethod
    def nobody(cls) -> Waiting:
        return cls(pl.DataFrame(), np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.arrived)

    def __add__(self, other: Waiting) -> Waiting:
        if not len(self) or not len(other):
            return self if len(self) else other
        frame = pl.concat([self.frame, other.frame.select(self.frame.columns)])
        return Waiting(frame, np.concatenate([self.arrived, other.arrived]))

    def take(self, rows: NDArray[np.bool_]) -> Waiting:
        """Some of the rows."""
        return Waiting(self.frame.filter(rows), self.arrived[rows])


class Journal:
    """The private folder of a stream; `progress` is what was committed last."""

    def __init__(self, folder: Path, progress: StreamProgress) -> None:
        self.folder, self.progress = folder, progress

    @classmethod
    def found(cls, folder: Path) -> Journal | None:
        """The journal in a folder; None where there is none yet. Raises where it is damaged."""
        path = folder / FILE
        if not path.is_file():
            return None
        try:
            return cls(folder, StreamProgress.of_text(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError, OSError):
            raise DataError(
                f"The state of the stream in '{folder}' is damaged.", "Take it from a backup."
            ) from None

    def commit(self, progress: StreamProgress) -> None:
        """Make this the state, in one step; what it no longer names is removed."""
        fresh = self.folder / f"{FILE}.tmp"
        write_durably(fresh, progress.text().encode())
        fresh.replace(self.folder / FILE)
        settle(self.folder)
        self.progress = progress
        # Only now: a kill before this leads back to a state that names what is removed here.
        self.sweep()

    def sweep(self) -> None:
        """Remove what a kill left, and segments that are used up."""
        for path in self.folder.glob("waiting-*.arrow"):
            if path.name not in self.progress.segments:
                path.unlink()

    def waiting(self) -> Waiting:
        """The rows that wait, as the last commit names them."""
        found = Waiting.nobody()
        for name, digest in self.progress.segments.items():
            path = self.folder / name
            data = path.read_bytes() if path.is_file() else b""
            if hashlib.sha256(data).hexdigest() != digest:
                raise DataError(
                    f"The state of the stream in '{self.folder}' is damaged: {name}.",
                    "Take it from a backup.",
                )
            frame = pl.read_ipc(io.BytesIO(data))
            arrived = frame[_ARRIVED].to_numpy().astype(np.int64)
            found += Waiting(frame.drop(_ARRIVED), arrived)
        return found

    def with_segment(
        self, progress: StreamProgress, rows: Waiting, *, alone: bool
    ) -> StreamProgress:
        """The state with these rows among those that wait, or as the only ones; not yet committed.

        The file is durable when this returns.
        """
        kept = {} if alone else dict(progress.segments)
        if len(kept) >= _MOST_SEGMENTS:
            rows, kept = self.waiting() + rows, {}
        if not len(rows):
            return replace(progress, segments=kept)
        number = progress.number + 1
        name, buffer = _SEGMENT.format(number), io.BytesIO()
        rows.frame.with_columns(pl.Series(_ARRIVED, rows.arrived)).write_ipc(buffer)
        write_durably(self.folder / name, buffer.getvalue())
        kept[name] = hashlib.sha256(buffer.getvalue()).hexdigest()
        return replace(progress, segments=kept, number=number)

    def note_people(self, batch: int, people: NDArray[np.uint64]) -> None:
        """Keep the digests of the people of a batch; a batch that is made again replaces them."""
        write_durably(self.folder / _PEOPLE.format(batch), people.astype("<u8").tobytes())

    def people(self) -> list[Path]:
        """The files with the people of the batches that are published."""
        every = (self.folder / _PEOPLE.format(n) for n in range(1, self.progress.batch + 1))
        return [path for path in every if path.is_file()]


def read_people(path: Path) -> NDArray[np.uint64]:
    """The digests of the people of a batch."""
    return np.fromfile(path, dtype="<u8").astype(np.uint64)


def complete(output: Path, progress: StreamProgress) -> None:
    """Give a batch that is decided its name, if a kill came before that, and remove other drafts.

    Whoever took the published batch away in the meantime has it: it is not made again.
    """
    draft = output / progress.placing if progress.placing else None
    if draft is not None and draft.is_dir():
        draft.rename(output / progress.place)
        settle(output)
    for path in _drafts(output):
        shutil.rmtree(path)


def _drafts(output: Path) -> Sequence[Path]:
    return sorted(output.glob(".batch-*.shoal-*")) if output.is_dir() else []


def write_durably(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, and wait until the disk has it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
