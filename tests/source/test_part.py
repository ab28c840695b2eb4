"""One table from several files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.source import columns, read
from tests.source.cases import failure


def test_a_permission_that_goes_while_reading(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "S3CRET")

    monkeypatch.setattr(Path, "open", refuse)
    assert "no permission to read 'patients.csv'" in failure("patients.csv", folder)


def test_a_disk_that_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fail)
    assert "Cannot read 'patients.csv': Input/output error" in failure("patients.csv", folder)


def test_parts_are_read_in_the_order_of_their_names(folder: Path) -> None:
    frame = read("parts/*.csv", base=folder)
    assert frame["a"].to_list() == ["1", "2", "10"]
    assert columns("parts/*.csv", folder) == ("a", "b")
    assert read(folder / "parts" / "p0?.csv").height == 2
    assert read("**/*.csv", base=folder).height == 4


def test_parts_with_other_columns(folder: Path) -> None:
    (folder / "parts" / "p03.csv").write_text("b,a\n1,2\n")
    (folder / "parts" / "p04.csv").write_text("a,c\n1,2\n")
    lines = failure("parts/*.csv", folder).splitlines()
    assert len(lines) == 2
    assert "'parts/p03.csv' differ from those of 'parts/p01.csv': it has them in" in lines[0]
    assert "'parts/p04.csv'" in lines[1]
    assert "it lacks 'b' and also has 'c'" in lines[1]


def test_all_broken_parts_are_named(folder: Path) -> None:
    (folder / "parts" / "p03.csv").write_text("a,b\n1\n")
    (folder / "parts" / "p04.csv").write_text("a,b\n")
    with pytest.raises(DataError) as caught:
        read("parts/*.csv", base=folder)
    assert [problem.text.split("'")[1] for problem in caught.value.problems] == [
        "parts/p03.csv",
        "parts/p04.csv",
    ]


def test_parts_with_types(folder: Path) -> None:
    for number, values in enumerate([[1, 2], [None, None], [1.5]]):
        pl.DataFrame({"a": values}, strict=False).write_parquet(folder / f"{number}.parquet")
    frame = read("*.parquet", base=folder)
    assert frame["a"].to_list() == [1.0, 2.0, None, None, 1.5]
    pl.DataFrame({"a": ["S3CRET"]}).write_parquet(folder / "3.parquet")
    with pytest.raises(DataError, match="'a' has several types in the parts") as caught:
        read("*.parquet", base=folder)
    assert "S3CRET" not in str(caught.value)
