"""A population for the standard table: every combination of its quasi-identifiers, five times."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from itertools import product
from pathlib import Path

EACH = 5


def write_population(columns: dict[str, list[str]]) -> str:
    """The path of a table of counts over these values, and over missing ones."""
    folder = Path(tempfile.mkdtemp(prefix="shoal-population-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    names = ",".join(f'"{name}"' for name in columns)
    rows = product(*([*values, ""] for values in columns.values()))
    lines = [f"{names},people", *(f"{','.join(row)},{EACH}" for row in rows)]
    path = folder / "population.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)
