"""All runs side by side, and the differences of two plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal._command.compare.compare import compare_outcomes
from shoal._command.compare.page import comparison_page
from shoal.studio.ask import place_of, store_of
from shoal.studio.draft import read_draft
from shoal.studio.page import inside_text, page
from shoal.studio.place import Place
from shoal.studio.store import Job
from shoal.studio.view.run import read_outcome


async def compare(request: Request) -> Response:
    """Risk against loss of every run, and two plans key by key."""
    place = place_of(request)
    runs = [job for job in store_of(request).jobs("run") if job.state == "done"]
    shown = await run_in_threadpool(_shown, place, runs) if runs else ""
    chosen = [_chosen(request, runs, name) for name in ("a", "b")]
    first, second = chosen
    changes: list[tuple[str, str, str]] | None = None
    if first is not None and second is not None:
        one, other = (read_draft(job.arguments["text"], place) for job in (first, second))
        changes = list(differences(one.content, other.content))
    return page(
        request, "compare_runs.html", runs=runs, shown=shown, first=first, second=second,
        changes=changes,
    )  # fmt: skip


def _shown(place: Place, runs: list[Job]) -> Markup:
    outcomes, links = [], {}
    # The store lists the latest first, but a comparison takes them in the order in which they ran.
    for run in reversed(runs):
        outcomes.append(read_outcome(place, run))
        links[outcomes[-1].plan] = f"/runs/{run.id}"
    return inside_text(comparison_page(compare_outcomes(outcomes), links))


def _chosen(request: Request, runs: list[Job], name: str) -> Job | None:
    text = request.query_params.get(name, "")
    return next((run for run in runs if str(run.id) == text), None)


def differences(one: Any, other: Any, where: str = "") -> Iterator[tuple[str, str, str]]:
    """Every key in which two plans differ, with what each says.

    >>> list(differences({"method": "ka", "seed": 1}, {"method": "mondrian", "seed": 1}))
    [('method', 'ka', 'mondrian')]
    """
    if where == "privacy" and isinstance(one, list) and isinstance(other, list):
        one, other = _keyed(one), _keyed(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys([*one, *other]):
            inner = f"{where}.{key}" if where else str(key)
            yield from differences(one.get(key), other.get(key), inner)
    elif one != other:
        yield where, _words(one), _words(other)


def _keyed(requirements: list[Any]) -> dict[str, Any]:
    """Requirements by their names, and by the column that they are about."""
    found: dict[str, Any] = {}
    for one in requirements:
        [(name, given)] = one.items() if isinstance(one, Mapping) and len(one) == 1 else [(one, {})]
        about = given.get("attribute") if isinstance(given, Mapping) else None
        key = f"{name} of {about}" if about else str(name)
        found[f"{key} ({len(found) + 1})" if key in found else key] = given or "required"
    return found


def _words(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, list):
        return "[" + ", ".join(map(_words, value)) + "]"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_words(inner)}" for key, inner in value.items())
    return str(value)


ROUTES = [Route("/compare", compare)]
