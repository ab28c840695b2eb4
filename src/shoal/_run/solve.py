"""The method and the repair, shard by shard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal._run.engine import Engine, shard_seed
from shoal.errors import InfeasibleError
from shoal.method import Method, Task
from shoal.method.repair import Repair, repair
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, join


@dataclass(frozen=True)
class Work:
    """The work on one shard, fit to be sent to another process."""

    method: Method
    task: Task
    suppression_limit: float


def solve_shard(work: Work) -> Repair:
    """The method and then the repair, on one shard."""
    task = work.task
    partition = work.method.partition(task)
    failing = task.requirements.failing(partition)
    return repair(
        task.table,
        task.requirements,
        partition,
        failing,
        work.suppression_limit,
        task.objective,
    )


def solve(
    plan: Plan,
    table: Table,
    requirements: Requirements,
    engine: Engine,
    seed: int,
    first: NDArray[np.int64],
) -> Repair:
    """The classes of all shards together, each shard by itself."""
    shards = engine.shard(table, requirements, plan.shard_rows)
    tables = [table] if len(shards) == 1 else [table.take(rows) for rows in shards]
    units = [np.arange(table.n_units)] if len(shards) == 1 else [_units(table, r) for r in shards]
    works = [
        Work(
            plan.method,
            Task(
                part,
                requirements.on(part),
                shard_seed(seed, number),
                plan.objective,
                _places(first, units[number]),
            ),
            plan.suppression_limit,
        )
        for number, part in enumerate(tables)
    ]
    found = engine.map(solve_shard, works)
    if len(found) == 1:
        return found[0]
    partition = join([f.partition for f in found], units, table.n_units)
    return Repair(partition, sum(f.n_merged for f in found), sum(f.n_suppressed for f in found))


def _places(chosen: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of the chosen among the units of a shard, in the order of the chosen."""
    if not len(chosen):
        return chosen
    place = {unit: i for i, unit in enumerate(units.tolist())}
    return np.array([place[u] for u in chosen.tolist() if u in place], dtype=np.int64)


def _units(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The units of a shard, in the order in which the shard numbers them."""
    if table.people is None:
        return rows
    person = table.people.person[rows]
    _, first = np.unique(person, return_index=True)
    return person[np.sort(first)].astype(np.int64)


def _how_to_publish(plan: Plan) -> str:
    if plan.method.sheds_hierarchies:
        return "Ask for less, or try another seed, or another method."
    if plan.method.keeps_secrets:
        return "Ask for a smaller k: every set of secrets that people chose needs k rows."
    return "Ask for less, or give the hierarchies a common top."


def check_suppression(plan: Plan, table: Table, mended: Repair) -> None:
    """Refuse what publishes nothing, or suppresses more than the plan allows."""
    partition = mended.partition
    if partition.n_classes == 0:
        raise InfeasibleError(
            f"Nothing can be published: {plan.method.name} found no group that holds what the plan "
            "asks.",
            hint=_how_to_publish(plan),
        )
    lost = int(np.count_nonzero(partition.unit_class[table.unit_of_row()] == SUPPRESSED))
    share = lost / table.n_rows
    if share > plan.suppression_limit:
        raise InfeasibleError(
            f"{lost} of {table.n_rows} rows would be suppressed ({share:.1%}), and the plan allows "
            f"{plan.suppression_limit:.1%}.",
            hint="Raise 'suppression: {limit: …}', ask for less, or choose another method.",
        )
