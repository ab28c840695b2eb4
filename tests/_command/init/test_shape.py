"""What the texts of a column look like."""

from __future__ import annotations

import polars as pl
import pytest

from shoal._command.init.shape import shape_of


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["ada@example.org", "bo@example.org"], "email address"),
        (["+49 30 1234567", "0049 (30) 555-1234"], "telephone number"),
        (["123e4567-e89b-12d3-a456-426614174000"], "UUID"),
        (["10.0.0.1", "192.168.7.9"], "IP address"),
        (["2020-01-01 12:30", "2020-01-01T12:30:11"], "time stamp"),
        (["DE89 3704 0044 0532 0130 00"], "IBAN"),
        (["surgery", "neurology"], ""),
        (["12345", "12346"], ""),
        (["2020-01-01"], ""),
    ],
)
def test_forms(texts: list[str], form: str) -> None:
    assert shape_of(pl.Series(texts)).form == form


def test_long_texts_are_prose() -> None:
    assert shape_of(pl.Series(["a word " * 10, "and another " * 5])).prose
    assert not shape_of(pl.Series(["x" * 80, "short"])).prose


def test_the_shape_does_not_depend_on_the_order() -> None:
    texts = [f"p{i}@example.org" if i % 10 else f"p{i}" for i in range(5_000)]
    forward, backward = shape_of(pl.Series(texts)), shape_of(pl.Series(texts[::-1]))
    assert forward == backward
