"""The Data page: what is in a table, and the role of each column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import PlanError
from shoal.schema import Kind, Role
from shoal.studio.ask import (
    draft_of,
    form_of,
    jobs_of,
    keep,
    place_of,
    plan_of,
    profile_of,
    store_of,
    to,
)
from shoal.studio.column import draw
from shoal.studio.draft import Draft, read_value
from shoal.studio.page import page
from shoal.studio.place import File
from shoal.studio.store import Job

SHOWN = 40
ROLES = {
    Role.IDENTIFIER: "names a person; never published",
    Role.QUASI: "others may know it; published more coarsely",
    Role.SENSITIVE: "a secret that is published",
    Role.SEMI_SENSITIVE: "secret for those who flag it",
    Role.SENSITIVITY: "how much protection a person asks for, from 0 to 1",
    Role.FLAG: "says which cells are secret",
    Role.INSENSITIVE: "published as it is",
    Role.DROP: "left out",
}


async def table(request: Request) -> Response:
    """A table, before there is a plan for it."""
    file = place_of(request).find(request.path_params["name"])
    job, found = _profiled(request, file)
    first = _first(request)
    return page(
        request, "data.html", file=file, job=job, found=found, plan=None, draft=None, first=first,
        most=SHOWN, charts=_charts(found, first), roles=ROLES, rest=(),
    )  # fmt: skip


def _profiled(request: Request, file: File) -> tuple[Job, Mapping[str, Any] | None]:
    """The job that profiles a table, begun if there is none, and what it found."""
    job, found = profile_of(request, file)
    return job or _profile(request, file), found


def _profile(request: Request, file: File) -> Job:
    return jobs_of(request).start("profile", file.name, {"stamp": file.stamp})


def _first(request: Request) -> int:
    """The column that a page begins with: a table may have hundreds."""
    text = request.query_params.get("from", "")
    return int(text) // SHOWN * SHOWN if text.isdecimal() and len(text) < 7 else 0


async def again(request: Request) -> Response:
    """Profile a table again."""
    file = place_of(request).find(request.path_params["name"])
    _profile(request, file)
    return to(f"/files/{quote(file.name)}")


async def first_plan(request: Request) -> Response:
    """Begin a plan with what is proposed for a table."""
    file = place_of(request).find(request.path_params["name"])
    _, found = profile_of(request, file)
    if found is None:
        raise HTTPException(404)
    plan = store_of(request).add_plan(file.name.split(".")[0], found["text"])
    return to(f"/plans/{plan.id}/data")


async def columns(request: Request) -> Response:
    """The columns of the table of a plan, each with its role."""
    plan, draft = draft_of(request)
    file = job = found = None
    if draft.source is not None and draft.source in {f.name for f in place_of(request).tables()}:
        file = place_of(request).find(draft.source)
        job, found = _profiled(request, file)
    first = _first(request)
    return page(
        request, "data.html", file=file, job=job, found=found, plan=plan, draft=draft, first=first,
        most=SHOWN, charts=_charts(found, first), roles=ROLES, kinds=list(map(str, Kind)),
        rest=_undescribed(draft, found),
    )  # fmt: skip


def _charts(found: Any, first: int) -> dict[str, Any]:
    if found is None:
        return {}
    shown = found["columns"][first : first + SHOWN]
    return {column["column"]: draw(column, found["rows"]) for column in shown}


def _undescribed(draft: Draft, found: Any) -> list[str]:
    """Attributes of the plan that the table lacks."""
    if found is None:
        return []
    there = {column["column"] for column in found["columns"]}
    return [name for name in draft.attributes if name not in there]


async def set_attribute(request: Request) -> Response:
    """Change the role, the kind or the flag of a column."""
    plan, draft = draft_of(request)
    given = await form_of(request)
    name = given.get("column", "")
    keys: dict[str, Any] = {}
    if "role" in given:
        keys["role"] = _one_of(given["role"], list(Role), "role")
        if keys["role"] in (Role.QUASI, Role.SEMI_SENSITIVE):
            keys |= _proposed(request, draft, name)
    if "kind" in given:
        keys["kind"] = _one_of(given["kind"], list(Kind), "kind") if given["kind"] else None
    if "flag" in given:
        keys["flag"] = given["flag"] or None
    first = given.get("from", "")
    page = f"data?from={first}" if first.isdecimal() else "data"
    return keep(request, plan, draft.with_attribute(name, **keys), page)


def _one_of(given: str, known: list[Any], what: str) -> str:
    if given not in {str(one) for one in known}:
        raise PlanError(f"There is no such {what}.", hint=f"Known: {', '.join(map(str, known))}.")
    return given


def _proposed(request: Request, draft: Draft, name: str) -> dict[str, Any]:
    """The hierarchy that was proposed for a column, where it has none."""
    if "hierarchy" in draft.attributes.get(name, {}) or draft.source is None:
        return {}
    try:
        _, found = profile_of(request, place_of(request).find(draft.source))
    except PlanError:
        return {}
    columns = {} if found is None else {one["column"]: one for one in found["columns"]}
    text = columns.get(name, {}).get("hierarchy")
    if not text:
        return {}
    return {"hierarchy": read_value(text), "kind": columns[name]["kind"]}


async def set_person(request: Request) -> Response:
    """Say which column names people, or that each row is one."""
    plan, draft = draft_of(request)
    column = (await form_of(request)).get("column", "")
    # The default would end every run in which the rows of a person differ.
    given = {"column": column, "conflict": "mode"} if column else None
    return keep(request, plan, draft.changed(individual=given), "data")


async def start(request: Request) -> Response:
    """A plan begins at its requirements."""
    return to(f"/plans/{plan_of(request).id}/requirements")


ROUTES = [
    Route("/files/{name}", table, methods=["GET"]),
    Route("/files/{name}/profile", again, methods=["POST"]),
    Route("/files/{name}/plan", first_plan, methods=["POST"]),
    Route("/plans/{plan:int}", start),
    Route("/plans/{plan:int}/data", columns),
    Route("/plans/{plan:int}/attribute", set_attribute, methods=["POST"]),
    Route("/plans/{plan:int}/person", set_person, methods=["POST"]),
]
