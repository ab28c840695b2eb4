"""Tables in databases: PostgreSQL, SQLite and DuckDB, through ADBC.

All three have one interface (ADBC, with Arrow tables in and out), so that nothing here knows a
protocol. User and password come from the environment (PGUSER, PGPASSWORD), a password file or a
service file, as libpq has it; an address that contains a password is refused, since addresses
are in plans. What drivers say is not passed on: it may quote the query, cells or the address.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import polars as pl

from shoal.errors import DataError, Problem
from shoal.source.arrow import check_types, frame_of
from shoal.source.frame import normalise
from shoal.source.name import check_names

DRIVERS = {"postgresql": "postgresql", "postgres": "postgresql", "sqlite": "sqlite",
           "duckdb": "duckdb"}  # fmt: skip
_SECRETS = ("password", "sslpassword", "passfile_password")
# SQLite columns have no type of their own: the driver takes that of this many first rows.
_ROWS_OF_A_TYPE = 1 << 20
_INSTALL = "Install it: pip install 'shoal[database]'."

_NO_TABLE = "there is no such table"

# What PostgreSQL says by SQLSTATE or in words (errors of a connection have no SQLSTATE), in ours.
_CAUSES = (
    (
        "no password supplied|password authentication failed|28P01|28000|role .* does not exist",
        "the server refuses this user or this password",
        "Set PGUSER and PGPASSWORD, or use a password file or a service file.",
    ),
    (
        "database .* does not exist|3D000",
        "the server has no database of this name",
        "Correct the address.",
    ),
    (
        "could not translate host name",
        "there is no host of this name",
        "Correct the address.",
    ),
    (
        "Connection refused|No such file or directory|timeout expired|unable to open database|"
        "Cannot open file|failed to open",
        "no database answers at this address",
        "Start the server, or correct the address.",
    ),
    (
        "42P01|no such table|Table with name .* does not exist",
        _NO_TABLE,
        "Correct its name, with its schema where it needs one.",
    ),
    ("42501|permission denied", "this user may not do that", "Ask for the rights to the table."),
    (
        "42601|42703|42883|syntax error|no such column|Binder Error|Parser Error",
        "the query is not valid there",
        "Try it in the database's own shell.",
    ),
    ("25006|readonly|read-only", "the query would change something", "Only queries are run."),
    (
        "ALREADY_EXISTS|42P07|already exists",
        "the table already exists",
        "Choose another, or replace it with --force.",
    ),
    (
        "terminating connection|server closed the connection|57P01|08006|no connection to the",
        "the connection was lost",
        "Run it again when the server is back.",
    ),
    ("Could not set lock|locked", "another program has locked it", "Close that program first."),
)


@dataclass(frozen=True, slots=True)
class Database:
    """A table of a database, or the answer to a query.

    >>> Database("sqlite:///clinic.db", table="patients").question
    'SELECT * FROM "patients"'
    >>> Database("postgresql:///clinic", table="ward.patients").question
    'SELECT * FROM "ward"."patients"'
    """

    address: str
    table: str | None = None
    query: str | None = None

    @property
    def driver(self) -> str:
        return DRIVERS[urlsplit(self.address).scheme]

    @property
    def question(self) -> str:
        """The query that gives the table."""
        return self.query if self.query is not None else f"SELECT * FROM {quoted(self.table or '')}"

    @property
    def label(self) -> str:
        """The database in words, without where it is."""
        return {"postgresql": "PostgreSQL", "sqlite": "SQLite", "duckdb": "DuckDB"}[self.driver]

    def file(self, base: Path | None) -> Path | None:
        """The file of SQLite or DuckDB, relative to `base`; None for a server."""
        if self.driver == "postgresql":
            return None
        path = unquote(urlsplit(self.address).path)[1:]
        return Path(path) if base is None else base / path


def is_address(source: object) -> bool:
    """Whether a source is written as an address.

    >>> is_address("sqlite:///clinic.db"), is_address("clinic.csv")
    (True, False)
    """
    return isinstance(source, str) and re.match(r"[A-Za-z][\w+.-]*://", source) is not None


# Object stores and distributed file systems, which Spark reads.
REMOTE = frozenset(
    ("abfs", "abfss", "dbfs", "file", "gs", "hdfs", "ofs", "s3", "s3a", "viewfs", "wasb", "wasbs")
)


def is_remote(source: object) -> bool:
    """Whether a source is the address of files, which only Spark reads.

    >>> is_remote("s3a://clinic/may/*.parquet"), is_remote("sqlite:///a.db"), is_remote("a.csv")
    (True, False, False)
    """
    return is_address(source) and str(source).partition("://")[0].lower() in REMOTE


def is_web(source: object) -> bool:
    """Whether a source is the address of a file on the web, which nothing here downloads.

    >>> is_web("https://host/a.csv"), is_web("sqlite:///a.db")
    (True, False)
    """
    return is_address(source) and str(source).partition("://")[0].lower() in ("http", "https")


def check_address(address: str) -> Problem | None:
    """What is wrong with the address of a database; no part of it is repeated."""
    try:
        parts = urlsplit(address)
        options = parse_qs(parts.query)
        password = parts.password
    except ValueError:
        return Problem("The address of the database is not a URL.", hint=_examples())
    if is_web(address):
        return Problem(
            "The source must be a file or the address of a database, got a web address instead.",
            hint="shoal does not download tables. Download the file and name it here.",
        )
    if parts.scheme not in DRIVERS:
        return Problem(
            "The source must be a file or the address of a database, got another address instead.",
            hint=_examples(),
        )
    if password is not None or any(key.lower() in _SECRETS for key in options):
        return Problem(
            "The address of a database must not contain a password.",
            hint="Leave it out, and set PGPASSWORD, or use a password file or a service file.",
        )
    if DRIVERS[parts.scheme] != "postgresql" and (parts.netloc or len(parts.path) < 2):
        return Problem(
            "The address of a database file must have three slashes before its path.",
            hint=_examples(),
        )
    return None


def _examples() -> str:
    return "For example postgresql://host/clinic, sqlite:///clinic.db or duckdb:///clinic.duckdb."


def quoted(table: str) -> str:
    """A table's name for a query; a dot separates schema and table.

    >>> quoted('odd"name')
    '"odd""name"'
    """
    parts = [part.replace('"', '""') for part in table.split(".")]
    return ".".join(f'"{part}"' for part in parts)


def read(database: Database, base: Path | None) -> pl.DataFrame:
    """The whole table, read in a transaction that cannot write."""
    label = f"The {'query' if database.query is not None else 'table'}"
    table = _flat(fetch(database, base))
    check_types(table.schema, label)
    return normalise(frame_of(table), label)


def columns(database: Database, base: Path | None) -> tuple[str, ...]:
    """The names of the columns, without reading the rows."""
    # PostgreSQL before 16 requires a name for a query inside another.
    limited = f"SELECT * FROM ({database.question.rstrip().rstrip(';')}) AS asked LIMIT 0"
    found = fetch(Database(database.address, query=limited), base)
    return check_names(found.schema.names, "The answer of the database")


def fetch(database: Database, base: Path | None) -> Any:
    """The answer as an Arrow table whose columns have different names."""
    with (
        connected(database, base, write=False) as connection,
        refusing(database, "read"),
        connection.cursor() as cursor,
    ):
        if database.driver == "sqlite":
            statement = cursor.adbc_statement
            statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_ROWS_OF_A_TYPE)})
        cursor.execute(database.question)
        reader = cursor.fetch_record_batch()
        check_names(reader.schema.names, "The answer of the database")
        return reader.read_all()


def has_table(database: Database, base: Path | None) -> bool:
    """Whether the database has the table already, whatever this user may do with it."""
    with connected(database, base, write=True) as connection:
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT * FROM {quoted(database.table or '')} LIMIT 0")
                cursor.fetch_record_batch()
        except _errors() as error:
            # A table that this user may not read is there, too.
            return _cause(_said(error))[0] != _NO_TABLE
    return True


@contextmanager
def connected(database: Database, base: Path | None, *, write: bool) -> Iterator[Any]:
    """A connection in a transaction, which is undone unless it is committed."""
    file = database.file(base)
    if file is not None and not (file.exists() if not write else file.parent.is_dir()):
        missing = file if not write else file.parent
        raise DataError(
            f"The {'file' if not write else 'folder'} of the database does not exist: "
            f"'{os.path.relpath(missing)}'.",
            "Correct the address.",
        )
    connection = _open(database, file, write)
    try:
        if database.driver == "postgresql" and not write:
            with refusing(database, "open"), connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION READ ONLY")
        yield connection
    finally:
        with suppress(Exception):
            connection.rollback()
        with suppress(Exception):
            connection.close()


def _open(database: Database, file: Path | None, write: bool) -> Any:
    driver = _driver(database.driver)
    if file is None:
        with refusing(database, "open"):
            return driver.dbapi.connect(database.address)
    where = str(file.absolute())
    if database.driver == "sqlite":
        mode = "rwc" if write else "ro"
        with refusing(database, "open"):
            return driver.dbapi.connect(f"file:{quote(where)}?mode={mode}")
    options = {"path": where, "access_mode": "READ_WRITE" if write else "READ_ONLY"}
    # A query must not reach other files of the machine, or anything beyond it.
    options["enable_external_access"] = "false"
    with refusing(database, "open"):
        return driver.dbapi.adbc_driver_manager.dbapi.connect(
            driver=driver.driver_path(), entrypoint="duckdb_adbc_init", db_kwargs=options
        )


@contextmanager
def refusing(database: Database, doing: str) -> Iterator[None]:
    """Errors of a driver in plain words: what it says itself may quote anything."""
    errors = _errors()
    cause: tuple[str, str] | None = None
    try:
        yield
    except errors as error:
        cause = _cause(_said(error))
    if cause is not None:
        verb = {"open": "open", "read": "read from", "write": "write to"}[doing]
        raise DataError(f"Could not {verb} the {database.label} database: {cause[0]}.", cause[1])


def _said(error: BaseException) -> str:
    """What a driver says, with its SQLSTATE, for `_cause` alone."""
    return f"{getattr(error, 'sqlstate', None)} {error}"


def _cause(said: str) -> tuple[str, str]:
    for pattern, cause, hint in _CAUSES:
        if re.search(pattern, said, re.IGNORECASE):
            return cause, hint
    return "it reports an error", "Try the same in the database's own shell."


def _driver(name: str) -> Any:
    try:
        importlib.import_module(f"adbc_driver_{name}.dbapi")
        return importlib.import_module(f"adbc_driver_{name}")
    except ImportError:
        pass
    raise DataError("Reading databases needs a package that is not installed.", _INSTALL)


def _errors() -> tuple[type[BaseException], ...]:
    """What a driver raises; Arrow's own errors where the connection ends while rows are read."""
    import pyarrow as pa

    manager = importlib.import_module("adbc_driver_manager")
    return (manager.Error, pa.ArrowException, OSError)


def _flat(table: Any) -> Any:
    """What a database has and polars has not: numerics, uuids and documents, as text."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            cells = table.column(place)
            if field.type.extension_name == "arrow.uuid":
                texts = [None if c is None else str(c) for c in cells.to_pylist()]
                cells = pa.chunked_array([pa.array(texts, pa.string())])
            else:
                chunks = [chunk.storage for chunk in cells.chunks]
                cells = pa.chunked_array(chunks, type=field.type.storage_type)
            table = table.set_column(place, field.name, cells)
    return table
