"""The published order tells nothing of the input's."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.recode.order import _hash_texts, _sealed, sort_keys
from tests.papers.naive import siphash

PLAN = {
    "attributes": {
        "name": "identifier",
        "age": "quasi",
        "ill": "sensitive",
        "visit": "insensitive",
    },
    "privacy": [{"k-anonymity": {"k": 2}}],
}


def _people(n: int = 40) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(n)],
            "age": [i // 4 for i in range(n)],
            "ill": [random.Random(i).choice("abc") for i in range(n)],
            "visit": [i % 2 for i in range(n)],
        }
    )


def test_another_seed_is_another_order_of_the_same_rows() -> None:
    one, two = (shoal.run({**PLAN, "seed": seed}, _people()).frame for seed in (1, 2))
    assert one.rows() != two.rows()
    assert sorted(one.rows()) == sorted(two.rows())


def test_one_more_row_is_another_order_under_the_same_seed() -> None:
    """The key depends on the whole input, so a guessed seed is of no use."""
    frame = _people()
    one = shoal.run({**PLAN, "seed": 1}, frame).origin.tolist()
    changed = frame.with_columns(pl.when(pl.col("name") == "n0").then(pl.lit("x"))
                                 .otherwise(pl.col("name")).alias("name"))  # fmt: skip
    two = shoal.run({**PLAN, "seed": 1}, changed).origin.tolist()
    assert one != two
    assert one != sorted(one)


def test_no_seed_is_a_fresh_one() -> None:
    assert shoal.run(PLAN, _people()).seed != shoal.run(PLAN, _people()).seed


def test_rows_that_publish_alike_are_told_apart_by_their_whole_input() -> None:
    """Shuffling the input moves no person: the same names stand at the same places."""
    frame = pl.DataFrame({"name": list("abcdefgh"), "age": [1] * 8, "ill": ["x"] * 8,
                          "visit": [0] * 8})  # fmt: skip
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=5)
    places = []
    for table in (frame, shuffled):
        release = shoal.run({**PLAN, "seed": 9}, table)
        places.append(table["name"].gather(release.origin).to_list())
    assert places[0] == places[1]
    assert places[0] != sorted(places[0])


@pytest.mark.parametrize("seed", range(5))
def test_the_places_of_rows_hide_which_values_only_their_class_has(seed: int) -> None:
    """In two tables, people of a class who share a value once stood together in the first."""
    frame = pl.DataFrame({"age": [1, 2] * 8, "visit": [0, 0, 1, 1] * 4, "ill": list("abcd" * 4),
                          "name": [f"n{i // 2}" for i in range(16)]})  # fmt: skip
    plan = {**PLAN, "privacy": [{"k-anonymity": {"k": 16}}, {"l-diversity": {"l": 2}}],
            "method": {"qi-mhsa": {"tables": "split"}}, "seed": seed}  # fmt: skip
    release = shoal.run(plan, frame)
    assert release.coded["data"].columns == ["GID", "age", "visit"]
    visits = release.frame["visit"].rle().struct.field("value").to_list()
    assert sorted(visits) == [0, 1], "all rows that look alike stand together"


@pytest.mark.parametrize("tables", ["split", "joined"])
def test_the_places_of_rows_hide_which_have_the_same_secret(tables: str) -> None:
    """Rows of the same input once stood together, so that 1, 1, 2, 2 gave two secrets away."""
    plan = {"attributes": {"age": "quasi", "ill": "sensitive"},
            "privacy": [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}],
            "method": {"lgb-mdp": {"tables": tables}}}  # fmt: skip
    frame = pl.DataFrame({"age": [30] * 4, "ill": list("AABC")})
    seen = set()
    for seed in range(40):
        release = shoal.run({**plan, "seed": seed}, frame)
        buckets = release.coded["data"]["ill_BID"].cast(pl.String).to_list()
        if buckets == ["1", "1", "2", "2"]:
            seen.add("".join(frame["ill"].gather(release.origin)[1:3]))
        other = shoal.run({**plan, "seed": seed}, frame.reverse())
        assert other.tables["data"].equals(release.tables["data"])
    assert seen - {"AA"}


@pytest.mark.parametrize("kind", [pl.String, pl.Int64, pl.Float64])
def test_the_type_of_a_column_does_not_show(kind: type[pl.DataType]) -> None:
    frame = _people().with_columns(pl.col("age").cast(pl.String))
    release = shoal.run({**PLAN, "seed": 1}, frame.with_columns(pl.col("age").cast(kind)))
    assert release.frame.rows() == shoal.run({**PLAN, "seed": 1}, frame).frame.rows()


def test_values_that_swap_columns_are_other_rows() -> None:
    """Cells are hashed with the name of their column."""
    frame = pl.DataFrame({"a": ["x", "x", "y"] * 4, "b": ["y", "x", "x"] * 3 + ["x"] * 3})
    plan = {
        "attributes": {"a": "sensitive", "b": {"role": "quasi", "kind": "categorical"}},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "seed": 4,
    }
    one = shoal.run(plan, frame).input_digest
    assert one == shoal.run(plan, frame.reverse()).input_digest
    assert one != shoal.run(plan, frame.select(a="b", b="a")).input_digest


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5))
def test_words_are_sealed_like_their_bytes(words: list[int]) -> None:
    key = (np.uint64(7), np.uint64(2**63))
    out = _sealed(np.array(words, dtype=np.uint64), key)
    assert out.tolist() == [siphash(word.to_bytes(8, "little"), 7, 2**63) for word in words]


@given(st.lists(st.one_of(st.none(), st.text(max_size=20)), min_size=1, max_size=6))
def test_texts_are_hashed_under_a_key(texts: list[str | None]) -> None:
    key = (np.uint64(3), np.uint64(4))
    out = _hash_texts(pl.Series(texts, dtype=pl.String), key).tolist()
    assert out == [4 if text is None else siphash(text.encode(), 3, 4) for text in texts]


@pytest.mark.parametrize(
    ("n", "n_first"), [(0, 1), (1, 1), (9000, 1), (9000, 3), (150_000, 40_000)]
)
def test_rows_are_sorted_by_two_hashes_and_keep_their_order(n: int, n_first: int) -> None:
    draw = np.random.default_rng(n + n_first)
    first, second = (
        draw.integers(0, 2**64 - 1, m, dtype=np.uint64)[draw.integers(0, m, n)]
        for m in (n_first, 7)
    )
    expected = np.lexsort((np.arange(n), second, first))
    assert sort_keys(first, second).tolist() == expected.tolist()
