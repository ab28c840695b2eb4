"""What a report knows of a release: the manifest, read with patience."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from shoal.release.release import IN_BUCKETS, Release
from shoal.report.cell import cells_by_attribute
from shoal.schema import Requirement, Role


@dataclass(frozen=True)
class Column:
    """A published column: its role as the manifest names it, and how it was generalised.

    `symbols` says how its cells are shown where that is not by their values.
    """

    name: str
    role: str
    kind: str = ""
    hierarchy: str = ""
    symbols: str = ""


@dataclass(frozen=True)
class Finding:
    """One requirement, of one attribute: what was asked and what the table reaches.

    `by_bucket` says that it is asked of the buckets of an attribute, and not of groups;
    `as_symbols` that the table shows symbols in place of values of the attribute.
    """

    model: str
    parameters: Mapping[str, Any]
    holds: bool | None
    asked: Any = None
    reached: Any = None
    attribute: str | None = None
    n_offending: int = 0
    by_bucket: bool = False
    as_symbols: bool = False

    @property
    def idle(self) -> bool:
        """Whether it is asked of buckets, and there are none."""
        return self.by_bucket and self.holds is True and self.reached is None


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
    form: str = "plain"
    version: str = ""
    time: str = ""
    plan: str = ""

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> Self:
        """Read a manifest; keys that are missing are taken as empty."""
        columns = [
            Column(
                c["name"],
                c.get("role", ""),
                c.get("kind", ""),
                c.get("hierarchy", ""),
                c.get("symbols", ""),
            )
            for c in manifest.get("columns", ())
        ]
        asked = _by_text(manifest.get("requirements", ()))
        form = manifest.get("form") or "plain"
        secret = _in_buckets(columns, form)
        shown = frozenset(c.name for c in columns if c.symbols)
        findings = [_finding(v, asked, secret, shown) for v in manifest.get("verdicts", ())]
        return cls(
            columns=tuple(columns),
            findings=tuple(findings),
            counts=manifest.get("counts") or {},
            measures=manifest.get("measures") or {},
            loss_by_attribute=manifest.get("loss_by_attribute") or {},
            cells_by_attribute=manifest.get("cells_by_attribute") or {},
            replaced=manifest.get("replaced") or {},
            singled_out=float(manifest.get("singled_out") or 0.0),
            method=manifest.get("method", ""),
            ranges=manifest.get("ranges", ""),
            form=form,
            version=manifest.get("version", ""),
            time=manifest.get("time", ""),
            plan=manifest.get("plan", ""),
        )

    @classmethod
    def of_release(cls, release: Release) -> Self:
        """The same facts from a release that is not written yet."""
        people = [] if release.schema.individual is None else [Column("Id_num", "person")]
        columns = [
            Column(
                a.name,
                str(a.role),
                str(a.kind or ""),
                a.hierarchy.form if a.hierarchy else "",
                release.symbols.get(a.name, ""),
            )
            for a in release.schema.published
        ]
        asked = {str(r): r for r in release.requirements}
        secret = _in_buckets(columns, release.form)
        findings = [
            Finding(
                *_model(v.requirement, asked),
                v.holds,
                v.asked,
                v.reached,
                v.attribute,
                len(v.offending),
                v.attribute in secret,
                v.attribute in release.symbols,
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
            form=release.form,
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
    def keeps_secrets(self) -> bool:
        """Whether secret values stand in buckets, and not in the rows of their people."""
        return self.form in IN_BUCKETS

    @property
    def secret(self) -> tuple[Column, ...]:
        """What stands in buckets, for everybody or for those who keep it secret."""
        return self.of_role(Role.SENSITIVE, Role.SEMI_SENSITIVE) if self.keeps_secrets else ()

    @property
    def in_the_open(self) -> tuple[Column, ...]:
        """What is published in the row of its person as it was."""
        sensitive = () if self.keeps_secrets or self.form == "linked" else (Role.SENSITIVE,)
        return tuple(c for c in self.of_role(Role.INSENSITIVE, *sensitive) if not c.symbols)

    @property
    def flagged(self) -> tuple[Column, ...]:
        """What shows symbols, each cell as its flag or its class asks."""
        return tuple(c for c in self.columns if c.symbols)

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


def _in_buckets(columns: Sequence[Column], form: str) -> frozenset[str]:
    roles = (Role.SENSITIVE, Role.SEMI_SENSITIVE) if form in IN_BUCKETS else ()
    return frozenset(c.name for c in columns if c.role in roles)


def _finding(
    verdict: Mapping[str, Any],
    asked: Mapping[str, Requirement],
    secret: frozenset[str],
    shown: frozenset[str],
) -> Finding:
    model, parameters = _model(verdict.get("requirement", ""), asked)
    return Finding(
        model,
        parameters,
        verdict.get("holds"),
        verdict.get("asked"),
        verdict.get("reached"),
        verdict.get("attribute"),
        verdict.get("offending", 0),
        verdict.get("attribute") in secret,
        verdict.get("attribute") in shown,
    )
