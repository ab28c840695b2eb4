"""Rehearse every plan, and lay the results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import polars as pl

from shoal._command.compare.risk import LinkageRisk, risk_of
from shoal._run import Release, run
from shoal.errors import PlanError, Problem, ShoalError
from shoal.folder.writing import Progress
from shoal.plan import AnyPlan, Plan
from shoal.release.fact import listed
from shoal.report.snippet import snippet
from shoal.schema import Role, Verdict
from shoal.source import AnyTable, read


@dataclass(frozen=True)
class Rehearsal:
    """The result of one plan; one that failed has only `problems` and what it requires.

    `loss` is the measure glm, `bound` what any such release loses at least, `query_error` is
    query-count and `v` is v; None if a measure does not apply. `posterior` is the most that an
    adversary can learn of a secret, where secrets are kept. `suppressed` is a share of the rows.
    `secret` are the columns that the plan takes as secret, at least for some people, and `public`
    those that it publishes as no secret of anybody.
    """

    plan: str
    method: str = ""
    asked: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    risk: LinkageRisk | None = None
    loss: float | None = None
    query_error: float | None = None
    v: float | None = None
    posterior: float | None = None
    bound: float | None = None
    suppressed: float | None = None
    seconds: float | None = None
    problems: tuple[Problem, ...] = ()
    input_digest: str = ""
    quasi: frozenset[str] = frozenset()
    secret: frozenset[str] = frozenset()
    public: frozenset[str] = frozenset()

    @property
    def holds(self) -> bool:
        """Whether the plan ran and everything that it requires holds."""
        return not self.problems and all(v.holds is True for v in self.verdicts)

    @property
    def error(self) -> str:
        """What went wrong, in one line; empty if nothing did."""
        if not self.problems:
            return ""
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return " ".join(self.problems[0].text.split()) + more

    @property
    def place(self) -> tuple[float, float] | None:
        """Loss and mean risk, which place a plan on the plot; None if one of them is missing."""
        if self.loss is None or self.risk is None:
            return None
        return self.loss, self.risk.mean


# This many plans are named in the short form of a comparison.
_NAMED = 5


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Plans by loss, least first; those that failed come last.

    `first` is the plan that ran first; its seconds include work that is done only once.
    """

    outcomes: tuple[Rehearsal, ...]
    first: str = ""

    @property
    def holds(self) -> bool:
        """Whether every plan ran and holds what it requires."""
        return all(outcome.holds for outcome in self.outcomes)

    @property
    def front(self) -> tuple[Rehearsal, ...]:
        """The plans that hold and that no other such plan beats in loss and mean risk at once.

        Empty if the plans do not compare. A plan that publishes what another keeps secret is not
        among them: that it loses less is no merit.
        """
        if not self.comparable:
            return ()
        sound = [
            (o, o.place)
            for o in self.outcomes
            if o.holds and o.place is not None and not self.exposed(o)
        ]
        return tuple(
            outcome
            for outcome, (loss, risk) in sound
            if not any(x <= loss and y <= risk and (x, y) != (loss, risk) for _, (x, y) in sound)
        )

    @property
    def comparable(self) -> bool:
        """Whether all plans that ran read the same table and have the same quasi-identifiers."""
        ran = [o for o in self.outcomes if not o.problems]
        return len({o.input_digest for o in ran}) <= 1 and len({o.quasi for o in ran}) <= 1

    @property
    def telling(self) -> tuple[str, ...]:
        """Which of `v` and `posterior` some plan has: what IR and EIR, or secrets, differ in."""
        names = ("v", "posterior")
        return tuple(n for n in names if any(getattr(o, n) is not None for o in self.outcomes))

    def exposed(self, outcome: Rehearsal) -> tuple[str, ...]:
        """The columns that a plan publishes as no secret, but another plan keeps secret."""
        kept = {name for o in self.outcomes if not o.problems for name in o.secret}
        return tuple(sorted(kept & outcome.public))

    @property
    def notes(self) -> tuple[str, ...]:
        """What makes the numbers of these plans hard to compare."""
        ran = [o for o in self.outcomes if not o.problems]
        notes = []
        if len({o.input_digest for o in ran}) > 1:
            notes.append("The plans read different tables, so their numbers cannot be compared.")
        if len({o.quasi for o in ran}) > 1:
            notes.append(
                "The plans have different quasi-identifiers, so their losses and risks cannot be "
                "compared."
            )
        notes += [
            f"{o.plan} publishes {listed(exposed)} openly, but another plan keeps "
            f"{'it' if len(exposed) == 1 else 'them'} secret, so it is not marked as better."
            for o in ran
            if (exposed := self.exposed(o))
        ]
        return tuple(notes)

    @property
    def frame(self) -> pl.DataFrame:
        """One row per plan, in the order of the comparison."""
        front = {id(outcome) for outcome in self.front}
        rows = [_record(outcome, id(outcome) in front) for outcome in self.outcomes]
        return pl.DataFrame(rows, schema=_SCHEMA)

    def __len__(self) -> int:
        return len(self.outcomes)

    def _repr_html_(self) -> str:
        front = self.front
        rows = [
            (o.plan, o.method, o.loss, o.risk and o.risk.mean, o.suppressed,
             "not beaten" if o in front else o.error)
            for o in self.outcomes
        ]  # fmt: skip
        names = ("Plan", "Method", "Loss", "Mean risk", "Left out", "Note")
        return snippet(f"{len(self)} plans compared", names, rows)

    def __repr__(self) -> str:
        front = ", ".join(outcome.plan for outcome in self.front[:_NAMED]) or "none"
        return f"<Comparison of {len(self)} plans; not beaten: {front}>"


