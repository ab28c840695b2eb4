"""Hierarchies: build, import, look at every level as a run publishes it, export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from shoal._command.hierarchy import LevelLabels, levels_over
from shoal.errors import PlanError, Problem, ShoalError
from shoal.hierarchy import Hierarchy
from shoal.plan.canonical import dump
from shoal.plan.document import read_text
from shoal.schema import Kind
from shoal.studio.ask import (
    column_of,
    counter_of,
    draft_of,
    form_of,
    keep,
    place_of,
    profile_of,
)
from shoal.studio.draft import COARSER, Draft
from shoal.studio.page import page
from shoal.studio.tree import MOST, Node, Roots, addresses, lacking, read_tree

_LABELS = 12
_SUITS = {
    "numeric": "This column has numbers: width and intervals suit it.",
    "date": "This column has dates: dates suit it.",
    "categorical": "This column has categories: tree, mask (for codes) and file suit it.",
    "ordinal": "This column has ordered categories: tree and file suit it.",
}
# Form, what it is for, and its fields with their meaning.
FORMS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "none": ("ranges of the numbers, and sets of the categories, that occur", ()),
    "flat": ("the value itself or nothing (*)", ()),
    "width": (
        "ranges of numbers, each level twice as wide",
        (("width", "of the first ranges"), ("levels", "of ranges"), ("origin", "where one begins")),
    ),
    "intervals": ("ranges of numbers between cuts", (("cuts", "such as 18, 40, 65"),)),
    "mask": (
        "codes that lose characters from the right",
        (("mask", "characters at most"),),
    ),
    "dates": ("days, months, years", (("units", "such as day, month, year"),)),
    "tree": ("terms below broader terms", (("tree", "as YAML: broader terms, then narrower"),)),
    "file": ("a hierarchy file, as ARX writes it", (("file", "of the folder"),)),
}


async def hierarchies(request: Request) -> Response:
    """The columns that can be published coarser; one of them is open."""
    plan, draft = draft_of(request)
    names = draft.of_role(*COARSER)
    place = request.path_params.get("column")
    name = names[0] if names else None
    if place is not None:
        name = column_of(request, draft)
    body = draft.attributes.get(name or "", {})
    declared = body.get("hierarchy")
    waiting = bool(declared) and not await run_in_threadpool(
        counter_of(request).is_ready, draft, {name or "": body}
    )
    levels: tuple[LevelLabels, ...] = ()
    problems: tuple[Problem, ...] = ()
    if name and not waiting:
        levels, problems = await _levels(request, draft, name, declared)
    return page(
        request, "hierarchies.html", plan=plan, draft=draft, names=names, name=name,
        numbers={column: i for i, column in enumerate(draft.attributes)}, forms=FORMS,
        form=form_of_declared(declared), fields=fields_of(declared), files=_files(request),
        levels=levels, problems=problems, most=_LABELS, waiting=waiting,
        tree=await _tree(request, draft, name, declared) if name and not waiting else None,
        advice=_advice(request, draft, name), limit=request.app.state.limits.upload,
    )  # fmt: skip


async def _tree(request: Request, draft: Draft, name: str, declared: Any) -> Branches | None:
    """The tree of a column, to be edited; None if it has another form or is too large."""
    roots = read_tree(declared.get("tree") if isinstance(declared, dict) else None)
    # As many broader terms as there may be values to begin with.
    if not roots or sum(1 for _ in addresses(roots)) > 2 * MOST:
        return None
    try:
        rows = await run_in_threadpool(rows_by_value, request, draft, name)
    except ShoalError:
        rows = {}
    groups = [node.name for _, node in addresses(roots) if node.below]
    return Branches(roots, rows, groups, lacking(roots, rows))


@dataclass(frozen=True)
class Branches:
    """A tree on the page: its nodes, the rows of each value, its broader terms, what it lacks."""

    roots: Roots
    rows: dict[str, int]
    groups: list[str]
    lacking: list[str]

    def count(self, node: Node) -> int:
        """How many rows a node covers."""
        return sum(self.rows.get(leaf, 0) for leaf in node.leaves)


def rows_by_value(request: Request, draft: Draft, name: str) -> dict[str, int]:
    """The values of a column and how many rows have each, missing ones left out."""
    found = counter_of(request).count(draft, name)
    pairs = zip(found.cells.to_list(), found.counts.tolist(), strict=True)
    return {str(cell): n for cell, n in pairs if cell is not None and str(cell)}


def _advice(request: Request, draft: Draft, name: str | None) -> str:
    """Which forms suit the kind of a column."""
    kind = draft.attributes.get(name or "", {}).get("kind")
    if kind is None and name and draft.source is not None:
        try:
            _, found = profile_of(request, place_of(request).find(draft.source))
        except ShoalError:
            found = None
        columns = () if found is None else found["columns"]
        kind = next((one["kind"] for one in columns if one["column"] == name), None)
    return _SUITS.get(str(kind), "")


async def _levels(
    request: Request, draft: Draft, name: str, declared: Any
) -> tuple[tuple[LevelLabels, ...], tuple[Problem, ...]]:
    """Every level over the data, or what is wrong with the hierarchy."""
    if declared is None:
        return (), ()
    body = {**draft.attributes.get(name, {}), "hierarchy": declared}
    try:
        return await run_in_threadpool(_count, request, draft, name, body), ()
    except ShoalError as error:
        return (), error.problems


def _count(
    request: Request, draft: Draft, name: str, body: dict[str, Any]
) -> tuple[LevelLabels, ...]:
    found = counter_of(request).count(draft, name, body)
    return levels_over(found.cells, found.attribute, found.counts)


def _files(request: Request) -> list[str]:
    """CSV files of the folder and of the folders in it."""
    folder = place_of(request).folder
    found = [*folder.glob("*.csv"), *folder.glob("[!.]*/*.csv")]
    return sorted(path.relative_to(folder).as_posix() for path in found)[:500]


async def preview(request: Request) -> Response:
    """The levels of what a form says, before it is kept."""
    plan, draft = draft_of(request)
    name = column_of(request, draft)
    try:
        declared = declared_by(await form_of(request))
        levels, problems = await _levels(request, draft, name, declared)
    except PlanError as error:
        declared, levels, problems = None, (), error.problems
    return page(
        request, "levels.html", plan=plan, levels=levels, problems=problems, most=_LABELS,
        declared=declared, waiting=False,
    )  # fmt: skip


async def keep_hierarchy(request: Request) -> Response:
    """Take the hierarchy that a form says into the plan."""
    plan, draft = draft_of(request)
    name = column_of(request, draft)
    text = draft.with_attribute(name, hierarchy=declared_by(await form_of(request)))
    return keep(request, plan, text, f"hierarchies/{request.path_params['column']}")


async def export(request: Request) -> Response:
    """The hierarchy over the values of the table, as an ARX file."""
    _, draft = draft_of(request)
    name = column_of(request, draft)
    target = place_of(request).own / f"hierarchy-{request.path_params['column']}.csv"
    await run_in_threadpool(write_hierarchy, request, draft, name, target)
    return FileResponse(target, filename="hierarchy.csv", media_type="text/csv")


def write_hierarchy(request: Request, draft: Draft, name: str, target: Path) -> None:
    """Write the hierarchy of a column over its values, as an ARX file."""
    found = counter_of(request).count(draft, name)
    if found.attribute.hierarchy is None:
        raise PlanError(
            "There is no hierarchy to export: this column is published as ranges or sets.",
            hint="Choose a form and keep it, then export it.",
        )
    from shoal.table import encode_column

    domain = encode_column(found.cells, found.attribute).domain
    hierarchy = Hierarchy.from_spec(found.attribute.hierarchy)
    kind = domain.attribute.kind or Kind.CATEGORICAL
    hierarchy.write(target, domain.texts, kind)


def form_of_declared(declared: Any) -> str:
    """The form of a hierarchy as a plan declares it."""
    if declared is None:
        return "none"
    if isinstance(declared, str):
        return "flat" if declared == "flat" else "file"
    return next((form for form in FORMS if form in declared), "tree")


def fields_of(declared: Any) -> dict[str, str]:
    """What the fields of the form show for it."""
    if isinstance(declared, str):
        return {} if declared == "flat" else {"file": declared}
    if not isinstance(declared, dict):
        return {}
    shown = {key: str(value) for key, value in declared.items() if not isinstance(value, list)}
    for key, field in (("intervals", "cuts"), ("dates", "units")):
        if isinstance(declared.get(key), list):
            shown[field] = ", ".join(map(str, declared[key]))
    if "tree" in declared:
        shown["tree"] = dump(declared["tree"]) if isinstance(declared["tree"], dict) else ""
    return shown


def declared_by(given: dict[str, str]) -> Any:
    """The hierarchy that a form says, as a plan declares it; None for none.

    >>> declared_by({"builder": "width", "width": "5", "levels": "3", "origin": ""})
    {'width': 5, 'levels': 3}
    """
    # Not "form": a field of that name would hide the form of an element from scripts.
    form = given.get("builder", "none")
    if form not in FORMS:
        raise PlanError("There is no such form of a hierarchy.")
    match form:
        case "none":
            return None
        case "flat":
            return "flat"
        case "file":
            return given.get("file", "") or _lacking("file")
        case "intervals" | "dates":
            field = "cuts" if form == "intervals" else "units"
            parts = [part.strip() for part in given.get(field, "").split(",") if part.strip()]
            return {form: [_read(part) for part in parts] or _lacking(field)}
        case "tree":
            return {"tree": read_text(given.get("tree", "")).data or _lacking("tree")}
    fields = [name for name, _ in FORMS[form][1]]
    found = {name: _read(given[name]) for name in fields if given.get(name, "").strip()}
    return found if form in found else _lacking(form)


def _lacking(field: str) -> Any:
    raise PlanError(f"The field {field!r} must be filled in, but it is empty.")


def _read(text: str) -> Any:
    return read_text(f"v: {text.strip()}").data["v"]


ROUTES = [
    Route("/plans/{plan:int}/hierarchies", hierarchies),
    Route("/plans/{plan:int}/hierarchies/{column:int}", hierarchies),
    Route("/plans/{plan:int}/hierarchies/{column:int}", keep_hierarchy, methods=["POST"]),
    Route("/plans/{plan:int}/hierarchies/{column:int}/preview", preview, methods=["POST"]),
    Route("/plans/{plan:int}/hierarchies/{column:int}/export.csv", export),
]
