"""From a plan to a verified release.

read → code → merge repeated rows of a person → shard → method → repair → recode → verify → measure
→ write → verify what was written
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.bucket import bucketise, rules_of
from shoal.caution import singled_out, warnings_of
from shoal.engines import Engine, LocalEngine, shard_seed
from shoal.errors import DataError, InfeasibleError, PlanError, Problem, VerificationError
from shoal.measure import View, measures_of
from shoal.method import QIMHSA, GraphMethod, LocalGeneralisation, Method, Task
from shoal.model import KAnonymity, LDiversity, Model, MultiLevelK, SensitiveModel
from shoal.model.requirement import Requirements
from shoal.partition import SUPPRESSED, WITHHELD, Partition, join
from shoal.plan import Plan
from shoal.publish import (
    check_places,
    digest_people,
    earlier_releases,
    extend_history,
    private_classes,
    private_rows,
    warn_of_overlap,
    write_release,
)
from shoal.recode import Lots, Publication, class_numbers, generalise, published_order
from shoal.release import Counts, Release, seal
from shoal.repair import Repair, repair
from shoal.reports.graph import MOST_DRAWN, draw_graph
from shoal.schema import Kind, Schema, Verdict
from shoal.showing import Showing, show_sensitive
from shoal.space import distance_matrix
from shoal.table import (
    Table,
    encode,
    people_named,
    published_contents,
    repeated_rows,
    settle_conflicts,
)
from shoal.verify import adversary_risks, verify_release

Progress = Callable[[str], AbstractContextManager[Any]]


def run(
    plan: Plan | Mapping[str, Any] | str | Path,
    data: Any = None,
    engine: Engine | None = None,
    *,
    output: str | Path | None = None,
    private: str | Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Make a release by a plan, verify it, and write it where the plan names an output.

    `data` stands in for the plan's source: a polars, pandas or pyarrow table, or a path. `private`
    is the folder for the publisher's own side. Raises a ShoalError and writes nothing where the
    plan, the data or the result is not as it must be.

    >>> people = pl.DataFrame({"age": [31, 33, 34, 58, 61, 64], "ill": list("abcabc")})
    >>> plan = {"attributes": {"age": "quasi", "ill": "sensitive"}, "seed": 1,
    ...         "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}]}
    >>> sorted(set(run(plan, people).frame["age"]))
    ['[31, 34]', '[58, 64]']
    """
    plan = Plan.of(plan)
    folder = Path(output) if output is not None else plan.output_folder
    own = None if private is None else Path(private)
    if own is not None and folder is None:
        raise PlanError(
            "A private folder belongs to a release, and neither the call nor the plan names an "
            "output.",
            hint="Add 'output: FOLDER' to the plan, or hand one over.",
        )
    check_places(folder, own, force)
    stage = progress or (lambda _: nullcontext())
    engine = engine or LocalEngine(plan.workers or 1)
    with stage("reading"):
        given = _read(plan, data, engine)
        frame, replaced = settle_conflicts(given, plan.schema)
    with stage("coding"):
        coded = _coded(plan, frame)
        requirements = _asked(plan.models, plan.method, coded)
        _refuse_clashes(plan, coded.table.schema)
        first = _first(plan, frame, coded.table)
    seed = secrets.randbits(62) if plan.seed is None else plan.seed
    with stage(plan.method.name):
        mended = _solve(plan, coded.merged, requirements, engine, seed, first)
        _check_suppression(plan, coded.table, mended)
    notes = _guesses(plan, coded.table)
    release = _release(plan, given, frame, coded, mended, seed, notes, stage)
    alone = singled_out(release, frame, coded.table)
    release = replace(release, replaced=replaced, singled_out=alone)
    cautions = plan.method.cautions(coded.merged)
    release = replace(release, warnings=(*warnings_of(release, frame), *cautions))
    if own is not None:
        release = _beside_earlier(release, frame, own)
    if folder is not None:
        with stage("writing"):
            write_release(
                release,
                folder,
                private=own,
                force=force,
                format=release.format,
                progress=progress,
            )
    return release


def _read(plan: Plan, data: Any, engine: Engine) -> pl.DataFrame:
    if data is None and not plan.source:
        raise PlanError(
            "The plan names no source, and no data was handed over.",
            hint="Add 'source: FILE' to the plan, or hand the data over.",
        )
    source = data if data is not None else plan.source
    if isinstance(source, (tuple, list)):
        frame = engine.read(tuple(source), plan.base)
    else:
        frame = engine.read(source, Path.cwd())
    problems = plan.check_columns(frame.columns)
    if problems:
        raise PlanError(problems)
    return frame


