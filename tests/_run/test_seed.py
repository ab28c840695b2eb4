"""The seed of a run: drawn and kept private, or as the plan names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run.seed import find_seed
from shoal.plan import Plan

PEOPLE = pl.DataFrame(
    {
        "age": [20 + i % 9 for i in range(60)],
        "ill": [("flu", "cold", "HIV")[i % 3] for i in range(60)],
    }
)
PLAN: dict[str, Any] = {
    "attributes": {"age": "quasi", "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 3}}],
    "method": "k-member",
}


def _bytes(plan: dict[str, Any], folder: Path, **more: Any) -> bytes:
    shoal.run(plan, PEOPLE, output=folder, **more)
    return (folder / "data.csv").read_bytes()


def test_a_drawn_seed_has_128_bits_and_is_another_each_time() -> None:
    drawn = [find_seed(Plan.of(PLAN)) for _ in range(200)]
    values = [seed.value for seed in drawn if isinstance(seed.value, int)]
    assert len(set(values)) == 200
    assert 2**120 < max(values) < 2**128
    for bit in range(128):
        assert {value >> bit & 1 for value in values} == {0, 1}
    assert {seed.origin for seed in drawn} == {"drawn"}


def test_a_seed_of_the_plan_or_of_its_file_is_taken(tmp_path: Path) -> None:
    (tmp_path / "seed").write_text("correct horse battery staple\n")
    plan = Plan.parse({**PLAN, "seed": {"file": "seed"}}, tmp_path)
    found = find_seed(plan)
    assert (found.value, found.origin) == ("correct horse battery staple", "file")
    found = find_seed(Plan.of({**PLAN, "seed": 7}))
    assert (found.value, found.origin) == (7, "plan")


@pytest.mark.parametrize("way", ["file", "number"])
def test_the_private_seed_makes_the_same_release_again(way: str, tmp_path: Path) -> None:
    own = tmp_path / "own"
    first = _bytes(PLAN, tmp_path / "one", private=own)
    seed: Any = {"file": str(own / "seed")}
    if way == "number":
        seed = json.loads((own / "private.json").read_text())["seed"]
        assert str(seed) == (own / "seed").read_text().strip()
    assert _bytes({**PLAN, "seed": seed}, tmp_path / "two") == first
    assert _bytes(PLAN, tmp_path / "three") != first


def test_a_file_gives_the_same_release_each_time_and_another_text_another(tmp_path: Path) -> None:
    plan = {**PLAN, "seed": {"file": str(tmp_path / "seed")}}
    made = []
    for i, text in enumerate(
        ["correct horse battery", "correct horse battery", "another horse here"]
    ):
        (tmp_path / "seed").write_text(text)
        made.append(_bytes(plan, tmp_path / str(i), private=tmp_path / f"own {i}"))
    assert made[0] == made[1] != made[2]
    assert (tmp_path / "own 0" / "seed").read_text().strip() == "correct horse battery"
    public = "".join(p.read_text() for p in (tmp_path / "0").iterdir())
    assert "horse" not in public
    assert str(tmp_path) not in public


def test_a_missing_file_ends_the_run_before_anything_is_read(tmp_path: Path) -> None:
    plan = {**PLAN, "seed": {"file": str(tmp_path / "seed")}}
    with pytest.raises(shoal.PlanError, match="does not exist"):
        shoal.run(plan, tmp_path / "no data.csv", output=tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


def test_a_number_in_the_plan_needs_no_file_beside_it(tmp_path: Path) -> None:
    _bytes({**PLAN, "seed": 7}, tmp_path / "one", private=tmp_path / "own")
    assert not (tmp_path / "own" / "seed").exists()
