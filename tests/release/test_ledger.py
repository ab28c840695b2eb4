"""Who was in which version, and with which values around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.release.ledger import NEW, Ledger, held_in_buckets


def entered(ledger: Ledger, people: str, classes: list[int], values: str, n_real: int) -> Ledger:
    real = np.arange(len(people)) < n_real
    shown = {"ill": pl.Series([None if v == "-" else v for v in values], dtype=pl.String)}
    return ledger.with_release(pl.Series(list(people)), real, np.array(classes), shown)


def test_a_signature_is_the_values_of_the_class_counterfeits_too() -> None:
    ledger = entered(Ledger.empty(), "abcx", [1, 1, 2, 2], "uv-v", 3)
    signed = dict(ledger.people.select("person", "signature").iter_rows())
    assert ledger.signatures[signed["a"]] == {"ill": frozenset({"u", "v"})}
    assert ledger.signatures[signed["c"]] == {"ill": frozenset({None, "v"})}
    assert set(signed) == {"a", "b", "c"}


def test_the_same_values_are_the_same_signature_in_every_version() -> None:
    one = entered(Ledger.empty(), "ab", [1, 1], "uv", 2)
    two = entered(one, "cda", [5, 5, 5], "vuu", 3)
    assert two.n_releases == 2
    assert len(two.signatures) == 1
    assert two.signature_of(pl.Series(["d", "b", "z"])).tolist() == [0, 0, NEW]


def test_who_is_in_two_versions() -> None:
    one = entered(Ledger.empty(), "ab", [1, 1], "uv", 2)
    two = entered(Ledger(one.people, one.signatures, ("first",)), "bc", [1, 1], "uv", 2)
    both = two.in_both("first")
    assert both is not None
    assert both.to_list() == ["b"]
    assert two.in_both("another") is None
    assert two.in_both(None) is None


def test_buckets_have_a_signature_for_each_attribute() -> None:
    """b keeps nothing secret, c has no bucket of zip; the entry w of bucket 0 is nobody's."""
    ill = (np.array([0, -1, 0]), np.array([0, 0, 0]), pl.Series(["u", "v", "w"]))
    town = (np.array([4, -1, -1]), np.array([4, 4]), pl.Series(["x", None]))
    ledger = Ledger.empty().with_buckets(pl.Series(list("abc")), {"ill": ill, "zip": town})
    assert ledger.n_releases == 1
    assert set(ledger.people["person"]) == {"a", "b", "c"}
    for name, values in (("ill", {"u", "v", "w"}), ("zip", {"x", None})):
        (place,) = set(ledger.signature_of(pl.Series(["a"]), name).tolist())
        assert ledger.signatures[place] == {name: frozenset(values)}
    assert ledger.signature_of(pl.Series(["b", "c"]), "zip").tolist() == [NEW, NEW]
    assert ledger.signature_of(pl.Series(["a"])).tolist() == [NEW]
    again = ledger.with_buckets(pl.Series(["c"]), {"ill": (np.array([7]), *_as(7, "wvu"))})
    assert len(again.signatures) == 2
    assert again.n_releases == 2


def _as(bucket: int, values: str) -> tuple[np.ndarray, pl.Series]:
    return np.full(len(values), bucket), pl.Series(list(values))


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
