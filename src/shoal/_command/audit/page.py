"""An audit as one HTML file: the verdict at a glance, then numbers, then what they leave out."""

from __future__ import annotations

from shoal._command.audit.outcome import Audit
from shoal.report.page import render
from shoal.report.risk import risk_of_gains
from shoal.schema.wording import VERDICTS, brief_of

_LEADS = {
    True: "Nothing was found against this release, and every question is answered.",
    False: "This release is not what it claims to be.",
    None: "Nothing was found against this release, but some questions remain open.",
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
        words=VERDICTS,
        lead=lead_of(found),
        problems=[str(problem) for problem in (*found.findings, *found.unlike)],
        brief=brief_of,
        risk=risk_of_gains(found.gains),
    )
