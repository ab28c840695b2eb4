"""The share of rows that columns in the open single out."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.plan import Plan
from shoal.release import exposure
from shoal.release.exposure import share_singled_out
from shoal.table import encode

FRAME = pl.DataFrame(
    {"q": [1] * 4, "a": list("xxyy"), "b": list("pqpp"), "c": [None, None, None, "r"]}
)
PLAN = Plan.of(
    {
        "attributes": {"q": "quasi", "a": "sensitive", "b": "sensitive", "c": "insensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
    }
)


@pytest.mark.parametrize("few", [1 << 24, 0])
@pytest.mark.parametrize(
    ("names", "share"), [("", 0), ("a", 0), ("b", 0.25), ("c", 0.25), ("ab", 0.5), ("abc", 1)]
)
def test_counting_and_hashing_find_the_same_rows(
    names: str, share: float, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exposure, "_FEW", few)
    assert share_singled_out(list(names), FRAME, encode(FRAME, PLAN.schema)) == share
