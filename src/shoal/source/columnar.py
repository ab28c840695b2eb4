"""Parquet and Arrow files, which bring their types along."""

from __future__ import annotations

import polars as pl

from shoal.errors import DataError
from shoal.source import name
from shoal.source.location import Location, mistaken

_STREAM = b"\xff\xff\xff\xff"
_SIGNS = {"parquet": (b"PAR1",), "arrow": (b"ARROW1", _STREAM)}


def read(location: Location) -> pl.DataFrame:
    """The whole file, as typed there."""
    columns(location)
    start = _start(location)
    frame = None
    try:
        if location.format == "parquet":
            frame = pl.read_parquet(location.path, glob=False, hive_partitioning=False)
        elif start.startswith(_STREAM):
            frame = pl.read_ipc_stream(location.path)
        else:
            frame = pl.scan_ipc(location.path, glob=False, hive_partitioning=False).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
        pass
    if frame is None:
        raise mistaken(location.name, location.suffix, b"") from None
    return frame


def columns(location: Location) -> tuple[str, ...]:
    """The names in the file's schema.

    pyarrow reads them: polars keeps them in a mapping, where doubled names would not show.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    start = _start(location)
    if not start.startswith(_SIGNS[location.format]):
        raise mistaken(location.name, location.suffix, start)
    names = None
    try:
        if location.format == "parquet":
            names = pq.read_schema(location.path).names
        else:
            with pa.OSFile(str(location.path)) as file:
                opened = pa.ipc.open_stream if start.startswith(_STREAM) else pa.ipc.open_file
                names = opened(file).schema.names
    except (pa.ArrowException, ValueError):
        pass
    if names is None:
        raise mistaken(location.name, location.suffix, b"") from None
    return name.checked(names, f"'{location.name}'")


def _start(location: Location) -> bytes:
    with location.path.open("rb") as stream:
        start = stream.read(64)
    if not start:
        raise DataError(f"'{location.name}' is empty.", "Export it again.")
    return start
