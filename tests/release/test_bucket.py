"""What the buckets of a release hold, by input row."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.release.bucket import held_in_buckets

PEOPLE = pl.DataFrame(
    {"age": [1, 2, 3, 8, 9, 9], "hide": ["yes"] * 3 + ["no"] * 3, "ill": list("uvwuvw")}
)


@pytest.mark.parametrize("tables", ["split", "joined"])
def test_every_row_finds_its_value_in_its_bucket(tables: str) -> None:
    plan: dict[str, Any] = {
        "attributes": {
            "age": {"role": "semi-sensitive", "flag": "hide"},
            "hide": "flag",
            "ill": "sensitive",
        },
        "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}],
        "method": {"lgb-mdp": {"tables": tables}},
        "seed": 1,
    }
    held = held_in_buckets(shoal.run(plan, PEOPLE).published)
    assert held.keys() == {"age", "ill"}
    of_row, owners, values = held["age"]
    assert (of_row > 0).tolist() == [True] * 3 + [False] * 3
    assert sorted(values) == ["1", "2", "3"]
    assert set(owners.tolist()) == {1}
    of_row, owners, values = held["ill"]
    for bucket, value in zip(of_row.tolist(), PEOPLE["ill"], strict=True):
        assert value in {v for b, v in zip(owners.tolist(), values, strict=True) if b == bucket}


def test_a_release_without_buckets() -> None:
    plan = {"attributes": {"age": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}], "seed": 1}
    assert held_in_buckets(shoal.run(plan, PEOPLE.select("age")).published) == {}
