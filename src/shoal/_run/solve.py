"""The method and the repair, shard by shard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shoal._run.code import CodedInput
from shoal._run.engine import Engine
from shoal._run.level import settle_levels
from shoal._run.secret import without_excess
from shoal._run.shard import Shard, rows_of, shard_table
from shoal.errors import InfeasibleError
from shoal.method import Method, Task
from shoal.method.lgb.bucket import Rule, rules_of
from shoal.method.lgb.excess import impossible_buckets
from shoal.method.loss import lost_by
from shoal.method.omission import hopeless
from shoal.method.polish import Polish, polish
from shoal.method.repair import MethodTrial, Repair, repair, repair_counts
from shoal.model import MultiLevelK
from shoal.model.requirement import Requirements
from shoal.model.sensitivity import first_decisions
from shoal.plan import Plan
from shoal.schema.advice import Advice, advise
from shoal.schema.wording import counted, percent
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition, join

SEARCH_RAN_OUT = (
    "The search for the fewest values that hit everybody's (eir-l) ran out of steps: {:,} times, "
    "a group counted as failing without proof."
)

# Losses that agree to this many decimals are equal, so that rounding chooses no method.
_DECIMALS = 12


@dataclass(frozen=True)
class Work:
    """The work on one shard, fit to be sent to another process.

    `rules` are those of the buckets that are made of its secrets.
    """

    method: Method
    task: Task
    suppression_limit: float
    polish: Polish | None = None
    rules: Mapping[str, Rule] = field(default_factory=dict)


def solve_shard(work: Work) -> Repair:
    """Run the method on one shard, then the repair, then `polish` if the plan has it.

    If there are secrets, rows are left out until the rest fit into buckets.
    """
    if not work.rules:
        return _solve(work)

    def solve_part(task: Task, limit: float) -> Repair:
        return _solve(replace(work, task=task, suppression_limit=limit))

    return without_excess(work.task, work.rules, work.suppression_limit, solve_part)


def _solve(work: Work) -> Repair:
    repaired = _choose(work)
    if work.polish is None:
        return repaired
    better, gained = polish(work.task, repaired.partition, work.polish)
    return replace(repaired, partition=better, gained=gained)


def _choose(work: Work) -> Repair:
    """The repaired classes of the method; of several methods those that lose least.

    Of those that lose as much, the first.
    """
    methods = work.method.candidates(work.task)
    if len(methods) == 1:
        open_choice = methods[0] is not work.method
        alone: tuple[MethodTrial, ...] = (MethodTrial(methods[0].name, None, chosen=True),)
        return replace(_solve_by(methods[0], work), tried=alone if open_choice else ())
    found: list[tuple[Method, Repair, float]] = []
    failed: list[InfeasibleError] = []
    for method in methods:
        try:
            repaired = _solve_by(method, work)
        except InfeasibleError as error:
            failed.append(error)
            continue
        found.append((method, repaired, _lost(work.task, repaired)))
    # A method that fails here does not stop the others: only where all fail does the run.
    if not found:
        raise failed[0]
    losses = [round(lost, _DECIMALS) for _, _, lost in found]
    best = losses.index(min(losses))
    tried = tuple(
        MethodTrial(method.name, lost, i == best) for i, (method, _, lost) in enumerate(found)
    )
    return replace(found[best][1], tried=tried)


def _lost(task: Task, repaired: Repair) -> float:
    return lost_by(task.table, repaired.partition, task.objective)


def _solve_by(method: Method, work: Work) -> Repair:
    task = work.task
    partition = method.partition(task)
    failing = task.requirements.failing(partition)
    repaired = repair(
        task.table,
        task.requirements,
        partition,
        failing,
        work.suppression_limit,
        task.objective,
    )
    # Read last: method and repair both add to it.
    return replace(repaired, n_undecided=task.requirements.n_undecided)


def solve(
    plan: Plan, coded: CodedInput, engine: Engine, *, left_out: NDArray[np.bool_] | None = None
) -> Repair:
    """The classes of all shards, each solved alone.

    People whom no release can hold are left out first. If it is known who is `left_out`, buckets
    can hold everybody else.
    """
    view = MethodView.of(coded)
    table = view.table
    secrets = plan.method.layout.keeps_secrets and left_out is None
    rules = rules_of(plan.models, table.schema) if secrets else {}
    if problems := impossible_buckets(table, rules):
        raise InfeasibleError(problems)
    everyone = np.arange(table.n_units)
    # The MKS3WD schemes say themselves what becomes of people who require too much.
    by_size = not plan.method.acting.by_levels
    kept = _without(everyone, hopeless(view.requirements, by_size=by_size))
    if left_out is not None:
        kept = _without(kept, np.flatnonzero(left_out[view.units]))
    repaired = _solve_shards(plan, coded, engine, view, kept, rules)
    n_gone = len(everyone) - len(kept)
    repaired = replace(
        repaired,
        partition=view.given(_with_regions(repaired.partition, view.requirements)),
        n_suppressed=repaired.n_suppressed + n_gone,
        n_single=repaired.n_single + n_gone,
    )
    check_suppression(plan, coded.table, repaired)
    return repaired


def _without(units: NDArray[np.int64], gone: NDArray[np.integer]) -> NDArray[np.int64]:
    """The units but for some of them, in ascending order."""
    if not len(gone):
        return units
    left = np.zeros(int(units.max()) + 1, dtype=np.bool_)
    left[units] = True
    left[gone] = False
    return np.flatnonzero(left)


@dataclass(frozen=True)
class MethodView:
    """The merged table with its rows in the order in which methods see them.

    `units` are its units in the numbers of the table as given.
    """

    table: Table
    requirements: Requirements
    units: NDArray[np.int64]

    @classmethod
    def of(cls, coded: CodedInput) -> MethodView:
        table, order = coded.merged, coded.order
        if order is None:
            return cls(table, coded.requirements, np.arange(table.n_units))
        ordered = table.take(order).as_whole()
        return cls(ordered, coded.requirements.on(ordered), table.units_in(order))

    def given(self, partition: Partition) -> Partition:
        """The same classes in the numbers of the table as given."""
        return join([partition], [self.units], len(self.units))


def _with_regions(partition: Partition, requirements: Requirements) -> Partition:
    """The same with the region of everybody, also of those whom the method has not seen."""
    model = requirements.find(MultiLevelK)
    if partition.region is None or model is None:
        return partition
    level, positive, negative = first_decisions(
        requirements.table.unit_sensitivity(), model.thresholds
    )
    region = 3 * level + np.where(positive, 0, np.where(negative, 2, 1))
    return replace(partition, region=region.astype(partition.region.dtype))


def _solve_shards(
    plan: Plan,
    coded: CodedInput,
    engine: Engine,
    view: MethodView,
    kept: NDArray[np.int64],
    rules: Mapping[str, Rule],
) -> Repair:
    """The classes of these units of the view."""
    table, requirements = view.table, view.requirements
    part = table if len(kept) == table.n_units else table.take(rows_of(table, kept))
    # Whoever is left out already counts towards the limit.
    n_spare = plan.suppression_limit * table.n_units - (table.n_units - len(kept))
    shards = [
        replace(shard, units=kept[shard.units])
        for shard in shard_table(
            part, requirements.on(part), plan.shard_rows, engine.threads, rules
        )
    ]
    works = [
        Work(
            plan.method,
            Task(
                shard.table,
                requirements.on(shard.table),
                shard.seed(coded.lots.seed),
                plan.objective,
                replace(shard, units=view.units[shard.units]).places(coded.first),
                engine.threads,
            ),
            max(n_spare / max(len(kept), 1), 0.0),
            None if plan.polish is None else plan.polish.share(len(shards)),
            rules,
        )
        for shard in shards
    ]
    repaired = _joined(engine.map(solve_shard, works), shards, table.n_units)
    return settle_levels(table, requirements, repaired, plan.suppression_limit, plan.objective)


def _joined(found: Sequence[Repair], shards: Sequence[Shard], n_units: int) -> Repair:
    partition = join([f.partition for f in found], [s.units for s in shards], n_units)
    return Repair(
        partition,
        **repair_counts(found),
        shards=_shard_of_class(found) if len(found) > 1 else None,
    )


def _shard_of_class(found: Sequence[Repair]) -> NDArray[np.int32]:
    n_classes = [f.partition.n_classes for f in found]
    return np.repeat(np.arange(len(found), dtype=np.int32), n_classes)


def _how_to_publish(plan: Plan) -> str:
    if plan.method.sheds_hierarchies:
        return "Require less, or try another seed or another method."
    if plan.method.layout.keeps_secrets:
        return "Require a smaller k: every set of secrets that people chose needs k rows."
    return "Require less, or give the hierarchies a common top."


def check_suppression(plan: Plan, table: Table, repaired: Repair) -> None:
    """Raise InfeasibleError where nothing is left, or more is suppressed than the plan allows."""
    partition = repaired.partition
    refuse_nothing(plan, partition.n_classes, repaired.n_undecided)
    lost = int(np.count_nonzero(table.by_row(partition.unit_class) == SUPPRESSED))
    refuse_suppression(plan, lost, table.n_rows)


def refuse_nothing(plan: Plan, n_classes: int, n_undecided: int) -> None:
    """Raise InfeasibleError where no class is left."""
    if n_classes == 0:
        raise InfeasibleError(
            f"Nothing can be published: {plan.method.name} found no group that meets the "
            "requirements of the plan."
            + (f" {SEARCH_RAN_OUT.format(n_undecided)}" if n_undecided else ""),
            hint=_how_to_publish(plan),
        )


def refuse_suppression(plan: Plan, lost: int, n_rows: int) -> None:
    """Raise InfeasibleError where more rows are suppressed than the plan allows."""
    share = lost / n_rows
    if share > plan.suppression_limit:
        raise InfeasibleError(
            f"{lost} of {n_rows} rows would be suppressed ({percent(share)}), but the plan allows "
            f"{percent(plan.suppression_limit)}.",
            hint="Raise 'suppression: {limit: …}', require less, or choose another method.",
        )


def warn_of_run(plan: Plan, repaired: Repair, table: Table) -> Iterator[Advice]:
    """Advice on a plan and its classes, wherever the rows are."""
    yield from warn_of_order(plan)
    yield from warn_of_repair(repaired, table)
    yield from warn_of_polish(plan, repaired)
    for requirement in plan.repeated:
        text = f"{requirement} is listed twice, which changes nothing."
        yield advise("repeated-requirement", text)


def warn_of_order(plan: Plan) -> Iterator[Advice]:
    """Say where the order of the input shows in the classes."""
    if plan.order == "input" and plan.method.keeps_neighbours:
        yield advise(
            "input-order",
            "Classes are runs of consecutive rows of the input: anybody who knows the order of "
            "people, for example by date of admission, knows who shares a class. 'order: content' "
            "prevents this.",
        )


def warn_of_polish(plan: Plan, repaired: Repair) -> Iterator[Advice]:
    """Say where polishing did nothing, and where it may not do the same twice."""
    if plan.polish is None:
        return
    if repaired.gained <= 0:
        yield advise(
            "nothing-gained",
            "Polishing gained nothing: it found no classes with a smaller loss. More steps or "
            "another method may help.",
        )
    if plan.polish.seconds is not None:
        yield advise(
            "polished-by-time",
            "Classes were polished for a number of seconds, so another run of this plan may "
            "publish different ones. 'polish: {steps: …}' gives the same result everywhere.",
        )


def warn_of_repair(repaired: Repair, table: Table) -> Iterator[Advice]:
    """Say who is left out for the sake of others, and where classes may be larger than needed."""
    if repaired.n_single:
        one = "row" if table.people is None else "person"
        were = "was" if repaired.n_single == 1 else "were"
        yield advise(
            "left-out-singly",
            f"{counted(repaired.n_single, one, table.unit_word)} {were} left out singly so that "
            "the rest of their classes could be kept.",
        )
    if repaired.n_undecided:
        said = SEARCH_RAN_OUT.format(repaired.n_undecided)
        yield advise("search-budget", f"{said} A smaller l may lose less.")
