"""Which thresholds and pairs of k: proposals, each rehearsed on the table, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import prod
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.suggest.candidate import Candidate, candidates, most_levels
from shoal._command.suggest.suggestion import MEASURES, Suggestion, Suggestions
from shoal._run import run
from shoal._run.engine import LocalEngine
from shoal.errors import InfeasibleError, PlanError, Problem
from shoal.method import KA, METHODS, Method, Mondrian
from shoal.model import KAnonymity, Model, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.model.sensitivity import asked_k
from shoal.plan import Plan
from shoal.schema import Role
from shoal.table import Table, encode, settle_conflicts

SCHEMES = ("sd-mks3wd", "se-mks3wd", "ece-mks3wd")
SAMPLE = 50_000
MOST_LEVELS = 8
# A lattice with more level vectors than this takes too long for a rehearsal.
_MOST_VECTORS = 100_000

Progress = Callable[[str], AbstractContextManager[Any]]


def suggest(
    plan: Plan | Mapping[str, Any] | str | Path,
    data: Any = None,
    highest_k: int = 8,
    schemes: Sequence[str] = SCHEMES,
    *,
    levels: int | None = None,
    share: float | None = None,
    sample: int = SAMPLE,
    progress: Progress | None = None,
) -> Suggestions:
    """Propose thresholds and pairs of k for a plan, and say what each would cost.

    Every candidate has the pairs (K, 1), (K-1, 2) … for 1 to `levels` levels, and is rehearsed by
    each scheme with all else that the plan asks. Beyond `sample` rows they are judged on so many,
    drawn by the plan's seed; who asks for which k is always counted on the whole table. Nothing is
    written.

    >>> people = pl.DataFrame({"age": [i % 9 for i in range(60)], "f": [i / 59 for i in range(60)]})
    >>> plan = {"attributes": {"age": {"role": "quasi", "hierarchy": "flat"}, "f": "sensitivity"},
    ...         "privacy": [{"k-anonymity": {"k": 1}}], "method": "ece-mks3wd"}
    >>> found = suggest(plan, people, highest_k=4, schemes=["ece-mks3wd"])
    >>> [(row.n_levels, row.family, row.holds) for row in found]
    [(1, 'even', True), (2, 'even', True), (2, 'quantile', True)]
    """
    plan = Plan.of(plan)
    stage = progress or (lambda _: nullcontext())
    _refuse_arguments(highest_k, schemes, levels, share)
    _refuse_plan(plan)
    with stage("reading"):
        frame, table = _read(plan, data)
    f = table.unit_sensitivity()
    _refuse_highest(highest_k, table)
    judged, notes = _sampled(plan, frame, table, sample)
    like = next((m for m in plan.models if isinstance(m, MultiLevelK)), None)
    most = min(most_levels(highest_k), levels or MOST_LEVELS)
    found = list(candidates(f, highest_k, most, share, like))
    climb = _climb(plan, table)
    with stage(f"KA with k = {highest_k}"):
        baseline = _one_k(plan, judged, highest_k, len(f), _method(plan, KA.name, climb))
    with stage(f"mondrian with k = {highest_k}"):
        own = plan.method if plan.method.name == Mondrian.name else METHODS[Mondrian.name]()
        plain = _one_k(plan, judged, highest_k, len(f), own)
    rows: list[Suggestion] = []
    for candidate in found:
        for scheme in schemes:
            with stage(f"{scheme}, {candidate.n_levels} levels, {candidate.family} thresholds"):
                method = _method(plan, scheme, climb)
                rows.append(_rehearsed(plan, judged, candidate, method, f, len(rows) + 1))
    notes += _notes(plan, found, share, like, levels, most_levels(highest_k))
    return Suggestions(
        tuple(rows), baseline, plain, frame.height, judged.height, share, tuple(notes),
        _least(plan, table),
    )  # fmt: skip


def _refuse_arguments(
    highest_k: int, schemes: Sequence[str], levels: int | None, share: float | None
) -> None:
    must = "The '{}' parameter of suggest must be {}, got {} instead."
    problems = []
    if highest_k < 2:
        problems.append(must.format("highest_k", "an integer of at least 2", highest_k))
    if levels is not None and levels < 1:
        problems.append(must.format("levels", "an integer of at least 1", levels))
    if share is not None and not 0 < share < 1:
        problems.append(must.format("share", "between 0 and 1, both left out", share))
    unknown = [scheme for scheme in schemes if scheme not in SCHEMES]
    if unknown or not schemes:
        problems.append(must.format("schemes", f"some of {', '.join(SCHEMES)}", list(schemes)))
    if problems:
        raise PlanError(Problem(text) for text in problems)


def _refuse_plan(plan: Plan) -> None:
    """What the schemes need of the attributes, told before anything is read."""
    if plan.method.layout.keeps_secrets:
        raise PlanError(
            f"Levels of k are for the MKS3WD schemes, and the plan's method is {plan.method.name}.",
            hint="Try k and l of this plan with 'shoal compare' instead.",
        )
    n = len(plan.schema.of(Role.SENSITIVITY))
    problems = METHODS[KA.name]().problems(plan.schema)
    if n != 1:
        problems.append(
            Problem(
                "Levels are chosen by everyone's sensitivity, so exactly one attribute must have "
                f"'role: sensitivity', and there are {n}.",
                hint="Give the column with every person's f between 0 and 1 this role.",
            )
        )
    if sum(isinstance(m, MultiLevelK) for m in plan.models) > 1:
        problems.append(
            Problem("The plan asks for multi-level-k twice.", hint="Keep one of the two.")
        )
    if problems:
        raise PlanError(problems)


def _read(plan: Plan, data: Any) -> tuple[pl.DataFrame, Table]:
    if data is None and not plan.source:
        raise PlanError(
            "The plan names no source, and no data was handed over.",
            hint="Add 'source: FILE' to the plan, or hand the data over.",
        )
    source, base = (plan.source, plan.base) if data is None else (data, Path.cwd())
    frame = LocalEngine().read(source, base)
    problems = plan.check_columns(frame.columns)
    if problems:
        raise PlanError(problems)
    frame, _ = settle_conflicts(frame, plan.schema)
    return frame, encode(frame, plan.schema)


def _refuse_highest(highest_k: int, table: Table) -> None:
    if highest_k > table.n_units:
        raise InfeasibleError(
            f"A crowd of {highest_k} cannot be had: the table has {table.n_units} "
            f"{table.unit_word}.",
            hint=f"The largest possible k is {table.n_units}.",
        )


def _sampled(
    plan: Plan, frame: pl.DataFrame, table: Table, most: int
) -> tuple[pl.DataFrame, list[str]]:
    """The table, or the rows of people drawn from it."""
    if frame.height <= most:
        return frame, []
    draw = np.random.default_rng(plan.seed or 0)
    n_units = max(1, most * table.n_units // table.n_rows)
    chosen = np.zeros(table.n_units, dtype=np.bool_)
    chosen[draw.choice(table.n_units, n_units, replace=False)] = True
    part = frame.filter(pl.Series(chosen[table.unit_of_row()]))
    return part, [
        f"losses are judged on {part.height:,} of {frame.height:,} rows, drawn at random; crowds "
        "are thinner there, so that the whole table will lose less"
    ]


def _one_k(plan: Plan, frame: pl.DataFrame, k: int, n_people: int, method: Method) -> Suggestion:
    """The same k for all."""
    model = KAnonymity(k=k)
    outcome = _rehearse(plan, frame, model, method)
    return Suggestion(0, "one k", method.name, model, method, {k: n_people}, **outcome)


def _rehearsed(
    plan: Plan,
    frame: pl.DataFrame,
    candidate: Candidate,
    method: Method,
    f: NDArray[np.float64],
    number: int,
) -> Suggestion:
    model = candidate.model
    outcome = _rehearse(plan, frame, model, method)
    people = people_by_k(model, f)
    return Suggestion(number, candidate.family, method.name, model, method, people, **outcome)


def people_by_k(model: MultiLevelK, f: NDArray[np.float64]) -> dict[int, int]:
    """How many people ask for which k, the highest first; every k of the pairs is there."""
    k, n = np.unique(asked_k(f, model.thresholds, model.pairs), return_counts=True)
    counted = dict(zip(k.tolist(), n.tolist(), strict=True))
    return {k: counted.get(k, 0) for k in sorted(sum(model.pairs, ()), reverse=True)}


def _climb(plan: Plan, table: Table) -> str | None:
    """Another way up than the plan's method has; None where the method's own is kept.

    All hierarchies together lose far more than each apart, so that is only done where the plan
    says so, or where the lattice is too large.
    """
    if "climb" in plan.method.model_fields_set or plan.method.name in SCHEMES:
        return None
    n_vectors = prod(d.tree.height for d in table.quasi if d.tree is not None)
    return "lattice" if n_vectors <= _MOST_VECTORS else "together"


def _method(plan: Plan, scheme: str, climb: str | None) -> Method:
    """The plan's own method where it has this scheme; its options go over to the others."""
    if plan.method.name == scheme and climb is None:
        return plan.method
    options = plan.method.model_dump(by_alias=True, exclude_defaults=True)
    known = {field.alias or name for name, field in METHODS[scheme].model_fields.items()}
    shared = {name: value for name, value in options.items() if name in known}
    return METHODS[scheme](**shared | ({} if climb is None else {"climb": climb}))


