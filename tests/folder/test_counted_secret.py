"""Releases with buckets, counted: what is stated is what their tables say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.folder.counted_secret import CountedSecrets, Held
from shoal.folder.manifest import state
from shoal.folder.public import Public
from shoal.report.secret import released_buckets
from shoal.verify import Recount
from tests._run.part.table import keeping_secrets, secretive


@pytest.mark.parametrize("method", ["lgb-mdp", {"lgb-mdp": {"tables": "joined"}}])
def test_a_statement_from_counts_is_that_from_the_tables(method: Any) -> None:
    release = shoal.run(keeping_secrets(method), secretive())
    tables = dict(release.coded)
    counted = CountedSecrets.of_tables(tables, release.schema, release.layout)
    public = Public.of(release)
    empty = {name: table.clear() for name, table in tables.items()}
    known = replace(public, tables=empty, counted=counted)
    expected = state(public)
    found = state(known, lambda _: Recount(release.verdicts))
    assert found.model_copy(update={"verdicts": ()}) == expected.model_copy(update={"verdicts": ()})
    for own in released_buckets(release):
        assert counted.bucket_sizes(own.name, own.file) == own


def test_counts_of_classes_add_up() -> None:
    release = shoal.run(keeping_secrets(shards={"rows": 5000}), secretive())
    whole = CountedSecrets.of_tables(release.coded, release.schema, release.layout)
    twice = whole.merge(whole)
    assert twice.n_rows == 2 * whole.n_rows
    assert twice.least_alike == 2 * whole.least_alike
    assert twice.n_classes == 2 * whole.n_classes
    assert (twice.n_empty, twice.n_empty_rows) == (2 * whole.n_empty, 2 * whole.n_empty_rows)
    assert {n: h.lost for n, h in twice.held.items()} == {
        n: 2 * h.lost for n, h in whole.held.items()
    }


def test_a_bucket_loses_what_its_cells_may_be() -> None:
    held = Held.of(pl.Series(["1", "1", "1", "2", "2"]), pl.Series(["a", "b", "b", "c", None]))
    assert (held.lost, held.n_cells) == (3 * 1 + 2 * 1, 5)
    assert dict(held.sizes.rows()) == {3: 1, 2: 1}
    assert dict(held.values.rows()) == {"a": 1, "b": 2, "c": 1, None: 1}
