"""What a source may be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.source import columns, read
from tests.source.cases import failure


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.csv").write_text(f"a,b\n{name},2\n")
    return tmp_path


def test_a_tuple_of_paths_is_read_in_its_order(folder: Path) -> None:
    assert read(("two.csv", "one.csv"), base=folder)["a"].to_list() == ["two", "one"]
    assert read((folder / "t*.csv", "one.csv"), base=folder)["a"].to_list() == [
        "three",
        "two",
        "one",
    ]
    assert columns(("two.csv", "one.csv"), folder) == ("a", "b")


@pytest.mark.parametrize("source", [(), ("one.csv", 7), (None,)])
def test_a_tuple_must_contain_paths(source: tuple[Any, ...]) -> None:
    assert "must contain at least one path, and only paths" in failure(source)


def test_columns_reads_the_header_only(folder: Path) -> None:
    (folder / "broken.csv").write_bytes(b"a,b\n1,2,3\n\xe9\0\n")
    assert columns("broken.csv", folder) == ("a", "b")


@pytest.mark.parametrize("source", [None, 7, ["t.csv"], {"a": [1]}, b"t.csv"])
def test_what_is_no_source(source: Any) -> None:
    assert f"got '{type(source).__name__}' instead" in failure(source)
