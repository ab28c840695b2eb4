"""Polishing never loses more, keeps what is required, and does the same twice by steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.method.loss import lost_by
from shoal.method.polish import Polish
from shoal.model import MultiLevelK

STEPS = 120


def table(seed: int, n: int = 150) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "town": [f"t{i}" for i in draw.integers(0, 9, n)],
            "job": [f"j{i}" for i in draw.integers(0, 6, n)],
            "ill": [f"i{i}" for i in draw.integers(0, 5, n)],
            "f": draw.random(n).round(2),
        }
    )


ROLES: dict[str, Any] = {
    "age": {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 3}},
    "town": {"role": "quasi", "hierarchy": {"tree": {"*": {
        "N": ["t0", "t1", "t2"], "S": ["t3", "t4"], "W": ["t5", "t6", "t7", "t8"]}}}},
    "job": {"role": "quasi", "hierarchy": "flat"},
    "ill": "sensitive",
    "f": "sensitivity",
}  # fmt: skip
BARE = {**ROLES, "age": {"role": "quasi", "kind": "numeric"}, "town": "quasi"}
PERSONAL = {"multi-level-k": {"thresholds": [[0.8, 0.2], [0.6, 0.5]], "levels": [[9, 2], [7, 4]]}}
REQUIRED: dict[str, list[dict[str, Any]]] = {
    "k": [{"k-anonymity": {"k": 4}}],
    "k and l": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}],
    "t": [{"k-anonymity": {"k": 5}}, {"t-closeness": {"t": 0.4}}],
    "personal": [PERSONAL],
}


def run(
    method: Any, required: str, roles: dict[str, Any] = ROLES, seed: int = 1, **more: Any
) -> shoal.Release:
    plan = {"attributes": roles, "privacy": REQUIRED[required], "method": method, "seed": 1}
    return shoal.run({**plan, **more}, table(seed))


LATTICE = {"ka": {"climb": "lattice"}}


@pytest.mark.parametrize("required", REQUIRED)
@pytest.mark.parametrize("method", ["mondrian", "k-member"])
@pytest.mark.parametrize("roles", [ROLES, BARE], ids=["trees", "bare"])
def test_it_loses_less_and_everything_holds(method: str, required: str, roles: Any) -> None:
    before = run(method, required, roles)
    after = run(method, required, roles, polish={"steps": STEPS})
    assert all(v.holds for v in after.verdicts)
    assert after.measures["glm"] <= before.measures["glm"]
    assert after.counts.suppressed == before.counts.suppressed


@pytest.mark.parametrize("method", [LATTICE, "ece-mks3wd", "sd-mks3wd"])
def test_after_ladders(method: Any) -> None:
    required = "k" if method is LATTICE else "personal"
    before = run(method, required)
    after = run(method, required, polish={"steps": STEPS})
    assert after.measures["glm"] < before.measures["glm"]
    assert [v.holds for v in after.verdicts] == [v.holds for v in before.verdicts]
    levels = after.rows.filter(pl.col("class").is_not_null())["level"]
    assert levels.min() >= 1
    assert levels.max() <= 5


def test_nobody_who_was_served_loses_their_crowd() -> None:
    """sd-mks3wd may miss what people require, but whoever has it keeps it."""
    model = MultiLevelK(**PERSONAL["multi-level-k"])
    before = run("sd-mks3wd", "personal")
    after = run("sd-mks3wd", "personal", polish={"steps": STEPS})
    asked = model.asked_k(before.table)
    for release in (before, after):
        view = release.measures.view
        kept = view.partition.unit_class >= 0
        sizes = np.where(kept, view.partition.sizes()[view.partition.unit_class], 0)
        released = view.partition.k
        assert released is not None
        assert (sizes >= released)[kept].all()
    served = [
        np.append(view.partition.sizes(), 0)[view.partition.unit_class] >= asked
        for view in (before.measures.view, after.measures.view)
    ]
    assert (served[1] | ~served[0]).all()


@pytest.mark.parametrize("objective", ["glm", "ncp", "prec", "nloss", "dm", "query"])
def test_every_objective_falls(objective: str) -> None:
    before = run("mondrian", "k", objective=objective)
    after = run("mondrian", "k", objective=objective, polish={"steps": 2 * STEPS})
    if objective == "query":
        views = [release.measures.view for release in (before, after)]
        first, second = (lost_by(view.table, view.partition, "query") for view in views)
        assert second < first
        return
    name = "glm" if objective == "nloss" else objective
    assert after.measures[name] <= before.measures[name]


def test_people_stay_whole() -> None:
    frame = table(2).with_columns(who=pl.Series([i // 2 for i in range(150)]))
    same = frame.group_by("who", maintain_order=True).first().select("who", "age", "town", "job")
    frame = frame.select("who", "ill").join(same, on="who", maintain_order="left")
    roles = {**{a: ROLES[a] for a in ("age", "town", "job", "ill")}, "who": "identifier"}
    plan = {
        "attributes": roles, "individual": "who", "privacy": [{"k-anonymity": {"k": 3}}],
        "method": "mondrian", "seed": 1,
    }  # fmt: skip
    before = shoal.run(plan, frame)
    after = shoal.run({**plan, "polish": {"steps": STEPS}}, frame)
    assert all(v.holds for v in after.verdicts)
    assert after.measures["glm"] <= before.measures["glm"]


def test_the_same_twice_by_steps_and_more_steps_lose_no_more() -> None:
    releases = [run(LATTICE, "k", polish={"steps": n}) for n in (STEPS, STEPS, 8 * STEPS)]
    one, two, more = releases
    assert one.frame.equals(two.frame)
    assert more.measures["glm"] <= one.measures["glm"]


def test_shards_are_polished_apart() -> None:
    release = run("mondrian", "k", polish={"steps": STEPS}, shards={"rows": 60})
    assert all(v.holds for v in release.verdicts)


def test_by_time() -> None:
    release = run("mondrian", "k", polish={"seconds": 0.05})
    assert all(v.holds for v in release.verdicts)
    assert "polished-by-time" in {advice.code for advice in release.warnings}


def test_nothing_to_gain_is_told() -> None:
    frame = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 4})
    plan = {
        "attributes": {"a": {"role": "quasi", "hierarchy": "flat"}}, "seed": 1,
        "privacy": [{"k-anonymity": {"k": 4}}], "polish": {"steps": 20},
    }  # fmt: skip
    release = shoal.run(plan, frame)
    assert "nothing-gained" in {advice.code for advice in release.warnings}
    assert release.measures["glm"] == 0


def test_interrupted_it_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def phases(self: Polish) -> Any:
        yield 200
        raise KeyboardInterrupt

    before = run("mondrian", "k")
    monkeypatch.setattr(Polish, "phases", phases)
    after = run("mondrian", "k", polish={"seconds": 3600})
    assert after.measures["glm"] < before.measures["glm"]
    assert all(v.holds for v in after.verdicts)


def test_what_it_does_not_support_is_an_error(tmp_path: Path) -> None:
    roles = {"zip": {"role": "semi-sensitive", "flag": "s"}, "s": "flag", "age": "quasi"}
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"attribute": "zip", "l": 2}}]
    plan = {"attributes": roles, "privacy": privacy, "polish": {"steps": 5}, "method": "lgb-mdp"}
    with pytest.raises(PlanError, match="polish does not support lgb-mdp"):
        shoal.Plan.of(plan)
    levels = [{"k": [6, 1], "l-diversity": {"l": 2}}]
    strong = [{"multi-level-k": {"thresholds": [[0.8, 0.2]], "levels": levels}}]
    with pytest.raises(PlanError, match="levels of multi-level-k with requirements other than k"):
        shoal.Plan.of({"attributes": ROLES, "privacy": strong, "method": "ece-mks3wd",
                       "polish": {"steps": 5}})  # fmt: skip


def test_shares_and_phases() -> None:
    assert Polish(steps=10).share(3) == Polish(steps=4)
    assert Polish(seconds=3).share(2) == Polish(seconds=1.5)
    assert list(Polish(steps=4_500).phases()) == [2_000, 2_000, 500]
    assert list(Polish(steps=0).phases()) == []


def test_who_listens_hears_the_loss_fall(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="shoal.polish"):
        release = run("mondrian", "k", polish={"steps": 2 * STEPS})
    told = caplog.messages[-1]
    assert told.startswith(f"polish: glm {release.measures['glm']:.4f}, was ")
    before = run("mondrian", "k").measures["glm"]
    assert told.endswith(f"{before:.4f}")
