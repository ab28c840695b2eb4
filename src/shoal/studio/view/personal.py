"""Personal privacy in view: who asks for how much, before anything is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import Problem, ShoalError
from shoal.report.histogram import Histogram, histogram
from shoal.schema import Role
from shoal.schema.wording import percent
from shoal.studio.ask import column_of, counter_of, draft_of, form_of, keep, latest, shown_page
from shoal.studio.counted import ColumnCounter
from shoal.studio.draft import Draft
from shoal.studio.page import page
from shoal.studio.rule import MOST, Rules, rules_given, rules_of
from shoal.studio.store import Job
from shoal.studio.threshold import Asked, ThresholdLevel, asked, has_room, levels_of
from shoal.table import read_secrets

_BINS = 20
_MOST_RECORDS = 12


@dataclass(frozen=True)
class CellShare:
    """A part of the cells of a column, such as those that are secret."""

    name: str
    parts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        return sum(n for _, n in self.parts)


@dataclass(frozen=True)
class PersonalPrivacy:
    """What a table says of the people in it; `problems` is what could not be counted."""

    sensitivity: Histogram | None = None
    levels: tuple[ThresholdLevel, ...] = ()
    asked: Asked | None = None
    secrets: tuple[CellShare, ...] = ()
    records: Histogram | None = None
    n_people: int = 0
    flags: tuple[Rules, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the plan says nothing personal."""
        return not (self.sensitivity or self.secrets or self.records or self.flags or self.problems)


async def personal(request: Request) -> Response:
    """All that a plan knows of what people ask for."""
    plan, draft = draft_of(request)
    counter = counter_of(request)
    found = PersonalPrivacy()
    waiting = not await run_in_threadpool(counter.is_ready, draft, columns_of(draft))
    if not waiting:
        found = await run_in_threadpool(look, counter, draft)
    job = latest(request, "suggest", str(plan.id))
    fresh = job is not None and job.arguments.get("text") == plan.text
    return page(
        request, "personal.html", plan=plan, draft=draft, found=found, asked=found.asked, job=job,
        shown=shown_page(request, job), fresh=fresh, waiting=waiting, best=_best(job), most=MOST,
        has_room=has_room(found.levels), unflagged=_unflagged(draft),
    )  # fmt: skip


async def set_rules(request: Request) -> Response:
    """Take the flag rules that a form says into the plan."""
    plan, draft = draft_of(request)
    name = column_of(request, draft)
    rules = rules_given(await form_of(request), draft.attributes[name].get("flags"))
    return keep(request, plan, draft.with_attribute(name, flags=rules), "personal")


def _best(job: Job | None) -> Mapping[str, Any] | None:
    """The suggestion that is recommended."""
    result = {} if job is None else job.result
    rows = [row for row in result.get("rows", ()) if row["number"] == result.get("best")]
    return rows[0] if rows else None


def _unflagged(draft: Draft) -> list[tuple[int, str]]:
    """The sensitive columns without flag rules, by their place."""
    return [
        (number, name)
        for number, (name, body) in enumerate(draft.attributes.items())
        if body.get("role") == Role.SENSITIVE and not body.get("flags") and not body.get("flag")
    ]


def columns_of(draft: Draft) -> dict[str, dict[str, Any] | None]:
    """The columns that `look` counts, each as it counts it."""
    found: dict[str, dict[str, Any] | None] = dict.fromkeys(draft.of_role(Role.SENSITIVITY)[:1])
    for name, body in draft.attributes.items():
        if body.get("role") == Role.SEMI_SENSITIVE and isinstance(body.get("flag"), str):
            found[body["flag"]] = {"role": "flag"}
        if isinstance(body.get("flags"), Mapping):
            found[name] = None
    if draft.individual:
        found[draft.individual] = {"role": "identifier"}
    return found


def look(counter: ColumnCounter, draft: Draft) -> PersonalPrivacy:
    """Count what people ask for; a part that cannot be counted says why."""
    problems: list[Problem] = []
    parts: dict[str, Any] = {}
    for part in (_sensitivity, _secrets, _records, _flagged):
        try:
            found = part(counter, draft)
        except ShoalError as error:
            found = {"problems": error.problems}
        problems += found.pop("problems", ())
        parts |= found
    return PersonalPrivacy(**parts, problems=tuple(problems))


def _sensitivity(counter: ColumnCounter, draft: Draft) -> dict[str, Any]:
    found = sensitivities(counter, draft)
    if found is None:
        return {}
    f, n_rows = found
    counts = np.histogram(f, _BINS, (0, 1), weights=n_rows)[0]
    chart = _bars("Sensitivity", [f"{i / _BINS:g}" for i in range(_BINS)], counts.tolist())
    levels = levels_of(draft)
    who = asked(levels, f, n_rows) if levels else None
    return {"sensitivity": chart, "levels": levels, "asked": who}


def sensitivities(
    counter: ColumnCounter, draft: Draft
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """The sensitivities that occur and how many rows have each; None if no column has them."""
    names = draft.of_role(Role.SENSITIVITY)
    if not names:
        return None
    found = counter.count(draft, names[0])
    f = found.cells.cast(pl.Float64, strict=False).to_numpy()
    there = np.isfinite(f)
    return f[there], found.counts[there]


def _secrets(counter: ColumnCounter, draft: Draft) -> dict[str, Any]:
    shares = []
    for name, body in draft.attributes.items():
        flag = body.get("flag")
        if body.get("role") != Role.SEMI_SENSITIVE or not isinstance(flag, str):
            continue
        found = counter.count(draft, flag, {"role": "flag"})
        secret = int(found.counts[read_secrets(found.cells, name) == 1].sum())
        shares.append(CellShare(name, (("secret", secret), ("public", found.n_rows - secret))))
    return {"secrets": tuple(shares)}


def _records(counter: ColumnCounter, draft: Draft) -> dict[str, Any]:
    if not draft.individual:
        return {}
    found = counter.count(draft, draft.individual, {"role": "identifier"})
    sizes, people = np.unique(found.counts, return_counts=True)
    few = sizes < _MOST_RECORDS
    labels = [str(size) for size in sizes[few].tolist()]
    counts = people[few].tolist()
    if not few.all():
        labels.append(f"{_MOST_RECORDS}+")
        counts.append(int(people[~few].sum()))
    chart = _bars("People by their number of rows", labels, counts)
    return {"records": chart, "n_people": len(found.counts)}


def _flagged(counter: ColumnCounter, draft: Draft) -> dict[str, Any]:
    rules: list[Rules] = []
    problems: list[Problem] = []
    for number, (name, body) in enumerate(draft.attributes.items()):
        if isinstance(body.get("flags"), Mapping):
            found, wrong = rules_of(number, counter.count(draft, name), body["flags"])
            rules.append(found)
            problems += wrong
    return {"flags": tuple(rules), "problems": tuple(problems)}


def _bars(name: str, labels: Sequence[str], counts: Sequence[float]) -> Histogram:
    total = max(sum(counts), 1)
    pairs = zip(labels, counts, strict=True)
    titles = [f"{label}: {n:,.0f}, {percent(n / total)}" for label, n in pairs]
    summary = f"Bar chart: {name}, over {total:,.0f}."
    return histogram(name, summary, labels, counts, titles)


ROUTES = [
    Route("/plans/{plan:int}/personal", personal),
    Route("/plans/{plan:int}/flags/{column:int}", set_rules, methods=["POST"]),
]
