"""Secrets that are too frequent for buckets: the fewest rows leave, and the rest is published."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal

PLAN: dict[str, Any] = {
    "attributes": {"q": "quasi", "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
    "seed": 1,
}


@pytest.mark.parametrize("method", ["lgb-mdp", "lgb-ncp"])
@pytest.mark.parametrize("kind", ["distinct", "frequency", "entropy"])
def test_the_fewest_rows_leave(method: str, kind: str) -> None:
    frame = pl.DataFrame({"q": range(40), "ill": list("a" * 21 + "b" * 19)})
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2, "kind": kind}}]
    release = shoal.run({**PLAN, "method": method, "privacy": privacy}, frame)
    values = release.tables["buckets-ill"]["value"].to_list()
    assert sorted(values) == list("a" * 19 + "b" * 19)
    assert (release.counts.suppressed, release.counts.singly) == (2, 2)
    assert "left-out-singly" in {advice.code for advice in release.warnings}
    limited = {**PLAN, "method": method, "privacy": privacy, "suppression": {"limit": 0.04}}
    with pytest.raises(shoal.InfeasibleError, match="2 of 40 rows would be suppressed"):
        shoal.run(limited, frame)


def test_too_few_values_are_the_obstacle() -> None:
    frame = pl.DataFrame({"q": range(4), "ill": list("aaaa")})
    with pytest.raises(shoal.InfeasibleError, match="its secret cells have 1 distinct value"):
        shoal.run({**PLAN, "method": "lgb-mdp"}, frame)


def test_whoever_keeps_a_secret_that_nothing_hides_is_left_out() -> None:
    """Two people keep their town secret, and it is the same: no bucket has two values."""
    frame = pl.DataFrame(
        {
            "q": range(8),
            "town": list("aabbccdd"),
            "hide": ["yes", "yes", *["no"] * 6],
            "ill": list("abababab"),
        }
    )
    attributes = {
        "q": "quasi",
        "town": {"role": "semi-sensitive", "flag": "hide"},
        "hide": "flag",
        "ill": "sensitive",
    }
    release = shoal.run({**PLAN, "attributes": attributes, "method": "lgb-mdp"}, frame)
    assert release.counts.published == 6
