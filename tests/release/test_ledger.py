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
