"""The start page: tables, plans and runs of the folder; uploads; what jobs are doing."""

from __future__ import annotations

import shutil
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal._command.demo import write_demo
from shoal.plan.file import read_file
from shoal.studio.ask import form_of, jobs_of, place_of, store_of, to
from shoal.studio.draft import read_draft
from shoal.studio.page import page
from shoal.studio.place import PLANS, Place

# As `shoal demo` has them.
_PEOPLE, _SEED = 5_000, 7


async def home(request: Request) -> Response:
    """Everything that there is."""
    place, store = place_of(request), store_of(request)
    profiled = {job.subject: job for job in reversed(store.jobs("profile"))}
    return page(
        request,
        "home.html",
        folder=place.folder.name,
        tables=place.tables(),
        profiled=profiled,
        files=place.plans(),
        plans=store.plans(),
        runs=store.jobs("run"),
        limit=request.app.state.limits.upload,
    )


async def upload(request: Request) -> Response:
    """Take a file as it arrives."""
    name = request.path_params["name"]
    limit = request.app.state.limits.upload
    file = await place_of(request).receive(name, request.stream(), limit)
    return JSONResponse({"name": file.name, "address": f"/files/{quote(file.name)}"}, 201)


async def demo(request: Request) -> Response:
    """Fill an empty folder with a hospital of made-up people."""
    place = place_of(request)
    if not place.tables() and not place.plans():
        await run_in_threadpool(_make_up, place)
    return to("/")


def _make_up(place: Place) -> None:
    """Write the demo aside, and bring over what the folder does not have."""
    # A demo is written only into an empty folder, but this one has the studio's own files.
    aside = place.own / "demo"
    shutil.rmtree(aside, ignore_errors=True)
    write_demo(aside, _PEOPLE, _SEED)
    for entry in sorted(aside.iterdir()):
        if not (place.folder / entry.name).exists():
            entry.rename(place.folder / entry.name)
    shutil.rmtree(aside)


async def open_plan(request: Request) -> Response:
    """Take a plan file of the folder as a plan of the studio."""
    name = (await form_of(request)).get("file", "")
    if not name.lower().endswith(PLANS):
        raise HTTPException(404)
    text = read_file(place_of(request).path(name))
    read_draft(text, place_of(request))
    plan = store_of(request).add_plan(name.rsplit(".", 1)[0], text)
    return to(f"/plans/{plan.id}/requirements")


async def progress(request: Request) -> Response:
    """How far a job is; once it is over the page that waits for it is loaded again."""
    job = store_of(request).job(request.path_params["job"])
    if job is None:
        raise HTTPException(404)
    if not job.is_open:
        return Response(headers={"HX-Refresh": "true"})
    return page(request, "job.html", job=job)


async def cancel(request: Request) -> Response:
    """End a job."""
    jobs_of(request).cancel(request.path_params["job"])
    # Only a page of the studio: two slashes would begin the address of another host.
    back = (await form_of(request)).get("back", "/")
    return to(back if back.startswith("/") and not back.startswith("//") else "/")


ROUTES = [
    Route("/", home),
    Route("/files/{name}", upload, methods=["PUT"]),
    Route("/demo", demo, methods=["POST"]),
    Route("/plans", open_plan, methods=["POST"]),
    Route("/jobs/{job:int}", progress),
    Route("/jobs/{job:int}/cancel", cancel, methods=["POST"]),
]
