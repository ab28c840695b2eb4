"""Rows on a cluster: batches that travel as Arrow streams, so that no type is lost on the way.

A Spark row is a whole batch (`place`, the number of rows, the bytes), never a row of the table:
Spark moves few values, and all work on rows is done by the same functions as on one machine. A
batch travels in pieces of some megabytes: the JVM copies a value several times on its way from and
to the disk, so a few batches of a hundred megabytes would fill a heap of one gigabyte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from shoal._run.engine.base import Rows, sort_bits
from shoal._run.engine.spark.fault import refusing, telling

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

Sum = TypeVar("Sum")
Frame = pl.DataFrame
SolvedFrame = tuple[Frame, bytes]
ArrowBatches = Iterable["pa.RecordBatch"]

BATCHES = "place int, n bigint, batch binary"
# Batches of two sides that are brought together.
SIDES = f"{BATCHES}, side int"
# This many rows are cut into the pieces of shards at once: more make fewer pieces.
_AT_ONCE = 1_000_000
# Bytes in memory; on the way a piece is compressed. Spark's own batches on disk have as much.
_PIECE = 4 << 20


@dataclass(frozen=True)
class SparkRows:
    """Rows in batches on a cluster; `Rows` says what each method does.

    `whole`: a partition of Spark is one batch, whose pieces are put together when it is read, and
    sorted by `keys`; otherwise a piece is a batch of its own. What `map` and `solve` make is `kept`
    on the disks of executors.
    """

    frame: DataFrame
    whole: bool = False
    keys: tuple[str, ...] = ()
    kept: DataFrame | None = None

    def fold(self, summarise: Callable[[Frame], Sum], merge: Callable[[Sum, Sum], Sum]) -> Sum:
        from pyspark.serializers import CPickleSerializer

        work = _Fold(self._read, summarise, merge)
        with refusing():
            parts = self.frame.mapInArrow(work, "sum binary").collect()
        sums: list[Sum] = [CPickleSerializer().loads(bytes(part[0])) for part in parts]
        return reduce(merge, sums)

    def map(self, function: Callable[[Frame], Frame]) -> SparkRows:
        rows = self._kept(self.frame.mapInArrow(_Map(self._read, function), BATCHES))
        # At once: what these rows are made of may be given up after this.
        with refusing():
            rows.frame.count()
        return rows

    def shard(self, column: str) -> SparkRows:
        n = self.fold(_Most(column), max) + 1
        return self._in_pieces(_Cut(self._read, column), n)

    def solve(self, function: Callable[[Frame], SolvedFrame]) -> tuple[SparkRows, list[bytes]]:
        made = self.frame.mapInArrow(_Solve(self._read, function), f"{BATCHES}, note binary")
        return self._kept(made)._with_notes()

    def solve_with(
        self, other: Rows, column: str, function: Callable[[Frame, Frame], SolvedFrame]
    ) -> tuple[SparkRows, list[bytes]]:
        assert isinstance(other, SparkRows)
        n = self.fold(_Most(column), max) + 1
        ours, theirs = (
            rows.frame.mapInArrow(_Cut(rows._read, column, side), SIDES)
            for side, rows in enumerate((self, other))
        )
        both = ours.unionAll(theirs).repartitionById(n, "place")
        made = both.mapInArrow(_SolveBoth(function), f"{BATCHES}, note binary")
        return SparkRows(both, whole=True)._kept(made)._with_notes()

    def _with_notes(self) -> tuple[SparkRows, list[bytes]]:
        """These rows without the notes next to them, and the notes in their order."""
        noted = self.frame.select("place", "note").where("note IS NOT NULL")
        with refusing():
            notes = {place: bytes(note) for place, note in noted.collect()}
        solved = replace(self, frame=self.frame.drop("note"))
        return solved, [notes[place] for place in sorted(notes)]

    def sort(self, keys: Sequence[str], n_rows: int) -> SparkRows:
        bits = sort_bits(self._count(), n_rows)
        return replace(
            self._in_pieces(_Bucket(self._read, keys[0], bits), 1 << bits), keys=tuple(keys)
        )

    def batches(self) -> Iterator[Frame]:
        made = self.frame.mapInArrow(_Map(self._read, _same), BATCHES)
        with refusing():
            for row in made.toLocalIterator():
                yield unpacked(bytes(row["batch"]))

    def close(self) -> None:
        if self.kept is not None:
            self.kept.unpersist()

    @property
    def _read(self) -> _Read:
        return _Read(self.whole, self.keys)

    def _count(self) -> int:
        with refusing():
            return int(self.frame.groupBy().sum("n").collect()[0][0] or 0)

    def _in_pieces(self, work: Any, n: int) -> SparkRows:
        """The rows as pieces of n batches, those of one batch in one partition."""
        pieces = self.frame.mapInArrow(work, BATCHES)
        return SparkRows(pieces.repartitionById(n, "place"), whole=True)

    def _kept(self, made: DataFrame) -> SparkRows:
        """What was made of these rows, partition by partition."""
        from pyspark import StorageLevel

        frame = made.persist(StorageLevel.DISK_ONLY)
        return SparkRows(frame, whole=self.whole, kept=frame)


def in_pieces(place: int, frame: Frame, note: bytes | None = None) -> Iterator[pa.RecordBatch]:
    """A batch as rows of Spark, none of them large; what is noted of it is with the first."""
    import pyarrow as pa

    n = max(1, frame.height * _PIECE // max(1, int(frame.estimated_size())))
    for i, piece in enumerate(frame.iter_slices(n) if frame.height else (frame,)):
        row = packed(place, piece)
        if note is not None:
            row = row.append_column("note", pa.array([None if i else note], pa.binary()))
        yield row


def packed(place: int, frame: Frame) -> pa.RecordBatch:
    """A piece as a row of Spark."""
    import pyarrow as pa

    stream = BytesIO()
    frame.write_ipc_stream(stream, compression="lz4")
    columns = [
        pa.array([place], pa.int32()),
        pa.array([frame.height], pa.int64()),
        pa.array([stream.getvalue()], pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(columns, ["place", "n", "batch"])


def unpacked(batch: bytes) -> Frame:
    """The piece that `packed` made a row of."""
    return pl.read_ipc_stream(BytesIO(batch))


def _same(frame: Frame) -> Frame:
    return frame


@dataclass(frozen=True)
class _Read:
    """The batches of one partition, each with its place."""

    whole: bool
    keys: tuple[str, ...]

    def __call__(self, batches: ArrowBatches) -> Iterator[tuple[int, Frame]]:
        found = (
            (place, unpacked(cell))
            for batch in batches
            for place, cell in zip(
                batch.column("place").to_pylist(), batch.column("batch").to_pylist(), strict=True
            )
        )
        if not self.whole:
            yield from found
            return
        pieces = list(found)
        if pieces:
            frame = pl.concat([piece for _, piece in pieces], rechunk=True)
            # Ties may change places: such rows are published alike, or sorted again.
            yield pieces[0][0], frame.sort(self.keys) if self.keys else frame


@dataclass(frozen=True)
class _Fold:
    read: _Read
    summarise: Callable[[Frame], Any]
    merge: Callable[[Any, Any], Any]

    def __call__(self, batches: ArrowBatches) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyspark.serializers import CPickleSerializer

        with telling():
            sums = (self.summarise(frame) for _, frame in self.read(batches))
            first = next(sums, None)
            if first is not None:
                cell = CPickleSerializer().dumps(reduce(self.merge, sums, first))
                yield pa.RecordBatch.from_pydict({"sum": pa.array([cell], pa.binary())})


@dataclass(frozen=True)
class _Map:
    read: _Read
    function: Callable[[Frame], Frame]

    def __call__(self, batches: ArrowBatches) -> Iterator[pa.RecordBatch]:
        with telling():
            for place, frame in self.read(batches):
                yield from in_pieces(place, self.function(frame))


@dataclass(frozen=True)
class _Solve:
    read: _Read
    function: Callable[[Frame], SolvedFrame]

    def __call__(self, batches: ArrowBatches) -> Iterator[pa.RecordBatch]:
        with telling():
            for place, frame in self.read(batches):
                rows, note = self.function(frame)
                yield from in_pieces(place, rows, note)


@dataclass(frozen=True)
class _SolveBoth:
    """The pieces of both sides of a partition, put together."""

    function: Callable[[Frame, Frame], SolvedFrame]

    def __call__(self, batches: ArrowBatches) -> Iterator[pa.RecordBatch]:
        with telling():
            sides: tuple[list[Frame], list[Frame]] = ([], [])
            places = []
            for batch in batches:
                rows = batch.to_pydict()
                places += rows["place"]
                for cell, side in zip(rows["batch"], rows["side"], strict=True):
                    sides[side].append(unpacked(cell))
            if sides[0]:
                one, other = (pl.concat(side, rechunk=True) for side in sides)
                made, note = self.function(one, other)
                yield from in_pieces(places[0], made, note)


@dataclass(frozen=True)
class _Most:
    column: str

    def __call__(self, frame: Frame) -> int:
        return int(frame[self.column].max() or 0)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Cut:
    """Pieces by the numbers in a column; with the side that they are of, where there are two."""

    read: _Read
    column: str
    side: int | None = None

    def __call__(self, batches: ArrowBatches) -> Iterator[pa.RecordBatch]:
        with telling():
            for frame in _gathered(frame for _, frame in self.read(batches)):
                for piece in self.cut(frame):
                    place = int(piece[self.column][0])
                    yield from map(self._sided, in_pieces(place, piece))

    def _sided(self, row: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        if self.side is None:
            return row
        return row.append_column("side", pa.array([self.side], pa.int32()))

    def cut(self, frame: Frame) -> list[Frame]:
        return frame.partition_by(self.column, maintain_order=True)


@dataclass(frozen=True)
class _Bucket:
    """Pieces by the highest bits of a hash."""

    read: _Read
    key: str
    bits: int

    def __call__(self, batches: ArrowBatches) -> Iterator[pa.RecordBatch]:
        with telling():
            for frame in _gathered(frame for _, frame in self.read(batches)):
                if not self.bits:
                    yield from in_pieces(0, frame)
                    continue
                # A hash has 64 bits; what is left of them is a small number.
                bucket = frame[self.key].cast(pl.UInt64) // (1 << (64 - self.bits))
                for piece in frame.with_columns(bucket.alias(_PLACE)).partition_by(_PLACE):
                    yield from in_pieces(int(piece[_PLACE][0]), piece.drop(_PLACE))


_PLACE = "\0place"


def _gathered(frames: Iterable[Frame]) -> Iterator[Frame]:
    """The same rows in frames of about a million: few pieces travel better than many."""
    waiting: list[Frame] = []
    n = 0
    for frame in frames:
        waiting.append(frame)
        n += frame.height
        if n >= _AT_ONCE:
            yield pl.concat(waiting)
            waiting, n = [], 0
    if waiting:
        yield pl.concat(waiting)
