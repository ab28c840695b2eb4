"""A release as a Python user meets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal

FRAME = pl.DataFrame({"age": [1, 1, 2, 2]})
PLAN: dict[str, Any] = {
    "attributes": {"age": {"role": "quasi", "kind": "numeric"}},
    "privacy": [{"k-anonymity": {"k": 2}}],
    "seed": 1,
}


def test_its_text_names_size_method_and_requirements_but_no_cell() -> None:
    release = shoal.run({**PLAN, "method": "mondrian"}, FRAME)
    requirements = ", ".join(map(str, release.requirements))
    assert repr(release) == f"<Release of 4 rows in 2 classes by mondrian: holds {requirements}>"


@pytest.mark.parametrize("format", [None, "csv", "parquet"])
def test_it_is_saved_in_its_own_format_unless_another_is_given(
    format: str | None, tmp_path: Path
) -> None:
    release = shoal.run({**PLAN, "output": {"folder": "unused", "format": "parquet"}}, FRAME,
                        output=tmp_path / "first")  # fmt: skip
    assert release.save(tmp_path / "r", format=format) == tmp_path / "r"
    assert [p.suffix for p in (tmp_path / "r").glob("data.*")] == [f".{format or 'parquet'}"]
    assert shoal.audit(tmp_path / "r").holds


def test_the_private_side_is_only_written_on_request(tmp_path: Path) -> None:
    release = shoal.run(PLAN, FRAME)
    release.save(tmp_path / "r")
    assert [p.name for p in tmp_path.iterdir()] == ["r"]
    release.save(tmp_path / "again", private=tmp_path / "own")
    assert (tmp_path / "own" / "private.json").is_file()
