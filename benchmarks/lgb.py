"""LGB: its classes beside Mondrian's, its buckets beside a sort, its growth, and what it loses."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import secrets
from benchmarks.cases import name_of
from benchmarks.clock import Stages, best
from benchmarks.step import Step, exponent
from shoal.method.lgb.bucket import Rule, bucketise, rules_of
from shoal.plan import Plan
from shoal.recode import Lots
from shoal.table import Table, encode
from shoal.table.partition import Partition

Row = dict[str, Any]
MEDIAN = {"mondrian": {"cut": "median"}}
METHODS: list[Any] = ["lgb-mdp", "lgb-ncp", {"lgb-ncp": {"balanced": False}}]
QUERY = (
    "SELECT SUM(salary) WHERE age >= 30 AND race = 'white' AND hours_worked < 40 "
    "AND education_level >= 16"
)


def against_mondrian(which: str, k: int = 10) -> Row:
    """The step of lgb-mdp, and bucketing, beside Mondrian's with everybody's cells public."""
    census = which == "census"
    frame = secrets.census() if census else secrets.adult()
    plan = (secrets.census_plan if census else secrets.adult_plan)("lgb-mdp", k)
    public = secrets.without_secrets(plan, MEDIAN)
    shown = frame.drop(name for name in frame.columns if name.endswith("_secret"))
    step = Step.of(plan, frame)
    ours, median = step.seconds(), Step.of(public, shown).seconds()
    table, rules = step.task.table, rules_of(step.plan.models, step.task.table.schema)
    buckets = _bucketing(table, frame, step.classes(), rules)
    whole, stages = _whole(plan, frame)
    beside, _ = _whole(public, shown)
    return {
        "data": which, "rows": frame.height, "k": k, "mondrian median s": median,
        "lgb-mdp s": ours, "bucketing s": buckets, "lgb-mdp / mondrian": ours / median,
        "(lgb-mdp + bucketing) / mondrian": (ours + buckets) / median,
        "whole run s": whole, "verifying s": stages["verifying"], "whole run of mondrian s": beside,
        "whole run / whole run of mondrian": whole / beside,
    }  # fmt: skip


def _bucketing(
    table: Table, frame: pl.DataFrame, partition: Partition, rules: dict[str, Rule]
) -> float:
    """The time of all buckets of a table, with its draws, warm."""
    lots = Lots.of(table, frame, 1)
    bucketise(table, partition, rules, lots.draw)
    return best(lambda: bucketise(table, partition, rules, lots.draw))


def _whole(plan: dict[str, Any], frame: pl.DataFrame) -> tuple[float, dict[str, float]]:
    """A whole run, warm, and its stages."""
    import shoal

    shoal.run(plan, frame)
    stages, start = Stages(), time.perf_counter()
    shoal.run(plan, frame, progress=stages)
    return time.perf_counter() - start, stages.seconds


RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "salary, l = 10": ("salary", {"l-diversity": {"l": 10}}),
    "salary to the dollar, l = 10": ("dollars", {"l-diversity": {"l": 10}}),
    "sex, t = 0.2": ("sex", {"t-closeness": {"t": 0.2}}),
}


def buckets(rule: str, rows: int, few: int = 100_000) -> Row:
    """Bucketing alone of so many secret values beside one stable argsort of them, and of draws."""
    seconds, table, name = _buckets_of(rule, rows)
    before = seconds if rows == few else _buckets_of(rule, few)[0]
    column = table.columns[name]
    numbers = column.domain.numbers
    values = column.codes if numbers is None else numbers[column.codes]
    drawn = np.random.default_rng(1).random(rows)
    sort = best(lambda: np.argsort(values, kind="stable"))
    sort_drawn = best(lambda: np.argsort(drawn, kind="stable"))
    return {
        "secret": rule, "rows": rows, "values": len(column.domain), "bucketing s": seconds,
        "argsort of them s": sort, "argsort of as many draws s": sort_drawn,
        "bucketing / argsort of them": seconds / sort,
        "bucketing / argsort of draws": seconds / sort_drawn,
        f"exponent from {few:,}": exponent((few, before), (rows, seconds)),
    }  # fmt: skip


def _buckets_of(rule: str, rows: int) -> tuple[float, Table, str]:
    name, asked = RULES[rule]
    given = secrets.census(rows)
    above = np.random.default_rng(1).integers(0, 1000, rows)
    frame = given.select(
        "race", secret=given["salary"] + above if name == "dollars" else given[name]
    )
    plan = Plan.of(
        {
            "attributes": {"race": "quasi", "secret": "sensitive"},
            "privacy": [{"k-anonymity": {"k": 2}}, asked],
            "method": "lgb-mdp",
            "seed": 1,
        }
    )
    table = encode(frame, plan.schema)
    everybody = Partition(np.zeros(rows, dtype=np.int32), 1)
    return _bucketing(table, frame, everybody, rules_of(plan.models, table.schema)), table, "secret"


def growth(method: Any, rows: int, k: int = 10) -> Row:
    """The method's step on so many rows of the census beside a sample of 31,055."""
    few = Step.of(secrets.census_plan(method, k), secrets.census(secrets.SAMPLE)).seconds()
    step = Step.of(secrets.census_plan(method, k), secrets.census(rows))
    seconds = few if rows == secrets.SAMPLE else best(step.classes, 2)
    return {
        "method": name_of(method), "rows": rows, "k": k, "method s": seconds,
        "us a row": seconds / rows * 1e6,
        "exponent from 31,055": exponent((secrets.SAMPLE, few), (rows, seconds)),
    }  # fmt: skip


def loss(method: Any, k: int) -> Row:
    """What a release of the 31,055-row sample lost, beside lgb-mdp; the time is the step's."""
    import shoal

    frame = secrets.census(secrets.SAMPLE)
    base = shoal.run(secrets.census_plan("lgb-mdp", k), frame)
    release = shoal.run(secrets.census_plan(method, k), frame)
    found = {name: release.measures[name] for name in ("ncp", "glm", "dm")}
    return {
        "method": name_of(method), "k": k, "rows": frame.height,
        "classes": release.counts.classes, "withheld": release.counts.withheld, **found,
        **{f"{name} below lgb-mdp %": 100 * (1 - found[name] / base.measures[name])
           for name in found},
        "method s": Step.of(secrets.census_plan(method, k), frame).seconds(),
    }  # fmt: skip


def query(k: int = 10) -> Row:
    """One sum with four conditions from the published folder of the census, opened and again."""
    import shoal
    from shoal._command.query import open_release

    frame = secrets.census()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release"
        shoal.run({**secrets.census_plan("lgb-mdp", k), "output": str(path)}, frame)
        start = time.perf_counter()
        opened = open_release(path)
        opened.query(QUERY)
        seconds = time.perf_counter() - start
        again = best(lambda: opened.query(QUERY))
    return {
        "rows": frame.height, "k": k, "opening and first answer s": seconds,
        "next answer s": again,
    }  # fmt: skip
