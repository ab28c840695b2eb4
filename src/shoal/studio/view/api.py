"""The REST API: the same studio for programs, under the same rules, described by OpenAPI."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.errors import PlanError, Problem
from shoal.plan.file import LONGEST
from shoal.plan.registry import measures, methods, models
from shoal.studio.ask import body_of, draft_of, jobs_of, place_of, plan_of, run_of, store_of
from shoal.studio.draft import read_draft
from shoal.studio.page import page
from shoal.studio.store import Job, StoredPlan
from shoal.studio.view import plan as plan_view
from shoal.studio.view import run as run_view
from shoal.version import __version__

B = TypeVar("B", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=True)


class TableData(_Closed):
    """A table of the folder."""

    name: str
    bytes: int


class ProblemData(_Closed):
    """What is wrong, where, and what to do."""

    text: str
    where: str
    hint: str


class Problems(_Closed):
    """The answer to what does not work."""

    problems: list[ProblemData]


class NewPlan(_Closed):
    """A plan to be kept."""

    name: str = Field(min_length=1, max_length=80)
    text: str = Field(max_length=LONGEST)


class PlanData(_Closed):
    """A plan; it can be run if it has no problems."""

    id: int
    name: str
    text: str
    changed: str
    problems: list[ProblemData]


class NewRun(_Closed):
    """A run to be begun."""

    name: str = Field(default="", max_length=80)


class RunData(_Closed):
    """A run and what it reached."""

    id: int
    name: str
    note: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    stage: str
    problems: list[ProblemData]
    result: dict[str, Any]
    created: str
    ended: str | None


@dataclass(frozen=True)
class Endpoint:
    """One operation: where, how, what it takes and what it gives."""

    method: str
    path: str
    name: str
    summary: str
    handler: Handler
    answer: Any = None
    status: int = 200
    body: type[BaseModel] | None = None
    media: str = "application/json"
    takes_file: bool = False


def _listed(problems: Any) -> list[ProblemData]:
    return [ProblemData(text=p.text, where=p.where, hint=p.hint) for p in problems]


def _plan_data(request: Request, plan: StoredPlan) -> PlanData:
    problems = _listed(read_draft(plan.text, place_of(request)).problems)
    return PlanData(
        id=plan.id, name=plan.name, text=plan.text, changed=plan.changed, problems=problems
    )


def _run_data(job: Job) -> RunData:
    return RunData(
        id=job.id,
        name=job.name,
        note=job.note,
        state=job.state,  # type: ignore[arg-type]
        stage=job.log[-1][0] if job.log else "",
        problems=[ProblemData(**{"where": "", "hint": "", **one}) for one in job.problems],
        result=dict(job.result),
        created=job.created,
        ended=job.ended,
    )


def _json(found: Any, status: int = 200) -> Response:
    if isinstance(found, list):
        text = "[" + ",".join(one.model_dump_json() for one in found) + "]"
    else:
        text = found.model_dump_json()
    return Response(text, status, media_type="application/json")


async def _read(request: Request, kind: type[B]) -> B:
    """The body, checked; what is wrong is named by its place, and never quoted."""
    # A form on another page cannot send this type, and a script there only if the browser asks
    # first.
    if request.headers.get("content-type", "").split(";")[0] != "application/json":
        raise HTTPException(415, "The body must be application/json.")
    try:
        return kind.model_validate_json(await body_of(request))
    except ValidationError as error:
        raise PlanError(
            Problem(f"The body does not fit: {one['type']}.", ".".join(map(str, one["loc"])))
            for one in error.errors(include_input=False, include_url=False)
        ) from None


async def list_tables(request: Request) -> Response:
    """The tables of the folder."""
    tables = place_of(request).tables()
    return _json([TableData(name=file.name, bytes=file.size) for file in tables])


async def put_file(request: Request) -> Response:
    """Upload a table or a plan file."""
    name, limit = request.path_params["name"], request.app.state.limits.upload
    file = await place_of(request).receive(name, request.stream(), limit)
    return _json(TableData(name=file.name, bytes=file.size), 201)


async def list_plans(request: Request) -> Response:
    """All plans."""
    return _json([_plan_data(request, plan) for plan in store_of(request).plans()])


async def add_plan(request: Request) -> Response:
    """Keep a plan."""
    given = await _read(request, NewPlan)
    read_draft(given.text, place_of(request))
    return _json(_plan_data(request, store_of(request).add_plan(given.name, given.text)), 201)


async def get_plan(request: Request) -> Response:
    """A plan, and what is wrong with it."""
    return _json(_plan_data(request, plan_of(request)))


async def change_plan(request: Request) -> Response:
    """Give a plan another name and text."""
    plan = plan_of(request)
    given = await _read(request, NewPlan)
    read_draft(given.text, place_of(request))
    store_of(request).change_plan(plan.id, name=given.name, text=given.text)
    return _json(_plan_data(request, plan_of(request)))


async def remove_plan(request: Request) -> Response:
    """Forget a plan."""
    await plan_view.remove(request)
    return Response(status_code=204)


async def begin_run(request: Request) -> Response:
    """Run a plan."""
    plan, draft = draft_of(request)
    name = (await _read(request, NewRun)).name or plan.name
    if draft.plan is None:
        raise PlanError(draft.problems)
    job = jobs_of(request).start("run", str(plan.id), {"text": plan.text, "name": name}, name)
    return _json(_run_data(job), 201)


async def list_runs(request: Request) -> Response:
    """All runs, the latest first."""
    return _json([_run_data(job) for job in store_of(request).jobs("run")])


async def get_run(request: Request) -> Response:
    """A run: its state, its problems or what it reached."""
    return _json(_run_data(run_of(request)))


async def remove_run(request: Request) -> Response:
    """Cancel a run that is under way, or forget one that is over."""
    run = run_of(request)
    if run.is_open:
        jobs_of(request).cancel(run.id)
    else:
        await run_view.remove(request)
    return Response(status_code=204)


def _registry(found: Callable[[], list[dict[str, Any]]]) -> Handler:
    async def registry(request: Request) -> Response:
        return Response(json.dumps(found(), default=str), media_type="application/json")

    return registry


ANYTHING = {"type": "array", "items": {"type": "object"}}
ENDPOINTS = (
    Endpoint("GET", "/api/tables", "list_tables", "The tables of the folder", list_tables,
             [TableData]),
    Endpoint("PUT", "/api/files/{name}", "put_file", "Upload a table or a plan file", put_file,
             TableData, 201, takes_file=True),
    Endpoint("GET", "/api/plans", "list_plans", "All plans", list_plans, [PlanData]),
    Endpoint("POST", "/api/plans", "add_plan", "Keep a plan", add_plan, PlanData, 201, NewPlan),
    Endpoint("GET", "/api/plans/{plan}", "get_plan", "A plan, and what is wrong with it",
             get_plan, PlanData),
    Endpoint("PUT", "/api/plans/{plan}", "change_plan", "Give a plan another name and text",
             change_plan, PlanData, 200, NewPlan),
    Endpoint("DELETE", "/api/plans/{plan}", "remove_plan", "Forget a plan", remove_plan, None, 204),
    Endpoint("POST", "/api/plans/{plan}/runs", "begin_run", "Run a plan", begin_run, RunData, 201,
             NewRun),
    Endpoint("GET", "/api/runs", "list_runs", "All runs, the latest first", list_runs, [RunData]),
    Endpoint("GET", "/api/runs/{run}", "get_run", "A run and what it achieved", get_run, RunData),
    Endpoint("DELETE", "/api/runs/{run}", "remove_run",
             "Cancel a run that is under way, or forget one that is over", remove_run, None, 204),
    Endpoint("GET", "/api/runs/{run}/release.zip", "get_release", "The release folder of a run",
             run_view.archive, None, 200, media="application/zip"),
    Endpoint("GET", "/api/runs/{run}/plan.yaml", "get_run_plan",
             "The plan with which 'shoal run' makes the same release", run_view.plan_file, None,
             200, media="application/yaml"),
    Endpoint("GET", "/api/models", "list_models", "What can be required", _registry(models),
             ANYTHING),
    Endpoint("GET", "/api/methods", "list_methods", "How to get there", _registry(methods),
             ANYTHING),
    Endpoint("GET", "/api/measures", "list_measures", "What it cost", _registry(measures),
             ANYTHING),
)  # fmt: skip


def openapi() -> dict[str, Any]:
    """The description of the API."""
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    _schema(Problems, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "shoal studio",
            "version": __version__,
            "description": "The cookie from the one-time link is needed.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(endpoint: Endpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    content = {endpoint.media: {"schema": _schema(endpoint.answer, schemas)}}
    answer: dict[str, Any] = {"description": endpoint.summary}
    if endpoint.status != 204:
        answer["content"] = content
    problems = {"application/json": {"schema": {"$ref": "#/components/schemas/Problems"}}}
    found: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "responses": {
            str(endpoint.status): answer,
            "4XX": {
                "description": ("The request cannot be carried out; the answer says why"),
                "content": problems,
            },
            "503": {"description": "Too many jobs are waiting", "content": problems},
        },
    }
    if "{" in endpoint.path:
        found["parameters"] = [_parameter(endpoint.path.split("{")[1].split("}")[0])]
    if endpoint.body is not None:
        body = {"application/json": {"schema": _schema(endpoint.body, schemas)}}
        found["requestBody"] = {"required": True, "content": body}
    if endpoint.takes_file:
        body = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        found["requestBody"] = {"required": True, "content": body}
    return found


def _parameter(name: str) -> dict[str, Any]:
    # JavaScript has no exact whole numbers beyond this.
    number = {"type": "integer", "minimum": 1, "maximum": 2**53}
    schema = {"type": "string", "minLength": 1} if name == "name" else number
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _schema(kind: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of a kind, which is added to the others."""
    if kind is None:
        return {"type": "string", "format": "binary"}
    if isinstance(kind, dict):
        return kind
    if isinstance(kind, list):
        return {"type": "array", "items": _schema(kind[0], schemas)}
    made = kind.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(made.pop("$defs", {}))
    schemas[kind.__name__] = made
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


async def description(request: Request) -> Response:
    """The OpenAPI document."""
    return JSONResponse(openapi())


async def reference(request: Request) -> Response:
    """The operations, for people."""
    return page(request, "api.html", endpoints=ENDPOINTS)


def _routes() -> list[Route]:
    """One route for each path, so that a method that it does not know is answered with 405."""
    paths: dict[str, dict[str, Handler]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method] = endpoint.handler
    return [
        Route(_pattern(path), _choose(handlers), methods=list(handlers))
        for path, handlers in paths.items()
    ]


def _pattern(path: str) -> str:
    return path.replace("{plan}", "{plan:int}").replace("{run}", "{run:int}")


def _choose(handlers: dict[str, Handler]) -> Handler:
    async def chosen(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await handlers[method](request)

    return chosen


ROUTES = [
    Route("/api", reference),
    Route("/api/openapi.json", description),
    *_routes(),
]
