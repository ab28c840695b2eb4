"""Updates beside full runs: what a hundredth more costs, how far many drift, and m-invariance."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks import data
from shoal.folder.state import read_state

Row = dict[str, Any]
METHODS = ({"weighted-graph": {"weight": "loss"}}, "mondrian")


def insert(rows: int, method: Any) -> Row:
    """A hundredth new rows into a release, beside a full run on the whole.

    Both stop once the release is verified; `with folders` both also write it, with its private
    side, and verify the files. The floor is what no update can do without: to read the state, to
    verify the whole release and, with folders, to write it. The share of the processor does not
    depend on what else the machine does.
    """
    frame = data.loaded(rows + rows // 100)
    plan = _plan(method)
    name = method if isinstance(method, str) else next(iter(method))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        own = place / "own"
        shoal.run(plan, frame.head(rows), output=place / "release", private=own)
        new = frame.tail(rows // 100)
        shoal.update(own, new.head(20))
        with _Clock() as reading:
            read_state(own)
        with _Clock() as update:
            updated = shoal.update(own, new, progress=update)
        with _Clock() as full:
            whole = shoal.run(plan, frame, progress=full)
        with _Clock() as written:
            shoal.update(own, new, output=place / "1", private=place / "2", progress=written)
        with _Clock() as anew:
            shoal.run(plan, frame, output=place / "3", private=place / "4", progress=anew)
    floor = reading.wall + update.stages["verifying"]
    floor_written = reading.wall + written.stages["verifying"] + written.stages["writing"]
    return {
        "rows": rows,
        "method": name,
        "update s": update.wall,
        "full run s": full.wall,
        "update / full run": update.wall / full.wall,
        "of the processor": update.busy / full.busy,
        "floor / full run": floor / full.wall,
        "update with folders s": written.wall,
        "full run with folders s": anew.wall,
        "the same with folders": written.wall / anew.wall,
        "floor with folders": floor_written / anew.wall,
        "classes / classes": update.stages[name] / full.stages[name],
        "glm / glm": updated.measures["glm"] / whole.measures["glm"],
        "classes computed again": updated.touched,
    }


class _Clock:
    """How long something takes, on the wall and of the processor, and each stage by its name."""

    def __init__(self) -> None:
        self.wall = self.busy = 0.0
        self.stages: dict[str, float] = {}

    def __enter__(self) -> _Clock:
        self.wall, self.busy = -time.perf_counter(), -time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter()
        self.busy += time.process_time()

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.stages[name] = time.perf_counter() - start


def _plan(method: Any) -> dict[str, Any]:
    return {
        "attributes": data.synthetic_attributes(),
        "privacy": [{"k-anonymity": {"k": 10}}],
        "method": method,
        "seed": 1,
    }


def drift(rows: int, n_updates: int, method: Any = "mondrian") -> Row:
    """Updates in a row, in each of which a hundredth comes and a hundredth goes."""
    part = rows // 100
    frame = data.loaded(rows + n_updates * part)
    draw = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shoal.run(_plan(method), frame.head(rows), output=place / "r0", private=place / "0")
        for step in range(1, n_updates + 1):
            gone = draw.choice(rows, part, replace=False).tolist()
            release = shoal.update(
                place / str(step - 1),
                frame[rows + (step - 1) * part : rows + step * part],
                gone,
                output=place / f"r{step}",
                private=place / str(step),
            )
        whole = shoal.run(_plan(method), release.published.original)
    return {
        "rows": rows,
        "updates": n_updates,
        "method": method,
        "glm after updates": release.measures["glm"],
        "glm of full run": whole.measures["glm"],
        "drift": release.measures["glm"] / whole.measures["glm"] - 1,
    }


def invariance(people: int, versions: int, plan: dict[str, Any] | None = None) -> Row:
    """m-invariance over versions in which a twentieth comes and goes, k = 5 and l = 3.

    The adversary has all versions and knows everybody's class in each: nobody can know more.
    """
    plan = INVARIANT if plan is None else plan
    draw = np.random.default_rng(2)
    part = people // 20
    everyone = _people(people + (versions - 1) * part, draw)
    there = np.arange(people)
    left: dict[str, frozenset[str]] = {}
    counterfeits, seconds, suppressed = [], 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        release: Any = None
        for version in range(versions):
            to = {"output": place / f"r{version}", "private": place / str(version)}
            start = time.perf_counter()
            if version == 0:
                release = shoal.run(plan, everyone.head(people), **to)
            else:
                gone = draw.choice(there, part, replace=False)
                new = np.arange(people + (version - 1) * part, people + version * part)
                there = np.append(np.setdiff1d(there, gone), new)
                release = shoal.update(
                    place / str(version - 1),
                    everyone[new],
                    everyone["id"].gather(gone).to_list(),
                    **to,
                )
            seconds += time.perf_counter() - start
            n_made_up = release.counts.counterfeits + release.counts.entries
            counterfeits.append(n_made_up / release.counts.published)
            suppressed.append(release.counts.suppressed / release.counts.rows)
            for name, values in _values(release).items():
                left[name] = left.get(name, values) & values
    return {
        "people": people,
        "method": plan["method"],
        "versions": versions,
        "seconds a version": seconds / versions,
        "fewest values left": min(map(len, left.values())),
        "people below l": sum(len(values) < 3 for values in left.values()),
        "counterfeits at most": max(counterfeits),
        "suppressed at most": max(suppressed),
        "glm of the last": release.measures["glm"],
    }


INVARIANT = {
    "attributes": {
        "id": "identifier",
        "age": "quasi",
        "sex": "quasi",
        "region": {"role": "quasi", "kind": "numeric"},
        "job": "quasi",
        "ill": "sensitive",
    },
    "individual": "id",
    "privacy": [{"k-anonymity": {"k": 5}}, {"l-diversity": {"l": 3}}],
    "method": "mondrian",
    "republish": "m-invariance",
    "seed": 1,
}


def buckets(people: int, versions: int) -> Row:
    """The same where secrets stand in buckets (lgb-mdp), of which each has every value once."""
    return invariance(people, versions, IN_BUCKETS)


IN_BUCKETS = {**INVARIANT, "method": "lgb-mdp"}


def _people(n: int, draw: np.random.Generator) -> pl.DataFrame:
    """People with ten illnesses, the commonest of which a quarter has."""
    shares = 1 / np.arange(1, 11) ** 0.8
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": draw.integers(18, 90, n),
            "sex": draw.choice(["f", "m"], n),
            "region": draw.integers(0, 40, n),
            "job": draw.choice([f"j{i}" for i in range(12)], n),
            "ill": draw.choice([f"i{i}" for i in range(10)], n, p=shares / shares.sum()),
        }
    )


def _values(release: Any) -> dict[str, frozenset[str]]:
    """The values of everybody's class or bucket, as published."""
    names = release.source["id"].gather(release.origin)
    if release.keeps_secrets:
        listed, of_row = release.tables["buckets-ill"].rename({"BID": "group"}), "ill_BID"
        shown = pl.DataFrame({"id": names, "group": release.frame[of_row]})
        values = listed.group_by("group").agg(pl.col("value").unique())
    else:
        shown = pl.DataFrame({"id": names, "group": release.published.classes[release.origin]})
        listed = shown.with_columns(value=release.frame["ill"])
        values = listed.group_by("group").agg(pl.col("value").unique())
    of_group = {group: frozenset(own) for group, own in values.iter_rows()}
    real = shown.filter(~pl.col("id").str.starts_with("counterfeit"))
    return {name: of_group[group] for name, group in real.iter_rows()}
