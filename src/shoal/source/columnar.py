"""Parquet and Arrow files, which carry their types."""

from __future__ import annotations

import polars as pl

from shoal.source.location import Location
from shoal.source.name import check_names

_STREAM = b"\xff\xff\xff\xff"
_SIGNS = {"parquet": (b"PAR1",), "arrow": (b"ARROW1", _STREAM)}


def read(location: Location) -> pl.DataFrame:
    """The whole file, as typed there."""
    columns(location)
    start = location.start()
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
        raise location.mistaken() from None
    return frame


def columns(location: Location) -> tuple[str, ...]:
    """The names in the file's schema.

    pyarrow reads them: polars keeps them in a mapping, which would hide doubled names.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    start = location.start()
    if not start.startswith(_SIGNS[location.format]):
        raise location.mistaken(start)
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
        raise location.mistaken() from None
    return check_names(names, f"'{location.name}'")
