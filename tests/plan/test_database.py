"""Databases in a plan."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.plan import Plan
from shoal.source import Database
from tests.plan.cases import SMALL, only_problem

WARD = "sqlite:///ward.db"


@pytest.mark.parametrize(
    ("changes", "where", "words"),
    [
        ({"source": WARD}, "source", "the plan has neither"),
        ({"source": WARD, "table": "a", "query": "b"}, "source", "the plan has both"),
        ({"source": [WARD, "a.csv"], "table": "a"}, "source", "names several sources"),
        ({"source": "a.csv", "table": "a"}, "table", "needs a source that is a database"),
        ({"query": "SELECT 1"}, "query", "needs a source that is a database"),
        ({"source": "mysql://host/db", "table": "a"}, "source", "got another address"),
        ({"source": "https://host/a.csv"}, "source", "got a web address"),
        ({"source": "postgresql://me:word@host/db", "table": "a"}, "source", "a password"),
        ({"source": "s3a://key:word@ward/a.parquet"}, "source", "must not contain a password"),
        ({"source": "s3a://ward/a.parquet", "table": "a"}, "table", "that is a database"),
        ({"source": WARD, "table": "a", "order": "input"}, "order", "have no order"),
        ({"output": {"format": "csv"}}, "output", "got neither"),
        ({"output": {"folder": "a", "table": "b"}}, "output.table", "needs a 'database'"),
        ({"output": {"database": WARD}}, "output", "needs the name of a table"),
        ({"output": {"database": "w.db", "table": "a"}}, "output.database", "must be an address"),
        ({"output": {"database": "sqlite://w", "table": "a"}}, "output.database", "three slashes"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, Any], where: str, words: str) -> None:
    problem = only_problem(**changes)
    assert problem.where == where
    assert words in problem.text


@pytest.mark.parametrize("asked", [{"table": "people"}, {"query": "SELECT * FROM people"}])
def test_what_a_plan_reads(asked: dict[str, str]) -> None:
    plan = Plan.parse({**SMALL, "source": WARD, **asked})
    assert plan.data == Database(WARD, **asked)
    assert Plan.parse(plan.to_dict()) == plan


def test_files_that_spark_reads_are_no_database() -> None:
    addresses = ["s3a://ward/*.parquet", "abfss://may@ward.dfs.core/a.parquet"]
    assert Plan.parse({**SMALL, "source": addresses}).data == tuple(addresses)


def test_a_query_has_an_order() -> None:
    plan = {**SMALL, "source": WARD, "query": "SELECT * FROM a ORDER BY b", "order": "input"}
    assert Plan.parse(plan).order == "input"


@pytest.mark.parametrize("more", [{}, {"folder": "out"}, {"folder": "out", "format": "parquet"}])
def test_where_a_plan_writes(more: dict[str, str]) -> None:
    plan = Plan.parse({**SMALL, "output": {"database": WARD, "table": "may", **more}})
    assert plan.output_database == Database(WARD, "may")
    assert plan.output == more.get("folder")
    assert Plan.parse(plan.to_dict()) == plan


def test_a_database_changes_nothing_that_a_plan_means() -> None:
    plain = Plan.parse(SMALL)
    moved = {"source": WARD, "table": "a", "output": {"database": WARD, "table": "b"}}
    assert Plan.parse({**SMALL, **moved}).digest() == plain.digest()
