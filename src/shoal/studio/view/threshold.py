"""The thresholds of multi-level-k: moved by hand, or taken from what `suggest` proposes."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import PlanError
from shoal.studio.ask import counter_of, draft_of, form_of, jobs_of, keep, latest, to
from shoal.studio.page import page
from shoal.studio.threshold import (
    Asked,
    ThresholdLevel,
    asked,
    first_levels,
    levels_given,
    more,
    with_levels,
)
from shoal.studio.view.personal import sensitivities


async def set_levels(request: Request) -> Response:
    """Take thresholds and pairs of k into the plan; one level more or less, if that is asked."""
    plan, draft = draft_of(request)
    given = await form_of(request)
    levels = first_levels() if "begin" in given else levels_given(given)
    if "more" in given:
        levels = more(levels)
    if "fewer" in given:
        levels = levels[:-1]
    return keep(request, plan, with_levels(draft, levels), "personal")


async def preview(request: Request) -> Response:
    """Who would ask for what, while a threshold is being moved; nothing is kept."""
    _, draft = draft_of(request)
    levels = levels_given(await form_of(request))
    found = await run_in_threadpool(sensitivities, counter_of(request), draft)
    who = Asked() if found is None or not levels else asked(levels, *found)
    return page(request, "asked.html", asked=who)


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
    pairs = zip(row["thresholds"], row["levels"], strict=True)
    levels = [ThresholdLevel(*thresholds, *ks) for thresholds, ks in pairs]
    return keep(request, plan, with_levels(draft, levels), "personal")


ROUTES = [
    Route("/plans/{plan:int}/levels", set_levels, methods=["POST"]),
    Route("/plans/{plan:int}/levels/preview", preview, methods=["POST"]),
    Route("/plans/{plan:int}/suggest", suggest, methods=["POST"]),
    Route("/plans/{plan:int}/suggestion", take, methods=["POST"]),
]
