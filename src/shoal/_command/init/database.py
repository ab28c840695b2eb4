"""A table of a database to look at, and how a plan names it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shoal.errors import PlanError, Problem
from shoal.source import Database
from shoal.source.database import check_address, is_address, is_web


def find_database(data: Any, table: str | None, query: str | None) -> Database | None:
    """The table or the query of the database at an address; None where `data` is no address.

    Raises PlanError, which repeats neither address nor query.
    """
    asked = [name for name, value in (("table", table), ("query", query)) if value is not None]
    if not is_address(data):
        if asked:
            text = f"The {asked[0]!r} parameter needs the address of a database."
            raise PlanError(text, "For example sqlite:///clinic.db.")
        return None
    problems = [problem for problem in [check_address(data)] if problem]
    if len(asked) != 1 and not is_web(data):
        given = "both were" if asked else "neither was"
        text = f"A database needs either a table or a query, but {given} given."
        problems.append(Problem(text, hint="For example --table patients."))
    if problems:
        raise PlanError(problems)
    return Database(data, table, query)


def address_in_plan(database: Database, base: Path) -> str:
    """The address as a plan in the folder `base` names it: the path of a file is relative to it.

    >>> address_in_plan(Database("sqlite:////data/a%20b.db", "visits"), Path("/data/plans"))
    'sqlite:////data/a%20b.db'
    """
    file = database.file(None)
    if file is None or file.is_absolute():
        return database.address
    scheme = database.address.partition("://")[0]
    return f"{scheme}:///{quote(Path(os.path.relpath(file, base)).as_posix())}"


def release_of(database: Database) -> str:
    """The folder of the release, named after the table.

    >>> release_of(Database("sqlite:///a.db", "ward.visits 2024"))
    'release-visits-2024/'
    """
    name = re.sub(r"[^\w-]+", "-", (database.table or "").rpartition(".")[2]).strip("-")
    return f"release-{name}/" if name else "release/"