_SCHEMA = {
    "plan": pl.String,
    "method": pl.String,
    "asked": pl.String,
    "holds": pl.Boolean,
    "classes": pl.Int64,
    "smallest": pl.Int64,
    "mean_risk": pl.Float64,
    "largest_risk": pl.Float64,
    "glm": pl.Float64,
    "bound": pl.Float64,
    "query_count": pl.Float64,
    "v": pl.Float64,
    "posterior": pl.Float64,
    "suppressed": pl.Float64,
    "seconds": pl.Float64,
    "front": pl.Boolean,
    "error": pl.String,
}


def compare(
    plans: Sequence[AnyPlan],
    data: AnyTable | None = None,
    *,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run every plan without writing anything, and lay the results side by side.

    `data` replaces the source of every plan. A plan that fails is an outcome with its problems; the
    others still run. Plans are named by `names`, or else by their files.

    >>> people = pl.DataFrame({"age": [31, 33, 34, 58, 61, 64]})
    >>> plan = {"attributes": {"age": "quasi"}, "seed": 1}
    >>> plans = [{**plan, "privacy": [{"k-anonymity": {"k": k}}]} for k in (6, 2)]
    >>> compare(plans, people).frame["plan", "smallest"].rows()
    [('plan 2', 3), ('plan 1', 6)]
    """
    named = list(names) if names is not None else name_plans(plans)
    if len(named) != len(plans):
        raise PlanError(
            f"Every plan needs one name, but there are {len(plans)} plans and {len(named)} names."
        )
    table = data if data is None else read(data, base=Path.cwd())
    stage = progress or (lambda _: nullcontext())
    outcomes = []
    for plan, name in zip(plans, named, strict=True):
        with stage(name):
            outcomes.append(_rehearse(plan, name, table))
    return compare_outcomes(outcomes)


def compare_outcomes(outcomes: Sequence[Rehearsal]) -> Comparison:
    """Lay results that are there already side by side, in the order in which they ran."""
    first = next((outcome.plan for outcome in outcomes if not outcome.problems), "")
    return Comparison(tuple(sorted(outcomes, key=_order)), first)


def name_plans(plans: Sequence[AnyPlan]) -> list[str]:
    """Short, different names: the stem of a file, or its path, or a number."""
    paths = [_path(plan) for plan in plans]
    stems = [path.stem for path in paths if path is not None]
    return [
        f"plan {i}" if path is None else path.stem if stems.count(path.stem) == 1 else str(path)
        for i, path in enumerate(paths, 1)
    ]


def _path(plan: AnyPlan) -> Path | None:
    one_line = isinstance(plan, str) and "\n" not in plan
    return Path(plan) if isinstance(plan, Path) or one_line else None  # type: ignore[arg-type]


def _rehearse(given: AnyPlan, name: str, data: Any) -> Rehearsal:
    outcome = Rehearsal(name)
    try:
        plan = replace(Plan.of(given), output=None)
        asked = tuple(map(str, plan.requirements))
        outcome = replace(outcome, method=plan.method.name, asked=asked)
        begin = perf_counter()
        release = run(plan, data)
        return outcome_of(outcome, release, perf_counter() - begin)
    except ShoalError as error:
        return replace(outcome, problems=error.problems)


def outcome_of(outcome: Rehearsal, release: Release, seconds: float) -> Rehearsal:
    """The same with what its release reached, and the seconds that it took."""
    measures, counts = release.measures, release.counts
    names = ("glm", "bound", "query-count", "v")
    known = {name: measures[name] for name in names if name in measures}
    return replace(
        outcome,
        verdicts=release.verdicts,
        risk=risk_of(release),
        loss=known.get("glm"),
        bound=known.get("bound"),
        query_error=known.get("query-count"),
        v=known.get("v"),
        posterior=max(release.risks.posteriors.values(), default=None) if release.risks else None,
        suppressed=counts.suppressed / counts.rows if counts.rows else 0.0,
        seconds=seconds,
        input_digest=release.input_digest,
        quasi=frozenset(a.name for a in release.schema.quasi),
        secret=frozenset(a.name for a in release.schema.secret),
        public=frozenset(a.name for a in release.schema.of(Role.QUASI, Role.INSENSITIVE)),
    )


def _order(outcome: Rehearsal) -> tuple[bool, bool, tuple[float, float]]:
    return bool(outcome.problems), outcome.place is None, outcome.place or (0.0, 0.0)


def _record(outcome: Rehearsal, on_front: bool) -> dict[str, Any]:
    risk = outcome.risk
    return {
        "plan": outcome.plan,
        "method": outcome.method or None,
        "asked": "; ".join(outcome.asked),
        "holds": outcome.holds,
        "classes": risk.n_classes if risk else None,
        "smallest": risk.smallest if risk else None,
        "mean_risk": risk.mean if risk else None,
        "largest_risk": risk.largest if risk else None,
        "glm": outcome.loss,
        "bound": outcome.bound,
        "query_count": outcome.query_error,
        "v": outcome.v,
        "posterior": outcome.posterior,
        "suppressed": outcome.suppressed,
        "seconds": outcome.seconds,
        "front": on_front,
        "error": outcome.error or None,
    }
