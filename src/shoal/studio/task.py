"""What workers do, by name. A task writes into the folder of its job and returns a summary."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from pydantic import TypeAdapter

from shoal.folder.writing import Progress
from shoal.plan import Plan
from shoal.studio.place import Place

TaskFunction = Callable[[Place, Mapping[str, Any], Progress], dict[str, Any]]

# A rehearsal before the run looks at this many rows.
REHEARSED = 20_000
_BOUNDS = ("certain_lower", "estimate", "certain_upper", "lower", "upper")


def profile(place: Place, task: Mapping[str, Any], stage: Progress) -> dict[str, Any]:
    """Count every column of a table, and propose roles and a first plan."""
    with stage("starting"):
        # This takes seconds, so it is done where the page can say what is going on.
        from shoal._command.init import profile as count
        from shoal._command.init import propose
        from shoal.studio.column import describe_table
    name = task["subject"]
    with stage("counting"):
        counted = count(place.path(name))
    with stage("choosing roles"):
        stem = name.split(".")[0]
        proposal = propose(counted, source=name, base=place.folder, output=f"release-{stem}/")
    found = describe_table(proposal, counted.frame)
    (place.job(task["id"]) / "profile.json").write_text(json.dumps(found), encoding="utf-8")
    return {"rows": proposal.n_rows, "columns": len(proposal.entries)}


def run(place: Place, task: Mapping[str, Any], stage: Progress) -> dict[str, Any]:
    """Make the release of a plan; what the pages show of it is laid ready next to it."""
    with stage("starting"):
        from shoal._command.compare.compare import Rehearsal, outcome_of
        from shoal._run import run as make
    plan, folder = _plan(place, task), place.job(task["id"])
    begin = perf_counter()
    release = make(plan, output=folder / "release", private=folder / "private", progress=stage)
    seconds = perf_counter() - begin
    with stage("preparing the pages"):
        known = release.rows.select("row", "class").sort("row")["class"]
        table = release.coded["data"].with_columns(
            known.gather(release.origin).alias("class of the studio")
        )
        # Small groups of rows: a page reads those that it shows, and not all of a large table.
        table.write_parquet(folder / "view.parquet", row_group_size=100_000)
        asked = tuple(map(str, plan.requirements))
        outcome = Rehearsal(task.get("name", ""), method=" and ".join(release.chosen), asked=asked)
        outcome = outcome_of(outcome, release, seconds)
        text = TypeAdapter(Rehearsal).dump_json(outcome)
        (folder / "outcome.json").write_bytes(text)
    return {
        "holds": release.holds,
        "method": list(release.chosen),
        "loss": outcome.loss,
        "risk": outcome.risk and outcome.risk.mean,
        "smallest": outcome.risk and outcome.risk.smallest,
        "suppressed": outcome.suppressed,
        "rows": release.counts.rows,
        "published": release.counts.published,
        "classes": release.counts.classes,
        "warnings": len(release.warnings),
    }


def rehearse(place: Place, task: Mapping[str, Any], stage: Progress) -> dict[str, Any]:
    """Say before a run what is infeasible with all of the data, and what a sample would lose."""
    with stage("starting"):
        from shoal._command.rehearsal import rehearse as try_out
        from shoal._command.rehearsal import sampled
        from shoal._run.code import code, compile_requirements
        from shoal._run.read import read_input
    plan = _plan(place, task)
    with stage("reading"):
        source = read_input(plan)
    with stage("checking the requirements"):
        coded = code(plan, source, 0)
        compile_requirements(plan.models, plan.method, coded)
        part = sampled(plan, source, REHEARSED)
        if part is not source:
            coded = code(plan, part, 0)
    with stage("rehearsing"):
        found = try_out(plan, coded)
    return {
        "loss": found.loss,
        "stars": found.stars,
        "by_attribute": found.by_attribute,
        "rows": source.frame.height,
        "rehearsed": coded.table.n_rows,
    }


def explain(place: Place, task: Mapping[str, Any], stage: Progress) -> dict[str, Any]:
    """Rehearse a plan with one thing changed at a time."""
    with stage("starting"):
        from shoal._command.explain import explain as find
        from shoal._command.explain.page import explanation_page
    found = find(_plan(place, task), progress=stage, sample=REHEARSED)
    _write_page(place, task, explanation_page(found))
    return {"loss": found.loss}


def suggest(place: Place, task: Mapping[str, Any], stage: Progress) -> dict[str, Any]:
    """Propose thresholds and pairs of k, with what each would cost."""
    with stage("starting"):
        from shoal._command.suggest.page import suggestion_page
        from shoal._command.suggest.suggest import scheme_of
        from shoal._command.suggest.suggest import suggest as find
    plan = _plan(place, task)
    schemes = (scheme_of(plan),)
    found = find(plan, None, int(task["highest"]), schemes, sample=REHEARSED, progress=stage)
    best = found.best
    _write_page(place, task, suggestion_page(found))
    rows = [
        {
            "number": row.number,
            "thresholds": row.thresholds,
            "levels": row.pairs,
            "method": row.method.name,
            "loss": row.loss,
        }
        for row in found
        if not row.problem
    ]
    return {"best": best and best.number, "rows": rows}


def audit(place: Place, task: Mapping[str, Any], stage: Progress) -> dict[str, Any]:
    """Read a release again with the original and the private side, and attack it."""
    with stage("starting"):
        from shoal._command.audit import audit as look
        from shoal._command.audit.page import audit_page
        from shoal._run.read import read_input
    plan, folder = _plan(place, task), place.job(int(task["subject"]))
    with stage("auditing"):
        found = look(
            folder / "release",
            read_input(plan).given,
            plan=plan,
            private=folder / "private",
        )
    _write_page(place, task, audit_page(found))
    return {"verdict": found.verdict}


def query(place: Place, task: Mapping[str, Any], stage: Progress) -> dict[str, Any]:
    """Put a query to the release and to the original."""
    with stage("starting"):
        from shoal._command.query.answer import open_release
        from shoal._command.query.grammar import parse
        from shoal._run.read import read_input
        from shoal.studio.exact import answer_exactly
    plan, folder = _plan(place, task), place.job(int(task["subject"]))
    parsed = parse(task["query"])
    with stage("querying the release"):
        answer = open_release(folder / "release", plan).answer(parsed)
    with stage("querying the original"):
        frame = read_input(plan).frame
        exact = answer_exactly(parsed, frame, plan.schema)
    published: dict[str | None, Any] = dict(answer.groups or ((None, answer),))
    rows = [
        {
            "group": group,
            "original": number,
            **({} if one is None else {name: getattr(one, name) for name in _BOUNDS}),
        }
        for group, number in exact
        for one in [published.get(group)]
    ]
    return {
        "query": task["query"],
        "grouped": parsed.group is not None,
        "certain": answer.certain,
        "notes": list(answer.notes),
        "rows": rows[:200],
    }


def _plan(place: Place, task: Mapping[str, Any]) -> Plan:
    plan = Plan.parse(task["text"], place.folder)
    place.confine(plan)
    return plan


def _write_page(place: Place, task: Mapping[str, Any], page: str) -> None:
    (place.job(task["id"]) / "page.html").write_text(page, encoding="utf-8")


TASKS: dict[str, TaskFunction] = {
    task.__name__: task for task in (profile, run, rehearse, explain, suggest, audit, query)
}
