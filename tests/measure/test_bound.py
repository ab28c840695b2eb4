"""The measure `bound`: where it applies, and that it stays on the private side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measure import bound
from shoal.measure.price import QUICK, STEPS, price_units
from tests.contract.standard import plan_for, standard_case
from tests.measure.optimum import Small, least_loss
from tests.measure.small import release_of, view_of

METHODS = ["ka", "mondrian", "k-member", "danonyir", "weighted-graph", "top-down"]


@pytest.mark.parametrize("method", METHODS)
def test_no_release_loses_less(method: str) -> None:
    case = standard_case()
    measures = shoal.run(plan_for(case, method), case.frame).measures
    assert 0 < measures["bound"] <= measures["glm"]


def test_it_does_not_depend_on_the_method() -> None:
    case = standard_case()
    case.privacy = [{"k-anonymity": {"k": 4}}]
    bounds = {
        shoal.run(plan_for(case, m), case.frame).measures["bound"] for m in ("ka", "mondrian")
    }
    assert len(bounds) == 1


def test_by_hand() -> None:
    """Three alike are free with k = 2; the fourth costs one cell of two wherever it goes."""
    frame = pl.DataFrame({"a": ["x", "x", "x", "y"], "b": ["u", "u", "u", "u"]})
    attributes = {name: {"role": "quasi", "hierarchy": "flat"} for name in "ab"}
    release = release_of(frame, attributes, 2, method="ka")
    small = Small(
        {"a": ["x", "x", "x", "y"], "b": ["u"] * 4},
        {"a": {"x": ("x", "*"), "y": ("y", "*")}, "b": {"u": ("u", "*")}},
    )
    # Whoever joins the fourth loses as much as it does, but so does leaving it out.
    assert least_loss(small, [2] * 4) == 2
    assert release.measures["bound"] <= 2 / 8
    assert release.measures["bound"] == pytest.approx(2 / 8, abs=1e-3)


SECRET = {
    "zip": {"role": "semi-sensitive", "flag": "hidden", "hierarchy": "flat"},
    "hidden": "flag",
    "age": "quasi",
}


def test_it_is_absent_where_it_has_no_meaning() -> None:
    frame = pl.DataFrame(
        {"zip": list("aabbccdd"), "hidden": [0, 1] * 4, "age": [1, 2, 3, 4, 5, 6, 7, 8]}
    )
    plan = {
        "attributes": SECRET, "method": "lgb-mdp", "seed": 1,
        "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"attribute": "zip", "l": 2}}],
    }  # fmt: skip
    measures = shoal.run(plan, frame).measures
    assert "bound" not in measures
    with pytest.raises(KeyError, match=r"bound.*does not apply"):
        measures["bound"]
    assert "bound" not in release_of(pl.DataFrame({"age": [1, 2]}), {"age": "quasi"}, 1).measures


def test_it_is_absent_where_a_release_falls_short() -> None:
    """sd-mks3wd may leave people below the k that they require: no bound on that holds for it."""
    view = view_of(
        {"a": [1, 2, 3]}, {"a": "quasi"}, [0, 0, 1], required_k=np.array([2, 2, 2], dtype=np.int32)
    )
    assert not shoal.measure.MEASURES["bound"]().applies(view)


def test_it_is_never_published(tmp_path: Path) -> None:
    case = standard_case()
    plan = plan_for(case, "ka")
    shoal.run(plan, case.frame, output=tmp_path / "release", private=tmp_path / "own")
    for path in (tmp_path / "release").iterdir():
        assert b"bound" not in path.read_bytes(), path.name
    assert "no release can lose less than" in (tmp_path / "own" / "report.html").read_text()


@pytest.mark.parametrize(
    ("privacy", "same"),
    [
        ([{"alpha-k": {"alpha": 0.9, "k": 3}}], 3),
        ([{"l-diversity": {"l": 3}}], 3),
        ([{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 4, "kind": "entropy"}}], 4),
    ],
)
def test_which_size_counts(privacy: list[dict[str, Any]], same: int) -> None:
    case = standard_case()
    case.privacy = privacy
    one = shoal.run(plan_for(case, "ka"), case.frame).measures["bound"]
    case.privacy = [{"k-anonymity": {"k": same}}]
    assert one == shoal.run(plan_for(case, "ka"), case.frame).measures["bound"]


@pytest.mark.slow
def test_polish_pays_for_the_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []

    def price(table: Any, k: Any, steps: int) -> Any:
        spent.append(steps)
        return price_units(table, k, steps)

    monkeypatch.setattr(bound, "price_units", price)
    frame = pl.DataFrame({"a": [1, 2, 3, 4]})
    plan = {"attributes": {"a": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}], "seed": 1}
    for more in ({}, {"polish": {"steps": 1}}):
        assert shoal.run({**plan, **more}, frame).measures["bound"] > 0
    assert spent == [QUICK, STEPS]
