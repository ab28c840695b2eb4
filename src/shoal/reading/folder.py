"""The tables of a release folder, as its manifest lists them."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

import polars as pl

from shoal.errors import VerificationError
from shoal.reading.manifest import Manifest
from shoal.reading.table import read_table
from shoal.schema import Schema

SUFFIXES = ("csv", "parquet")


def find_table(folder: Path, manifest: Manifest, stem: str) -> Path | None:
    """The file of a table, or the folder of its parts: listed in the manifest, else just there."""
    names = [f"{stem}.{suffix}" for suffix in SUFFIXES]
    for name in [name for name in names if is_listed(manifest, name)] or names:
        # A name with a path in it must not lead out of the folder.
        if Path(name).name == name and _exists(folder / name):
            return folder / name
    return None


def _exists(path: Path) -> bool:
    """Whether there is such a file or folder; a name too long for one is that of none.

    Whoever opens a pipe or a device may wait, or read, for ever.
    """
    try:
        return path.is_file() or path.is_dir()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def is_listed(manifest: Manifest, name: str) -> bool:
    """Whether a manifest lists a table, or a part of it."""
    return name in manifest.files or any(f.startswith(f"{name}/") for f in manifest.files)


def read_buckets(folder: Path, manifest: Manifest, schema: Schema) -> dict[str, pl.DataFrame]:
    """The tables of buckets that are listed and can be read, by name."""
    found = {}
    for attribute in schema.secret:
        path = find_table(folder, manifest, f"buckets-{attribute.name}")
        if path is not None and is_listed(manifest, path.name):
            with suppress(VerificationError):
                found[path.stem] = read_table(path)
    return found


def read_data(folder: Path, manifest: Manifest, stem: str = "data") -> pl.DataFrame | None:
    """A published table; None where it cannot be read, which is found elsewhere."""
    path = find_table(folder, manifest, stem)
    try:
        return None if path is None else read_table(path)
    except VerificationError:
        return None
