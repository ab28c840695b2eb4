"""Editing a tree: what is ticked is put below a broader term, renamed or taken out."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import PlanError
from shoal.hierarchy.file import read_rows
from shoal.studio.ask import column_of, counter_of, draft_of, form_of, keep, place_of
from shoal.studio.draft import Draft
from shoal.studio.tree import (
    MOST,
    Address,
    Roots,
    dissolve,
    gather,
    lacking,
    read_tree,
    rename,
    tree_of_rows,
    tree_of_values,
    with_values,
    write_tree,
)
from shoal.studio.view.hierarchy import rows_by_value, write_hierarchy


async def edit(request: Request) -> Response:
    """Do to the ticked terms what a button says."""
    plan, draft = draft_of(request)
    name = column_of(request, draft)
    given = await form_of(request)
    declared = draft.attributes[name].get("hierarchy")
    if "begin" in given:
        roots = await run_in_threadpool(_begun, request, draft, name, declared)
    else:
        roots = read_tree(declared.get("tree") if isinstance(declared, dict) else None)
        roots = await run_in_threadpool(_edited, request, draft, name, roots, given)
    text = draft.with_attribute(name, hierarchy={"tree": write_tree(roots)})
    return keep(request, plan, text, f"hierarchies/{request.path_params['column']}")


def _begun(request: Request, draft: Draft, name: str, declared: Any) -> Roots:
    """The hierarchy that a column has, as a tree; without one all its values below a root."""
    values = list(rows_by_value(request, draft, name))
    if len(values) > MOST:
        raise PlanError(
            f"A tree on this page has at most {MOST} values, but the column has {len(values):,}.",
            hint="Write a hierarchy file and choose 'file'.",
        )
    if declared in (None, "flat"):
        return tree_of_values(values)
    found = counter_of(request).count(draft, name)
    if found.attribute.hierarchy is not None and found.attribute.hierarchy.rows:
        return tree_of_rows(found.attribute.hierarchy.rows)
    target = place_of(request).own / f"tree-{request.path_params['column']}.csv"
    try:
        write_hierarchy(request, draft, name, target)
        return tree_of_rows(read_rows(target))
    finally:
        target.unlink(missing_ok=True)


def _edited(
    request: Request, draft: Draft, name: str, roots: Roots, given: dict[str, str]
) -> Roots:
    chosen, label = _chosen(given), given.get("name", "").strip()
    if "gather" in given:
        return gather(roots, chosen, label)
    if "rename" in given:
        return rename(roots, chosen, label)
    if "dissolve" in given:
        return dissolve(roots, chosen)
    if "complete" in given:
        return with_values(roots, lacking(roots, rows_by_value(request, draft, name)))
    return roots


def _chosen(given: dict[str, str]) -> list[Address]:
    """The ticked terms: fields such as n0.1.3."""
    found = []
    for key in given:
        places = key[1:].split(".")
        if key[:1] == "n" and all(p.isdecimal() and len(p) < 6 for p in places):
            found.append(tuple(map(int, places)))
    return found


ROUTES = [
    Route("/plans/{plan:int}/hierarchies/{column:int}/tree", edit, methods=["POST"]),
]
