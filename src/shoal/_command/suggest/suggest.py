"""Propose thresholds and pairs of k: rehearse every candidate on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from math import prod
from time import perf_counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.rehearsal import sample_people
from shoal._command.suggest.candidate import Candidate, candidates, most_levels
from shoal._command.suggest.suggestion import MEASURES, Suggestion, Suggestions
from shoal._run import run
from shoal._run.read import read_input
from shoal.errors import InfeasibleError, PlanError, Problem
from shoal.folder.writing import Progress
from shoal.method import KA, METHODS, Method, Mondrian
from shoal.model import KAnonymity, Model, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.model.sensitivity import asked_k
from shoal.plan import AnyPlan, Plan
from shoal.schema import Role
from shoal.schema.wording import percent
from shoal.source import AnyTable
from shoal.table import Table, encode

SCHEMES = ("sd-mks3wd", "se-mks3wd", "ece-mks3wd")
SAMPLE = 50_000
MOST_LEVELS = 8
# A lattice with more level vectors than this takes too long for a rehearsal.
_MOST_VECTORS = 100_000


def suggest(
    plan: AnyPlan,
    data: AnyTable | None = None,
    highest_k: int = 8,
    schemes: Sequence[str] = SCHEMES,
    *,
    levels: int | None = None,
    share: float | None = None,
    sample: int = SAMPLE,
    progress: Progress | None = None,
) -> Suggestions:
    """Propose thresholds and pairs of k for a plan, and say what each would cost.

    Every candidate has the pairs (K, 1), (K-1, 2) … for 1 to `levels` levels, and is rehearsed
    under each scheme with all other requirements of the plan. A table of more than `sample` rows is
    sampled, by the plan's seed if that is a number; who asks for which k is always counted on the
    whole table. Nothing is written.

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
        frame = read_input(plan, data).frame
        table = encode(frame, plan.schema)
    f = table.unit_sensitivity()
    _refuse_highest(highest_k, table)
    judged, notes = _sampled(plan, frame, table, sample)
    like = next((m for m in plan.models if isinstance(m, MultiLevelK)), None)
    most = min(most_levels(highest_k), levels or MOST_LEVELS)
    found = list(candidates(f, highest_k, most, share, like))
    climb = _climb(plan, table)
    rehearse = partial(_rehearse, plan, judged)
    one_k, everybody = KAnonymity(k=highest_k), {highest_k: len(f)}
    with stage(f"KA with k = {highest_k}"):
        baseline = rehearse(0, "one k", one_k, _method(plan, KA.name, climb), everybody)
    with stage(f"mondrian with k = {highest_k}"):
        own = plan.method if plan.method.name == Mondrian.name else METHODS[Mondrian.name]()
        plain = rehearse(0, "one k", one_k, own, everybody)
    rows: list[Suggestion] = []
    for family, model in ((candidate.family, candidate.model) for candidate in found):
        people = people_by_k(model, f)
        for scheme in schemes:
            with stage(f"{scheme}, {len(model.levels)} levels, {family} thresholds"):
                method = _method(plan, scheme, climb)
                rows.append(rehearse(len(rows) + 1, family, model, method, people))
    notes += _notes(plan, found, share, like, levels, most_levels(highest_k))
    return Suggestions(
        tuple(rows), baseline, plain, frame.height, judged.height, share, tuple(notes),
        _least(plan, table),
    )  # fmt: skip


def scheme_of(plan: Plan) -> str:
    """The scheme of a plan; ece-mks3wd if its method is none."""
    return plan.method.name if plan.method.name in SCHEMES else "ece-mks3wd"


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
        problems.append(must.format("share", "greater than 0 and less than 1", share))
    unknown = [scheme for scheme in schemes if scheme not in SCHEMES]
    if unknown or not schemes:
        problems.append(must.format("schemes", f"some of {', '.join(SCHEMES)}", list(schemes)))
    if problems:
        raise PlanError(Problem(text) for text in problems)


def _refuse_plan(plan: Plan) -> None:
    """Raise what the schemes require of the attributes before anything is read."""
    if plan.method.layout.keeps_secrets:
        raise PlanError(
            f"Levels of k are for the MKS3WD schemes, but the plan's method is {plan.method.name}.",
            hint="Compare several k and l of this plan with 'shoal compare' instead.",
        )
    n = len(plan.schema.of(Role.SENSITIVITY))
    problems = METHODS[KA.name]().problems(plan.schema)
    if n != 1:
        problems.append(
            Problem(
                "suggest needs exactly one attribute with 'role: sensitivity', but the plan has "
                f"{n}.",
                hint="Give this role to the column with every person's f between 0 and 1.",
            )
        )
    if sum(isinstance(m, MultiLevelK) for m in plan.models) > 1:
        problems.append(
            Problem("The plan requires multi-level-k more than once.", hint="Keep one of them.")
        )
    if problems:
        raise PlanError(problems)


