"""A run: its progress, what it published, what that is worth, and the way out of the studio."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from shoal._command.compare.compare import Rehearsal
from shoal.errors import PlanError
from shoal.reading.manifest import Manifest
from shoal.schema.wording import brief_of
from shoal.studio.ask import (
    done_run_of,
    draft_of,
    form_of,
    jobs_of,
    latest,
    place_of,
    run_of,
    shown_page,
    store_of,
    to,
)
from shoal.studio.draft import read_draft
from shoal.studio.guard import REPORT_POLICY
from shoal.studio.page import inside, page, with_contents
from shoal.studio.place import OWN, Place
from shoal.studio.store import Job
from shoal.studio.view.plan import yaml_file
from shoal.studio.view.requirement import drop_rehearsals

CLASS = "class of the studio"
ROWS = 50
# A fixed time in archives: the same release is the same archive.
_EPOCH = (1980, 1, 1, 0, 0, 0)


async def begin(request: Request) -> Response:
    """Run the plan as it is now."""
    plan, draft = draft_of(request)
    if draft.plan is None:
        raise PlanError(draft.problems)
    name = (await form_of(request)).get("name", "").strip()[:80]
    number = len(store_of(request).jobs("run")) + 1
    named = name or f"{plan.name}, run {number}"
    drop_rehearsals(request, plan.id)
    arguments = {"text": plan.text, "name": named}
    job = jobs_of(request).start("run", str(plan.id), arguments, named)
    return to(f"/runs/{job.id}")


async def overview(request: Request) -> Response:
    """The verdicts first, then all that the publisher's report shows."""
    run = run_of(request)
    report = place_of(request).job(run.id) / "private" / "report.html"
    shown, verdicts = Markup(""), []
    if run.state == "done":
        shown = await run_in_threadpool(inside, report)
        outcome = read_outcome(place_of(request), run)
        verdicts = [(v, brief_of(v.requirement, v.attribute)) for v in outcome.verdicts]
    shown, contents = with_contents(shown)
    return page(
        request, "run.html", run=run, tab="overview", report=shown, contents=contents,
        verdicts=verdicts,
    )  # fmt: skip


def read_outcome(place: Place, run: Job) -> Rehearsal:
    """What a run reached, as it was laid ready for the pages."""
    text = (place.job(run.id) / "outcome.json").read_bytes()
    return replace(TypeAdapter(Rehearsal).validate_json(text), plan=f"{run.name} (no. {run.id})")


async def note(request: Request) -> Response:
    """Name a run, or write a note on it."""
    run = run_of(request)
    given = await form_of(request)
    name = given.get("name", "").strip()[:80] or run.name
    store_of(request).change_job(run.id, name=name, note=given.get("note", "")[:2_000])
    return to(f"/runs/{run.id}")


async def remove(request: Request) -> Response:
    """Forget a run and all that it wrote."""
    run = run_of(request)
    jobs_of(request).drop(("audit", "query"), run.id)
    jobs_of(request).forget(run.id)
    return to("/")


async def table(request: Request) -> Response:
    """Some published rows, or those of one class."""
    run = done_run_of(request)
    first, chosen = _whole(request, "from"), _whole(request, "class")
    view = place_of(request).job(run.id) / "view.parquet"
    rows, n_rows = await run_in_threadpool(_rows, view, first or 0, chosen)
    return page(
        request, "table.html", run=run, tab="table", rows=rows, n_rows=n_rows,
        first=first or 0, chosen=chosen, most=ROWS, column=CLASS,
    )  # fmt: skip


