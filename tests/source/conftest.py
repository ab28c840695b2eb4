"""A folder with a table and its parts."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text("a,b\n1,2\n")
    (tmp_path / "parts").mkdir()
    for number in (2, 10, 1):
        (tmp_path / "parts" / f"p{number:02}.csv").write_text(f"a,b\n{number},x\n")
    return tmp_path
