"""Parquet and Arrow files, which carry their types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from shoal.source.arrow import check_types, frame_of, needs_conversion
from shoal.source.location import Location
from shoal.source.name import check_names

if TYPE_CHECKING:
    import pyarrow as pa

_STREAM = b"\xff\xff\xff\xff"
_SIGNS = {"parquet": (b"PAR1",), "arrow": (b"ARROW1", _STREAM)}


def read(location: Location) -> pl.DataFrame:
    """The whole file, as typed there."""
    schema = _readable_schema(location)
    start = location.start()
    frame = None
    try:
        if needs_conversion(schema):
            frame = frame_of(_table(location))
        elif location.format == "parquet":
            # The path as it is: no wildcards in names, and no columns from folders named year=2026.
            frame = pl.read_parquet(location.path, glob=False, hive_partitioning=False)
        elif start.startswith(_STREAM):
            frame = pl.read_ipc_stream(location.path)
        else:
            frame = pl.scan_ipc(location.path, glob=False, hive_partitioning=False).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
        # pyarrow's errors are ValueErrors, or OSErrors where a file cannot be read.
        pass
    if frame is None:
        raise location.mistaken() from None
    return frame


def batches(location: Location, n_rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a parquet file in batches of `n_rows`, as typed there."""
    # A file without rows gives an empty batch, which whoever normalises it refuses by name.
    for start in range(0, max(count_rows(location), 1), n_rows):
        yield rows(location, start, n_rows)


def count_rows(location: Location) -> int:
    """How many rows a parquet file has."""
    return int(_collected(location, _scan(location).select(pl.len())).item())


def rows(location: Location, start: int, n_rows: int) -> pl.DataFrame:
    """Some rows of a parquet file, as typed there."""
    return _collected(location, _scan(location).slice(start, n_rows))


def _scan(location: Location) -> pl.LazyFrame:
    return pl.scan_parquet(location.path, glob=False, hive_partitioning=False)


def _collected(location: Location, query: pl.LazyFrame) -> pl.DataFrame:
    try:
        return query.collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        pass
    raise location.mistaken() from None


def plain_schema(location: Location) -> pa.Schema | None:
    """The schema of a file that can be read in batches; None where it must be converted."""
    schema = _readable_schema(location)
    return None if needs_conversion(schema) else schema


def columns(location: Location) -> tuple[str, ...]:
    """The names in the file's schema."""
    return check_names(_schema(location).names, f"'{location.name}'")


def _readable_schema(location: Location) -> pa.Schema:
    """The file's schema, whose names and types polars can hold."""
    schema = _schema(location)
    check_names(schema.names, f"'{location.name}'")
    check_types(schema, f"'{location.name}'")
    return schema


def _schema(location: Location) -> pa.Schema:
    """The file's schema.

    pyarrow reads it: polars keeps names in a mapping, which would hide doubled ones, and panics on
    types that it does not know.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    start = location.start()
    if not start.startswith(_SIGNS[location.format]):
        raise location.mistaken(start)
    schema = None
    try:
        if location.format == "parquet":
            schema = pq.read_schema(location.path)
        else:
            with pa.OSFile(str(location.path)) as file:
                schema = _opened(location, file).schema
    except (pa.ArrowException, ValueError):
        pass
    if schema is None:
        raise location.mistaken() from None
    return schema


def _table(location: Location) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if location.format == "parquet":
        return pq.ParquetFile(location.path).read()
    with pa.OSFile(str(location.path)) as file:
        return _opened(location, file).read_all()


def _opened(location: Location, file: pa.NativeFile) -> pa.RecordBatchReader:
    import pyarrow as pa

    is_stream = location.start().startswith(_STREAM)
    return pa.ipc.open_stream(file) if is_stream else pa.ipc.open_file(file)
