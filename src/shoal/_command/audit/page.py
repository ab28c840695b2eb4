"""An audit as one HTML file: the verdict at a glance, then numbers, then what they leave out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal._command.audit.release import Audit
from shoal.attack import Gain
from shoal.report.page import render
from shoal.schema.wording import brief_of
from shoal.version import __version__

_WORDS = {True: "holds", False: "does not hold", None: "open"}
_LEADS = {
    True: "Nothing speaks against this release, and all that was asked is answered.",
    False: "This release is not what it claims to be.",
    None: "Nothing was found against this release, but not all that was asked is answered.",
}


_BROKEN = "An attack shows that what was promised does not hold."


def lead_of(found: Audit) -> str:
    """The verdict in one sentence."""
    sound = not (found.findings or found.unlike or any(a.holds is False for a in found.asked))
    return _BROKEN if found.broken and sound else _LEADS[found.verdict]


def audit_page(found: Audit) -> str:
    """The page of an audit: self-contained, without a value of the table."""
    return render(
        "audit.html",
        found=found,
        words=_WORDS,
        lead=lead_of(found),
        problems=[str(problem) for problem in (*found.findings, *found.unlike)],
        brief=brief_of,
        bars=lambda gain: list(_bars(gain)),
        version=__version__,
    )


def _bars(gain: Gain) -> Iterator[tuple[str, float, float | None, float | None, str]]:
    """Name, share, interval and style of every bar of a gain."""
    for name, rate, style in (
        ("attack", gain.success, "share"),
        ("guessing", gain.baseline, "other"),
        ("not in the data", gain.control, "other"),
    ):
        if rate is not None:
            ends: tuple[Any, Any] = (rate.low, rate.high)
            yield name, min(rate.share, 1.0), *ends, style
    yield "worst person", gain.worst, None, None, "share"
