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

Row = dict[str, Any]
METHODS = ({"weighted-graph": {"weight": "loss"}}, "mondrian")


def insert(rows: int, method: Any) -> Row:
    """A hundredth new rows into a release, beside a full run on the whole.

    Both code, label and verify the whole table: what an update saves is the work of the method,
    which is stated by itself.
    """
    frame = data.loaded(rows + rows // 100)
    plan = _plan(method)
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "own"
        shoal.run(plan, frame.head(rows), output=Path(folder) / "release", private=own)
        new = frame.tail(rows // 100)
        shoal.update(own, new.head(20))
        again, anew = _Stages(), _Stages()
        start = time.perf_counter()
        updated = shoal.update(own, new, progress=again)
        middle = time.perf_counter()
        whole = shoal.run(plan, frame, progress=anew)
        end = time.perf_counter()
    name = method if isinstance(method, str) else next(iter(method))
    return {
        "rows": rows,
        "method": name,
        "update s": middle - start,
        "full run s": end - middle,
        "update / full run": (middle - start) / (end - middle),
        "classes / classes": again.seconds[name] / anew.seconds[name],
        "glm after update": updated.measures["glm"],
        "glm of full run": whole.measures["glm"],
        "glm / glm": updated.measures["glm"] / whole.measures["glm"],
        "classes computed again": updated.touched,
    }


class _Stages:
    """How long each stage takes, by its name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


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
