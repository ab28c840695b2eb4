"""Tables in databases: SQLite, DuckDB, and a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.source import Database, columns, read
from shoal.source.database import check_address
from tests.source.server import Server, started, store

PEOPLE = pl.DataFrame(
    {"age": [34, 51, None], "town": ["Ulm", "", None], "weight": [70.5, None, 81.0]}
)
READ = [(34, "Ulm", 70.5), (51, None, None), (None, None, 81.0)]

pytest.importorskip("adbc_driver_sqlite", reason="needs shoal[database]")
pytest.importorskip("duckdb", reason="needs shoal[database]")


@pytest.fixture(params=["sqlite", "duckdb"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database file with the people in it, named relative to its folder."""
    found = f"{request.param}:///clinic.db"
    store(PEOPLE, found, "people", tmp_path)
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started(tmp_path_factory.mktemp("server")) as found:
        yield found


def failure(database: Database, base: Path | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read(database, base=base)
    return str(caught.value)


def test_a_table_is_read_as_from_a_file(address: str, tmp_path: Path) -> None:
    database = Database(address, table="people")
    assert sorted(read(database, base=tmp_path).rows(), key=str) == sorted(READ, key=str)
    assert columns(database, tmp_path) == ("age", "town", "weight")


def test_a_query_is_read(address: str, tmp_path: Path) -> None:
    database = Database(address, query="SELECT age FROM people WHERE age > 40;")
    assert columns(database, tmp_path) == ("age",)
    assert read(database, base=tmp_path).rows() == [(51,)]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT * FROM nowhere", "no such table"),
        ("SELEC 1", "not valid"),
        ("SELECT length_of_stay FROM people", "not valid"),
        ("SELECT age, town AS age FROM people", "columns of the same name"),
        ("SELECT age FROM people WHERE age > 99", "no rows"),
        ("DROP TABLE people", "would change something"),
    ],
)
def test_what_a_query_cannot_do(address: str, tmp_path: Path, query: str, words: str) -> None:
    assert words in failure(Database(address, query=query), tmp_path)
    assert read(Database(address, table="people"), base=tmp_path).height == 3


def test_a_query_reaches_no_other_file(tmp_path: Path) -> None:
    store(PEOPLE, "duckdb:///clinic.db", "people", tmp_path)
    (tmp_path / "other.csv").write_text("secret\n1\n")
    query = f"SELECT * FROM read_csv('{tmp_path / 'other.csv'}')"
    assert "reports an error" in failure(Database("duckdb:///clinic.db", query=query), tmp_path)


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert "does not exist" in failure(Database("sqlite:///none.db", table="people"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_sqlite_columns_may_begin_with_nulls(tmp_path: Path) -> None:
    """The driver takes the type of a column from its first rows."""
    late = pl.DataFrame({"age": [None] * 5000 + [34], "n": range(5001)})
    store(late, "sqlite:///clinic.db", "people", tmp_path)
    found = read(Database("sqlite:///clinic.db", table="people"), base=tmp_path)
    assert found["age"].drop_nulls().to_list() == [34]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgresql://me:S3CRET@host/db", "must not contain a password"),
        ("postgresql://host/db?password=S3CRET", "must not contain a password"),
        ("mysql://host/S3CRET", "got another address"),
        ("sqlite://S3CRET.db", "three slashes"),
        ("duckdb:///", "three slashes"),
        ("postgresql://[S3CRET", "not a URL"),
    ],
)
def test_addresses_that_are_refused_are_not_repeated(address: str, words: str) -> None:
    problem = check_address(address)
    assert problem is not None
    assert words in str(problem)
    assert "S3CRET" not in str(problem)


def test_a_driver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("shoal.source.database.importlib.import_module", absent)
    store_nothing = tmp_path / "clinic.db"
    store_nothing.touch()
    said = failure(Database("sqlite:///clinic.db", table="people"), tmp_path)
    assert "pip install 'shoal[database]'" in said


@pytest.mark.system("postgres|pg_ctlcluster")
class TestPostgreSQL:
    def test_types_become_those_of_a_file(self, server: Server) -> None:
        server.run(
            "CREATE TABLE kinds (a int, b numeric, c date, d boolean, e uuid, f char(3))",
            "INSERT INTO kinds VALUES (1, 1.50, '2020-01-31', true, "
            "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'ab')",
        )
        [row] = read(Database(server.address, table="public.kinds")).rows()
        uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        assert row == (1, "1.50", date(2020, 1, 31), True, uuid, "ab ")

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            ("SELECT * FROM nowhere", "no such table"),
            ("SELECT 1 AS a, 2 AS a", "columns of the same name"),
            ("CREATE TABLE made (a int)", "would change something"),
            ("SELECT '{1,2}'::int[] AS a", "nested"),
        ],
    )
    def test_what_a_query_cannot_do(self, server: Server, query: str, words: str) -> None:
        assert words in failure(Database(server.address, query=query))

    def test_a_wrong_password_is_not_repeated(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PGPASSWORD", "S3CRET")
        said = failure(Database(server.address, table="kinds"))
        assert "refuses this user or this password" in said
        assert "S3CRET" not in said

    def test_servers_and_databases_that_are_not_there(self, server: Server) -> None:
        elsewhere = server.address.replace(str(server.port), "1")
        assert "no database answers" in failure(Database(elsewhere, table="t"))
        assert "no database of this name" in failure(Database(server.address + "x", table="t"))

    def test_a_connection_lost_in_the_middle(self, server: Server) -> None:
        query = "SELECT n, pg_sleep(0.001)::text FROM generate_series(1, 1000000) AS n"
        with server.cutting("pg_sleep"):
            assert "connection was lost" in failure(Database(server.address, query=query))


def test_a_database_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"does not exist: '.*nope\.db'"):
        read(Database("sqlite:///nope.db", "people"), base=tmp_path)
