"""Requirements and method: forms from the registries, and whether it can work, before the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import PlanError
from shoal.plan.registry import methods, models
from shoal.schema import Role
from shoal.schema.specification import Specification
from shoal.studio.ask import draft_of, form_of, jobs_of, keep, latest, place_of, store_of, to
from shoal.studio.draft import Draft, named, read_draft, read_value
from shoal.studio.form import (
    ParameterForm,
    first_parameters,
    method_of,
    model_of,
    parameters_of,
)
from shoal.studio.form import form_of as fields_of
from shoal.studio.page import page

# What else a plan may say, in the order of the page: key, choices, meaning.
OPTIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("ranges", ("tight", "snapped", "columns"), "how ranges of numbers are published"),
    ("objective", ("glm", "ncp", "nloss", "prec", "dm", "query"), "the loss that methods keep low"),
    ("order", ("content", "input"), "the row order that methods see"),
)


async def requirements(request: Request) -> Response:
    """All requirements, the method, and what is known of the plan before it runs."""
    plan, draft = draft_of(request)
    secret = draft.of_role(Role.SENSITIVE, Role.SEMI_SENSITIVE)
    columns = {"attribute": secret, "personal": draft.of_role(Role.FLAG)}
    return page(
        request,
        "requirements.html",
        plan=plan,
        draft=draft,
        forms=[_form(model_of, name, given, columns) for name, given in draft.requirements],
        method=_form(method_of, *draft.method, {}),
        models=models(),
        methods=methods(),
        options=OPTIONS,
        rehearsal=latest(request, "rehearse", str(plan.id), text=plan.text),
        explanation=latest(request, "explain", str(plan.id), text=plan.text),
    )


def _form(
    find: Callable[[str], type[Specification]],
    name: str,
    given: dict[str, Any],
    columns: dict[str, list[str]],
) -> ParameterForm:
    """The form of what has this name, or why there is none."""
    try:
        return fields_of(find(name), given, columns)
    except PlanError as error:
        return ParameterForm(name, error.problems[0].text, "", "", ())


async def fits(request: Request) -> Response:
    """Every method, and what it lacks for this plan."""
    plan, draft = draft_of(request)
    found = await run_in_threadpool(_fits, request, draft)
    part = "hx-request" in request.headers
    return page(
        request, "fits.html", plan=plan, found=found, chosen=draft.method[0], part_only=part
    )


@dataclass(frozen=True)
class MethodFit:
    """A method, and the first thing that keeps it from this plan; empty if nothing does."""

    name: str
    summary: str
    problem: str


def _fits(request: Request, draft: Draft) -> list[MethodFit]:
    # What is wrong with the plan whatever its method speaks against none of them.
    own = {p.text for p in read_draft(draft.changed(method="auto"), place_of(request)).problems}
    found = []
    for one in methods():
        tried = read_draft(draft.changed(method=one["name"]), place_of(request))
        problems = [p.text for p in tried.problems if p.text not in own]
        found.append(MethodFit(one["name"], one["summary"], problems[0] if problems else ""))
    return sorted(found, key=lambda fit: bool(fit.problem))


async def add(request: Request) -> Response:
    """Add a requirement."""
    plan, draft = draft_of(request)
    kind = model_of((await form_of(request)).get("model", ""))
    privacy = [*_privacy(draft), named(kind.name, first_parameters(kind))]
    return keep(request, plan, draft.changed(privacy=privacy), "requirements")


async def change(request: Request) -> Response:
    """Set the parameters of a requirement, or remove it."""
    plan, draft = draft_of(request)
    given = await form_of(request)
    privacy, number = _privacy(draft), request.path_params["number"]
    if number >= len(privacy):
        return to(f"/plans/{plan.id}/requirements")
    if "remove" in given:
        del privacy[number]
    else:
        name, _ = draft.requirements[number]
        privacy[number] = named(name, parameters_of(model_of(name), given))
    return keep(request, plan, draft.changed(privacy=privacy), "requirements")


def _privacy(draft: Draft) -> list[Any]:
    given = draft.content.get("privacy")
    return list(given) if isinstance(given, list) else []


async def set_method(request: Request) -> Response:
    """Choose the method, or set its parameters."""
    plan, draft = draft_of(request)
    given = await form_of(request)
    kind = method_of(given.get("method", ""))
    parameters = parameters_of(kind, given) if kind.name == draft.method[0] else {}
    text = draft.changed(method=named(kind.name, parameters))
    return keep(request, plan, text, "requirements")


async def set_options(request: Request) -> Response:
    """Set what else a plan may say; a default is left out."""
    plan, draft = draft_of(request)
    given = await form_of(request)
    keys: dict[str, Any] = {
        key: None if given.get(key) in (None, "", choices[0]) else given[key]
        for key, choices, _ in OPTIONS
    }
    limit = given.get("limit", "").strip()
    keys["suppression"] = {"limit": read_value(limit)} if limit else None
    return keep(request, plan, draft.changed(**keys), "requirements")


def drop_rehearsals(request: Request, plan: int, but: str = "") -> None:
    """End the trials of a plan that nobody waits for; that of the text `but` stays."""
    for job in store_of(request).jobs("rehearse", str(plan)):
        if job.is_open and job.arguments.get("text") != but:
            jobs_of(request).cancel(job.id)


async def rehearse(request: Request) -> Response:
    """Try the plan on a sample, or ask what each part of it costs."""
    plan, draft = draft_of(request)
    kind = "explain" if "explain" in await form_of(request) else "rehearse"
    if draft.plan is not None:
        drop_rehearsals(request, plan.id, but=plan.text)
        jobs_of(request).start(kind, str(plan.id), {"text": plan.text})
    return to(f"/plans/{plan.id}/requirements")


ROUTES = [
    Route("/plans/{plan:int}/methods", fits),
    Route("/plans/{plan:int}/requirements", requirements),
    Route("/plans/{plan:int}/requirements", add, methods=["POST"]),
    Route("/plans/{plan:int}/requirements/{number:int}", change, methods=["POST"]),
    Route("/plans/{plan:int}/method", set_method, methods=["POST"]),
    Route("/plans/{plan:int}/options", set_options, methods=["POST"]),
    Route("/plans/{plan:int}/rehearse", rehearse, methods=["POST"]),
]
