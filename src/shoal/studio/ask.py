"""What views take from a request: the studio behind it, the plan or run it names, its form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from shoal.studio.counted import ColumnCounter
from shoal.studio.draft import Draft, read_draft
from shoal.studio.job import Jobs
from shoal.studio.page import inside
from shoal.studio.place import File, Place
from shoal.studio.store import Job, Store, StoredPlan

# A form holds a plan at most.
_LONGEST = 3_000_000


def place_of(request: Request) -> Place:
    """The folder of the studio."""
    found: Place = request.app.state.place
    return found


def store_of(request: Request) -> Store:
    """The database of the studio."""
    found: Store = request.app.state.store
    return found


def jobs_of(request: Request) -> Jobs:
    """The work of the studio."""
    found: Jobs = request.app.state.jobs
    return found


def counter_of(request: Request) -> ColumnCounter:
    """What counts columns for the pages."""
    found: ColumnCounter = request.app.state.counter
    return found


async def body_of(request: Request) -> bytes:
    """The body of a small request."""
    # Counted as it arrives: the length that a header states may be wrong, or missing.
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _LONGEST:
            raise HTTPException(413, f"A form must have at most {_LONGEST:,} bytes.")
        parts.append(part)
    return b"".join(parts)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; the last of several with one name counts."""
    try:
        text = (await body_of(request)).decode()
        # More fields than any page has: a tree shows at most 1,200 terms to tick.
        return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=2_000))
    except ValueError:
        raise HTTPException(400, "A form must be UTF-8 of at most 2,000 fields.") from None


def plan_of(request: Request) -> StoredPlan:
    """The plan that the address names."""
    found = store_of(request).plan(request.path_params["plan"])
    if found is None:
        raise HTTPException(404)
    return found


def draft_of(request: Request) -> tuple[StoredPlan, Draft]:
    """The plan that the address names, read as far as it can be read."""
    plan = plan_of(request)
    return plan, read_draft(plan.text, place_of(request))


def column_of(request: Request, draft: Draft) -> str:
    """The column that the address names by its place in the plan."""
    names = list(draft.attributes)
    place = int(request.path_params["column"])
    if place >= len(names):
        raise HTTPException(404)
    return names[place]


def run_of(request: Request) -> Job:
    """The run that the address names."""
    found = store_of(request).job(request.path_params["run"])
    if found is None or found.kind != "run":
        raise HTTPException(404)
    return found


def done_run_of(request: Request) -> Job:
    """The run that the address names, which must be done."""
    found = run_of(request)
    if found.state != "done":
        raise HTTPException(404)
    return found


def latest(request: Request, kind: str, subject: str, **arguments: Any) -> Job | None:
    """The latest job of a kind about a subject, if it was given these arguments."""
    found = store_of(request).latest(kind, subject)
    if found is None or any(found.arguments.get(k) != v for k, v in arguments.items()):
        return None
    return found


def profile_of(request: Request, file: File) -> tuple[Job | None, Mapping[str, Any] | None]:
    """The job that profiled a table as it is now, and what it found."""
    job = latest(request, "profile", file.name, stamp=file.stamp)
    if job is None or job.state != "done":
        return job, None
    text = (place_of(request).job(job.id) / "profile.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return job, found


def keep(request: Request, plan: StoredPlan, text: str, page: str) -> Response:
    """Keep the text of a plan, and go on to a page of it."""
    store_of(request).change_plan(plan.id, text=text)
    return to(f"/plans/{plan.id}/{page}")


def shown_page(request: Request, job: Job | None) -> Markup:
    """The page that a job has made; empty if there is none yet."""
    if job is None or job.state != "done":
        return Markup()
    return inside(place_of(request).job(job.id) / "page.html")


def to(path: str) -> Response:
    """Go on to another page."""
    return RedirectResponse(path, 303)
