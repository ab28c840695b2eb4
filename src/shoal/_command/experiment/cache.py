"""Results on disk, one file each: an interrupted run goes on where it stopped.

Results of another version of shoal, or of other code of the same version, are never read.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.version import __version__

# What only shows results does not change them.
_SHOWING = ("cli", "report", "studio", "_command")
# But for these, which take part in what is found.
_READING = (
    "_command/experiment/pool.py",
    "_command/experiment/reading.py",
    "_command/query",
)


@cache
def code_digest() -> str:
    """A digest of the code that makes and measures releases."""
    root = Path(shoal.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        name = file.relative_to(root).as_posix()
        if name.split("/")[0] in _SHOWING and not name.startswith(_READING):
            continue
        digest.update(name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]


class Cache:
    """Results by the digest of their trial, and tables by their own."""

    def __init__(self, folder: Path, code: str | None = None) -> None:
        self.folder = folder
        self.name = f"results-{__version__}-{code or code_digest()}"
        self.results = folder / self.name

    @property
    def others(self) -> list[str]:
        """The results of other versions, which are not used."""
        found = self.folder.glob("results-*")
        return sorted(one.name for one in found if one.name != self.name)

    def get(self, key: str) -> dict[str, Any] | None:
        """A result, if it is there and whole."""
        try:
            found = json.loads(self._file(key).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result; raises OSError where the disk is full, and what is there stays."""
        write_file(self._file(key), json.dumps(result, sort_keys=True).encode())

    def keep_table(self, frame: pl.DataFrame) -> tuple[str, Path]:
        """The digest of a table, and the file that holds it for the workers."""
        stream = io.BytesIO()
        frame.write_ipc(stream)
        digest = hashlib.sha256(stream.getbuffer()).hexdigest()
        file = self.folder / "tables" / f"{digest[:32]}.arrow"
        if not file.exists():
            write_file(file, stream.getvalue())
        return digest, file

    def _file(self, key: str) -> Path:
        return self.results / key[:2] / f"{key}.json"


def write_file(file: Path, content: bytes) -> None:
    """Write next to the file and rename: other processes see all of it or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=file.parent, prefix=".fresh-")
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(content)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
