"""The verbs of an engine on a Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from shoal._run.engine.base import Item, Result, Source
from shoal._run.engine.spark import url
from shoal._run.engine.spark.fault import refusing, telling
from shoal._run.engine.spark.rows import BATCHES, SparkRows, in_pieces
from shoal._run.engine.spark.session import spark_session
from shoal._run.engine.spark.url import read_url
from shoal.errors import DataError
from shoal.source import Database, has_types, open_pieces
from shoal.source.arrow import frame_of
from shoal.source.database import is_remote
from shoal.source.frame import normalise
from shoal.source.memory import read as read_memory

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

ReadPiece = Callable[[], Iterator[pl.DataFrame]]


@dataclass(frozen=True)
class SparkEngine:
    """A cluster with a session that works."""

    session: SparkSession

    @property
    def threads(self) -> int:
        """The cores that Spark gives to a task."""
        return int(self.session.conf.get("spark.task.cpus", "1") or 1)

    @property
    def writes_parts(self) -> bool:
        """Executors write; rows are never collected."""
        return True

    def has_types(self, source: Any, base: Path) -> bool:
        if remote := remote_of(source):
            return url.has_types(remote)
        return is_spark_frame(source) or has_types(source, base)

    def read(self, source: Any, base: Path, encoding: str | None = None) -> pl.DataFrame:
        raise DataError(
            "The engine 'spark' does not read a table into one process.",
            "Run the plan on this machine: --engine local.",
        )

    def open(
        self, source: Any, base: Path, encoding: str | None, folder: Path, n_rows: int
    ) -> Source | None:
        if is_spark_frame(source):
            return self._taken(source)
        if remote := remote_of(source):
            with refusing():
                return self._taken(read_url(self.session, remote, encoding))
        if isinstance(source, Database):
            raise DataError(
                "The engine 'spark' does not read databases.",
                "Run the plan on this machine (--engine local), or give a DataFrame of Spark.",
            )
        if not isinstance(source, str | Path | tuple):
            table = read_memory(source)
            return self._read([_Given(part) for part in table.iter_slices(n_rows)])
        pieces = open_pieces(source, base=base, encoding=encoding, n_rows=n_rows)
        if pieces is None:
            raise DataError(
                "The engine 'spark' reads parquet files of one type, and text files that are "
                "neither packed nor in another encoding than UTF-8.",
                "Convert the source, or run the plan on this machine: --engine local.",
            )
        return self._read(pieces)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        raise NotImplementedError("shards on Spark are rows, not items")

    def _read(self, pieces: Sequence[ReadPiece]) -> SparkRows:
        """Rows that workers read by themselves, a task for every piece."""
        n = len(pieces)
        frame = self.session.range(0, n, 1, n).mapInArrow(_Open(tuple(pieces)), BATCHES)
        return SparkRows(frame)

    def _taken(self, frame: DataFrame) -> SparkRows:
        return SparkRows(frame.mapInArrow(_Take(), BATCHES))


@contextmanager
def spark_engine(
    master: str | None, conf: Mapping[str, Any], data: Any = None
) -> Iterator[SparkEngine]:
    """An engine on the session of `data`, on the one that is active, or on one of its own."""
    session = data if is_spark_frame(data) else None
    with spark_session(master, conf, session) as found:
        yield SparkEngine(found)


def remote_of(source: Any) -> tuple[str, ...]:
    """The addresses of a source, if it has nothing else."""
    found = source if isinstance(source, tuple) else (source,)
    return found if all(map(is_remote, found)) else ()


# A text, since only who has such a table has pyspark.
SparkFrame: TypeAlias = "DataFrame"


def is_spark_frame(data: Any) -> bool:
    """Whether a table is one of Spark, which is not imported to find out."""
    return type(data).__module__.startswith("pyspark.sql.")


@dataclass(frozen=True)
class _Given:
    """A table that the caller has in memory."""

    table: pl.DataFrame

    def __call__(self) -> Iterator[pl.DataFrame]:
        yield self.table


@dataclass(frozen=True)
class _Open:
    """Read the piece whose number a task is given."""

    pieces: tuple[ReadPiece, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with telling():
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    for frame in self.pieces[number]():
                        yield from in_pieces(number, frame)


@dataclass(frozen=True)
class _Take:
    """Batches of Spark's own rows as shoal reads tables."""

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with telling():
            for batch in batches:
                if batch.num_rows:
                    frame = frame_of(pa.Table.from_batches([batch]))
                    yield from in_pieces(0, normalise(frame, "The table"))
