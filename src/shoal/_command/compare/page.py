"""A comparison as one HTML file: a plot of risk against loss, and all plans in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal._command.compare.compare import Comparison, Rehearsal
from shoal.release.fact import listed
from shoal.report.page import render
from shoal.report.scatter import Point, scatter
from shoal.schema.wording import brief_of, number, percent

_MOST_NAMES = 3
TITLES = {"v": "open groups", "posterior": "learned of a secret"}


@dataclass(frozen=True)
class PlanRow:
    """One plan for the page."""

    number: int
    outcome: Rehearsal
    best: bool
    telling: tuple[str, ...] = ()
    link: str = ""

    @property
    def words(self) -> list[str]:
        """The requirements, each with its attribute."""
        return [brief_of(v.requirement, v.attribute) for v in self.outcome.verdicts]

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """The cells of the table with the names of their columns."""
        outcome, risk = self.outcome, self.outcome.risk
        if risk is None:
            return []
        return [
            ("loss", percent(outcome.loss)),
            ("least possible", percent(outcome.bound)),
            ("mean risk", percent(risk.mean)),
            ("largest risk", percent(risk.largest)),
            ("groups", number(risk.n_classes)),
            ("smallest group", number(risk.smallest)),
            ("error of counts", percent(outcome.query_error)),
            *((TITLES[name], percent(getattr(outcome, name))) for name in self.telling),
            ("rows left out", percent(outcome.suppressed)),
            ("seconds", f"{outcome.seconds:.2f}"),
        ]


def comparison_page(comparison: Comparison, links: Mapping[str, str] | None = None) -> str:
    """The page of a comparison: self-contained, without a value of the table.

    `links` are the addresses of plans by their names, where a plan has one.
    """
    best, telling = comparison.front, comparison.telling
    rows = [
        PlanRow(i, o, o in best, telling, (links or {}).get(o.plan, ""))
        for i, o in enumerate(comparison.outcomes, 1)
    ]
    points = [_point(row, *row.outcome.place) for row in rows if row.outcome.place is not None]
    summary = f"Plot of mean risk against loss for {len(points)} plans. "
    unbeaten = listed([row.outcome.plan for row in rows if row.best]) or "none"
    summary += f"Not beaten: {unbeaten}." if comparison.comparable else "Not comparable."
    return render(
        "compare.html",
        rows=rows,
        titles=[TITLES[name].capitalize() for name in telling],
        plot=scatter(points, summary),
        claim=_claim(comparison),
        comparable=comparison.comparable,
        notes=comparison.notes,
        first=comparison.first,
    )


def _point(row: PlanRow, loss: float, risk: float) -> Point:
    plan = row.outcome.plan
    title = f"{plan}: loss {percent(loss)}, mean risk {percent(risk)}"
    holds = row.outcome.holds
    return Point(loss, risk, str(row.number), plan, title, row.best, holds, link=row.link)


def _claim(comparison: Comparison) -> str:
    n, front = len(comparison), [o.plan for o in comparison.front]
    if not comparison.comparable:
        return "These plans cannot be compared."
    if not front:
        return "No plan meets its requirements."
    if len(front) == n:
        return f"None of the {n} plans is beaten by another." if n > 1 else "The one plan holds."
    if len(front) > _MOST_NAMES:
        return f"{len(front)} of {n} plans are not beaten by another."
    verb = "is" if len(front) == 1 else "are"
    return f"Of {n} plans, {listed(front)} {verb} not beaten by another."
