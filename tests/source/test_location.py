"""Paths, globs, formats and addresses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.source import columns, read


def failure(source: Any, base: Path | None = None, sheet: str | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read(source, base=base, sheet=sheet)
    with pytest.raises(DataError) as again:
        columns(source, base, sheet=sheet)
    assert str(again.value) == str(caught.value)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text("a,b\n1,2\n")
    (tmp_path / "parts").mkdir()
    for number in (2, 10, 1):
        (tmp_path / "parts" / f"p{number:02}.csv").write_text(f"a,b\n{number},x\n")
    return tmp_path


def test_relative_and_absolute_paths(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [("1", "2")]
    assert read("patients.csv", base=folder).rows() == expected
    assert read(folder / "patients.csv").rows() == expected
    assert read(str(folder / "patients.csv"), base=Path("elsewhere")).rows() == expected
    monkeypatch.chdir(folder)
    assert read("patients.csv").rows() == expected
    assert read("./parts/../patients.csv").rows() == expected


def test_columns_reads_the_header_only(folder: Path) -> None:
    (folder / "broken.csv").write_bytes(b"a,b\n1,2,3\n\xe9\0\n")
    assert columns("broken.csv", folder) == ("a", "b")


def test_a_missing_file_and_what_may_be_meant(folder: Path) -> None:
    message = failure("patient.csv", folder)
    assert message == "'patient.csv' does not exist. Did you mean 'patients.csv'?"
    assert "Did you mean 'patients.csv'?" in failure("Patients.CSV", folder)
    assert "Did you mean" not in failure("zebra.parquet", folder)
    assert folder.name in failure("zebra.parquet", folder)


def test_a_missing_file_in_a_folder_as_typed(folder: Path) -> None:
    message = failure("parts/p03.csv", folder)
    assert message.startswith("'parts/p03.csv' does not exist. Did you mean 'parts/p")


def test_a_missing_folder(folder: Path) -> None:
    assert "there is no folder 'nowhere'" in failure("nowhere/patients.csv", folder)


def test_a_folder(folder: Path) -> None:
    message = failure("parts", folder)
    assert message.startswith("'parts' is a folder.")
    assert "'parts/*.csv'" in message


def test_what_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    assert "is not a regular file" in failure("pipe.csv", folder)


def test_no_permission(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "patients.csv").chmod(0)
    if os.access(folder / "patients.csv", os.R_OK):  # root may read everything
        monkeypatch.setattr(os, "access", lambda *_: False)
    assert "'patients.csv' may not be read by this user" in failure("patients.csv", folder)


def test_a_permission_that_goes_while_reading(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "S3CRET")

    monkeypatch.setattr(Path, "open", refuse)
    assert failure("patients.csv", folder).startswith("'patients.csv' may not be read")


def test_a_disk_that_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fail)
    assert "could not be read: Input/output error" in failure("patients.csv", folder)


@pytest.mark.parametrize("name", ["table.json", "table", "table.xls", "table.parquet.gz"])
def test_an_unknown_suffix(folder: Path, name: str) -> None:
    (folder / name).write_text("a,b\n1,2\n")
    message = failure(name, folder)
    assert f"The format of '{name}' is not known." in message
    for suffix in (
        ".csv",
        ".tsv",
        ".txt",
        ".parquet",
        ".pq",
        ".arrow",
        ".feather",
        ".ipc",
        ".xlsx",
    ):
        assert suffix in message


@pytest.mark.parametrize(
    "address", ["postgresql://me:S3CRET@host/db", "sqlite:///people.db", "https://host/t.csv"]
)
def test_addresses(address: str) -> None:
    message = failure(address)
    assert "not read by this version" in message
    assert address.partition("://")[0] in message
    assert "S3CRET" not in message


@pytest.mark.parametrize("name", ["", "a\0b.csv"])
def test_what_is_no_path(name: str) -> None:
    assert "not a path" in failure(name)


def test_a_path_that_is_too_long(folder: Path) -> None:
    assert "does not exist" in failure("x" * 5000 + ".csv", folder)


@pytest.mark.parametrize("source", [None, 7, ["t.csv"], {"a": [1]}, b"t.csv"])
def test_what_is_no_source(source: Any) -> None:
    assert f"got '{type(source).__name__}' instead" in failure(source)


def test_parts_are_read_in_the_order_of_their_names(folder: Path) -> None:
    frame = read("parts/*.csv", base=folder)
    assert frame["a"].to_list() == ["1", "2", "10"]
    assert columns("parts/*.csv", folder) == ("a", "b")
    assert read(folder / "parts" / "p0?.csv").height == 2
    assert read("**/*.csv", base=folder).height == 4


def test_a_file_whose_name_looks_like_a_glob(folder: Path) -> None:
    (folder / "odd[1]*.csv").write_text("a,b\nodd,2\n")
    pl.DataFrame({"a": [1]}).write_parquet(folder / "odd[1].parquet")
    pl.DataFrame({"a": [1]}).write_ipc(folder / "odd[1].arrow")
    assert read("odd[1]*.csv", base=folder)["a"].to_list() == ["odd"]
    assert read("odd[1].parquet", base=folder)["a"].to_list() == [1]
    assert read("odd[1].arrow", base=folder)["a"].to_list() == [1]


def test_a_glob_that_matches_nothing(folder: Path) -> None:
    message = failure("parts/*.parquet", folder)
    assert "No file matches 'parts/*.parquet'." in message
    assert folder.name in message


def test_parts_of_several_formats(folder: Path) -> None:
    (folder / "parts" / "p11.parquet").write_bytes(b"PAR1")
    assert "several formats (.csv, .parquet)" in failure("parts/*", folder)


def test_parts_with_other_columns(folder: Path) -> None:
    (folder / "parts" / "p03.csv").write_text("b,a\n1,2\n")
    (folder / "parts" / "p04.csv").write_text("a,c\n1,2\n")
    lines = failure("parts/*.csv", folder).splitlines()
    assert len(lines) == 2
    assert "'parts/p03.csv' are not those of 'parts/p01.csv': it has them in another" in lines[0]
    assert "'parts/p04.csv'" in lines[1]
    assert "it lacks 'b' and has 'c' besides" in lines[1]


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


def test_a_sheet_of_what_has_none(folder: Path) -> None:
    assert "'patients.csv' is not one" in failure("patients.csv", folder, sheet="S")
    assert "applies to xlsx" in failure(pl.DataFrame({"a": [1]}), sheet="S")
