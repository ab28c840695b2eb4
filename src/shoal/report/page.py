"""Putting facts into templates; everything is escaped."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from shoal.release.fact import listed
from shoal.report import wording
from shoal.schema.wording import number, percent
from shoal.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **facts: Any) -> str:
    """Fill a template of this package."""
    return environment().get_template(template).render(**facts)


@cache
def environment() -> Environment:
    """Where the templates are found, the filters that they use, and the version of shoal."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Escaped, as names of columns come from the data. A fact that is forgotten is an error rather
    # than a gap in a report.
    environment = Environment(
        loader=PackageLoader("shoal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["version"] = __version__
    environment.filters |= {
        "plain": number,
        "percent": percent,
        "listed": listed,
        "day": wording.day,
        "at": lambda number: f"{number:.2f}".rstrip("0").rstrip("."),
    }
    return environment
