"""Versions that keep m-invariance, against an adversary who has them all."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, PlanError
from shoal.folder.ledger import read_ledger

PLAN: dict[str, Any] = {
    "attributes": {"id": "identifier", "age": "quasi", "job": "quasi", "ill": "sensitive"},
    "individual": "id",
    "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}],
    "method": "mondrian",
    "republish": "m-invariance",
    "seed": 1,
}


def people(names: list[str], seed: int, n_values: int = 5) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    n = len(names)
    return pl.DataFrame(
        {
            "id": names,
            "age": draw.integers(18, 90, n),
            "job": draw.choice(list("abcd"), n),
            "ill": draw.choice([f"v{i}" for i in range(n_values)], n),
        }
    )


def allowed(release: Any, known: pl.DataFrame) -> dict[str, set[str]]:
    """The naive twin: what an adversary who reads the published text thinks each person may have.

    A person can be any row whose age and job cover theirs.
    """
    rows = [
        (*_ends(age), _members(job), ill)
        for age, job, ill in release.frame.select("age", "job", "ill").iter_rows()
    ]
    return {
        name: {ill for low, high, jobs, ill in rows if low <= age <= high and job in jobs}
        for name, age, job in known.select("id", "age", "job").iter_rows()
    }


def _ends(label: str) -> tuple[int, int]:
    ends = [int(end) for end in label.strip("[]").split(", ")]
    return ends[0], ends[-1]


def _members(label: str) -> set[str]:
    return set(label.strip("{}").split(", "))


def published(release: Any) -> set[str]:
    rows = release.rows.drop_nulls("class").head(release.counts.rows)
    return {name for name in rows["individual"] if not name.startswith("counterfeit")}


def go_through(folder: Path, steps: list[tuple[int, int]], seed: int, plan: dict[str, Any]) -> Any:
    """Versions in a row, in each of which some come and some go; everyone who ever was there."""
    draw = np.random.default_rng(seed)
    everyone = people([f"p{i}" for i in range(40)], seed)
    there = everyone["id"].to_list()
    versions = [shoal.run(plan, everyone, output=folder / "0", private=folder / "own0")]
    for step, (n_new, n_gone) in enumerate(steps, 1):
        gone = draw.permutation(there)[: min(n_gone, len(there) - 10)].tolist()
        new = people([f"p{step}-{i}" for i in range(n_new)], seed + step)
        everyone = pl.concat([everyone, new])
        there = [name for name in there if name not in gone] + new["id"].to_list()
        versions.append(
            shoal.update(
                folder / f"own{step - 1}",
                new if n_new else None,
                gone,
                output=folder / str(step),
                private=folder / f"own{step}",
            )
        )
    return versions, everyone


STEPS = st.lists(st.tuples(st.integers(0, 15), st.integers(1, 15)), min_size=1, max_size=3)


@settings(max_examples=10)
@given(steps=STEPS, seed=st.integers(0, 2**16))
def test_nobody_falls_below_l_by_any_number_of_versions(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]], seed: int
) -> None:
    versions, everyone = go_through(tmp_path_factory.mktemp("versions"), steps, seed, PLAN)
    left: dict[str, set[str]] = {}
    for release in versions:
        assert release.holds
        inside, here = published(release), allowed(release, everyone)
        for name in inside:
            left[name] = left.get(name, here[name]) & here[name]
    assert min(map(len, left.values())) >= 3


@settings(max_examples=5)
@given(steps=STEPS, seed=st.integers(0, 2**16))
def test_k_is_reached_without_counterfeits(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]], seed: int
) -> None:
    versions, _ = go_through(tmp_path_factory.mktemp("versions"), steps, seed, PLAN)
    for release in versions:
        rows = release.rows.drop_nulls("class").filter(
            ~pl.col("individual").str.starts_with("counterfeit")
        )
        assert min(Counter(rows["class"]).values()) >= 3


def test_counterfeits_are_counted_and_declared(tmp_path: Path) -> None:
    """The only one with w leaves; nobody comes in their place."""
    frame = pl.DataFrame(
        {
            "id": list("abcdef"),
            "age": [20, 21, 22, 23, 61, 62],
            "job": ["x"] * 6,
            "ill": ["u", "u", "v", "w", "u", "v"],
        }
    )
    shoal.run(PLAN, frame, output=tmp_path / "1", private=tmp_path / "own1")
    release = shoal.update(
        tmp_path / "own1", None, ["d"], output=tmp_path / "2", private=tmp_path / "own2"
    )
    assert (release.counts.rows, release.counts.counterfeits, release.counts.published) == (5, 1, 6)
    manifest = shoal.audit(tmp_path / "2").manifest
    assert manifest.republish == "m-invariance"
    assert manifest.counts["counterfeits"] == 1
    assert manifest.counts["published"] == 6
    assert shoal.audit(tmp_path / "2").holds
    assert release.overlap.exposed == 0
    again = shoal.update(tmp_path / "own2", frame.filter(pl.col("id") == "d"))
    assert (again.counts.rows, again.counts.counterfeits) == (6, 0)


def test_an_audit_knows_of_counterfeits(tmp_path: Path) -> None:
    versions, _ = go_through(tmp_path, [(0, 12), (2, 12)], 3, PLAN)
    assert versions[-1].counts.counterfeits > 0
    there = pl.read_parquet(tmp_path / "own2" / "input.parquet").head(versions[-1].counts.rows)
    assert shoal.audit(tmp_path / "2", there, private=tmp_path / "own2").verdict is True
    assert shoal.audit(tmp_path / "2", there).holds
    # The file as it stands, with the counterfeits at its end.
    file = str(tmp_path / "own2" / "input.parquet")
    assert shoal.audit(tmp_path / "2", file, private=tmp_path / "own2").verdict is True
    for other in ("0", "1"):
        beside = shoal.audit(
            tmp_path / "2", there, private=tmp_path / "own2", beside=tmp_path / other
        )
        (found,) = [gain for gain in beside.gains if gain.attack == "intersection"]
        assert found.holds
        assert found.bound == 1 / 3


def test_the_ledger_has_who_was_in_which_version(tmp_path: Path) -> None:
    versions, _ = go_through(tmp_path, [(5, 5), (0, 8)], 4, PLAN)
    ledger = read_ledger(tmp_path / "own2")
    for number, release in enumerate(versions, 1):
        there = ledger.people.filter(pl.col("release") == number)
        assert set(there["person"]) == published(release)
    assert (
        ledger.people.group_by("person").agg(pl.col("signature").n_unique())["signature"].max() == 1
    )


def test_who_comes_back_keeps_their_signature(tmp_path: Path) -> None:
    versions, everyone = go_through(tmp_path, [(5, 10)], 5, PLAN)
    gone = sorted(published(versions[0]) - published(versions[1]))[:3]
    back = everyone.filter(pl.col("id").is_in(gone))
    release = shoal.update(
        tmp_path / "own1", back, output=tmp_path / "2", private=tmp_path / "own2"
    )
    inside = published(release) & set(gone)
    first, now = allowed(versions[0], everyone), allowed(release, everyone)
    assert all(len(first[name] & now[name]) >= 3 for name in inside)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"individual": None}, "must recognise people"),
        ({"privacy": [{"k-anonymity": {"k": 3}}]}, "requires no l-diversity"),
        ({"privacy": [{"l-diversity": {"l": 2, "kind": "frequency"}}]}, "of kind distinct"),
        (
            {"privacy": [{"l-diversity": {"l": 2}}, {"t-closeness": {"t": 0.3}}]},
            "does not support t-closeness",
        ),
        ({"republish": "always"}, "'m-invariance', got another"),
    ],
)
def test_what_it_cannot_keep_is_said_before_any_work(change: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        shoal.Plan.parse({**PLAN, **change})


def test_a_version_without_a_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="ledger"):
        shoal.run(PLAN, people([f"p{i}" for i in range(20)], 1), output=tmp_path / "1")
    assert not (tmp_path / "1").exists()


def test_a_state_without_its_ledger_is_refused(tmp_path: Path) -> None:
    """Without it everybody would be new, and could be given another signature."""
    frame = people([f"p{i}" for i in range(20)], 1)
    shoal.run(PLAN, frame, output=tmp_path / "1", private=tmp_path / "own")
    facts = json.loads((tmp_path / "own" / "state.json").read_text())
    for name in ("ledger.parquet", "signatures.parquet"):
        del facts["files"][name]
    (tmp_path / "own" / "state.json").write_text(json.dumps(facts))
    with pytest.raises(DataError, match="ledger"):
        shoal.update(tmp_path / "own", None, ["p1"])


@pytest.mark.parametrize("method", ["k-member", "adjacency", "hilbert", "auto", "ka"])
def test_other_methods(tmp_path: Path, method: str) -> None:
    attributes = dict(PLAN["attributes"])
    if method == "ka":
        attributes["age"] = {"role": "quasi", "hierarchy": {"width": 20, "levels": 3}}
        attributes["job"] = {"role": "quasi", "hierarchy": "flat"}
    plan = {**PLAN, "method": method, "attributes": attributes}
    versions, _ = go_through(tmp_path, [(6, 6), (3, 9)], 6, plan)
    assert all(release.holds for release in versions)
    assert versions[-1].overlap.exposed == 0


def test_two_sensitive_attributes(tmp_path: Path) -> None:
    plan = {**PLAN, "attributes": {**PLAN["attributes"], "drug": "sensitive"}}
    frame = people([f"p{i}" for i in range(60)], 1)
    frame = frame.with_columns(drug=pl.Series([i % 4 for i in range(60)]))
    shoal.run(plan, frame, output=tmp_path / "1", private=tmp_path / "own1")
    gone = [f"p{i}" for i in range(0, 60, 4)]
    release = shoal.update(tmp_path / "own1", None, gone)
    assert release.counts.counterfeits > 0
    assert release.overlap is not None
    assert release.overlap.exposed == 0
