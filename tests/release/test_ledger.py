"""Who was in which version, and with which values around them."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.release.ledger import NEW, Ledger


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
