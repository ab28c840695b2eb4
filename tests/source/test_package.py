"""SPSS, Stata, SAS and R: labels, missing values and dates as the file says, clear errors."""

from __future__ import annotations

import struct
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.source import columns, has_types, read

STAT = ["t.sav", "t.zsav", "t.dta", "t.xpt", "t.por"]
R = ["t.rds", "t.RData", "t.rda"]
TABLE = pl.DataFrame(
    {
        "AGE": [20, 30, None, 40],
        "BMI": [21.5, None, 30.25, 22.0],
        "SEX": [1, 2, 1, 2],
        "TOWN": ["Ulm", "Bonn", None, "Ulm"],
        "BORN": [date(1950, 12, 31), None, date(2001, 2, 3), date(1900, 1, 1)],
        "SEEN": [datetime(2024, 5, 6, 7, 8, 9)] * 4,
    }
)
LABELS = {"SEX": {1: "male", 2: "female"}}


def pyreadstat() -> Any:
    return pytest.importorskip("pyreadstat", reason="needs pyreadstat: pip install 'shoal[stats]'")


def pyreadr() -> Any:
    return pytest.importorskip("pyreadr", reason="needs pyreadr: pip install 'shoal[r]'")


def write(path: Path, table: pl.DataFrame = TABLE, **options: Any) -> Path:
    if path.name in R:
        kind = "rds" if path.suffix == ".rds" else "rdata"
        getattr(pyreadr(), f"write_{kind}")(path, table)
    else:
        form = {".zsav": "sav", ".xpt": "xport"}.get(path.suffix, path.suffix[1:])
        packed = {"compress": True} if path.suffix == ".zsav" else {}
        getattr(pyreadstat(), f"write_{form}")(table, str(path), **packed, **options)
    return path


@pytest.mark.parametrize("name", STAT)
def test_numbers_texts_and_dates_are_what_they_were(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name)
    found = read(path)
    assert found.cast({"SEEN": pl.Datetime("us")}).equals(TABLE)
    assert found.schema["AGE"] == pl.Int64
    assert found.schema["BORN"] == pl.Date
    assert columns(path) == tuple(TABLE.columns)
    assert has_types(path)


@pytest.mark.parametrize("name", R)
def test_r_data_is_read(name: str, tmp_path: Path) -> None:
    town = TABLE["TOWN"].cast(pl.Categorical)
    path = write(tmp_path / name, TABLE.drop("BORN", "SEEN").with_columns(town, OK=True))
    found = read(path)
    assert found.equals(TABLE.drop("BORN", "SEEN").with_columns(OK=True))
    assert columns(path) == tuple(found.columns)


def test_labels_stand_for_values_if_every_value_has_its_own(tmp_path: Path) -> None:
    table = pl.DataFrame({"SEX": [1, 2, None], "Q": [1, 2, 5], "TWICE": [1, 2, 2]})
    labels = {**LABELS, "Q": {5: "five"}, "TWICE": {1: "yes", 2: "yes"}}
    for name in ("t.sav", "t.dta"):
        found = read(write(tmp_path / name, table, variable_value_labels=labels))
        assert found["SEX"].to_list() == ["male", "female", None]
        assert found["Q"].to_list() == [1, 2, 5]
        assert found["TWICE"].to_list() == [1, 2, 2]


def test_values_declared_missing_are_missing(tmp_path: Path) -> None:
    table = pl.DataFrame({"AGE": [20, -9, -8, 30], "SEX": [1, 2, 9, 1]})
    missing = {"AGE": [{"lo": -9, "hi": -8}], "SEX": [9]}
    labels = {"SEX": {**LABELS["SEX"], 9: "no answer"}}
    path = write(tmp_path / "t.sav", table, missing_ranges=missing, variable_value_labels=labels)
    assert read(path)["AGE"].to_list() == [20, None, None, 30]
    assert read(path)["SEX"].to_list() == ["male", "female", None, "male"]


