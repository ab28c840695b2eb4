"""What is published as it was: as text, or as the same number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import polars as pl
import pytest

from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.text.unchanged import check_unchanged
from tests.verify.small import release_of, said, text

UP = 1.0000001  # its single and double floats differ


def found(
    published: Any,
    original: Any,
    kind: Kind | None = None,
    symbols: Mapping[str, str] = MappingProxyType({}),
    **more: Any,
) -> str:
    attribute = Attribute("s", Role.SENSITIVE, kind, missing=("?",))
    release = release_of({"s": published}, {"s": original}, Schema((attribute,)))
    return said(check_unchanged(replace(release, symbols=symbols), **more))


@pytest.mark.parametrize(
    ("published", "original", "kind", "same"),
    [
        ("a", "a", None, True), ("a", "b", None, False), (None, None, None, True),
        (None, "?", None, True), (None, "", None, True), (None, "a", None, False),
        ("?", "?", None, False), ("a", None, None, False), ("a", "?", None, False),
        ("1", "1.0", None, False), ("1", "1.0", Kind.NUMERIC, True),
        ("1", "2", Kind.NUMERIC, False),
        ("0.5", "0.50", Kind.NUMERIC, True), ("0.5", "0.25", Kind.NUMERIC, False),
        ("1", "1.0000000001", Kind.NUMERIC, False), ("x", "x", Kind.NUMERIC, True),
        ("x", "y", Kind.NUMERIC, False), (None, "1", Kind.NUMERIC, False),
        ("1", None, Kind.NUMERIC, False), ("0", "?", Kind.NUMERIC, False),
        ("+7", "007", Kind.NUMERIC, True), ("-0", "0", Kind.NUMERIC, True),
        ("9007199254740993", "9007199254740992", Kind.NUMERIC, False),
        ("9007199254740993", "+9007199254740993", Kind.NUMERIC, True),
        ("9007199254740992.0", "9007199254740992", Kind.NUMERIC, True),
        ("9007199254740992.0", "9007199254740993", Kind.NUMERIC, False),
        ("9007199254740993", "9007199254740992.00", Kind.NUMERIC, False),
    ],
)  # fmt: skip
def test_cells(published: Any, original: Any, kind: Kind | None, same: bool) -> None:
    for shown in (text(["z", published]), text(["z", published]).cast(pl.Categorical)):
        problems = found(shown, ["z", original], kind)
        assert (problems == "") is same
        assert same or "1 cell that differs from the original (published row 2)" in problems
    words = sorted({"z"} | ({published} - {None}))
    assert (found(text(["z", published]).cast(pl.Enum(words)), ["z", original], kind) == "") is same


def test_single_floats_are_as_precise_as_they_are() -> None:
    single = pl.Series([UP], dtype=pl.Float32)
    assert found([repr(UP)], single, Kind.NUMERIC) == ""
    assert found([repr(UP)], pl.Series([float(single[0])]), Kind.NUMERIC) != ""
    assert found(["1.1"], single, Kind.NUMERIC) != ""
    assert found(["1.00000010"], single, Kind.NUMERIC) == ""
    # The digits of the double that a single-precision number is.
    assert found([repr(float(single[0]))], single, Kind.NUMERIC) == ""
    assert found(["1.00000010"], pl.Series([float(single[0])]), Kind.NUMERIC) != ""


def test_whole_numbers_of_any_size_are_compared_by_their_digits() -> None:
    """As doubles both are 2**53; a column of doubles cannot tell them apart."""
    large = pl.Series([2**53 + 1])
    assert found([str(2**53 + 1)], large, Kind.NUMERIC) == ""
    assert found([str(2**53)], large, Kind.NUMERIC) != ""
    assert found([str(2**53 + 1)], pl.Series([2.0**53]), Kind.NUMERIC) == ""


@pytest.mark.parametrize(
    ("published", "original"), [("ba", "ab"), (["?", "?"], ["?", "?"]), ([None, None], "ab")]
)
def test_a_dictionary_in_which_every_cell_is_wrong(published: Any, original: Any) -> None:
    shown = text(published).cast(pl.Enum(["?", "a", "b"]))
    assert "2 cells that differ from the original (published rows 1, 2)" in found(shown, original)


def test_what_is_not_looked_at() -> None:
    assert found(["a"], ["b"], symbols={"s": "by-flag"}) == ""
    assert found(["a"], ["b"], roles=(Role.INSENSITIVE,)) == ""
    assert found(pl.Series([1]), ["b"]) == ""
