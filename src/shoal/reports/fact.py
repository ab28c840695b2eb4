"""What a report knows of a release: the manifest, read with patience."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from shoal.release import Release
from shoal.reports.cell import cells_by_attribute
from shoal.schema import Requirement, Role


@dataclass(frozen=True)
class Column:
    """A published column: its role as the manifest names it, and how it was generalised."""

    name: str
    role: str
    kind: str = ""
    hierarchy: str = ""


@dataclass(frozen=True)
class Finding:
    """One requirement, of one attribute: what was asked and what the table reaches."""

    model: str
    parameters: Mapping[str, Any]
    holds: bool | None
    asked: Any = None
    reached: Any = None
    attribute: str | None = None
    n_offending: int = 0


@dataclass(frozen=True)
class Facts:
    """A manifest as typed data; what it does not say is empty."""

    columns: tuple[Column, ...] = ()
    findings: tuple[Finding, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    loss_by_attribute: Mapping[str, float] = field(default_factory=dict)
    cells_by_attribute: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    replaced: Mapping[str, int] = field(default_factory=dict)
    singled_out: float = 0.0
    method: str = ""
    ranges: str = ""
    version: str = ""
    time: str = ""
    plan: str = ""

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> Self:
        """Read a manifest; keys that are missing are taken as empty."""
        columns = [
            Column(c["name"], c.get("role", ""), c.get("kind", ""), c.get("hierarchy", ""))
            for c in manifest.get("columns", ())
        ]
        asked = _by_text(manifest.get("requirements", ()))
        return cls(
            columns=tuple(columns),
            findings=tuple(_finding(v, asked) for v in manifest.get("verdicts", ())),
            counts=manifest.get("counts") or {},
            measures=manifest.get("measures") or {},
            loss_by_attribute=manifest.get("loss_by_attribute") or {},
            cells_by_attribute=manifest.get("cells_by_attribute") or {},
            replaced=manifest.get("replaced") or {},
            singled_out=float(manifest.get("singled_out") or 0.0),
            method=manifest.get("method", ""),
            ranges=manifest.get("ranges", ""),
            version=manifest.get("version", ""),
            time=manifest.get("time", ""),
            plan=manifest.get("plan", ""),
        )

    @classmethod
    def of_release(cls, release: Release) -> Self:
        """The same facts from a release that is not written yet."""
        people = [] if release.schema.individual is None else [Column("Id_num", "person")]
        columns = [
            Column(a.name, str(a.role), str(a.kind or ""), a.hierarchy.form if a.hierarchy else "")
            for a in release.schema.published
        ]
        asked = {str(r): r for r in release.requirements}
        findings = [
            Finding(
                *_model(v.requirement, asked),
                v.holds,
                v.asked,
                v.reached,
                v.attribute,
                len(v.offending),
            )
            for v in release.verdicts
        ]
        counts = {k: v for k, v in vars(release.counts).items() if v is not None}
        return cls(
            columns=(*people, *columns),
            findings=tuple(findings),
            counts=counts,
            measures=release.measures.quick,
            loss_by_attribute=release.measures.by_attribute,
            cells_by_attribute=cells_by_attribute(release),
            method=release.method,
            ranges=release.ranges,
            plan=release.plan_digest,
        )

    def of_role(self, *roles: Role) -> tuple[Column, ...]:
        """The published columns that have one of these roles."""
        return tuple(c for c in self.columns if c.role in roles)

    @property
    def quasi(self) -> tuple[Column, ...]:
        """What describes a person: quasi-identifiers, and semi-sensitive cells that are public."""
        return self.of_role(Role.QUASI, Role.SEMI_SENSITIVE)

    @property
    def counts_people(self) -> bool:
        """Whether the rows of a person are told apart from those of others."""
        return any(c.role == "person" for c in self.columns)

    @property
    def models(self) -> frozenset[str]:
        """The names of the models that were asked for."""
        return frozenset(f.model for f in self.findings)


def _by_text(requirements: Any) -> dict[str, Requirement]:
    found = [Requirement(r["model"], r.get("parameters") or {}) for r in requirements]
    return {str(r): r for r in found}


def _model(text: str, asked: Mapping[str, Requirement]) -> tuple[str, Mapping[str, Any]]:
    requirement = asked.get(text)
    if requirement is None:
        return text.split(" {")[0], {}
    given = {k: v for k, v in requirement.parameters.items() if v is not None}
    return requirement.model, given


def _finding(verdict: Mapping[str, Any], asked: Mapping[str, Requirement]) -> Finding:
    model, parameters = _model(verdict.get("requirement", ""), asked)
    return Finding(
        model,
        parameters,
        verdict.get("holds"),
        verdict.get("asked"),
        verdict.get("reached"),
        verdict.get("attribute"),
        verdict.get("offending", 0),
    )