@pytest.mark.parametrize("name", [*STAT, *R])
@pytest.mark.parametrize("damage", ["cut", "other", "empty"])
def test_damaged_files_are_refused_without_a_cell(name: str, damage: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, TABLE.drop("BORN", "SEEN"))
    data = path.read_bytes()
    path.write_bytes({"cut": data[: len(data) // 2], "other": b"PAR1 Ulm", "empty": b""}[damage])
    expected = "is empty" if damage == "empty" else "is damaged, or is not what its suffix"
    with pytest.raises(DataError, match=expected) as caught:
        read(path)
    assert "Ulm" not in str(caught.value)
    assert ("a Parquet file" in str(caught.value)) == (damage == "other")


def test_r_data_must_have_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.RData", TABLE.drop("BORN", "SEEN"))
    two = {"a": TABLE, "b": TABLE, "c": None}
    monkeypatch.setattr(pyreadr(), "read_r", lambda *_, **__: two)
    with pytest.raises(DataError, match=r"must have one table .* but has 2"):
        read(path)


def test_names_of_rows_are_kept_unless_they_are_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may name people, so that the plan must declare them."""
    path = write(tmp_path / "t.rds", TABLE.drop("BORN", "SEEN"))
    named = TABLE.select("AGE", rownames=pl.Series(["Ann", "Ben", "Cy", "Di"]))
    monkeypatch.setattr(pyreadr(), "read_r", lambda *_, **__: {None: named})
    assert read(path).columns == ["AGE", "rownames"]


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("t.sav", "pyreadstat", "stats"), ("t.rds", "pyreadr", "r")]
)
def test_a_missing_package_is_named_with_its_command(
    name: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(b"anything")
    monkeypatch.setitem(sys.modules, package, None)
    command = rf"needs the package {package}.*pip install 'shoal\[{extra}\]'"
    with pytest.raises(DataError, match=command):
        read(tmp_path / name)


def test_other_readers_point_to_the_right_suffix(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"$FL2@(#) SPSS DATA FILE")
    with pytest.raises(DataError, match=r"looks like an SPSS file \(\.sav\)"):
        read(tmp_path / "t.csv")


def number(value: int) -> bytes:
    return struct.pack(">i", value)


def letters(text: str) -> bytes:
    return number(0x40009) + number(len(text)) + text.encode()


def strings(*texts: str) -> bytes:
    return number(16) + number(len(texts)) + b"".join(map(letters, texts))


def noted(**notes: bytes) -> bytes:
    pairs = (number(0x402) + number(1) + letters(n.replace("_", ".")) + v for n, v in notes.items())
    return b"".join(pairs) + number(254)


def doubles(values: list[float], kind: str) -> bytes:
    cells = b"".join(struct.pack(">d", value) for value in values)
    return number(0x30E) + number(len(values)) + cells + noted(**{"class": strings(kind)})


def test_days_and_moments_of_r_are_dates_and_times(tmp_path: Path) -> None:
    """R stores days and seconds since 1970 as numbers of a class, in the form that R documents."""
    pyreadr()
    columns = [doubles([0.0, 18000.0], "Date"), doubles([0.0, 1.6e9], "POSIXct")]
    rows = number(13) + number(2) + number(-(2**31)) + number(-2)
    notes = noted(names=strings("born", "seen"), row_names=rows, **{"class": strings("data.frame")})
    head = b"X\n" + number(2) + number(0x30000) + number(0x20300)
    body = number(0x313) + number(len(columns)) + b"".join(columns) + notes
    (tmp_path / "t.rds").write_bytes(head + body)
    found = read(tmp_path / "t.rds")
    assert found["born"].to_list() == [date(1970, 1, 1), date(2019, 4, 14)]
    assert found["seen"].to_list() == [datetime(1970, 1, 1), datetime(2020, 9, 13, 12, 26, 40)]
