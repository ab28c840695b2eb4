"""What an audit found: integrity, requirements counted again, claims, checks and attacks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal._command.audit.claim import stated_by
from shoal.attack import Gain
from shoal.errors import Problem
from shoal.reading.manifest import Manifest, Stated
from shoal.report.snippet import snippet, verdict_snippet
from shoal.schema import Figures, Verdict


@dataclass(frozen=True)
class Claim:
    """One requirement: what the manifest claims, and what was counted again.

    `holds` is None if it is not checkable, and `note` says why; `recounted` is None if counting
    again gave no number.
    """

    requirement: str
    attribute: str | None
    holds: bool | None
    asked: Figures
    # Whatever a manifest has there, which anybody may have written.
    claimed: Any
    recounted: Figures
    note: str = ""


@dataclass(frozen=True)
class Inspection:
    """Something besides the requirements that is asked of a release; `holds` is None if open."""

    name: str
    text: str
    holds: bool | None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found in a release folder.

    `findings` are breaches of its integrity, `verdicts` the requirements counted again (`holds` is
    None if that needs the original), `unlike` the claims of the manifest that proved wrong, `notes`
    what the audit takes on trust, `checks` what else was asked, `gains` what attacks gain.
    """

    folder: Path
    manifest: Manifest
    findings: tuple[Problem, ...]
    verdicts: tuple[Verdict, ...]
    unlike: tuple[Problem, ...]
    notes: tuple[str, ...] = ()
    checks: tuple[Inspection, ...] = ()
    gains: tuple[Gain, ...] = ()

    @property
    def asked(self) -> list[Verdict | Inspection]:
        """All that was asked: the requirements, and what else a reader relies on."""
        return [*self.verdicts, *self.checks]

    @property
    def broken(self) -> tuple[Gain, ...]:
        """The attacks that show a promise to be broken."""
        return tuple(gain for gain in self.gains if gain.holds is False)

    @property
    def holds(self) -> bool:
        """Whether nothing was found against the release; what is not checkable does not count."""
        broken = any(one.holds is False for one in self.asked)
        return not (self.findings or self.unlike or self.broken or broken)

    def __repr__(self) -> str:
        found = "nothing against it" if self.holds else "findings"
        return f"<Audit of {self.folder}: {found}, {len(self.verdicts)} requirements>"

    def _repr_html_(self) -> str:
        title = f"Audit: {'nothing found against the release' if self.holds else 'findings'}"
        problems = [(p.where, p.text) for p in (*self.findings, *self.unlike)]
        found = snippet("Findings", ("Where", "What"), problems) if problems else ""
        return verdict_snippet(title, self.verdicts) + found

    @property
    def complete(self) -> bool:
        """Whether nothing that was asked stays open."""
        return all(one.holds is not None for one in self.asked)

    @property
    def verdict(self) -> bool | None:
        """Whether the release holds: False if anything speaks against it, None if it is open."""
        return (True if self.complete else None) if self.holds else False

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every requirement with its claim and what was recounted."""
        claimed = stated_by(self.manifest)
        nothing = Stated(requirement="")
        return tuple(
            Claim(
                v.requirement,
                v.attribute,
                v.holds,
                v.asked,
                claimed.get((v.requirement, v.attribute), nothing).reached,
                v.reached,
                v.note,
            )
            for v in self.verdicts
        )