@dataclass(frozen=True)
class _Coded:
    """The coded input, and the same with the repeated rows of a person merged.

    `stands_for[row]` is the row that is published for a row, None where nothing is merged. People
    have the same numbers in both.
    """

    table: Table
    merged: Table
    stands_for: NDArray[np.int64] | None

    @property
    def n_repeated(self) -> int:
        return self.table.n_rows - self.merged.n_rows


def _coded(plan: Plan, frame: pl.DataFrame) -> _Coded:
    table = encode(frame, plan.schema)
    if plan.method.sheds_hierarchies:
        table = encode(frame, table.schema.without_hierarchies())
    if table.people is None:
        return _Coded(table, table, None)
    first = repeated_rows(table.people, published_contents(frame, table))
    if first is None:
        return _Coded(table, table, None)
    table = replace(table, flags={n: _highest(flags, first) for n, flags in table.flags.items()})
    rows = np.flatnonzero(first == np.arange(len(first)))
    return _Coded(table, table.take(rows).as_whole(), first)


def _highest(flags: NDArray[np.uint8], stands_for: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Of rows that are published once, the highest flag protects the one that is."""
    highest = flags.copy()
    np.maximum.at(highest, stands_for, flags)
    return np.asarray(highest[stands_for])


def _asked(models: Sequence[Model], method: Method, coded: _Coded) -> Requirements:
    """Compile the requirements on classes, or say at once what cannot be had.

    What is wrong with rows is told of the input, whose row numbers the user knows.
    """
    table = coded.merged
    problems = [p for m in models for p in m.problems(table.schema)]
    problems += [*method.problems(table.schema), *method.unsuited(models)]
    problems += _for_buckets_alone(models, method)
    if problems:
        raise PlanError(problems)
    if method.keeps_secrets:
        rules_of(models, table.schema)
        models = [m for m in models if not isinstance(m, SensitiveModel)]
    unfit = [p for m in models for p in m.unfit(coded.table)]
    if unfit:
        raise DataError(unfit)
    impossible = [p for m in models for p in m.infeasible(table)]
    if impossible:
        raise InfeasibleError(impossible)
    return Requirements.of(_enforced(models, method), table, models)


def _for_buckets_alone(models: Sequence[Model], method: Method) -> list[Problem]:
    if method.keeps_secrets:
        return []
    return [
        Problem(
            f"{method.name} makes no buckets, and 'personal' of l-diversity is about those.",
            hint="Leave 'personal' out, or choose lgb-mdp or lgb-ncp.",
        )
        for m in models
        if isinstance(m, LDiversity) and m.personal is not None
    ]


def _enforced(models: Sequence[Model], method: Method) -> list[Model]:
    """What must hold in every class; a method that keeps levels apart sees to theirs by itself."""
    enforced = [m for m in models if not method.may_miss(m)]
    if method.levels_apart:
        return enforced
    levels = [level for m in models if isinstance(m, MultiLevelK) for level in m.levels]
    return [*enforced, *(m for level in levels for m in level.stronger)]


def _refuse_clashes(plan: Plan, schema: Schema) -> None:
    """No two published columns may have one name."""
    names = ["Id_num"] if schema.individual is not None else []
    names += ["record", "GID"] if plan.method.keeps_secrets else []
    for a in schema.published:
        split = a in schema.quasi and a.kind is Kind.NUMERIC and a.hierarchy is None
        ends = ("_low", "_high") if plan.ranges == "columns" and split else ("",)
        names += [a.name + end for end in ends]
    problems = [
        Problem(f"The release would have two columns {name!r}.", hint="Rename the attribute.")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    problems += [
        Problem(f"The name {a.name!r} is kept for the numbers of buckets.", hint="Rename it.")
        for a in schema.published
        if a.name.endswith("_BID")
    ]
    if plan.method.keeps_secrets:
        problems += [
            Problem(
                f"Buckets of {a.name!r} go into a file of that name, which no file can have.",
                hint="Rename it.",
            )
            for a in schema.secret
            if set(a.name) & set('/\\:*?"<>|') or not a.name.isprintable()
        ]
    if problems:
        raise PlanError(problems)


def _first(plan: Plan, frame: pl.DataFrame, table: Table) -> NDArray[np.int64]:
    """The people whom the plan names to its method."""
    if table.people is None or table.schema.individual is None:
        return np.empty(0, dtype=np.int64)
    column = table.schema.individual.column
    return people_named(plan.method.names, frame, column, table.people)


def _guesses(plan: Plan, table: Table) -> list[str]:
    return [
        f"{a.name} is taken as {a.kind}"
        for declared, a in zip(plan.schema.attributes, table.schema.attributes, strict=True)
        if declared.kind is None and a.kind is not None
    ]


@dataclass(frozen=True)
class _Work:
    """The work on one shard, fit to be sent to another process."""

    method: Method
    task: Task
    suppression_limit: float


def _solve_shard(work: _Work) -> Repair:
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


def _solve(
    plan: Plan,
    table: Table,
    requirements: Requirements,
    engine: Engine,
    seed: int,
    first: NDArray[np.int64],
) -> Repair:
    shards = engine.shard(table, requirements, plan.shard_rows)
    tables = [table] if len(shards) == 1 else [table.take(rows) for rows in shards]
    units = [np.arange(table.n_units)] if len(shards) == 1 else [_units(table, r) for r in shards]
    works = [
        _Work(
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
    found = engine.map(_solve_shard, works)
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


def _check_suppression(plan: Plan, table: Table, mended: Repair) -> None:
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


def _release(
    plan: Plan,
    given: pl.DataFrame,
    frame: pl.DataFrame,
    coded: _Coded,
    mended: Repair,
    seed: int,
    notes: list[str],
    stage: Progress,
) -> Release:
    table, merged = coded.table, coded.merged
    form = _form(plan.method)
    with stage("recoding"):
        lots = Lots.of(table, frame, seed)
        showing = Showing(mended.partition)
        if not plan.method.keeps_secrets:
            once = _published_once(coded)
            showing = show_sensitive(
                table, mended.partition, plan.method, plan.models, _drawer(lots, "lift"), once
            )
        partition, cells = showing.partition, showing.cells
        labels = generalise(table, partition, plan.ranges)
        classes = partition.unit_class[table.unit_of_row()]
        hidden = [a.name for a in table.schema.sensitive] if plan.method.keeps_secrets else []
        rows = published_order(table, frame, labels, classes, lots, coded.stands_for, hidden, cells)
        buckets = None
        if plan.method.keeps_secrets:
            rules = rules_of(plan.models, table.schema)
            buckets = bucketise(table, partition, rules, _drawer(lots, "buckets"))
        number = class_numbers(classes, rows, partition.n_classes)
        row_class = np.where(classes == SUPPRESSED, SUPPRESSED, number[classes])
        published = Publication(
            table,
            frame,
            labels,
            classes[rows],
            row_class[rows],
            rows,
            plan.ranges,
            form,
            buckets or {},
            cells,
        )
        tables = published.tables()
        linked = published.linked(tables["data"]) if form == "linked" else None
        records = np.flatnonzero(_published_once(coded))
        view = View(
            merged,
            partition,
            labels,
            _asked_k(plan.models, table),
            plan.models,
            buckets,
            {name: column.take(records) for name, column in cells.items()},
        )
    with stage("verifying"):
        beside = given, rows, row_class, table.schema, plan.requirements
        verdicts = verify_release(
            tables,
            *beside,
            ranges=plan.ranges,
            suppression_limit=plan.suppression_limit,
            released_k=_released_k(table, partition),
            form="plain" if form == "linked" else form,
            symbols=showing.how,
            concealed=showing.concealed,
            split=linked,
        )
        _refuse(plan, verdicts)
    tables = linked or tables
    return Release(
        schema=table.schema,
        requirements=plan.requirements,
        coded=MappingProxyType(tables),
        verified=seal(tables),
        origin=rows,
        private_rows=lambda: private_rows(frame, table, partition, row_class),
        private_classes=lambda: private_classes(table, labels, view, number),
        verdicts=verdicts,
        measures=measures_of(view),
        counts=_counts(coded, mended, partition, rows, view.n_published),
        plan_digest=plan.digest(),
        input_digest=lots.digest,
        seed=seed,
        seed_given=plan.seed is not None,
        ranges=plan.ranges,
        form=form,
        method=plan.method.name,
        format=plan.output_format,
        notes=tuple(notes),
        may_be_unmet=frozenset(may_be_unmet(plan)),
        source=frame,
        writer=write_release,
        plan_text=plan.text or plan.to_yaml(),
        picture=_picture(plan.method, merged, partition, number),
        symbols=showing.how,
        leaks=(showing.before, showing.after),
        concealed=showing.concealed,
        adversary=None
        if not plan.method.keeps_secrets
        else lambda: adversary_risks(tables, *beside, ranges=plan.ranges, form=form),
    )


def _form(method: Method) -> str:
    """How the release is laid out in tables."""
    if isinstance(method, LocalGeneralisation):
        return method.tables
    return "linked" if isinstance(method, QIMHSA) and method.tables == "split" else "plain"


def _drawer(lots: Lots, what: str) -> Callable[[str], NDArray[np.uint64]]:
    return lambda name: lots.draw(f"{what} {name}")


def _published_once(coded: _Coded) -> NDArray[np.bool_]:
    """Which rows stand for themselves, and not for another row of the same person."""
    if coded.stands_for is None:
        return np.ones(coded.table.n_rows, dtype=np.bool_)
    return np.asarray(coded.stands_for == np.arange(coded.table.n_rows))


def _picture(
    method: Method, table: Table, partition: Partition, number: NDArray[np.int32]
) -> Callable[[], str] | None:
    """For the publisher's eyes: the graph of a small table, where the method works on one."""
    if not isinstance(method, GraphMethod) or table.n_units > MOST_DRAWN:
        return None
    groups: dict[int | None, list[int]] = {}
    for unit, c in enumerate(partition.unit_class.tolist()):
        groups.setdefault(None if c == SUPPRESSED else int(number[c]), []).append(unit)
    ordered = dict(sorted(groups.items(), key=lambda item: (item[0] is None, item[0] or 0)))
    return lambda: draw_graph(distance_matrix(table, method.normalise), ordered)


def _beside_earlier(release: Release, frame: pl.DataFrame, private: Path) -> Release:
    """Compare the people with those of earlier releases whose private side is in the folder."""
    people = digest_people(frame, release.schema)
    earlier = earlier_releases(private)
    return replace(
        release,
        warnings=(*release.warnings, *warn_of_overlap(earlier, people)),
        history=extend_history(earlier, people),
    )


def _asked_k(models: Sequence[Model], table: Table) -> NDArray[np.int32] | None:
    """The k that each unit asks for, by all models together; None where no model names one."""
    asked = np.zeros(table.n_units, dtype=np.int32)
    for model in models:
        if isinstance(model, MultiLevelK):
            asked = np.maximum(asked, model.asked(table))
        elif isinstance(model, KAnonymity):
            asked = np.maximum(asked, np.int32(model.k))
    return asked if asked.any() else None


def _released_k(table: Table, partition: Partition) -> NDArray[np.int64] | None:
    """The k that each row was released under, where the method says so and nothing was repaired."""
    if partition.k is None:
        return None
    return partition.k[table.unit_of_row()].astype(np.int64)


def may_be_unmet(plan: Plan) -> set[str]:
    """The requirements that the method may leave unmet by its definition."""
    return {str(m.requirement()) for m in plan.models if plan.method.may_miss(m)}


def _refuse(plan: Plan, verdicts: Sequence[Verdict]) -> None:
    """A release that does not hold is never handed on."""
    allowed = may_be_unmet(plan)
    failing = [v for v in verdicts if v.holds is not True and v.requirement not in allowed]
    if failing:
        raise VerificationError(
            Problem(
                f"{v.requirement} does not hold: asked {v.asked}, reached {v.reached}, "
                f"{len(v.offending)} fail.",
                where=v.attribute or "",
            )
            for v in failing
        )


def _counts(
    coded: _Coded,
    mended: Repair,
    partition: Partition,
    rows: NDArray[np.int64],
    n_published: int,
) -> Counts:
    table = coded.table
    return Counts(
        rows=table.n_rows,
        published=len(rows),
        suppressed=coded.merged.n_rows - len(rows),
        repeated=coded.n_repeated,
        suppressed_by_repair=mended.n_suppressed,
        merged_by_repair=mended.n_merged,
        classes=n_published,
        people=None if table.people is None else len(table.people),
        **_withheld(partition),
    )


def _withheld(partition: Partition) -> dict[str, int]:
    """How many cells are shown nowhere, and in how many rows."""
    if partition.pattern is None:
        return {}
    cells = np.count_nonzero(partition.pattern == WITHHELD, axis=1)
    sizes = partition.sizes()
    return {
        "withheld": int((cells * sizes).sum()),
        "withheld_rows": int(sizes[cells > 0].sum()),
    }
