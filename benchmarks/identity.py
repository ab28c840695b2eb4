"""DAnonyIR beside a NumPy brute force of the same greedy, its growth, and hitting sets."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import polars as pl

from benchmarks import people
from benchmarks.brute import MISSING, danonyir_brute
from benchmarks.clock import best, peak, resident
from shoal.hitting import at_least
from shoal.method import Task
from shoal.method.identity.danonyir import grow
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode, settle_conflicts
from shoal.table.space import space_of
from shoal.verify.release.tables import check_table

Row = dict[str, Any]


def _task(frame: pl.DataFrame, asked: dict[str, Any]) -> Task:
    plan = Plan.parse(asked)
    table = encode(settle_conflicts(frame, plan.schema)[0], plan.schema)
    return Task(table, Requirements.of(plan.models, table), 1)


def _warm() -> None:
    task = _task(people.people_like(200, 1), people.people_plan())
    grow(task, np.arange(task.table.n_units))


def _grown(task: Task) -> tuple[float, Any, Any]:
    """The time of the clustering alone, its starters and its classes."""
    starters = np.random.default_rng(1).permutation(task.table.n_units)
    start = time.perf_counter()
    numbers = grow(task, starters)
    return time.perf_counter() - start, starters, numbers


def against_brute_force(which: str) -> Row:
    """The same classes by both, on INFORMS or on people like them."""
    frame = people.informs() if which == "informs" else people.people_like(20_000, 1)
    task = _task(frame, people.informs_plan() if which == "informs" else people.people_plan())
    _warm()
    seconds, starters, numbers = _grown(task)
    arguments = _for_brute_force(task)
    start = time.perf_counter()
    slow = danonyir_brute(*arguments, 6, starters)
    brute = time.perf_counter() - start
    same = [np.unique(found, return_inverse=True)[1] for found in (numbers, slow)]
    return {
        "data": which, "people": task.table.n_units, "rows": task.table.n_rows,
        "classes": len(np.unique(numbers[numbers >= 0])), "danonyir s": seconds,
        "numpy brute force s": brute, "ratio": brute / seconds,
        "same classes": bool((same[0] == same[1]).all()),
    }  # fmt: skip


def _for_brute_force(task: Task) -> tuple[Any, ...]:
    table, space, own = task.table, space_of(task.table.quasi), task.requirements.people
    assert own is not None
    places, codes, n_codes = [], [], []
    for j, domain in enumerate(table.quasi):
        of_unit = table.unit_codes(domain.attribute.name)
        if domain.is_range:
            place = space.place[space.start[j] : space.start[j + 1]].copy()
            if domain.missing >= 0:
                place[domain.missing] = MISSING
            places.append(place[of_unit])
        else:
            codes.append(of_unit.astype(np.int64))
            n_codes.append(len(domain))
    rows = np.bincount(table.unit_of_row(), minlength=table.n_units)
    return (
        np.column_stack(places), np.column_stack(codes), n_codes, rows, own.own_start[0],
        own.own.astype(np.int64),
    )  # fmt: skip


def growth(n: int) -> Row:
    """The clustering alone, of n people like those of INFORMS; the exponent is against 5,000."""
    _warm()
    few, _, _ = min(
        (_grown(_task(people.people_like(5_000, 1), people.people_plan())) for _ in range(3)),
        key=lambda found: found[0],
    )
    task = _task(people.people_like(n, 1), people.people_plan())
    task.requirements.people, task.requirements.members  # noqa: B018
    before = resident()
    seconds, _, numbers = _grown(task)
    return {
        "people": n, "rows": task.table.n_rows, "classes": len(np.unique(numbers[numbers >= 0])),
        "danonyir s": seconds, "bytes a person": max(peak() - before, 0) / n,
        "exponent from 5,000": (
            None if n == 5_000 else float(np.log(seconds / few) / np.log(n / 5_000))
        ),
    }  # fmt: skip


def whole(which: str) -> Row:
    """A whole run with verification, and what it costs."""
    import shoal

    frame = people.informs() if which == "informs" else people.diabetes()
    made = people.informs_plan if which == "informs" else people.diabetes_plan
    shoal.run(people.people_plan(), people.people_like(200, 1))
    start = time.perf_counter()
    release = shoal.run(made(), frame)
    seconds = time.perf_counter() - start
    counts = release.counts
    found = {name: release.measures[name] for name in ("nloss", "v")}
    return {
        "data": which, "rows": counts.rows, "people": counts.people, "repeated": counts.repeated,
        "classes": counts.classes, "suppressed": counts.suppressed, "whole run s": seconds, **found,
    }  # fmt: skip


def many_values(least: int) -> Row:
    """eir-l of 2,000 people with 8 of 60 values each: the method, then the verification.

    Where everybody has many values and none is common, a small hitting set is hard to rule out.
    """
    few = _task(people.with_many_values(60, 1), people.many_values_plan(2))
    grow(few, np.arange(few.table.n_units))
    frame, plan = people.with_many_values(2_000, 1), people.many_values_plan(least)
    task = _task(frame, plan)
    seconds, _, numbers = _grown(task)
    of_row = numbers[task.table.unit_of_row()]
    # What is published in place of the quasi-identifiers tells classes apart, and so do numbers.
    cells = [pl.Series(a.name, of_row) for a in task.table.schema.quasi]
    published = frame.with_columns(cells).filter(pl.Series(of_row >= 0))
    required = [model.requirement() for model in Plan.parse(plan).models]
    start = time.perf_counter()
    verdicts, _ = check_table(published, task.table.schema, required)
    return {
        "people": task.table.n_units, "l": least, "classes": len(np.unique(numbers[numbers >= 0])),
        "suppressed": int((numbers < 0).sum()), "undecided": task.requirements.n_undecided,
        "danonyir s": seconds, "verification s": time.perf_counter() - start,
        "holds": all(verdict.holds is True for verdict in verdicts),
    }  # fmt: skip


def hitting() -> Row:
    """at_least(sets, 10) for 200 people of one to eight values each, mean over 400 tables."""
    rng = random.Random(1)
    tables = [
        [{rng.randrange(n) for _ in range(rng.randint(1, 8))} for _ in range(200)]
        for n in (12, 20, 40, 400)
        for _ in range(100)
    ]
    for sets in tables[::40]:
        at_least(sets, 10)
    seconds = best(lambda: [at_least(sets, 10) for sets in tables])
    return {"tables": len(tables), "people": 200, "l": 10, "mean ms": seconds / len(tables) * 1e3}
