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

from shoal._command.suggest.suggest import people_by_k
from shoal.errors import PlanError, Problem, ShoalError
from shoal.model import MultiLevelK
from shoal.report.histogram import Histogram, histogram
from shoal.report.wording import percent
from shoal.schema import Role
from shoal.studio.ask import draft_of, form_of, jobs_of, latest, place_of, store_of, to
from shoal.studio.counted import Counted, Counter
from shoal.studio.draft import Draft, named
from shoal.studio.page import inside, page
from shoal.table import encode_column, read_secrets
from shoal.table.rule import flags_of

_BINS = 20
_MOST_RECORDS = 12
_FLAGS = ("low", "middle", "high")


@dataclass(frozen=True)
class Share:
    """A part of the cells of a column, such as those that are secret."""

    name: str
    parts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        return sum(n for _, n in self.parts)


@dataclass(frozen=True)
class Personal:
    """What a table says of the people in it; `problems` is what could not be counted."""

    sensitivity: Histogram | None = None
    levels: tuple[tuple[float, float, int, int], ...] = ()
    people: Mapping[int, int] | None = None
    secrets: tuple[Share, ...] = ()
    records: Histogram | None = None
    n_people: int = 0
    flags: tuple[Share, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the plan says nothing personal."""
        return not (self.sensitivity or self.secrets or self.records or self.flags or self.problems)


async def personal(request: Request) -> Response:
    """All that a plan knows of what people ask for."""
    plan, draft = draft_of(request)
    counter = request.app.state.counter
    found = Personal()
    waiting = not await run_in_threadpool(counter.is_ready, draft, columns_of(draft))
    if not waiting:
        found = await run_in_threadpool(look, counter, draft)
    job = latest(request, "suggest", str(plan.id))
    shown: Any = ""
    if job is not None and job.state == "done":
        shown = inside(place_of(request).job(job.id) / "page.html")
    fresh = job is not None and job.arguments.get("text") == plan.text
    return page(
        request, "personal.html", plan=plan, draft=draft, found=found, job=job, shown=shown,
        fresh=fresh, waiting=waiting,
    )  # fmt: skip


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


def look(counter: Counter, draft: Draft) -> Personal:
    """Count what people ask for; a part that cannot be counted says why."""
    problems: list[Problem] = []
    parts: dict[str, Any] = {}
    for part in (_sensitivity, _secrets, _records, _flagged):
        try:
            parts |= part(counter, draft)
        except ShoalError as error:
            problems += error.problems
    return Personal(**parts, problems=tuple(problems))


def _sensitivity(counter: Counter, draft: Draft) -> dict[str, Any]:
    names = draft.of_role(Role.SENSITIVITY)
    if not names:
        return {}
    found = counter.count(draft, names[0])
    f = found.cells.cast(pl.Float64, strict=False).to_numpy()
    n_rows = found.counts
    there = np.isfinite(f)
    counts = np.histogram(f[there], _BINS, (0, 1), weights=n_rows[there])[0]
    chart = _bars("Sensitivity", [f"{i / _BINS:g}" for i in range(_BINS)], counts.tolist())
    levels, people = _levels(draft, np.repeat(f[there], n_rows[there]))
    return {"sensitivity": chart, "levels": levels, "people": people}


def _levels(draft: Draft, f: NDArray[np.float64]) -> tuple[Any, Mapping[int, int] | None]:
    """The levels of the plan's multi-level-k, and how many rows ask for each k."""
    given = next((p for name, p in draft.requirements if name == MultiLevelK.name), None)
    if given is None:
        return (), None
    try:
        model = MultiLevelK(**given)
    except ValueError:
        return (), None
    pairs = zip(model.thresholds, model.pairs, strict=True)
    return tuple((*ends, *ks) for ends, ks in pairs), people_by_k(model, f)


def _secrets(counter: Counter, draft: Draft) -> dict[str, Any]:
    shares = []
    for name, body in draft.attributes.items():
        flag = body.get("flag")
        if body.get("role") != Role.SEMI_SENSITIVE or not isinstance(flag, str):
            continue
        found = counter.count(draft, flag, {"role": "flag"})
        secret = int(found.counts[read_secrets(found.cells, name) == 1].sum())
        shares.append(Share(name, (("secret", secret), ("public", found.n_rows - secret))))
    return {"secrets": tuple(shares)}


def _records(counter: Counter, draft: Draft) -> dict[str, Any]:
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


def _flagged(counter: Counter, draft: Draft) -> dict[str, Any]:
    if draft.plan is None:
        return {}
    shares = []
    for attribute in draft.plan.schema.attributes:
        if not isinstance(attribute.flags, Mapping):
            continue
        found: Counted = counter.count(draft, attribute.name)
        column = encode_column(found.cells, attribute)
        flags = flags_of(column.domain, column.codes, pl.DataFrame())
        if flags is None:
            continue
        n_rows = np.bincount(flags, weights=found.counts, minlength=3).astype(np.int64)
        shares.append(Share(attribute.name, tuple(zip(_FLAGS, n_rows.tolist(), strict=False))))
    return {"flags": tuple(shares)}


def _bars(name: str, labels: Sequence[str], counts: Sequence[float]) -> Histogram:
    total = max(sum(counts), 1)
    pairs = zip(labels, counts, strict=True)
    titles = [f"{label}: {n:,.0f}, {percent(n / total)}" for label, n in pairs]
    summary = f"Bar chart: {name}, over {total:,.0f}."
    return histogram(name, summary, labels, counts, titles)


async def set_levels(request: Request) -> Response:
    """Take thresholds and pairs of k into the plan."""
    plan, draft = draft_of(request)
    given = await form_of(request)
    n = sum(1 for key in given if key.startswith("a"))
    try:
        thresholds = [[float(given[f"a{i}"]), float(given[f"b{i}"])] for i in range(n)]
        levels = [[int(given[f"h{i}"]), int(given[f"l{i}"])] for i in range(n)]
    except (KeyError, ValueError):
        raise PlanError("Thresholds and k must be numbers, but one of them is not.") from None
    store_of(request).change_plan(plan.id, text=_with_levels(draft, thresholds, levels))
    return to(f"/plans/{plan.id}/personal")


def _with_levels(draft: Draft, thresholds: Any, levels: Any) -> str:
    kept = {"thresholds": [list(t) for t in thresholds], "levels": [list(k) for k in levels]}
    privacy, found = [], False
    for name, given in draft.requirements:
        own = name == MultiLevelK.name
        privacy.append(named(name, {**given, **kept} if own else given))
        found = found or own
    if not found:
        privacy.append(named(MultiLevelK.name, kept))
    return draft.changed(privacy=privacy)


async def suggest(request: Request) -> Response:
    """Ask what thresholds would cost."""
    plan, draft = draft_of(request)
    highest = (await form_of(request)).get("highest", "8")
    if draft.plan is None:
        raise PlanError(draft.problems)
    if not highest.isdecimal() or not 2 <= int(highest) <= 1_000:
        raise PlanError("The highest k must be a whole number from 2 to 1,000.")
    arguments = {"text": plan.text, "highest": int(highest)}
    jobs_of(request).start("suggest", str(plan.id), arguments)
    return to(f"/plans/{plan.id}/personal")


async def take(request: Request) -> Response:
    """Take one of the suggestions into the plan."""
    plan, draft = draft_of(request)
    job = latest(request, "suggest", str(plan.id))
    number = (await form_of(request)).get("number", "")
    rows = [] if job is None else job.result.get("rows", [])
    row = next((row for row in rows if str(row["number"]) == number), None)
    if row is None:
        raise PlanError("There is no such suggestion.", hint="Ask for suggestions again.")
    text = _with_levels(draft, row["thresholds"], row["levels"])
    store_of(request).change_plan(plan.id, text=text)
    return to(f"/plans/{plan.id}/personal")


ROUTES = [
    Route("/plans/{plan:int}/personal", personal),
    Route("/plans/{plan:int}/levels", set_levels, methods=["POST"]),
    Route("/plans/{plan:int}/suggest", suggest, methods=["POST"]),
    Route("/plans/{plan:int}/suggestion", take, methods=["POST"]),
]
