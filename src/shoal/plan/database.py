"""Databases in a plan: where the data comes from, and where the release goes."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import Problem
from shoal.plan.document import Document
from shoal.plan.field import OutputFields, PlanFields
from shoal.source import Database
from shoal.source.database import check_address, is_address, is_remote, is_web


def check_databases(fields: PlanFields, document: Document) -> Iterator[Problem]:
    """What is wrong with the databases that a plan reads and writes."""
    yield from _check_source(fields, document)
    if fields.output is not None:
        yield from _check_output(fields.output, document)


def target_of(output: OutputFields | None) -> Database | None:
    """The table of a database to write to."""
    if output is None or output.database is None:
        return None
    return Database(output.database, output.table)


def _check_source(fields: PlanFields, document: Document) -> Iterator[Problem]:
    sources = fields.source or []
    asked = [key for key in ("table", "query") if getattr(fields, key) is not None]
    for source in filter(is_remote, sources):
        if ":" in source.partition("://")[2].partition("/")[0].rpartition("@")[0]:
            text = "The address of a source must not contain a password."
            yield document.problem(("source",), text, "Give it to Spark in its own configuration.")
    addresses = [source for source in sources if is_address(source) and not is_remote(source)]
    if not addresses:
        for key in asked:
            text = f"The {key!r} parameter needs a source that is a database."
            yield document.problem((key,), text, "For example 'source: sqlite:///clinic.db'.")
        return
    for address in addresses:
        if problem := check_address(address):
            yield document.problem(("source",), problem.text, problem.hint)
    # It is no database, so what databases need is not to be asked of it.
    if any(map(is_web, addresses)):
        return
    if len(sources) > 1:
        text = "A plan reads one database, or files, but names several sources."
        yield document.problem(("source",), text, "Join them by 'query:'.")
    if len(asked) != 1:
        given = "both" if asked else "neither"
        text = f"A database needs either 'table' or 'query', but the plan has {given}."
        yield document.problem(("source",), text, "For example 'table: patients'.")
    if fields.order == "input" and fields.query is None:
        text = "The rows of a table in a database have no order, so 'order: input' has no meaning."
        yield document.problem(("order",), text, "Use 'query:' with ORDER BY, or leave it out.")


def _check_output(output: OutputFields, document: Document) -> Iterator[Problem]:
    if output.database is None:
        if output.table is not None:
            text = "The 'table' parameter of the output needs a 'database'."
            yield document.problem(("output", "table"), text, "Add 'database: sqlite:///out.db'.")
        if output.folder is None:
            text = "The output must name a folder or a database, got neither."
            yield document.problem(("output",), text, "For example 'output: release/'.")
        return
    if not is_address(output.database):
        text = "The database of the output must be an address."
        yield document.problem(("output", "database"), text, "For example sqlite:///out.db.")
    elif problem := check_address(output.database):
        yield document.problem(("output", "database"), problem.text, problem.hint)
    if output.table is None:
        text = "A database as output needs the name of a table."
        yield document.problem(("output",), text, "For example 'table: release_may'.")
