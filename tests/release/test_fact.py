"""The wording of facts about a release."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from shoal.release.fact import listed, telling_columns, unprotected, with_real_ends
from shoal.schema import Kind


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        ("", 8, ""),
        ("a", 8, "a"),
        ("ab", 8, "a and b"),
        ("abc", 3, "a, b and c"),
        ("abc", 2, "a, b and 1 more"),
    ],
)
def test_names_are_listed(names: str, most: int, text: str) -> None:
    assert listed(list(names), most=most) == text


@pytest.mark.parametrize(
    ("kind", "hierarchy", "ranges", "found"),
    [
        (Kind.NUMERIC, None, "tight", True),
        (Kind.DATE, None, "columns", True),
        (Kind.NUMERIC, None, "snapped", False),
        (Kind.NUMERIC, "mask", "tight", False),
        (Kind.ORDINAL, None, "tight", False),
        (None, None, "tight", False),
    ],
)
def test_only_tight_ranges_end_in_real_values(
    kind: Kind | None, hierarchy: str | None, ranges: str, found: bool
) -> None:
    column = SimpleNamespace(name="q", kind=kind, hierarchy=hierarchy)
    assert with_real_ends([column], ranges) == (["q"] if found else [])


def test_words_follow_the_number() -> None:
    assert telling_columns("a and b", 2, 0.25).startswith("Taken together, a and b single out 25%")
    assert telling_columns("a", 1, 0.25).startswith("a alone singles out 25%")
    assert "all people in" in unprotected("a", people=True)
    assert "all rows in" in unprotected("a", people=False)
