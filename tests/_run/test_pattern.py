"""Classes with secrets that are known, and people who come and leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError
from tests._run.test_signed import LEAST, PLAN, people

ANEW = {k: v for k, v in PLAN.items() if k != "republish"}


def classes(release: Any) -> dict[str, frozenset[str]]:
    """With whom everybody shares a class."""
    names = release.source["id"].gather(release.origin).to_list()
    by_class: dict[Any, set[str]] = {}
    for name, number in zip(names, release.frame["GID"], strict=True):
        by_class.setdefault(number, set()).add(name)
    return {name: frozenset(own) for own in by_class.values() for name in own}


def buckets(release: Any, attribute: str) -> set[frozenset[str]]:
    """Who shares a bucket."""
    names = release.source["id"].gather(release.origin).to_list()
    found: dict[Any, set[str]] = {}
    for name, number in zip(names, release.frame[f"{attribute}_BID"], strict=True):
        if number is not None:
            found.setdefault(number, set()).add(name)
    return {frozenset(own) for own in found.values()}


@pytest.mark.parametrize("method", ["lgb-mdp", "lgb-ncp"])
def test_everybody_else_stays_in_their_class_and_bucket(tmp_path: Path, method: str) -> None:
    frame = people([f"p{i}" for i in range(120)], 1)
    plan = {**ANEW, "method": method}
    first = shoal.run(plan, frame, output=tmp_path / "r", private=tmp_path / "own")
    second = shoal.update(tmp_path / "own", people(["new1", "new2", "new3"], 2), ["p7"])
    assert second.holds
    assert not second.whole
    old, new = classes(first), classes(second)
    moved = {name for name in old if name in new and old[name] != new[name]}
    assert len(moved) <= 4 * 8
    for attribute in ("ill", "pay"):
        same = buckets(first, attribute) & buckets(second, attribute)
        assert len(same) >= len(buckets(first, attribute)) - 12


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**16),
    n_new=st.integers(0, 15),
    n_gone=st.integers(1, 20),
    republish=st.booleans(),
)
def test_any_update_is_a_release_that_holds(
    tmp_path_factory: pytest.TempPathFactory, seed: int, n_new: int, n_gone: int, republish: bool
) -> None:
    """`holds` is the verifier's word, which knows nothing of how the classes came about."""
    folder = tmp_path_factory.mktemp("state")
    frame = people([f"p{i}" for i in range(60)], seed)
    plan = PLAN if republish else ANEW
    first = shoal.run(plan, frame, output=folder / "r", private=folder / "own")
    gone = [f"p{i}" for i in np.random.default_rng(seed).permutation(60)[:n_gone]]
    new = people([f"n{i}" for i in range(n_new)], seed + 1) if n_new else None
    try:
        release = shoal.update(folder / "own", new, gone)
    except InfeasibleError:
        # A run on the same people says the same.
        there = frame.filter(~pl.col("id").is_in(gone))
        with pytest.raises(InfeasibleError):
            shoal.run(plan, there if new is None else pl.concat([there, new]))
        return
    assert release.holds
    assert release.frame["GID"].value_counts()["count"].min() >= 3
    if not release.whole:
        old, now = classes(first), classes(release)
        untouched = {own for own in old.values() if not own & set(gone)} & set(now.values())
        together = {own for own in old.values() if not own & set(gone)}
        assert len(together - untouched) <= release.touched


def test_who_fits_no_class_has_all_made_anew(tmp_path: Path) -> None:
    """Nobody kept their job secret so far."""
    frame = people([f"p{i}" for i in range(30)], 1).with_columns(hidden=pl.lit("no"))
    shoal.run(ANEW, frame, output=tmp_path / "r", private=tmp_path / "own")
    some = people([f"n{i}" for i in range(6)], 2).with_columns(hidden=pl.lit("yes"))
    release = shoal.update(tmp_path / "own", some)
    assert release.whole
    assert release.holds
    assert "job_BID" in release.frame.columns
    assert set(LEAST) <= {v.attribute for v in release.verdicts if v.attribute}
