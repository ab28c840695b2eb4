"""A release in a database: all of its tables in one transaction, read again before it ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import PlanError, VerificationError
from shoal.folder.manifest import manifest_of
from shoal.folder.writing import check_verified
from shoal.release.outcome import Outcome
from shoal.source import Database
from shoal.source.database import connected, has_table, quoted, refusing


def table_names(release_tables: Mapping[str, Any], table: str) -> dict[str, str]:
    """What each table of a release is called in a database, the manifest too.

    >>> table_names({"data": None, "buckets-zip": None}, "may")
    {'data': 'may', 'buckets-zip': 'may_buckets_zip', 'manifest': 'may_manifest'}
    """
    return {
        name: table if name == "data" else f"{table}_{name.replace('-', '_')}"
        for name in (*release_tables, "manifest")
    }


def claim_tables(database: Database, base: Path, force: bool) -> None:
    """Make sure, before any work, that the database answers and the table may be written."""
    if has_table(database, base) and not force:
        raise PlanError(
            f"The {database.label} database already has a table of that name.",
            "Choose another, or replace it with --force.",
        )


@contextmanager
def tables_in(database: Database, release: Outcome, base: Path, force: bool) -> Iterator[None]:
    """Write the tables and check them; they are there when the block ends without an error."""
    check_verified(release)
    tables = {name: _storable(table, database) for name, table in release.tables.items()}
    names = table_names(tables, database.table or "")
    tables["manifest"] = pl.DataFrame({"manifest": [manifest_of(release).text()]})
    with connected(database, base, write=True) as connection:
        for name, table in tables.items():
            if force:
                _execute(database, connection, f"DROP TABLE IF EXISTS {quoted(names[name])}")
            _create(database, connection, names[name], table)
            # Within the transaction, so nobody else sees tables that differ.
            _compare(database, connection, names[name], table)
        yield
        with refusing(database, "write"):
            connection.commit()


def _create(database: Database, connection: Any, name: str, table: pl.DataFrame) -> None:
    schema, _, own = name.rpartition(".")
    options = {"db_schema_name": schema} if schema else {}
    with refusing(database, "write"), connection.cursor() as cursor:
        data = table.to_arrow(compat_level=pl.CompatLevel.oldest())
        cursor.adbc_ingest(own, data, mode="create", **options)


def _compare(database: Database, connection: Any, name: str, table: pl.DataFrame) -> None:
    """Raise unless the database gives back the rows that it was given, in any order."""
    with refusing(database, "read"), connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {quoted(name)}")
        found = pl.DataFrame(pl.from_arrow(cursor.fetch_arrow_table()))
    if not _rows(found).equals(_rows(table)):
        raise VerificationError(
            "The tables in the database must be those that were verified, but they differ; nothing "
            "was written.",
            hint="The database may change values when it stores them: write to a folder instead.",
        )


def _rows(table: pl.DataFrame) -> pl.DataFrame:
    texts = table.select(pl.all().cast(pl.String))
    return texts.sort(texts.columns, nulls_last=True)


def _execute(database: Database, connection: Any, statement: str) -> None:
    with refusing(database, "write"), connection.cursor() as cursor:
        cursor.execute(statement)


def _storable(table: pl.DataFrame, database: Database) -> pl.DataFrame:
    """The table in types that the database has: SQLite has neither days nor yes and no."""
    flat = table.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    if database.driver != "sqlite":
        return flat
    return flat.with_columns(
        pl.col(pl.Boolean).cast(pl.Int8), pl.col(pl.Date, pl.Datetime, pl.Time).cast(pl.String)
    )
