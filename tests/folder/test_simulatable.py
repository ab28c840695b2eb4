"""What is hidden leaves no trace beside the tables.

Two inputs that give the same published tables and the same counts of rows must give the same
manifest and the same report, byte for byte but for the time and the salted digest of the plan.
`SHOAL_LEAK_CASES=1000` compares a thousand pairs of runs, as many for each method.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, reject, settings
from hypothesis import strategies as st

import shoal
from shoal._run import Release
from shoal.errors import ShoalError
from shoal.folder.counted import Counted
from shoal.folder.manifest import manifest_of, state
from shoal.folder.public import Public
from shoal.method import METHODS
from shoal.report import release_report
from tests.folder.world import World, change_hidden, make_world

CASES = int(os.environ.get("SHOAL_LEAK_CASES", "30"))
_NUMBERS = ("record", "Id_num", "GID", "BID")
_CHANGES = 6


def made(world: World) -> Release | None:
    try:
        return shoal.run(world.plan, world.frame)
    except ShoalError:
        return None


def without_order(tables: Any) -> Any:
    """Tables as multisets of rows in which fresh numbers count only by what they link.

    Numbers are coloured by the rows that they stand in, and rows by their cells and the colours of
    their numbers, again and again.
    """
    rows = [
        (name, tuple(sorted(_cells(part))), tuple(_links(name, part)))
        for name, table in tables.items()
        for row in table.select(pl.all().cast(pl.String)).iter_rows(named=True)
        for part in _parts(row)
    ]
    colour: dict[Any, Any] = {}
    seen: Any = None
    for _ in range(4):
        painted = [hash((name, cells, tuple((k, colour.get((k, v))) for k, v in links)))
                   for name, cells, links in rows]  # fmt: skip
        found: dict[Any, list[int]] = {}
        for (_, _, links), paint in zip(rows, painted, strict=True):
            for link in links:
                found.setdefault(link, []).append(paint)
        colour = {link: hash(tuple(sorted(paints))) for link, paints in found.items()}
        seen = Counter(painted)
    return seen


def _parts(row: dict[str, Any]) -> list[dict[str, Any]]:
    """A row, and apart from it what it shows of its buckets, which is not of the row."""
    parts = [row]
    for pointer in [k for k, v in row.items() if k.endswith("_BID") and v is not None]:
        name = pointer.removesuffix("_BID")
        dealt = {k: row[k] for k in (name, f"{name}_low", f"{name}_high") if k in row}
        parts = [{k: v for k, v in parts[0].items() if k not in dealt}, *parts[1:]]
        parts.append({**dealt, pointer: row[pointer]})
    return parts


def _cells(row: dict[str, Any]) -> list[tuple[str, str]]:
    return [(k, repr(v)) for k, v in row.items() if k not in _NUMBERS and not k.endswith("_BID")]


def _links(table: str, row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Which numbers a row has; the number of a row itself links nothing."""
    own = table.removeprefix("buckets-")
    names = {"BID": f"{own}_BID"}
    return [
        (names.get(k, k), v)
        for k, v in row.items()
        if v is not None and (k in ("Id_num", "GID", "BID") or k.endswith("_BID"))
    ]


def told(release: Release) -> tuple[str, str]:
    """Manifest and report without the time and the digest of the plan."""
    manifest = manifest_of(release).model_copy(update={"time": "", "plan": ""})
    return manifest.text(), release_report(manifest, release.coded)


def counts(release: Release) -> tuple[int, ...]:
    return release.counts.rows, release.counts.suppressed, release.counts.repeated


def in_full(release: Release) -> str:
    """What only the publisher may see."""
    figures = [dict(release.measures.quick), release.measures.by_attribute]
    return json.dumps([figures, [str(v.reached) for v in release.verdicts]])


