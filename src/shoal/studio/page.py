"""Pages and parts of pages, in the hand of the reports."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from shoal.report.page import environment as reports

if TYPE_CHECKING:
    from jinja2 import Environment

_HEADING = re.compile(r"<h2>([^<]*)</h2>")
_BODY = re.compile(r"<body>(.*?)(?:<footer>|</body>)", re.DOTALL)


def render(template: str, **facts: Any) -> str:
    """Fill a template of the studio; charts and filters are those of the reports."""
    return _environment().get_template(template).render(**facts)


def page(request: Request, template: str, status: int = 200, **facts: Any) -> Response:
    """A whole page, or the part of it that was asked for."""
    part = request.headers.get("hx-target") if "hx-request" in request.headers else None
    return HTMLResponse(render(template, part=part, path=request.url.path, **facts), status)


def inside(report: Path) -> Markup:
    """What a report in a file shows, without its frame."""
    return inside_text(report.read_text(encoding="utf-8"))


def inside_text(report: str) -> Markup:
    """What a report shows, without its frame, to be shown in a page of the studio.

    Only what shoal itself has rendered is given here: all text in it is escaped already.
    """
    found = _BODY.search(report)
    text = "" if found is None else found[1]
    # A page has one header, one main part and one title, and those are the studio's.
    for name, role in (("header", "div"), ("main", "div"), ("h1", 'p class="eyebrow"')):
        text = text.replace(f"<{name}>", f"<{role}>").replace(f"</{name}>", f"</{role.split()[0]}>")
    return Markup(text)


def with_contents(report: Markup) -> tuple[Markup, list[tuple[str, Markup]]]:
    """A report whose headings can be linked to, and these headings.

    >>> with_contents(Markup("<h2>Risk</h2>"))
    (Markup('<h2 id="part-1">Risk</h2>'), [('part-1', Markup('Risk'))])
    """
    found: list[tuple[str, Markup]] = []

    def named(heading: re.Match[str]) -> str:
        found.append((f"part-{len(found) + 1}", Markup(heading[1])))
        return f'<h2 id="{found[-1][0]}">{heading[1]}</h2>'

    return Markup(_HEADING.sub(named, str(report))), found


def style() -> str:
    """The style of the reports, and what a workbench needs in addition."""
    own = files("shoal.studio").joinpath("static", "studio.css").read_text(encoding="utf-8")
    shared = files("shoal.report").joinpath("templates", "report.css").read_text(encoding="utf-8")
    return shared + own


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, PackageLoader

    shared = reports()
    assert shared.loader is not None
    made = shared.overlay(loader=ChoiceLoader([PackageLoader("shoal.studio"), shared.loader]))
    # An overlay shares its filters with the environment below it, so this one gets its own.
    made.filters = {**shared.filters, "size": size, "clock": clock, "seconds": seconds}
    return made


def size(n_bytes: int) -> str:
    """Bytes as people read them.

    >>> size(5_300_000)
    '5.3 MB'
    """
    amount = float(n_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return ""


def clock(time: str | None) -> str:
    """A stored time for the page.

    >>> clock("2026-11-16T17:55:37.123+00:00")
    '2026-11-16 17:55 UTC'
    """
    return f"{time[:10]} {time[11:16]} UTC" if time else ""


def seconds(time: float | None) -> str:
    """A time that has passed."""
    if time is None:
        return ""
    return f"{time:.1f} s" if time < 100 else f"{time / 60:.1f} min"
