"""The verifier finds every way in which versions could stop holding together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Individual, Kind, Layout, Requirement, Role, Schema
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


def ledger(*rows: tuple[str, int, int], attribute: str | None = None) -> pl.DataFrame:
    now = rows or (("a", 2, 0), ("b", 2, 0), ("c", 2, 1), ("d", 2, 1))
    people, releases, signatures = zip(("a", 1, 0), ("z", 1, 1), *now, strict=True)
    return pl.DataFrame(
        {
            "person": people,
            "release": pl.Series(releases, dtype=pl.Int32),
            "signature": signatures,
            "attribute": pl.Series([attribute] * len(people), dtype=pl.String),
        }
    )


NAMES = pl.Series(list("abcd"))


def test_what_holds_together() -> None:
    verify_versions(version(), NAMES, ledger(), SIGNATURES)


@pytest.mark.parametrize(
    ("people", "signatures", "words"),
    [
        (ledger(("a", 2, 1), ("b", 2, 0), ("c", 2, 1), ("d", 2, 1)), SIGNATURES, "1 person has"),
        (ledger(("b", 2, 0), ("c", 2, 1), ("d", 2, 1)), SIGNATURES, "it has 3"),
        (
            ledger(),
            ({"ill": frozenset({"u", "v", "x"})}, SIGNATURES[1]),
            "1 class has other values",
        ),
        (ledger(), ({"ill": frozenset({"u"})}, SIGNATURES[1]), "fewer than 2"),
        (ledger(), ({}, SIGNATURES[1]), "without values of 'ill'"),
    ],
)
def test_what_does_not(people: pl.DataFrame, signatures: Any, words: str) -> None:
    with pytest.raises(VerificationError, match=words):
        verify_versions(version(), NAMES, people, signatures)


def test_counterfeits_do_not_count_as_people() -> None:
    there = ledger(("a", 2, 0), ("b", 2, 0), ("c", 2, 1))
    with pytest.raises(VerificationError, match="without the counterfeits"):
        verify_versions(version(), NAMES, there, SIGNATURES, n_counterfeits=1)
    no_k = version()
    verify_versions(
        Published(no_k.tables, no_k.original, no_k.origin, no_k.classes, SCHEMA, REQUIRED[1:]),
        NAMES,
        there,
        SIGNATURES,
        n_counterfeits=1,
    )


def test_people_count_once_without_the_counterfeits() -> None:
    """Two rows of one person beside a counterfeit: two rows, but one person."""
    original = pl.DataFrame({"id": list("aacdx"), "age": [1, 1, 8, 9, 2], "ill": list("uvuwv")})
    labels = ["[1, 2]", "[1, 2]", "[8, 9]", "[8, 9]", "[1, 2]"]
    data = pl.DataFrame({"Id_num": list("11234"), "age": labels, "ill": original["ill"]})
    there = ledger(("a", 2, 0), ("c", 2, 1), ("d", 2, 1))
    names, classes = original["id"], np.array([1, 1, 2, 2, 1])
    shown = Published({"data": data}, original, np.arange(5), classes, SCHEMA, REQUIRED)
    with pytest.raises(VerificationError, match=r"k-anonymity.* without the counterfeits"):
        verify_versions(shown, names, there, SIGNATURES, n_counterfeits=1)
    rows = replace(
        shown, tables={"data": data.drop("Id_num")}, schema=replace(SCHEMA, individual=None)
    )
    verify_versions(rows, names, there, SIGNATURES, n_counterfeits=1)


@pytest.mark.parametrize("alone", ["[4, 5]", "[10, 11]"])
def test_a_class_of_counterfeits_alone_is_a_finding(alone: str) -> None:
    original = pl.DataFrame(
        {"id": list("abcdxy"), "age": [1, 2, 8, 9, 4, 5], "ill": list("uvuwuv")}
    )
    data = pl.DataFrame(
        {
            "Id_num": list("123456"),
            "age": ["[1, 2]"] * 2 + ["[8, 9]"] * 2 + [alone] * 2,
            "ill": original["ill"],
        }
    )
    classes = np.array([1, 1, 2, 2, 3, 3])
    shown = Published({"data": data}, original, np.arange(6), classes, SCHEMA, REQUIRED)
    with pytest.raises(VerificationError, match="1 class has rows of counterfeits only"):
        verify_versions(shown, original["id"], ledger(), SIGNATURES, n_counterfeits=2)


def test_what_is_required_of_one_version_is_not_judged_again() -> None:
    """Whether classes are large enough is for the version itself to say."""
    more = (Requirement("k-anonymity", {"k": 3}), REQUIRED[1])
    verify_versions(replace(version(), requirements=more), NAMES, ledger(), SIGNATURES)


def test_only_what_must_be_diverse_has_a_signature() -> None:
    job = Attribute("job", Role.SENSITIVE, Kind.CATEGORICAL)
    schema = Schema((*SCHEMA.attributes, job), SCHEMA.individual)
    jobs = pl.Series("job", ["m", "n", "m", "m"])
    one = version()
    both = replace(
        one,
        tables={"data": one.data.with_columns(jobs)},
        original=one.original.with_columns(jobs),
        schema=schema,
        requirements=(Requirement("l-diversity", {"l": 2, "attribute": "ill"}),),
    )
    verify_versions(both, NAMES, ledger(), SIGNATURES)
    with pytest.raises(VerificationError, match="without values of 'job'"):
        verify_versions(replace(both, requirements=REQUIRED), NAMES, ledger(), SIGNATURES)


def test_a_fraction_requires_the_next_whole() -> None:
    for least in (1.5, 2):
        diverse = (Requirement("l-diversity", {"l": least}),)
        verify_versions(replace(version(), requirements=diverse), NAMES, ledger(), SIGNATURES)
    more = replace(version(), requirements=(Requirement("l-diversity", {"l": 2.5}),))
    with pytest.raises(VerificationError, match="2 signatures have fewer than 3"):
        verify_versions(more, NAMES, ledger(), SIGNATURES)


@pytest.mark.parametrize("place", [-1, 2])
def test_a_signature_that_is_not_there(place: int) -> None:
    people = ledger(("a", 2, 0), ("b", 2, 0), ("c", 2, place), ("d", 2, place))
    with pytest.raises(VerificationError, match="signatures without values of 'ill'"):
        verify_versions(version(), NAMES, people, SIGNATURES)


def test_a_missing_value_counts_only_where_it_may() -> None:
    missing = Requirement("l-diversity", {"l": 2, "missing": "ignore"})
    one = version()
    ills = pl.Series("ill", ["w", None, "u", "w"])
    shown = Published(
        {"data": one.data.with_columns(ills)},
        one.original.with_columns(ills),
        one.origin,
        one.classes,
        SCHEMA,
        REQUIRED,
    )
    signatures = ({"ill": frozenset({"w", None})}, SIGNATURES[1])
    verify_versions(shown, NAMES, ledger(), signatures)
    strict = Published(
        shown.tables, shown.original, shown.origin, shown.classes, SCHEMA, (missing,)
    )
    with pytest.raises(VerificationError, match="1 signature has fewer than 2"):
        verify_versions(strict, NAMES, ledger(), signatures)


def test_one_value_in_two_spellings_counts_once() -> None:
    """7 and 7.0 are one number, and what is declared to be missing is missing."""
    one = version()
    ignoring = Requirement("l-diversity", {"l": 2, "missing": "ignore"})
    number = replace(SCHEMA.attributes[2], kind=Kind.NUMERIC)
    declared = replace(SCHEMA.attributes[2], missing=("?",))
    for attribute, cells, asked in (
        (number, ["7", "7.0"], REQUIRED[1]),
        (declared, ["u", "?"], ignoring),
    ):
        ills = pl.Series("ill", [*cells, *cells])
        shown = replace(
            one,
            tables={"data": one.data.with_columns(ills)},
            original=one.original.with_columns(ills),
            schema=Schema((*SCHEMA.attributes[:2], attribute), SCHEMA.individual),
            requirements=(asked,),
        )
        with pytest.raises(VerificationError, match="2 signatures have fewer than 2 values"):
            verify_versions(shown, NAMES, ledger(), [{"ill": frozenset(cells)}] * 2)


BUCKETS = Schema(
    (
        Attribute("id", Role.IDENTIFIER),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL),
    )
)


def in_buckets(values: str = "uvuw", pointers: str = "1122") -> Published:
    """One class; buckets {u, v} of a and b, and {u, w} of c and d."""
    original = pl.DataFrame({"id": list("abcd"), "age": [1, 2, 8, 9], "ill": list("uvuw")})
    data = pl.DataFrame(
        {
            "record": ["1", "2", "3", "4"],
            "GID": ["1"] * 4,
            "age": ["[1, 9]"] * 4,
            "ill_BID": [None if p == "-" else p for p in pointers],
        }
    )
    listed = pl.DataFrame({"BID": list("1122"), "value": list(values)})
    return Published(
        {"data": data, "buckets-ill": listed}, original, np.arange(4), np.ones(4, dtype=np.int64),
        BUCKETS, REQUIRED, layout=Layout.SPLIT,
    )  # fmt: skip


def of_buckets(*rows: tuple[str, int, int]) -> pl.DataFrame:
    return ledger(*rows, attribute="ill")


def test_buckets_that_hold_together() -> None:
    verify_versions(in_buckets(), NAMES, of_buckets(), SIGNATURES)
    three = in_buckets(pointers="112-")
    alone = pl.DataFrame({"person": ["d"], "release": [2]}, schema_overrides={"release": pl.Int32})
    there = of_buckets(("a", 2, 0), ("b", 2, 0), ("c", 2, 1))
    verify_versions(three, NAMES, pl.concat([there, alone], how="diagonal"), SIGNATURES)


def test_what_is_secret_only_sometimes_has_buckets_too() -> None:
    kept = replace(BUCKETS.attributes[2], role=Role.SEMI_SENSITIVE)
    shown = replace(in_buckets(), schema=Schema((*BUCKETS.attributes[:2], kept)))
    verify_versions(shown, NAMES, of_buckets(), SIGNATURES)
    with pytest.raises(VerificationError, match="without a signature of 'ill'"):
        verify_versions(shown, NAMES, ledger(), SIGNATURES)


def test_a_bucket_may_not_have_one_number_twice_in_two_spellings() -> None:
    one = in_buckets()
    listed = pl.DataFrame({"BID": list("1122"), "value": ["7", "7.0", "7", "8"]})
    shown = replace(
        one,
        tables={**one.tables, "buckets-ill": listed},
        schema=Schema((*BUCKETS.attributes[:2], replace(BUCKETS.attributes[2], kind=Kind.NUMERIC))),
    )
    signatures = ({"ill": frozenset({"7", "7.0"})}, {"ill": frozenset({"7", "8"})})
    with pytest.raises(VerificationError, match="Buckets of 'ill' have a value twice"):
        verify_versions(shown, NAMES, of_buckets(), signatures)


def test_without_buckets_nobody_needs_a_signature() -> None:
    one = in_buckets()
    none = replace(one, tables={"data": one.data.drop("ill_BID")})
    verify_versions(none, NAMES, ledger(), SIGNATURES)


@pytest.mark.parametrize(
    ("published", "people", "words"),
    [
        (in_buckets("uvux"), of_buckets(), "1 bucket has other values"),
        (in_buckets("uuuw"), of_buckets(), "a value twice"),
        (in_buckets(pointers="1221"), of_buckets(), "2 buckets have other values"),
        (in_buckets(), of_buckets(("a", 2, 0), ("b", 2, 0), ("c", 2, 1)), "it has 3"),
        (in_buckets(), ledger(), "without a signature of 'ill'"),
        (
            in_buckets(),
            of_buckets(("a", 2, 1), ("b", 2, 0), ("c", 2, 1), ("d", 2, 1)),
            "1 person has different signatures",
        ),
    ],
)
def test_buckets_that_do_not(published: Published, people: pl.DataFrame, words: str) -> None:
    with pytest.raises(VerificationError, match=words):
        verify_versions(published, NAMES, people, SIGNATURES)
