"""A release in a database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError, ShoalError, VerificationError
from shoal.folder.database import tables_in
from shoal.source import Database, read
from tests.source.server import Server, started, store

pytest.importorskip("adbc_driver_sqlite", reason="needs shoal[database]")
pytest.importorskip("duckdb", reason="needs shoal[database]")

PEOPLE = pl.DataFrame(
    {"age": [31, 33, 34, 58, 61, 64], "ill": list("abcabc"), "cured": [True, False] * 3}
)
PLAN: dict[str, Any] = {
    "attributes": {"age": "quasi", "ill": "sensitive", "cured": "insensitive"},
    "privacy": [{"k-anonymity": {"k": 3}}],
    "method": "mondrian",
    "seed": 1,
}


@pytest.fixture(params=["sqlite", "duckdb"])
def address(request: pytest.FixtureRequest) -> str:
    return f"{request.param}:///out.db"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started(tmp_path_factory.mktemp("server")) as found:
        yield found


def plan_for(address: str, base: Path, **more: Any) -> shoal.Plan:
    output = {"database": address, "table": "may", **more}
    return shoal.Plan.parse({**PLAN, "output": output}, base)


def rows(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    return sorted(frame.select(pl.col("age", "ill").cast(pl.String)).rows())


def test_the_tables_are_those_of_the_release(address: str, tmp_path: Path) -> None:
    release = shoal.run(plan_for(address, tmp_path), PEOPLE)
    assert rows(read(Database(address, "may"), base=tmp_path)) == rows(release.frame)
    told = json.loads(read(Database(address, "may_manifest"), base=tmp_path).item())
    assert told["tool"] == "shoal"


def test_beside_a_folder(address: str, tmp_path: Path) -> None:
    shoal.run(plan_for(address, tmp_path, folder="release"), PEOPLE)
    assert shoal.audit(tmp_path / "release").holds
    assert read(Database(address, "may"), base=tmp_path).height == 6


def test_buckets_are_tables_of_their_own(address: str, tmp_path: Path) -> None:
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive", "cured": "drop"},
        "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}],
        "method": "lgb-mdp",
        "output": {"database": address, "table": "may"},
    }
    release = shoal.run(shoal.Plan.parse(plan, tmp_path), PEOPLE)
    found = read(Database(address, "may_buckets_ill"), base=tmp_path)
    assert found.height == release.tables["buckets-ill"].height


def test_a_table_that_exists_is_replaced_by_force_alone(address: str, tmp_path: Path) -> None:
    plan = plan_for(address, tmp_path)
    shoal.run(plan, PEOPLE)
    with pytest.raises(PlanError, match="already has a table"):
        shoal.run(plan, PEOPLE.head(3))
    assert read(Database(address, "may"), base=tmp_path).height == 6
    shoal.run(plan, PEOPLE.head(3), force=True)
    assert read(Database(address, "may"), base=tmp_path).height == 3


def test_what_fails_leaves_nothing(address: str, tmp_path: Path) -> None:
    """The folder comes inside the transaction: if it cannot be written, neither is the table."""
    release = shoal.run(PLAN, PEOPLE)
    store(PEOPLE, address, "other", tmp_path)
    with pytest.raises(RuntimeError), tables_in(Database(address, "may"), release, tmp_path, False):
        raise RuntimeError
    with pytest.raises(DataError, match="no such table"):
        read(Database(address, "may"), base=tmp_path)


def test_a_release_that_was_changed_is_refused(address: str, tmp_path: Path) -> None:
    release = shoal.run(PLAN, PEOPLE)
    release.published.tables["data"] = release.published.tables["data"].head(2)
    with (
        pytest.raises(VerificationError),
        tables_in(Database(address, "may"), release, tmp_path, False),
    ):
        pass


@pytest.mark.system("postgres|pg_ctlcluster")
class TestPostgreSQL:
    def test_a_million_rows_in_and_out(self, server: Server, tmp_path: Path) -> None:
        draw, n = np.random.default_rng(1), 1_000_000
        people = pl.DataFrame(
            {
                "age": draw.integers(18, 90, n),
                "ill": draw.choice(list("abcdef"), n),
                "cured": draw.random(n) < 0.5,
            }
        )
        store(people, server.address, "people")
        plan = {**PLAN, "source": server.address, "table": "people"}
        output = {"database": server.address, "table": "ward_may"}
        release = shoal.run({**plan, "output": output})
        assert release.frame.equals(shoal.run(PLAN, people).frame)
        found = read(Database(server.address, "ward_may"))
        assert rows(found) == rows(release.frame)

    def test_a_schema(self, server: Server, tmp_path: Path) -> None:
        server.run("CREATE SCHEMA ward")
        plan = {**PLAN, "output": {"database": server.address, "table": "ward.june"}}
        shoal.run(plan, PEOPLE)
        assert read(Database(server.address, "ward.june")).height == 6
        with pytest.raises(PlanError, match="already has a table"):
            shoal.run(plan, PEOPLE)
        shoal.run(plan, PEOPLE, force=True)

    def test_a_connection_lost_in_the_middle(self, server: Server, tmp_path: Path) -> None:
        release = shoal.run(PLAN, PEOPLE)
        target = Database(server.address, "lost")
        with (
            pytest.raises(DataError, match="connection was lost"),
            tables_in(target, release, tmp_path, False),
        ):
            server.cut("lost")
        with pytest.raises(ShoalError, match="no such table"):
            read(target)

    def test_no_right_to_write(self, server: Server, tmp_path: Path) -> None:
        server.run("CREATE ROLE reader LOGIN PASSWORD 'a word for tests'")
        address = server.address.replace("clerk@", "reader@")
        plan = {**PLAN, "output": {"database": address, "table": "june"}}
        with pytest.raises(DataError, match="may not do that"):
            shoal.run(plan, PEOPLE)
