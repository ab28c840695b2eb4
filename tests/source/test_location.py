"""Paths, globs, formats and addresses."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from shoal.source import read
from tests.source.cases import failure


def test_relative_and_absolute_paths(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [("1", "2")]
    assert read("patients.csv", base=folder).rows() == expected
    assert read(folder / "patients.csv").rows() == expected
    assert read(str(folder / "patients.csv"), base=Path("elsewhere")).rows() == expected
    monkeypatch.chdir(folder)
    assert read("patients.csv").rows() == expected
    assert read("./parts/../patients.csv").rows() == expected


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
    assert message.startswith("The source must be a file, but 'parts' is a folder.")
    assert "'parts/*.csv'" in message


def test_what_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    assert "is not a regular file" in failure("pipe.csv", folder)


def test_no_permission(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "patients.csv").chmod(0)
    if os.access(folder / "patients.csv", os.R_OK):  # root may read everything
        monkeypatch.setattr(os, "access", lambda *_: False)
    assert "no permission to read 'patients.csv'" in failure("patients.csv", folder)


@pytest.mark.parametrize("name", ["table.json", "table", "table.xls", "table.parquet.gz"])
def test_an_unknown_suffix(folder: Path, name: str) -> None:
    (folder / name).write_text("a,b\n1,2\n")
    message = failure(name, folder)
    assert f"The format of '{name}' is unknown." in message
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
    assert "To read a database, name it in a plan" in message
    assert address.partition("://")[0] in message
    assert "S3CRET" not in message


@pytest.mark.parametrize("name", ["", "a\0b.csv"])
def test_what_is_no_path(name: str) -> None:
    assert "must be a path" in failure(name)


def test_a_path_that_is_too_long(folder: Path) -> None:
    assert "does not exist" in failure("x" * 5000 + ".csv", folder)


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
    assert "matches several (.csv, .parquet)" in failure("parts/*", folder)


@pytest.mark.parametrize(
    ("name", "words"),
    [("adult.data", "rename or copy it to .csv"), ("adult.zip", "Unzip it first.")],
)
def test_what_to_do_about_an_unknown_suffix(folder: Path, name: str, words: str) -> None:
    (folder / name).write_text("a,b\n1,2\n")
    assert words in failure(name, folder)