def _refuse_highest(highest_k: int, table: Table) -> None:
    if highest_k > table.n_units:
        raise InfeasibleError(
            f"The highest k must be at most the number of {table.unit_word}, got {highest_k} for "
            f"{table.units_counted}.",
            hint=f"The largest possible k is {table.n_units}.",
        )


def _sampled(
    plan: Plan, frame: pl.DataFrame, table: Table, most: int
) -> tuple[pl.DataFrame, list[str]]:
    """The table, or all rows of a sample of its people."""
    rows = sample_people(table, most, plan.seed if isinstance(plan.seed, int) else 0)
    if rows is None:
        return frame, []
    part = frame[rows]
    return part, [
        f"losses come from a random sample of {part.height:,} of {frame.height:,} rows; crowds "
        "are thinner in a sample, so the whole table will lose less"
    ]


def people_by_k(model: MultiLevelK, f: NDArray[np.float64]) -> dict[int, int]:
    """How many people ask for each k of the pairs, the highest k first."""
    k, n = np.unique(asked_k(f, model.thresholds, model.pairs), return_counts=True)
    counted = dict(zip(k.tolist(), n.tolist(), strict=True))
    return {k: counted.get(k, 0) for k in sorted(sum(model.pairs, ()), reverse=True)}


def _climb(plan: Plan, table: Table) -> str | None:
    """How to climb instead of the way of the plan's method; None to keep that.

    Climbing all hierarchies together loses far more than climbing each by itself, so it is done
    only if the plan says so, or if the lattice is too large.
    """
    if "climb" in plan.method.model_fields_set or plan.method.name in SCHEMES:
        return None
    n_vectors = prod(d.tree.height for d in table.quasi if d.tree is not None)
    return "lattice" if n_vectors <= _MOST_VECTORS else "together"


def _method(plan: Plan, scheme: str, climb: str | None) -> Method:
    """The plan's own method if it has this scheme; else the scheme with the same options."""
    if plan.method.name == scheme and climb is None:
        return plan.method
    options = plan.method.model_dump(by_alias=True, exclude_defaults=True)
    known = {field.alias or name for name, field in METHODS[scheme].model_fields.items()}
    shared = {name: value for name, value in options.items() if name in known}
    return METHODS[scheme](**shared | ({} if climb is None else {"climb": climb}))


def _others(plan: Plan) -> list[Model]:
    return [m for m in plan.models if not isinstance(m, MultiLevelK)]


def _least(plan: Plan, table: Table) -> int:
    """The crowd that everybody gets by the plan's requirements other than personal k."""
    return max(1, Requirements.of(_others(plan), table).least)


def _rehearse(
    plan: Plan,
    frame: pl.DataFrame,
    number: int,
    family: str,
    model: MultiLevelK | KAnonymity,
    method: Method,
    people: Mapping[int, int],
) -> Suggestion:
    """Run without writing; that a requirement cannot be met is a result too."""
    rehearsal = replace(
        plan,
        models=(*_others(plan), model),
        method=method,
        output=None,
        text="",
        # The same lots for all of them: candidates must not differ by luck.
        seed=0 if plan.seed is None else plan.seed,
    )
    start = perf_counter()
    measures, holds, n_below, problem = {}, False, 0, ""
    try:
        release = run(rehearsal, frame)
    except InfeasibleError as error:
        problem = error.problems[0].text
    seconds = perf_counter() - start
    if not problem:
        measures = {name: release.measures[name] for name in MEASURES if name in release.measures}
        reached = [v.reached for v in release.verdicts if isinstance(v.reached, dict)]
        holds, n_below = release.holds, sum(found.get("rows below", 0) for found in reached)
    return Suggestion(
        number, family, method.name, model, method, people, measures, holds, n_below, seconds,
        problem,
    )  # fmt: skip


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
            f"no threshold limits the highest k to {percent(share, 0)} of the people: too many "
            "have the highest sensitivity, or the thresholds equal those of another candidate"
        )
    if levels is None and possible > MOST_LEVELS:
        notes.append(f"only up to {MOST_LEVELS} of {possible} possible levels were tried")
    for m in plan.models:
        if isinstance(m, KAnonymity) and m.k > 1:
            notes.append(f"{m.requirement()} stays: everybody gets a crowd of at least {m.k}")
    if like is not None and any(level.model_extra for level in like.levels):
        notes.append("what the plan's levels require in addition to k is kept, level by level")
    return notes
