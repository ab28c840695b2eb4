"""A table of a database is looked at like any other, and its plan runs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal._command.init.database import address_in_plan, find_database, release_of
from shoal.cli import main
from shoal.errors import PlanError
from shoal.source import Database


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("adbc_driver_sqlite")
    draw = np.random.default_rng(3)
    rows = [(int(a), "fm"[int(s)], "abcd"[int(i)])
            for a, s, i in zip(draw.integers(20, 80, 200), draw.integers(0, 2, 200),
                               draw.integers(0, 4, 200), strict=True)]  # fmt: skip
    with sqlite3.connect(tmp_path / "clinic.db") as database:
        database.execute("CREATE TABLE visits (age INTEGER, sex TEXT, illness TEXT)")
        database.executemany("INSERT INTO visits VALUES (?, ?, ?)", rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("asked", [("--table", "visits"), ("--query", "SELECT * FROM visits")])
def test_init_then_run(clinic: Path, asked: tuple[str, str]) -> None:
    plan = clinic / "plans" / "may.yaml"
    arguments = ["init", "sqlite:///clinic.db", *asked, "-o", str(plan), "--quiet"]
    assert main(arguments) == 0
    text = plan.read_text(encoding="utf-8").replace('"', "")
    assert "source: sqlite:///../clinic.db" in text
    assert f"{asked[0].removeprefix('--')}: {asked[1]}" in text
    assert main(["run", str(plan), "--quiet"]) == 0
    name = "release-visits" if asked[0] == "--table" else "release"
    assert (clinic / "plans" / name / "manifest.json").is_file()


def test_the_api_takes_an_address_too(clinic: Path) -> None:
    found = shoal.init("sqlite:///clinic.db", table="visits")
    assert found.n_rows == 200
    assert 'source: "sqlite:///clinic.db"\ntable: visits\n' in found.text


@pytest.mark.parametrize(
    ("data", "table", "query", "said"),
    [
        ("sqlite:///a.db", None, None, "neither was given"),
        ("sqlite:///a.db", "t", "SELECT 1", "both were given"),
        ("postgresql://ann:geheim@host/clinic", "t", None, "must not contain a password"),
        ("ftp://host/clinic", "t", None, "another address"),
        ("visits.csv", "t", None, "'table' parameter needs the address of a database"),
    ],
)
def test_what_is_wrong_is_said_without_the_address(
    data: str, table: str | None, query: str | None, said: str
) -> None:
    with pytest.raises(PlanError) as error:
        find_database(data, table, query)
    assert said in str(error.value)
    assert "geheim" not in str(error.value)


def test_files_and_frames_are_no_databases() -> None:
    assert find_database("visits.csv", None, None) is None
    assert find_database([1], None, None) is None


def test_addresses_in_plans_and_names_of_releases() -> None:
    server = Database("postgresql://host/clinic", "ward.patients")
    assert address_in_plan(server, Path("anywhere")) == server.address
    assert release_of(server) == "release-patients/"
    assert release_of(Database("sqlite:///a.db", query="SELECT 1")) == "release/"
    here = Database("duckdb:///data/a%20b.db", "t")
    assert address_in_plan(here, Path.cwd() / "plans") == "duckdb:///../data/a%20b.db"
