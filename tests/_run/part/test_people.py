"""People with several rows in parts: byte for byte what a run that holds the table publishes."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.engine import LocalEngine
from shoal._run.engine.file import Slice
from shoal._run.part.release import WrittenRelease
from shoal.errors import DataError, InfeasibleError, PlanError
from tests._run.part.table import people_plan, visits

_K: Any = [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}]
_CLIMBING: Any = {
    **people_plan()["attributes"],
    "age": {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 20, "levels": 2}},
    "town": {"role": "quasi", "hierarchy": "flat"},
}
CASES: dict[str, dict[str, Any]] = {
    "danonyir": people_plan(),
    "danonyir with names": people_plan({"danonyir": {"first": ["n7", "n150", "n3"]}}),
    "geneir": people_plan("geneir", privacy=[{"ir-kl": {"k": 4, "l": 3}}], attributes=_CLIMBING),
    "mondrian": people_plan("mondrian", privacy=_K),
    "k-member": people_plan("k-member", privacy=[{"eir-alpha-beta": {"alpha": 0.4, "beta": 0.8}}]),
    "auto": people_plan("auto", privacy=[{"ir-alpha-beta": {"alpha": 0.4, "beta": 0.6}}]),
    "climbing": people_plan("mondrian", privacy=[{"ir-k": {"k": 6}}], attributes=_CLIMBING),
    "ka": people_plan("ka", privacy=[{"ir-k": {"k": 6}}], attributes=_CLIMBING),
    "one shard": people_plan(shards={"rows": 10_000}),
}


def _run(plan: dict[str, Any], data: Any, folder: Path, **more: Any) -> shoal.Release:
    output = {"folder": str(folder), "format": more.pop("format", "csv")}
    return shoal.run({**plan, "output": output}, data, **more)


def _stated(folder: Path) -> dict[str, Any]:
    manifest = json.loads((folder / "manifest.json").read_text())
    return {k: v for k, v in manifest.items() if k not in ("time", "plan", "files")}


def _compare(plan: dict[str, Any], frame: pl.DataFrame, folder: Path) -> shoal.Release:
    """Run a plan in parts, from files and in another order, and with the table held."""
    (folder / "in").mkdir(parents=True)
    # Rows of a person are in several files; the order of rows does not matter.
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    for number, part in enumerate(shuffled.iter_slices(len(frame) // 3 + 1)):
        part.write_parquet(folder / "in" / f"{number}.parquet")
    parts = _run(plan, str(folder / "in" / "*.parquet"), folder / "parts")
    whole = _run(plan, frame, folder / "whole")
    assert isinstance(parts, WrittenRelease)
    assert not isinstance(whole, WrittenRelease)
    files = [(folder / name / "data.csv").read_bytes() for name in ("parts", "whole")]
    assert files[0] == files[1]
    assert _stated(folder / "parts") == _stated(folder / "whole")
    assert parts.counts == whole.counts
    assert parts.replaced == whole.replaced
    assert {n: parts.measures[n] for n in parts.measures} == pytest.approx(
        {n: whole.measures[n] for n in parts.measures}
    )
    assert parts.holds
    return parts


@pytest.mark.parametrize("case", CASES)
def test_the_release_is_that_of_the_whole_table(case: str, tmp_path: Path) -> None:
    release = _compare(CASES[case], visits(), tmp_path)
    assert release.counts.repeated > 0
    assert shoal.audit(tmp_path / "parts", original=visits()).holds


@pytest.mark.parametrize("how", ["first", "mode"])
def test_conflicts_are_settled_as_in_memory(how: str, tmp_path: Path) -> None:
    plan = people_plan("mondrian", privacy=_K, individual={"column": "name", "conflict": how})
    # One age occurs once, in a row that does not describe its person: no domain has it.
    frame = visits(differ=True)
    alone = pl.DataFrame({"name": ["x"] * 5, "age": [40, 40, 40, 40, 997], "town": ["Ulm"] * 5,
                          "ill": list("abcde"), "visit": ["1"] * 5})  # fmt: skip
    frame = pl.concat([frame, alone.with_columns(pl.col("age").cast(frame["age"].dtype))])
    release = _compare(plan, frame, tmp_path)
    assert release.replaced["age"] > 0
    assert "replaced-cells" in [a.code for a in release.warnings]


@pytest.mark.slow
def test_loop_and_pool_write_the_same_bytes(tmp_path: Path) -> None:
    visits().write_csv(tmp_path / "t.csv")
    for name, workers in (("loop", 1), ("pool", 2)):
        _run(people_plan(), tmp_path / "t.csv", tmp_path / name, engine=LocalEngine(workers))
    files = [(tmp_path / name / "data.csv").read_bytes() for name in ("loop", "pool")]
    assert files[0] == files[1]


def test_no_file_on_the_way_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = visits().with_columns(name=pl.lit("secret-") + pl.col("name"))
    frame.write_parquet(tmp_path / "t.parquet")
    seen, read = 0, Slice.read

    def looking(piece: Slice) -> pl.DataFrame:
        nonlocal seen
        seen += 1
        assert b"secret-" not in piece.path.read_bytes()
        return read(piece)

    monkeypatch.setattr(Slice, "read", looking)
    release = _run(people_plan(), tmp_path / "t.parquet", tmp_path / "r")
    assert isinstance(release, WrittenRelease)
    assert seen > 20
    written = b"".join(path.read_bytes() for path in (tmp_path / "r").iterdir())
    assert b"secret-" not in written


def test_differences_and_rows_of_nobody_are_counted_but_not_shown(tmp_path: Path) -> None:
    frame = visits(differ=True).with_columns(
        name=pl.when(pl.col("name") == "n5").then(pl.lit("")).otherwise("name")
    )
    frame.write_csv(tmp_path / "t.csv")
    with pytest.raises(DataError) as error:
        _run(people_plan(), tmp_path / "t.csv", tmp_path / "r")
    said = str(error.value)
    assert "must have one value per person, but " in said
    assert "'name' must name a person in every row" in said
    assert "n5" not in said
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_people_who_are_not_there_and_too_much_are_refused(tmp_path: Path) -> None:
    visits().write_csv(tmp_path / "t.csv")
    unknown = people_plan({"danonyir": {"first": ["n7", "somebody"]}})
    with pytest.raises(PlanError, match=r"1 of the 2 people in 'first' .*entries 2"):
        _run(unknown, tmp_path / "t.csv", tmp_path / "r")
    for privacy in ([{"ir-k": {"k": 500}}], [{"eir-l": {"l": 9}}]):
        with pytest.raises(InfeasibleError):
            _run(people_plan(privacy=privacy), tmp_path / "t.csv", tmp_path / "r")
    missing = visits().with_columns(ill=pl.when(pl.col("ill") != "a").then("ill"))
    missing.write_csv(tmp_path / "m.csv")
    with pytest.raises(DataError, match="needs a sensitive value in every row, but 'ill'"):
        _run(people_plan(), tmp_path / "m.csv", tmp_path / "r")


def test_what_counts_do_not_show_is_held_whole(tmp_path: Path) -> None:
    # Everybody has two of four values: only three of them hit all, which counts do not show.
    n = 60
    pairs = [*combinations("abcd", 2)]
    frame = pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(n) for _ in range(2)],
            "age": np.repeat(np.arange(n) % 30 + 20, 2),
            "ill": [v for i in range(n) for v in pairs[i % 6]],
        }
    )
    plan = people_plan()
    plan["attributes"] = {k: v for k, v in plan["attributes"].items() if k in frame.columns}
    frame.write_csv(tmp_path / "t.csv")
    release = _run({**plan, "shards": {"rows": 50}}, tmp_path / "t.csv", tmp_path / "r")
    assert not isinstance(release, WrittenRelease)
    (said,) = [a.text for a in release.warnings if a.code == "held-whole"]
    assert "counts alone do not show" in said
    assert release.holds
