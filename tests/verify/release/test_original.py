"""The columns of a published table beside those of the original."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.release.original import compare_columns, demand_columns
from tests.verify.small import said

SCHEMA = Schema(
    (
        Attribute("q", Role.QUASI),
        Attribute("s", Role.SENSITIVE),
        Attribute("o", Role.INSENSITIVE, Kind.NUMERIC),
    )
)


def test_a_column_that_the_original_lacks() -> None:
    demand_columns(pl.DataFrame({"q": [1], "s": [1], "o": [1]}), SCHEMA)
    with pytest.raises(DataError, match="The original has no column 'o', but the release does"):
        demand_columns(pl.DataFrame({"q": [1], "s": [1]}), SCHEMA)


def test_columns_that_only_one_of_two_has() -> None:
    found = said(compare_columns(["a", "b"], ["b", "c"]))
    assert "'a' is in the manifest but not in the table" in found
    assert "'c' is in the table but not in the manifest" in found
