"""Versions with buckets that keep m-invariance, against an adversary who has them all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError
from shoal.folder.ledger import read_ledger

PLAN: dict[str, Any] = {
    "attributes": {
        "id": "identifier",
        "age": "quasi",
        "job": {"role": "semi-sensitive", "flag": "hidden"},
        "hidden": "flag",
        "ill": "sensitive",
        "pay": {"role": "sensitive", "kind": "numeric"},
    },
    "individual": "id",
    "privacy": [
        {"k-anonymity": {"k": 3}},
        {"l-diversity": {"l": 2, "attribute": "job"}},
        {"l-diversity": {"l": 3, "attribute": "ill"}},
        {"l-diversity": {"l": 2, "attribute": "pay", "kind": "frequency"}},
    ],
    "method": "lgb-mdp",
    "republish": "m-invariance",
    "seed": 1,
}
LEAST = {"job": 2, "ill": 3, "pay": 2}


def people(names: list[str], seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    n = len(names)
    return pl.DataFrame(
        {
            "id": names,
            "age": draw.integers(18, 90, n),
            "job": draw.choice(list("abcd"), n),
            "hidden": draw.choice(["yes", "no"], n),
            "ill": draw.choice([f"v{i}" for i in range(6)], n),
            "pay": draw.integers(1, 9, n) * 100.0,
        }
    )


def held(release: Any) -> dict[tuple[str, str], set[Any]]:
    """The naive twin: the values of the bucket to which everybody's row points, as published.

    Nobody can know more than which row is whose.
    """
    names = release.source["id"].gather(release.origin).to_list()
    found = {}
    for attribute in LEAST:
        if f"{attribute}_BID" not in release.frame.columns:
            continue
        listed: dict[Any, list[Any]] = {}
        for bucket, value in release.tables[f"buckets-{attribute}"].iter_rows():
            listed.setdefault(bucket, []).append(value)
        assert all(len(set(own)) == len(own) for own in listed.values())
        for name, bucket in zip(names, release.frame[f"{attribute}_BID"], strict=True):
            if bucket is not None:
                found[name, attribute] = set(listed[bucket])
    return found


def go_through(
    folder: Path, steps: list[tuple[int, int]], seed: int, plan: dict[str, Any] = PLAN
) -> list[Any]:
    """Versions in a row, in each of which some come and some go."""
    draw = np.random.default_rng(seed)
    everyone = people([f"p{i}" for i in range(40)], seed)
    there = everyone["id"].to_list()
    versions = [shoal.run(plan, everyone, output=folder / "0", private=folder / "own0")]
    for step, (n_new, n_gone) in enumerate(steps, 1):
        gone = draw.permutation(there)[: min(n_gone, len(there) - 12)].tolist()
        new = people([f"p{step}-{i}" for i in range(n_new)], seed + step)
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
    return versions


STEPS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), min_size=1, max_size=3)


@settings(max_examples=8)
@given(steps=STEPS, seed=st.integers(0, 2**16), method=st.sampled_from(["lgb-mdp", "lgb-ncp"]))
def test_nobody_falls_below_l_by_any_number_of_versions(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]], seed: int, method: str
) -> None:
    folder = tmp_path_factory.mktemp("versions")
    versions = go_through(folder, steps, seed, {**PLAN, "method": method})
    left: dict[tuple[str, str], set[Any]] = {}
    for release in versions:
        assert release.holds
        for key, values in held(release).items():
            assert left.setdefault(key, values) == values
    assert all(len(values) >= LEAST[attribute] for (_, attribute), values in left.items())
    assert versions[-1].overlap.exposed == 0


def test_entries_that_are_nobodys_are_counted_and_declared(tmp_path: Path) -> None:
    versions = go_through(tmp_path, [(0, 15), (2, 8)], 3)
    last = versions[-1]
    n_cells = sum(last.frame[f"{name}_BID"].count() for name in LEAST)
    n_listed = sum(last.tables[f"buckets-{name}"].height for name in LEAST)
    assert last.counts.entries == n_listed - n_cells > 0
    assert last.counts.published + last.counts.suppressed == last.counts.rows
    found = shoal.audit(tmp_path / "2")
    assert found.holds
    assert found.manifest.counts["counterfeit_entries"] == last.counts.entries
    page = (tmp_path / "2" / "report.html").read_text()
    assert "entries in buckets are counterfeits" in page
    answer = shoal.query(tmp_path / "2", "SELECT SUM(pay)")
    assert answer is not None


def test_an_audit_proves_it_from_the_outside(tmp_path: Path) -> None:
    versions = go_through(tmp_path, [(3, 10), (4, 10)], 5)
    there = versions[-1].published.original
    for other in ("0", "1"):
        found = shoal.audit(
            tmp_path / "2", there, private=tmp_path / "own2", beside=tmp_path / other
        )
        assert found.verdict is True
        gains = {g.about: g for g in found.gains if g.attack == "intersection"}
        assert gains.keys() == LEAST.keys()
        for name, gain in gains.items():
            assert gain.holds
            assert gain.bound == 1 / LEAST[name]


def test_an_audit_finds_entries_that_are_not_declared(tmp_path: Path) -> None:
    last = go_through(tmp_path, [(0, 15)], 3)[-1]
    assert last.counts.entries
    assert shoal.audit(tmp_path / "1", last.published.original).holds
    file = tmp_path / "1" / "manifest.json"
    manifest = json.loads(file.read_text())
    for said in (0, last.counts.entries + 1):
        manifest["counts"]["counterfeit_entries"] = said
        file.write_text(json.dumps(manifest))
        assert not shoal.audit(tmp_path / "1").holds


def test_the_ledger_has_a_signature_for_each_attribute(tmp_path: Path) -> None:
    versions = go_through(tmp_path, [(5, 5), (0, 8)], 4)
    ledger = read_ledger(tmp_path / "own2")
    for number, release in enumerate(versions, 1):
        there = ledger.people.filter(pl.col("release") == number)
        assert set(there["person"]) == set(release.source["id"].gather(release.origin))
        signed = {
            (name, attribute): set(ledger.signatures[place][attribute])
            for name, attribute, place in there.drop_nulls("signature")
            .select("person", "attribute", "signature")
            .iter_rows()
        }
        shown = {key: {_text(v) for v in values} for key, values in held(release).items()}
        assert signed == shown


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def test_who_comes_back_with_another_value_is_left_out(tmp_path: Path) -> None:
    versions = go_through(tmp_path, [(2, 6)], 6)
    gone = set(versions[0].source["id"]) - set(versions[1].source["id"])
    back = versions[0].source.filter(pl.col("id").is_in(sorted(gone)))
    same = shoal.update(tmp_path / "own1", back)
    assert same.overlap is not None
    assert {key: values for key, values in held(same).items() if key[0] in gone} == {
        key: values for key, values in held(versions[0]).items() if key[0] in gone
    }
    other = back.with_columns(ill=pl.lit("none of them"))
    assert shoal.update(tmp_path / "own1", other).counts.suppressed == other.height


def test_people_have_one_row_each(tmp_path: Path) -> None:
    frame = people([f"p{i}" for i in range(30)], 1)
    shoal.run(PLAN, frame, output=tmp_path / "1", private=tmp_path / "own")
    with pytest.raises(DataError, match="one row for each person"):
        shoal.update(tmp_path / "own", frame.head(1))
    with pytest.raises(DataError, match="one row for each person"):
        shoal.run(PLAN, pl.concat([frame, frame.head(2)]))


def test_nothing_of_who_is_who_is_published(tmp_path: Path) -> None:
    frame = people([f"p{i}" for i in range(30)], 1)
    named = shoal.run(PLAN, frame, output=tmp_path / "1", private=tmp_path / "own")
    plan = {k: v for k, v in PLAN.items() if k not in ("individual", "republish")}
    alone = shoal.run(plan, frame)
    assert named.frame.equals(alone.frame)
    assert shoal.audit(tmp_path / "1", frame, plan=PLAN).holds
