"""Rehearse a plan with one thing changed at a time, and rank what each costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import polars as pl

from shoal._command.explain.change import list_changes
from shoal._command.rehearsal import rehearse, sampled
from shoal._run.code import code
from shoal._run.read import read_input
from shoal.errors import ShoalError
from shoal.folder.writing import Progress
from shoal.plan import AnyPlan, Plan
from shoal.report.snippet import snippet
from shoal.schema.wording import percent
from shoal.source import AnyTable

SAMPLE = 50_000


@dataclass(frozen=True)
class Cost:
    """What one thing in a plan costs: the loss with it, and the loss without it or with less of it.

    `kind` is requirement, quasi-identifier or hierarchy; `what` names it and `how` says what was
    changed. The loss is glm, over the quasi-identifiers that are published both ways.
    """

    kind: str
    what: str
    how: str
    loss: float
    without: float

    @property
    def cost(self) -> float:
        """How much of the detail would be kept."""
        return self.loss - self.without

    def __str__(self) -> str:
        change = f"without {self.what}"
        if self.kind == "requirement" and self.how != "left out":
            change = f"with {self.how} in {self.what}"
        others = "the others lose" if self.kind == "quasi-identifier" else "the loss is"
        return f"{change} {others} {self.without:.2f} instead of {self.loss:.2f}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """The loss of a plan as it is, and what each part of it costs, the dearest first.

    `problems` are the changes that could not be rehearsed, with the reason.
    """

    loss: float
    costs: tuple[Cost, ...]
    n_rows: int
    n_sampled: int
    problems: tuple[tuple[str, str], ...] = ()

    def __iter__(self) -> Iterator[Cost]:
        return iter(self.costs)

    def __len__(self) -> int:
        return len(self.costs)

    def _repr_html_(self) -> str:
        rows = [(c.what, c.how, c.loss, c.without, c.cost) for c in self.costs]
        title = f"The plan loses {percent(self.loss)} of the detail (glm)"
        return snippet(title, ("What", "Change", "Loss", "After", "Saves"), rows)

    def __repr__(self) -> str:
        dearest = f"; {self.costs[0]}" if self.costs else ""
        return f"<Explanation of a loss of {percent(self.loss)} (glm){dearest}>"

    @property
    def frame(self) -> pl.DataFrame:
        """One row for each change."""
        columns = ("kind", "what", "how", "loss", "without", "cost")
        rows = [(c.kind, c.what, c.how, c.loss, c.without, c.cost) for c in self.costs]
        schema = dict.fromkeys(columns[:3], pl.String) | dict.fromkeys(columns[3:], pl.Float64)
        return pl.DataFrame(rows, schema=schema, orient="row")


def explain(
    plan: AnyPlan,
    data: AnyTable | None = None,
    *,
    sample: int = SAMPLE,
    progress: Progress | None = None,
) -> Explanation:
    """Say what each requirement, each quasi-identifier and each hierarchy of a plan costs.

    The plan is rehearsed as it is, and then with one thing changed at a time: a requirement left
    out or one step less strict, a quasi-identifier not published, a hierarchy left out. The table
    is read and coded once. A table of more than `sample` rows is sampled. Nothing is written or
    verified, since nothing is published.

    >>> people = pl.DataFrame({"age": range(20, 60), "ill": ["a"] * 36 + list("bbcc")})
    >>> plan = {"attributes": {"age": "quasi", "ill": "sensitive"},
    ...         "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 3}}],
    ...         "method": "mondrian"}
    >>> print(explain(plan, people).costs[0])
    without l-diversity {l: 3} the loss is 0.04 instead of 1.00
    """
    plan = Plan.of(plan)
    stage = progress or (lambda _: nullcontext())
    with stage("reading"):
        source = read_input(plan, data)
        n_rows = source.frame.height
    with stage("coding"):
        # A run of the plan draws the same lots, so that it confirms the loss.
        seed = plan.seed if isinstance(plan.seed, int) else 0
        coded = code(plan, sampled(plan, source, sample), seed)
    with stage("the plan as it is"):
        base = rehearse(plan, coded).by_attribute
    costs, problems = [], []
    for change in list_changes(plan, coded):
        with stage(f"{change.what}, {change.how}"):
            try:
                found = rehearse(change.plan, change.coded).by_attribute
            except ShoalError as error:
                problems.append((f"{change.what}, {change.how}", error.problems[0].text))
                continue
        loss, without = (_mean(losses, change.over) for losses in (base, found))
        costs.append(Cost(change.kind, change.what, change.how, loss, without))
    costs.sort(key=lambda cost: -cost.cost)
    return Explanation(
        _mean(base, list(base)), tuple(costs), n_rows, coded.table.n_rows, tuple(problems)
    )


def _mean(losses: Mapping[str, float], names: Sequence[str]) -> float:
    return sum(losses[name] for name in names) / max(len(names), 1)
