"""The method and the repair, shard by shard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal._run.code import Coded
from shoal._run.engine import Engine
from shoal._run.shard import Shard, shard_table
from shoal.errors import InfeasibleError
from shoal.method import Method, Task
from shoal.method.repair import Repair, repair
from shoal.plan import Plan
from shoal.schema.advice import Advice, advise
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, join

SEARCH_RAN_OUT = (
    "The search for the fewest values that hit everybody's (eir-l) ran out of steps: {:,} times a "
    "group counted as failing without proof."
)


@dataclass(frozen=True)
class Work:
    """The work on one shard, fit to be sent to another process."""

    method: Method
    task: Task
    suppression_limit: float


def solve_shard(work: Work) -> Repair:
    """Run the method on one shard, then the repair."""
    task = work.task
    partition = work.method.partition(task)
    failing = task.requirements.failing(partition)
    repaired = repair(
        task.table,
        task.requirements,
        partition,
        failing,
        work.suppression_limit,
        task.objective,
    )
    return replace(repaired, n_undecided=task.requirements.n_undecided)


def solve(plan: Plan, coded: Coded, engine: Engine) -> Repair:
    """The classes of all shards, each solved alone."""
    table, requirements = coded.merged, coded.requirements
    shards = shard_table(table, requirements, plan.shard_rows, engine.threads, coded.order)
    works = [
        Work(
            plan.method,
            Task(
                shard.table,
                requirements.on(shard.table),
                shard.seed(coded.lots.seed),
                plan.objective,
                shard.places(coded.first),
                engine.threads,
            ),
            plan.suppression_limit,
        )
        for shard in shards
    ]
    repaired = _joined(engine.map(solve_shard, works), shards, table.n_units)
    check_suppression(plan, coded.table, repaired)
    return repaired


def _joined(found: Sequence[Repair], shards: Sequence[Shard], n_units: int) -> Repair:
    partition = join([f.partition for f in found], [s.units for s in shards], n_units)
    counted = zip(*((f.n_merged, f.n_suppressed, f.n_undecided) for f in found), strict=True)
    return Repair(partition, *map(sum, counted))


def _how_to_publish(plan: Plan) -> str:
    if plan.method.sheds_hierarchies:
        return "Require less, or try another seed or another method."
    if plan.method.layout.keeps_secrets:
        return "Require a smaller k: every set of secrets that people chose needs k rows."
    return "Require less, or give the hierarchies a common top."


def check_suppression(plan: Plan, table: Table, repaired: Repair) -> None:
    """Raise InfeasibleError where nothing is left, or more is suppressed than the plan allows."""
    partition = repaired.partition
    if partition.n_classes == 0:
        raise InfeasibleError(
            f"Nothing can be published: {plan.method.name} found no group that meets the "
            "requirements of the plan."
            + (f" {SEARCH_RAN_OUT.format(repaired.n_undecided)}" if repaired.n_undecided else ""),
            hint=_how_to_publish(plan),
        )
    lost = int(np.count_nonzero(partition.unit_class[table.unit_of_row()] == SUPPRESSED))
    share = lost / table.n_rows
    if share > plan.suppression_limit:
        raise InfeasibleError(
            f"{lost} of {table.n_rows} rows would be suppressed ({share:.1%}), but the plan allows "
            f"{plan.suppression_limit:.1%}.",
            hint="Raise 'suppression: {limit: …}', require less, or choose another method.",
        )


def warn_of_order(plan: Plan) -> Iterator[Advice]:
    """Say where the order of the input shows in the classes."""
    if plan.order == "input" and plan.method.keeps_neighbours:
        yield advise(
            "input-order",
            "Classes are runs of rows as they follow each other in the input: whoever knows who "
            "came after whom, such as by date of admission, knows who shares a class. "
            "'order: content' prevents that.",
        )


def warn_of_searches(repaired: Repair) -> Iterator[Advice]:
    """Say where classes may be larger than they need be."""
    if repaired.n_undecided:
        said = SEARCH_RAN_OUT.format(repaired.n_undecided)
        yield advise("search-budget", f"{said} A smaller l may lose less.")
