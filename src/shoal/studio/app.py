"""The application: a table of routes behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.errors import Problem, ShoalError
from shoal.studio import page
from shoal.studio.counted import ColumnCounter
from shoal.studio.guard import Guard
from shoal.studio.job import Busy, Jobs
from shoal.studio.place import Place, TooLarge
from shoal.studio.store import FILE, Store
from shoal.studio.view import (
    api,
    compare,
    data,
    hierarchy,
    home,
    personal,
    plan,
    requirement,
    run,
    threshold,
    tree,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# A larger table is copied into the folder by hand, where there is no limit.
UPLOAD = 2_000_000_000
JOBS = 2


@dataclass(frozen=True)
class Limits:
    """What one studio may take: bytes of an upload, jobs at once."""

    upload: int = UPLOAD
    jobs: int = JOBS


def make_app(folder: Path, port: int, token: str, limits: Limits | None = None) -> ASGIApp:
    """The studio of a folder; its database is opened and what was killed is swept away."""
    limits = limits or Limits()
    place = Place(folder.resolve())
    place.prepare()
    store = Store(place.own / FILE)
    jobs = Jobs(place, store, limits.jobs)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        jobs.close()
        store.close()

    app = Starlette(
        routes=[
            *home.ROUTES, *data.ROUTES, *hierarchy.ROUTES, *tree.ROUTES, *requirement.ROUTES,
            *personal.ROUTES, *threshold.ROUTES, *plan.ROUTES, *run.ROUTES,
            *compare.ROUTES, *api.ROUTES, Route("/static/{name}", _static),
        ],
        exception_handlers={
            ShoalError: _wrong, TooLarge: _wrong, HTTPException: _absent, Busy: _busy,
            Exception: _failed,
        },
        lifespan=lifespan,
    )  # fmt: skip
    app.state.place, app.state.store, app.state.jobs = place, store, jobs
    app.state.limits, app.state.counter = limits, ColumnCounter(place)
    return Guard(app, port, token)


async def _static(request: Request) -> Response:
    """The few files that pages load, all of them from the package."""
    name = request.path_params["name"]
    if name == "studio.css":
        return Response(page.style(), media_type="text/css", headers=_KEPT)
    if name not in _FILES:
        raise HTTPException(404)
    content = files("shoal.studio").joinpath("static", name).read_bytes()
    return Response(content, media_type=_FILES[name], headers=_KEPT)


_FILES = {"htmx.js": "text/javascript", "studio.js": "text/javascript", "icon.svg": "image/svg+xml"}
# These come with the package and hold no data, so a browser may keep them, unlike pages.
_KEPT = {"Cache-Control": "private, max-age=600"}


def _answer(request: Request, problems: list[Problem], status: int, title: str) -> Response:
    if request.url.path.startswith("/api/"):
        listed = [{"text": p.text, "where": p.where, "hint": p.hint} for p in problems]
        return JSONResponse({"problems": listed}, status)
    back = _asked_from(request)
    return page.page(request, "problem.html", status, problems=problems, title=title, back=back)


def _asked_from(request: Request) -> str | None:
    """The page of the studio from which this was asked, if it was another."""
    # The header may name any address, but a way back must not lead out of the studio.
    origin, whole = str(request.base_url), request.headers.get("referer", "")
    path = whole.removeprefix(origin.rstrip("/"))
    return path if whole.startswith(origin) and path != request.url.path else None


async def _wrong(request: Request, error: Exception) -> Response:
    assert isinstance(error, ShoalError)
    status = 413 if isinstance(error, TooLarge) else 422
    return _answer(request, list(error.problems), status, "This cannot be done as it is")


async def _absent(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        problem = Problem(
            "This address does not take such a request.", hint=("Begin at the start page.")
        )
    elif error.status_code == 404:
        problem = Problem(
            "There is nothing at this address, or it was removed.", hint="Begin at the start page."
        )
    else:
        problem = Problem(error.detail)
    answer = _answer(request, [problem], error.status_code, "Not found")
    answer.headers.update(error.headers or {})
    return answer


async def _busy(request: Request, error: Exception) -> Response:
    problem = Problem("Too many jobs are waiting already.", hint="Wait, or cancel some of them.")
    return _answer(request, [problem], 503, "Busy")


async def _failed(request: Request, error: Exception) -> Response:
    # Not its text: that of an error which shoal did not raise itself may quote a cell.
    problem = Problem(f"shoal itself failed: {type(error).__name__}.", hint="Please report this.")
    return _answer(request, [problem], 500, "shoal failed")
