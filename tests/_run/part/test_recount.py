"""Classes that several shards have come together, and are judged as a reader judges them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from shoal._run.part.fact import SHARD
from shoal._run.part.recount import by_class, count_rows, settled
from shoal.folder.counted import Counted
from shoal.schema import Attribute, Role, Schema, Verdict
from shoal.verify import Recount
from tests._run.part.table import climbing, people


def _rows(n: int = 200) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    rows = pl.DataFrame(
        {"p0": draw.choice(list("abcdefg"), n), "p1": draw.choice(["x", "y"], n), "i": range(n)}
    )
    return rows.with_columns(pl.col("p1").replace({"y": None}))


def test_all_rows_of_a_class_have_one_number() -> None:
    found = by_class(["p0", "p1"], 4, _rows())
    assert found.group_by("p0", "p1").agg(pl.col(SHARD).n_unique())[SHARD].to_list() == [1] * 14
    assert set(found[SHARD].to_list()) <= set(range(4))
    assert found[SHARD].n_unique() > 1
    assert found[SHARD].is_sorted()
    assert sorted(found["i"].to_list()) == list(range(200))


def test_a_class_has_the_same_number_in_every_batch() -> None:
    rows = _rows()
    whole = by_class(["p0", "p1"], 4, rows).sort("i")[SHARD]
    parts = pl.concat([by_class(["p0", "p1"], 4, rows[start:][:50]) for start in range(0, 200, 50)])
    assert parts.sort("i")[SHARD].equals(whole)


def test_counts_of_batches_are_those_of_their_rows() -> None:
    schema = Schema((Attribute("a", Role.QUASI), Attribute("b", Role.SENSITIVE)))
    rows = _rows()
    found = count_rows(("a", "b"), schema, frozenset(), rows)
    expected = Counted.of(rows.select(a="p0", b="p1"), schema, frozenset())
    assert (found.n_rows, found.n_classes) == (expected.n_rows, expected.n_classes) == (200, 7)


def test_a_manifest_states_what_whole_classes_reach(tmp_path: Path) -> None:
    """Shards that cut a hierarchy publish the same labels: a class is that of both."""
    people().write_parquet(tmp_path / "t.parquet")
    plan = climbing("ka", privacy=[{"k-anonymity": {"k": 4}}])
    parts = shoal.run(plan, tmp_path / "t.parquet", output=tmp_path / "r")
    whole = shoal.run(plan, people(), output=tmp_path / "whole")
    assert [v.reached for v in parts.verdicts] == [v.reached for v in whole.verdicts]
    one, other = (
        json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("r", "whole")
    )
    assert one["requirements"] == other["requirements"]
    assert one["counts"] == other["counts"]


def test_verdicts_are_those_of_whole_classes(tmp_path: Path) -> None:
    """Two shards, each with two values of its own, publish the same interval."""
    frame = pl.DataFrame({"age": [*range(10)] * 4, "ill": [*"ab" * 2, "a", *"cd" * 2, "c"] * 4})
    frame.write_parquet(tmp_path / "t.parquet")
    age = {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 10, "levels": 1}}
    plan = {
        "attributes": {"age": age, "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 20}}, {"l-diversity": {"l": 2}}],
        "method": "mondrian",
        "shards": {"rows": 20},
        "seed": 1,
    }
    parts = shoal.run(plan, tmp_path / "t.parquet", output=tmp_path / "r")
    whole = shoal.run(plan, frame)
    assert [v.reached for v in whole.verdicts] == [40, 4]
    assert [v.reached for v in parts.verdicts] == [40, 4]


def test_what_no_reader_can_count_is_that_of_shards() -> None:
    one, other = Verdict("l", True, 2, 3, attribute="a"), Verdict("l", True, 2, 4, attribute="b")
    found = Recount((replace(one, holds=None, reached=None), replace(other, reached=5)))
    assert settled((one, other), found) == (one, replace(other, reached=5))
    assert settled((one, other), Recount(())) == (one, other)