def _others(plan: Plan) -> list[Model]:
    return [m for m in plan.models if not isinstance(m, MultiLevelK)]


def _least(plan: Plan, table: Table) -> int:
    """The crowd that everybody gets by what the plan asks beside personal k."""
    return max(1, Requirements.of(_others(plan), table).least)


def _rehearse(
    plan: Plan, frame: pl.DataFrame, model: MultiLevelK | KAnonymity, method: Method
) -> dict[str, Any]:
    """Run without writing; what cannot be had is an outcome too."""
    models: tuple[Model, ...] = (*_others(plan), model)
    rehearsal = replace(
        plan, models=models, method=method, output=None, text="", seed=plan.seed or 0
    )
    start = perf_counter()
    try:
        release = run(rehearsal, frame)
    except InfeasibleError as error:
        return {"measures": {}, "holds": False, "n_below": 0,
                "seconds": perf_counter() - start, "problem": error.problems[0].text}  # fmt: skip
    seconds = perf_counter() - start
    below = [
        v.reached.get("rows below", 0) for v in release.verdicts if isinstance(v.reached, dict)
    ]
    measures = {name: release.measures[name] for name in MEASURES if name in release.measures}
    return {"measures": measures, "holds": release.holds, "n_below": sum(below),
            "seconds": seconds, "problem": ""}  # fmt: skip


def _notes(
    plan: Plan,
    found: Sequence[Candidate],
    share: float | None,
    like: MultiLevelK | None,
    levels: int | None,
    possible: int,
) -> list[str]:
    notes = []
    if share is not None and not any(c.family == "share" for c in found):
        notes.append(
            f"no threshold keeps the highest k to {share:.0%} of the people: too many have the "
            "same, highest sensitivity, or there is no more to part than with other thresholds"
        )
    if levels is None and possible > MOST_LEVELS:
        notes.append(f"up to {MOST_LEVELS} of {possible} possible levels are tried")
    for m in plan.models:
        if isinstance(m, KAnonymity) and m.k > 1:
            notes.append(f"{m.requirement()} stays: nobody gets less than {m.k}, whatever they ask")
    if like is not None and any(level.model_extra for level in like.levels):
        notes.append("what the plan's levels ask for beside k is kept, level by level")
    return notes
