"""Hilbert honours every requirement, and loses less than Mondrian where it should."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.method.baseline import hilbert
from tests.method.test_polish import BARE, REQUIRED, ROLES, table


@pytest.mark.parametrize("required", REQUIRED)
@pytest.mark.parametrize("roles", [ROLES, BARE], ids=["trees", "bare"])
def test_everything_holds(required: str, roles: Any) -> None:
    plan = {"attributes": roles, "privacy": REQUIRED[required], "method": "hilbert", "seed": 1}
    release = shoal.run(plan, table(4))
    assert all(v.holds for v in release.verdicts)
    assert release.measures["suppression"] == 0


def test_classes_are_no_larger_than_needed() -> None:
    plan = {"attributes": BARE, "privacy": REQUIRED["k"], "method": "hilbert", "seed": 1}
    sizes = shoal.run(plan, table(5)).classes["size"]
    assert sizes.min() >= 4
    assert sizes.max() <= 7


def test_lines_are_cut_apart_and_the_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hilbert, "_LINE", 40)
    plan = {"attributes": BARE, "privacy": REQUIRED["k"], "method": "hilbert", "seed": 1}
    one = shoal.run(plan, table(6))
    two = shoal.run({**plan, "engine": {"local": {"workers": 1}}}, table(6))
    assert all(v.holds for v in one.verdicts)
    assert one.frame.equals(two.frame)


def test_more_attributes_than_bits() -> None:
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({f"q{j}": draw.integers(0, 3, 30) for j in range(70)})
    plan = {
        "attributes": dict.fromkeys(frame.columns, "quasi"), "method": "hilbert", "seed": 1,
        "privacy": [{"k-anonymity": {"k": 3}}],
    }  # fmt: skip
    assert shoal.run(plan, frame).verdicts[0].holds