@pytest.mark.parametrize("method", sorted(METHODS))
@settings(
    max_examples=-(-CASES // len(METHODS)),
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    deadline=None,
)
@given(seed=st.integers(0, 2**32))
def test_what_is_hidden_changes_nothing_that_is_told(method: str, seed: int) -> None:
    """Every example that is not rejected is a pair of inputs with the same published tables."""
    draw = random.Random(seed)
    world = make_world(method, draw)
    first = made(world)
    if first is None:
        reject()
    assert told(first) == told(shuffled(first, draw))
    public = without_order(first.coded)
    for _ in range(_CHANGES):
        other = change_hidden(world, first, draw)
        second = None if other is None or other == world else made(other)
        if second is None or counts(second) != counts(first):
            continue
        if without_order(second.coded) == public:
            assert told(second) == told(first)
            event("the publisher's own figures " + _differ(in_full(first), in_full(second)))
            return
    reject()


def _differ(one: str, other: str) -> str:
    return "differ" if one != other else "are the same"


def shuffled(release: Release, draw: random.Random) -> Release:
    """The same release with its rows in another order, and other fresh numbers."""
    rng = np.random.default_rng(draw.randrange(2**32))
    numbers: dict[str, dict[str, str]] = {}

    def renumber(kind: str, cells: pl.Series) -> pl.Series:
        there = cells.cast(pl.String).drop_nulls().unique().sort().to_list()
        if kind not in numbers:
            places = rng.permutation(len(there)) + 1
            numbers[kind] = dict(zip(there, map(str, places.tolist()), strict=True))
        return cells.cast(pl.String).replace(numbers[kind])

    tables = {}
    for name, table in release.coded.items():
        table = table[rng.permutation(table.height).tolist()]
        links = {
            k: f"{name.removeprefix('buckets-')}_BID" if k == "BID" else k
            for k in table.columns
            if k in ("Id_num", "GID", "BID") or k.endswith("_BID")
        }
        columns = [renumber(kind, table[k]).alias(k) for k, kind in links.items()]
        tables[name] = table.with_columns(columns)
    published = replace(release.published, tables=tables, halves=None)
    if release.published.halves is not None:
        published = replace(release.published, halves=tables)
    return replace(release, published=published)


def test_a_statement_rests_on_nothing_that_is_hidden() -> None:
    """The input of all statements has no place for the original, the row map or what was found."""
    assert {field.name for field in fields(Public)} == {
        "tables", "declared", "requirements", "method", "ranges", "layout", "display",
        "may_be_unmet", "n_rows", "n_suppressed", "n_repeated", "n_counterfeits", "n_entries",
        "republish", "counted",
    }  # fmt: skip
    assert state.__annotations__ == {
        "public": "Public",
        "recount": "Callable[[Schema], Recount] | None",
        "return": "Manifest",
    }
    # Counts are those of the published table.
    assert Counted.of.__annotations__ == {
        "table": "pl.DataFrame",
        "schema": "Schema",
        "symbols": "Collection[str]",
        "return": "Counted",
    }


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_is_compared(method: str) -> None:
    """Of every method some hidden change that leaves the tables alone is found, and compared."""
    for seed in range(400):
        draw = random.Random(seed)
        world = make_world(method, draw)
        first = made(world)
        other = None if first is None else change_hidden(world, first, draw)
        second = None if other is None or other == world else made(other)
        if first is None or second is None or counts(second) != counts(first):
            continue
        if without_order(second.coded) == without_order(first.coded):
            assert told(second) == told(first)
            return
    pytest.fail("no pair of inputs with the same tables was found")


def stated(plan: dict[str, Any], frame: pl.DataFrame) -> Any:
    return json.loads(manifest_of(shoal.run({"seed": 1, **plan}, frame)).text())


LADDER = {
    "attributes": {
        "age": {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 2}},
        "town": {"role": "quasi", "hierarchy": {"tree": {"north": ["a"], "south": ["b"]}}},
    },
    "privacy": [{"k-anonymity": {"k": 3}}],
    "method": "ka",
}


@pytest.mark.parametrize("age", [97, 104])
def test_a_suppressed_age_is_not_the_end_of_a_domain(age: int) -> None:
    """The loss once gave a domain of 77 years, so that the missing person was 97."""
    frame = pl.DataFrame({"age": [20, 21, 22, 23, 31, 32, 33, 34, age], "town": [*"aaaabbbb", "b"]})
    attributes = {**LADDER["attributes"], "town": {"role": "quasi", "kind": "categorical",
                  "hierarchy": {"tree": {"x": ["a"], "y": ["b"]}}}}  # fmt: skip
    found = stated({**LADDER, "attributes": attributes}, frame)
    assert found["counts"]["suppressed"] == 1
    # Ranges of five years, of the fifteen that the published ones span, and one row that is lost.
    assert found["loss_by_attribute"]["age"] == pytest.approx((8 * 5 / 15 + 1) / 9, abs=1e-9)


