"""The plan as text: read, changed, taken away, brought in."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import PlanError, Problem
from shoal.studio.ask import draft_of, form_of, jobs_of, keep, place_of, plan_of, store_of, to
from shoal.studio.draft import read_draft
from shoal.studio.page import page

_MEANWHILE = Problem(
    "The plan has been changed in the meantime, by a form or in another window.",
    hint="Press Keep again to replace it with this text, or open this page again to see the other.",
)


async def text(request: Request) -> Response:
    """The text, and what is wrong with it."""
    plan, draft = draft_of(request)
    return page(request, "text.html", plan=plan, draft=draft, text=plan.text, problems=())


async def keep_text(request: Request) -> Response:
    """Take a new text, if it is YAML at all; what else is wrong with it is said on the pages."""
    plan = plan_of(request)
    form = await form_of(request)
    # Browsers send the line ends of a form as CR LF.
    given = form.get("text", "").replace("\r\n", "\n")
    if form.get("changed", plan.changed) != plan.changed:
        return _again(request, given, (_MEANWHILE,))
    try:
        read_draft(given, place_of(request))
    except PlanError as error:
        return _again(request, given, error.problems)
    return keep(request, plan, given, "text")


def _again(request: Request, given: str, problems: tuple[Problem, ...]) -> Response:
    plan, draft = draft_of(request)
    facts = {"plan": plan, "draft": draft, "text": given, "problems": problems}
    return page(request, "text.html", 422, **facts)


async def rename(request: Request) -> Response:
    """Give a plan another name."""
    plan = plan_of(request)
    name = (await form_of(request)).get("name", "").strip()[:80]
    if name:
        store_of(request).change_plan(plan.id, name=name)
    return to(f"/plans/{plan.id}/text")


async def copy(request: Request) -> Response:
    """Begin another plan with the text of this one."""
    plan = plan_of(request)
    made = store_of(request).add_plan(f"{plan.name} (copy)"[:80], plan.text)
    return to(f"/plans/{made.id}/requirements")


async def remove(request: Request) -> Response:
    """Forget a plan; its runs keep the text that they ran."""
    plan = plan_of(request)
    jobs_of(request).drop(("rehearse", "explain", "suggest"), plan.id)
    store_of(request).remove_plan(plan.id)
    return to("/")


async def download(request: Request) -> Response:
    """The text as a file."""
    plan = plan_of(request)
    return yaml_file(plan.text, f"plan-{plan.id}.yaml")


def yaml_file(text: str, name: str) -> Response:
    """A YAML text that the browser saves."""
    header = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/yaml", headers=header)


ROUTES = [
    Route("/plans/{plan:int}/text", text),
    Route("/plans/{plan:int}/text", keep_text, methods=["POST"]),
    Route("/plans/{plan:int}/name", rename, methods=["POST"]),
    Route("/plans/{plan:int}/copy", copy, methods=["POST"]),
    Route("/plans/{plan:int}/remove", remove, methods=["POST"]),
    Route("/plans/{plan:int}/plan.yaml", download),
]
