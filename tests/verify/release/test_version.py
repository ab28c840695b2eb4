"""The verifier finds every way in which versions could stop holding together."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Individual, Kind, Requirement, Role, Schema
from shoal.verify import Published, verify_versions

SCHEMA = Schema(
    (
        Attribute("id", Role.IDENTIFIER),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL),
    ),
    Individual("id"),
)
REQUIRED = (Requirement("k-anonymity", {"k": 2}), Requirement("l-diversity", {"l": 2}))
SIGNATURES = ({"ill": frozenset({"u", "v"})}, {"ill": frozenset({"u", "w"})})


def version(ills: str = "uvuw") -> Published:
    """Two classes of two people each."""
    original = pl.DataFrame({"id": list("abcd"), "age": [1, 2, 8, 9], "ill": list(ills)})
    data = pl.DataFrame(
        {
            "Id_num": ["1", "2", "3", "4"],
            "age": ["[1, 2]", "[1, 2]", "[8, 9]", "[8, 9]"],
            "ill": list(ills),
        }
    )
    return Published(
        {"data": data}, original, np.arange(4), np.array([1, 1, 2, 2]), SCHEMA, REQUIRED
    )


def ledger(*rows: tuple[str, int, int]) -> pl.DataFrame:
    now = rows or (("a", 2, 0), ("b", 2, 0), ("c", 2, 1), ("d", 2, 1))
    before = (("a", 1, 0), ("z", 1, 1))
    schema = {"person": pl.String, "release": pl.Int32, "signature": pl.Int64}
    return pl.DataFrame([*before, *now], schema=schema, orient="row")


def test_what_holds_together() -> None:
    verify_versions(version(), ledger(), SIGNATURES)


@pytest.mark.parametrize(
    ("people", "signatures", "words"),
    [
        (ledger(("a", 2, 1), ("b", 2, 0), ("c", 2, 1), ("d", 2, 1)), SIGNATURES, "1 people have"),
        (ledger(("b", 2, 0), ("c", 2, 1), ("d", 2, 1)), SIGNATURES, "it has 3"),
        (
            ledger(),
            ({"ill": frozenset({"u", "v", "x"})}, SIGNATURES[1]),
            "1 classes have other values",
        ),
        (ledger(), ({"ill": frozenset({"u"})}, SIGNATURES[1]), "fewer than 2"),
        (ledger(), ({}, SIGNATURES[1]), "without values of 'ill'"),
    ],
)
def test_what_does_not(people: pl.DataFrame, signatures: Any, words: str) -> None:
    with pytest.raises(VerificationError, match=words):
        verify_versions(version(), people, signatures)


def test_counterfeits_do_not_count_as_people() -> None:
    there = ledger(("a", 2, 0), ("b", 2, 0), ("c", 2, 1))
    with pytest.raises(VerificationError, match="without the counterfeits"):
        verify_versions(version(), there, SIGNATURES, n_counterfeits=1)
    no_k = version()
    verify_versions(
        Published(no_k.tables, no_k.original, no_k.origin, no_k.classes, SCHEMA, REQUIRED[1:]),
        there,
        SIGNATURES,
        n_counterfeits=1,
    )


def test_a_missing_value_counts_only_where_it_may() -> None:
    missing = Requirement("l-diversity", {"l": 2, "missing": "ignore"})
    one = version()
    ills = pl.Series("ill", ["u", None, "u", "w"])
    shown = Published(
        {"data": one.data.with_columns(ills)},
        one.original.with_columns(ills),
        one.origin,
        one.classes,
        SCHEMA,
        REQUIRED,
    )
    signatures = ({"ill": frozenset({"u", None})}, SIGNATURES[1])
    verify_versions(shown, ledger(), signatures)
    strict = Published(
        shown.tables, shown.original, shown.origin, shown.classes, SCHEMA, (missing,)
    )
    with pytest.raises(VerificationError, match="fewer than 2"):
        verify_versions(strict, ledger(), signatures)