def test_snapped_ends_hide_the_real_ones() -> None:
    """Ranges once ended at 120, and the loss told that the oldest is 113."""
    plan = {"attributes": {"age": {"role": "quasi", "kind": "numeric"}}, "ranges": "snapped",
            "privacy": [{"k-anonymity": {"k": 2}}]}  # fmt: skip
    one, other = (stated(plan, pl.DataFrame({"age": [1, 39, 81, oldest]})) for oldest in (113, 118))
    assert one["measures"] == other["measures"]
    assert one["loss_by_attribute"] == {"age": pytest.approx((40 + 40) / 2 / 120)}


def test_one_sided_symbols_tell_no_end() -> None:
    """`infoloss` once had one solution for the least and the largest hidden income."""
    attributes = {
        "age": {"role": "quasi", "kind": "numeric"},
        "income": {"role": "sensitive", "kind": "numeric",
                   "hierarchy": {"intervals": [1000, 2000]}, "flags": {"default": "high"}},
    }  # fmt: skip
    plan = {"attributes": attributes, "method": {"qi-mhsa": {"numeric": "one-sided"}},
            "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}]}  # fmt: skip
    incomes = ([150, 900, 3000, 7443], [10, 999, 2001, 9000])
    one, other = (
        stated(plan, pl.DataFrame({"age": [1, 2, 8, 9], "income": income})) for income in incomes
    )
    assert one == {**other, "time": one["time"]}


def test_nothing_is_said_of_a_column_of_stars() -> None:
    """`k-e` once printed `reached e: 7443.0`, somebody's exact pay; alpha, t and l likewise."""
    attributes = {
        "age": {"role": "quasi", "kind": "numeric"},
        "pay": {"role": "sensitive", "kind": "numeric", "flags": {"default": "high"}},
    }
    privacy = [{"k-e": {"k": 2, "e": 10}}, {"alpha-k": {"alpha": 0.9, "k": 2}},
               {"t-closeness": {"t": 0.9}}, {"l-diversity": {"l": 2}}]  # fmt: skip
    frame = pl.DataFrame({"age": [1, 2, 8, 9], "pay": [0, 7443, 12, 8000]})
    release = shoal.run({"attributes": attributes, "privacy": privacy, "seed": 1}, frame)
    assert set(release.frame["pay"]) == {"*"}
    found = manifest_of(release)
    assert [(v.holds, v.reached) for v in found.verdicts] == [(True, None)] * 4
    assert {"privacy-loss", "entropy"}.isdisjoint(found.measures)
    assert "7443" not in found.text() + release_report(found, release.coded)
    # The publisher sees all of it.
    assert release.verdicts[0].reached == {"k": 2, "e": 7443.0}
    assert "privacy-loss" in release.measures


def test_who_gets_less_than_required_is_not_told() -> None:
    """A scheme may leave personal k unmet; for how many depends on their sensitivities."""
    attributes = {"place": {"role": "quasi", "hierarchy": "flat"}, "f": "sensitivity"}
    levels = {"thresholds": [[0.8, 0.2], [0.6, 0.5]], "levels": [[6, 1], [5, 2]]}
    plan = {"attributes": attributes, "privacy": [{"multi-level-k": levels}], "method": "sd-mks3wd"}
    found = [
        shoal.run({**plan, "seed": 1}, pl.DataFrame({"place": list("aaaaabb"), "f": f}))
        for f in ([0.9, 0.9, 0.7, 0.7, 0.7, 0.1, 0.1], [0.7, 0.7, 0.7, 0.7, 0.7, 0.1, 0.1])
    ]
    assert without_order(found[0].coded) == without_order(found[1].coded)
    assert [release.holds for release in found] == [False, True]
    assert told(found[0]) == told(found[1])


def test_a_written_folder_differs_in_time_and_digests_only(tmp_path: Path) -> None:
    """Manifest and report as they are written, for two inputs that give the same table."""
    texts = []
    for age in (97, 104):
        frame = pl.DataFrame({"age": [20, 21, 22, 31, 32, 33, age], "town": [*"aaabbb", "b"]})
        shoal.run({**LADDER, "seed": 1}, frame, output=tmp_path / str(age))
        manifest = json.loads((tmp_path / str(age) / "manifest.json").read_text())
        report = (tmp_path / str(age) / "report.html").read_text()
        page = report.replace(manifest["plan"][:16], "")
        texts.append((manifest, re.sub(r"<time.*?</time>", "", page)))
    (one, page), (other, same) = texts
    assert page == same
    assert one["plan"] != other["plan"], "salted"
    for manifest in (one, other):
        del manifest["time"], manifest["plan"]
        assert {"sha256", "rows"} == set(manifest["files"].pop("data.csv"))
        del manifest["files"]["report.html"]["sha256"]
    assert one == other
