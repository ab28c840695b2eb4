"""What two versions reveal together, against all pairs of people by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.overlap import _codes, _distinct, _pairs
from tests._run.test_update import PLAN, people


@pytest.mark.parametrize("seed", range(8))
def test_the_counts_are_those_of_a_loop(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Values may be too many for a mark each.
    monkeypatch.setattr("shoal._run.overlap._MARKS", [0, 1 << 26][seed % 2])
    plan = {**PLAN, "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}]}
    frame = people(50, seed=seed)
    first = shoal.run(plan, frame, output=tmp_path / "release", private=tmp_path / "own")
    gone = [f"p{i}" for i in np.random.default_rng(seed).permutation(50)[:20]]
    second = shoal.update(tmp_path / "own", people(6, 100, seed + 1), gone)
    old, new = _values(first), _values(second)
    shared = [len(old[who] & new[who]) for who in old.keys() & new.keys()]
    assert second.overlap is not None
    assert second.overlap.people == len(shared)
    assert second.overlap.least == min(shared)
    assert second.overlap.exposed == sum(n < 2 for n in shared)


def _values(release: shoal.Release) -> dict[str, set[str]]:
    """The sensitive values of everybody's class."""
    rows = release.rows.with_columns(ill=release.source["ill"]).drop_nulls("class")
    by_class = {c: set(part["ill"]) for (c,), part in rows.group_by("class")}
    return {who: by_class[c] for who, c in rows.select("individual", "class").iter_rows()}


def test_nobody_in_both(tmp_path: Path) -> None:
    shoal.run(PLAN, people(6), output=tmp_path / "release", private=tmp_path / "own")
    gone = [f"p{i}" for i in range(6)]
    found = shoal.update(tmp_path / "own", people(6, 100, seed=5), gone).overlap
    assert found is not None
    assert (found.people, found.least, found.exposed) == (0, None, 0)


@pytest.mark.parametrize("seed", range(20))
def test_pairs_are_those_of_a_dictionary(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(0, 30))
    old, new = draw.integers(0, 5, n), draw.integers(0, 4, n)
    found = _pairs(old, new)
    assert found.old[found.of_person].tolist() == old.tolist()
    assert found.new[found.of_person].tolist() == new.tolist()
    assert len(set(found.of_person.tolist())) == len(
        set(zip(old.tolist(), new.tolist(), strict=True))
    )


@pytest.mark.parametrize("marks", [0, 1 << 26])
def test_every_key_once(marks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal._run.overlap._MARKS", marks)
    assert _distinct(np.array([7, 0, 3, 7, 3])).tolist() == [0, 3, 7]
    assert _distinct(np.array([], dtype=np.int64)).tolist() == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["a", None], ["b", "a"]),
        ([1, 4], [4, -2]),
        ([1, None], [4, 1]),
        ([0, 1 << 40], [1 << 40, 3]),
        ([1, 2], ["2", "3"]),
        (pl.Series([127, 0], dtype=pl.Int8), pl.Series([-128, 0], dtype=pl.Int8)),
        (pl.Series([2**63, 7 + 2**63]), pl.Series([7 + 2**63, 9 + 2**63])),
        (pl.Series([2**63 - 1, 2**63 - 3]), pl.Series([2**63 - 2, 2**63 - 3])),
        (pl.Series([-(2**63)]), pl.Series([3 - 2**63])),
        (pl.Series([2**70], dtype=pl.Int128), pl.Series([2 + 2**70], dtype=pl.Int128)),
    ],
)
def test_values_have_the_same_code_where_they_are_the_same(before: Any, after: Any) -> None:
    codes, n = _codes(pl.Series(before), pl.Series(after))
    texts = [None if value is None else str(value) for value in (*before, *after)]
    assert (
        len(set(zip(texts, codes.tolist(), strict=True)))
        == len(set(texts))
        == len(set(codes.tolist()))
    )
    assert 0 <= codes.min() <= codes.max() < n