def _whole(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 12 else None


def _rows(view: Path, first: int, chosen: int | None) -> tuple[pl.DataFrame, int]:
    rows = pl.scan_parquet(view)
    if chosen is not None:
        rows = rows.filter(pl.col(CLASS) == chosen)
    n_rows = int(rows.select(pl.len()).collect().item())
    return rows.slice(first, ROWS).collect(), n_rows


async def ask(request: Request) -> Response:
    """The query box, with the latest answer."""
    run = done_run_of(request)
    job = store_of(request).latest("query", str(run.id))
    manifest = Manifest.read(place_of(request).job(run.id) / "release")
    names = [column.name for column in manifest.columns]
    return page(request, "query.html", run=run, tab="query", job=job, names=names)


async def put(request: Request) -> Response:
    """Put a query to the release and the original; it is never part of an address."""
    run = done_run_of(request)
    text = (await form_of(request)).get("query", "")[:10_000]
    jobs_of(request).start("query", str(run.id), {"text": run.arguments["text"], "query": text})
    return to(f"/runs/{run.id}/query")


async def audit(request: Request) -> Response:
    """The audit of a run, once somebody asked for it."""
    run = done_run_of(request)
    job = store_of(request).latest("audit", str(run.id))
    shown = shown_page(request, job)
    return page(request, "audit_run.html", run=run, tab="audit", job=job, shown=shown)


async def begin_audit(request: Request) -> Response:
    """Audit a run with the original and its private side, attacks included."""
    run = done_run_of(request)
    jobs_of(request).start("audit", str(run.id), {"text": run.arguments["text"]})
    return to(f"/runs/{run.id}/audit")


async def explanation(request: Request) -> Response:
    """What each part of the plan of a run costs."""
    run = done_run_of(request)
    job = latest(request, "explain", f"run {run.id}")
    shown = shown_page(request, job)
    return page(request, "explain_run.html", run=run, tab="explain", job=job, shown=shown)


async def begin_explanation(request: Request) -> Response:
    """Rehearse the plan of a run with one thing changed at a time."""
    run = done_run_of(request)
    jobs_of(request).start("explain", f"run {run.id}", {"text": run.arguments["text"]})
    return to(f"/runs/{run.id}/explain")


async def report(request: Request) -> Response:
    """The report that goes with the release, as its readers see it."""
    run = done_run_of(request)
    text = (place_of(request).job(run.id) / "release" / "report.html").read_text(encoding="utf-8")
    return HTMLResponse(text, headers={"Content-Security-Policy": REPORT_POLICY})


async def archive(request: Request) -> Response:
    """The release folder as a zip; nothing of the private side is in it."""
    run = done_run_of(request)
    folder = place_of(request).job(run.id)
    target = folder / "release.zip"
    if not target.exists():
        await run_in_threadpool(_pack, folder / "release", target)
    return FileResponse(target, filename=f"release-{run.id}.zip", media_type="application/zip")


def _pack(release: Path, target: Path) -> None:
    draft = target.with_suffix(".draft")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(release.iterdir()):
            entry = zipfile.ZipInfo(path.name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # The size is not known beforehand, and may be more than zip can state without zip64.
            with path.open("rb") as source, packed.open(entry, "w", force_zip64=True) as out:
                while part := source.read(1 << 20):
                    out.write(part)
    # Whole under its name or not there, as another request may look for it meanwhile.
    draft.rename(target)


async def plan_file(request: Request) -> Response:
    """The plan of a run, which gives the same release again with `shoal run`.

    A seed that was drawn is named by its file in the studio's own folder.
    """
    run = done_run_of(request)
    draft = read_draft(run.arguments["text"], place_of(request))
    keys: dict[str, Any] = {"output": f"release-{run.id}/"}
    seed = place_of(request).job(run.id) / "private" / "seed"
    if seed.exists() and "seed" not in draft.content:
        keys["seed"] = {"file": f"{OWN}/jobs/{run.id}/private/seed"}
    return yaml_file(draft.changed(**keys), f"run-{run.id}.yaml")


ROUTES = [
    Route("/plans/{plan:int}/run", begin, methods=["POST"]),
    Route("/runs/{run:int}", overview),
    Route("/runs/{run:int}", note, methods=["POST"]),
    Route("/runs/{run:int}/remove", remove, methods=["POST"]),
    Route("/runs/{run:int}/table", table),
    Route("/runs/{run:int}/query", ask),
    Route("/runs/{run:int}/query", put, methods=["POST"]),
    Route("/runs/{run:int}/audit", audit),
    Route("/runs/{run:int}/audit", begin_audit, methods=["POST"]),
    Route("/runs/{run:int}/explain", explanation),
    Route("/runs/{run:int}/explain", begin_explanation, methods=["POST"]),
    Route("/runs/{run:int}/report", report),
    Route("/runs/{run:int}/release.zip", archive),
    Route("/runs/{run:int}/plan.yaml", plan_file),
]
