"""Is a written release what it says it is? Everything is read and counted again from the files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, Field, ValidationError

from shoal.errors import DataError, Problem, VerificationError
from shoal.schema import (
    Attribute,
    HierarchySpec,
    Individual,
    Kind,
    Requirement,
    Role,
    Schema,
    Verdict,
)
from shoal.source import read
from shoal.verify import audit_table, read_table, verify_manifest
from shoal.verify.audit import Recount, leave_open

FORMAT = 1
_MANIFEST = "manifest.json"
_TABLES = ("data.csv", "data.parquet")
_HOLDS: dict[bool | None, str] = {True: "holds", False: "does not hold", None: "is not known"}
_UNREAD = "not checkable: the published table cannot be read"


@dataclass(frozen=True)
class Claim:
    """One requirement: what the manifest claims of it, and what counting again gave.

    `holds` is None where it is not checkable, and `note` says why; `recounted` is None where
    counting again gave no number.
    """

    requirement: str
    attribute: str | None
    holds: bool | None
    asked: Any
    claimed: Any
    recounted: Any
    note: str = ""


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found of a release folder.

    `findings` are breaches of its integrity, `verdicts` the requirements counted again (`holds` is
    None where that needs the original), `unlike` the claims of the manifest that came out
    otherwise, `notes` what the audit had to take on trust.
    """

    folder: Path
    manifest: dict[str, Any]
    findings: tuple[Problem, ...]
    verdicts: tuple[Verdict, ...]
    unlike: tuple[Problem, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing was found against the release; says nothing of what was not checkable."""
        broken = any(verdict.holds is False for verdict in self.verdicts)
        return not (self.findings or self.unlike or broken)

    @property
    def complete(self) -> bool:
        """Whether every requirement could be counted again."""
        return all(verdict.holds is not None for verdict in self.verdicts)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every requirement with what is claimed of it and what was recounted."""
        claimed = _claims(self.manifest)
        return tuple(
            Claim(
                v.requirement,
                v.attribute,
                v.holds,
                v.asked,
                claimed.get((v.requirement, v.attribute), {}).get("reached"),
                v.reached,
                v.note,
            )
            for v in self.verdicts
        )


class _Column(BaseModel):
    name: str
    role: Role | Literal["person"]
    kind: Kind | None = None
    hierarchy: Literal["file", "tree", "intervals", "width", "mask", "dates", "flat"] | None = None


class _Requirement(BaseModel):
    model: str
    parameters: dict[str, Any]


class _Verdict(BaseModel):
    requirement: str
    attribute: str | None = None
    holds: bool | None = None


class _Manifest(BaseModel):
    """What an audit needs of a manifest."""

    columns: list[_Column]
    requirements: list[_Requirement]
    verdicts: list[_Verdict]
    files: dict[str, dict[str, Any]]
    ranges: Literal["tight", "snapped", "columns"]
    counts: dict[str, int] = Field(default_factory=dict)


def audit(folder: str | Path, original: Any = None) -> Audit:
    """Read a release folder again: its integrity, and what it claims, counted anew.

    From the release alone only sizes of classes can be counted. With the `original` table, what is
    asked of sensitive values is counted too, after every published row has found a row of the
    original with the same unchanged values. Raises DataError where there is no manifest, or none
    that this version reads.
    """
    if not isinstance(folder, str | Path):
        raise DataError("The folder of a release must be named by a path.")
    place = Path(folder)
    manifest, shape = _read_manifest(place)
    schema = _schema(shape, place)
    source = None if original is None else read(original, base=Path.cwd())
    findings = verify_manifest(place)
    if any(problem.where == _MANIFEST for problem in findings):
        raise DataError(problem for problem in findings if problem.where == _MANIFEST)
    requirements = [Requirement(r.model, r.parameters) for r in shape.requirements]
    data = _data(place, shape)
    if data is None:
        findings = findings or [Problem("The folder has no table of data.")]
        recount = Recount(leave_open(schema, requirements, _UNREAD))
        unlike = list(_unlike(manifest, recount.verdicts))
    else:
        n_repeated = shape.counts.get("repeated", 0) if schema.individual else 0
        recount = audit_table(data, schema, requirements, source, shape.ranges, n_repeated)
        unlike = [
            *_unlike(manifest, recount.verdicts),
            *_check_counts(shape.counts, data, schema, recount, source),
        ]
    problems = (*findings, *recount.problems)
    return Audit(place, manifest, problems, recount.verdicts, tuple(unlike), _notes(source))


def _read_manifest(folder: Path) -> tuple[dict[str, Any], _Manifest]:
    """The manifest of a release, or a clear word on why there is none."""
    path = folder / _MANIFEST
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}.", hint="Name a release folder.")
    if not path.is_file():
        raise DataError(
            f"The folder {folder} has no manifest.json.",
            hint="It is not a release of shoal, or its manifest was removed.",
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        written = manifest["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"The manifest of {folder} cannot be read.") from None
    if type(written) is not int or written < 1:
        raise DataError(f"The manifest of {folder} names no format.")
    if written > FORMAT:
        raise DataError(
            f"The release in {folder} is of format {written}, and this version reads up to "
            f"{FORMAT}.",
            hint="Audit it with the version of shoal that wrote it, or a later one.",
        )
    return dict(manifest), _shape(manifest, folder)


def _shape(manifest: dict[str, Any], folder: Path) -> _Manifest:
    try:
        return _Manifest.model_validate(manifest)
    except ValidationError as error:
        places = [".".join(map(str, e["loc"])) for e in error.errors(include_input=False)]
    raise DataError(
        Problem(
            f"The manifest of {folder} is broken: this is absent, or not what it must be.", place
        )
        for place in dict.fromkeys(places)
    )


def _schema(manifest: _Manifest, folder: Path) -> Schema:
    """What the manifest tells of the attributes; values and hierarchies it does not."""
    names = [column.name for column in manifest.columns]
    if len(set(names)) != len(names):
        raise DataError(f"The manifest of {folder} lists a column twice.")
    attributes = []
    individual = None
    for column in manifest.columns:
        if column.role == "person":
            individual = Individual(column.name)
            attributes.append(Attribute(column.name, Role.IDENTIFIER))
            continue
        tree = None if column.hierarchy is None else HierarchySpec(column.hierarchy)
        attributes.append(Attribute(column.name, column.role, column.kind, hierarchy=tree))
    return Schema(tuple(attributes), individual)


def _data(folder: Path, manifest: _Manifest) -> pl.DataFrame | None:
    """The published table that the manifest lists; what is wrong with its file is told already."""
    listed = [name for name in _TABLES if name in manifest.files] or list(_TABLES)
    for name in listed:
        if (folder / name).is_file():
            try:
                return read_table(folder / name)
            except VerificationError:
                return None
    return None


def _claims(manifest: dict[str, Any]) -> dict[tuple[str, str | None], dict[str, Any]]:
    return {(v["requirement"], v.get("attribute")): v for v in manifest["verdicts"]}


def _unlike(manifest: dict[str, Any], verdicts: tuple[Verdict, ...]) -> Iterator[Problem]:
    """Claims that came out otherwise when counted again, or that nobody asked for."""
    claims = _claims(manifest)
    for verdict in verdicts:
        claim = claims.pop((verdict.requirement, verdict.attribute), None)
        where = verdict.attribute or ""
        if claim is None:
            yield Problem(f"The manifest has no verdict on {verdict.requirement}.", where)
            continue
        if verdict.holds is None:
            continue
        if claim.get("holds") is not verdict.holds:
            claimed = _HOLDS[claim.get("holds")]
            yield Problem(
                f"{verdict.requirement}: the manifest claims that it {claimed}, and it "
                f"{_HOLDS[verdict.holds]}.",
                where,
            )
        if verdict.reached is None:
            continue
        for word, counted in (("asked", verdict.asked), ("reached", verdict.reached)):
            if not _same(claim.get(word), counted):
                yield Problem(
                    f"{verdict.requirement}: the manifest claims {_words(claim.get(word))}, and "
                    f"{_words(counted)} is {word}.",
                    where,
                )
    for requirement, attribute in claims:
        yield Problem(
            f"The manifest has a verdict on {requirement}, which it does not ask for.",
            attribute or "",
        )


def _check_counts(
    counts: dict[str, int],
    data: pl.DataFrame,
    schema: Schema,
    recount: Recount,
    original: pl.DataFrame | None,
) -> Iterator[Problem]:
    """Counts of the manifest that cannot be right."""
    rows, published, suppressed = map(counts.get, ("rows", "published", "suppressed"))
    if published is not None and published != data.height:
        yield Problem(f"The manifest claims {published} published rows, and there are "
                      f"{data.height}.")  # fmt: skip
    yield from _check_sum(counts, schema)
    if suppressed is not None and recount.n_unseen is not None and recount.n_unseen > suppressed:
        yield Problem(
            f"{recount.n_unseen} different rows of the original have unchanged values that no "
            f"published row has, and the manifest claims {suppressed} suppressed rows."
        )
    most = counts.get("classes")
    if most is not None and recount.n_classes is not None and most < recount.n_classes:
        yield Problem(f"The manifest claims {most} classes, and there are {recount.n_classes}.")
    people = counts.get("people")
    if people is not None and schema.individual and schema.individual.column in data.columns:
        shown = data[schema.individual.column].n_unique()
        if shown > people:
            yield Problem(f"The manifest claims {people} people, and {shown} are published.")
    if original is not None and rows is not None and rows != original.height:
        yield Problem(
            f"The original has {original.height} rows, and the manifest claims {rows}.",
            hint="Is it the table that the release was made of?",
        )


def _check_sum(counts: dict[str, int], schema: Schema) -> Iterator[Problem]:
    """Every row is published or suppressed, or repeats another one of the same person."""
    if not {"rows", "published", "suppressed"} <= counts.keys():
        return
    rest = counts["rows"] - counts["published"] - counts["suppressed"]
    if schema.individual is None:
        if rest or counts.get("repeated"):
            yield Problem("The published and the suppressed rows of the manifest are not its rows.")
    elif rest != counts.get("repeated", 0):
        yield Problem(
            "The published, the suppressed and the repeated rows of the manifest are not its rows."
        )


def _notes(original: pl.DataFrame | None) -> tuple[str, ...]:
    """What an audit cannot know."""
    trusted = (
        "Which columns describe people, which are secret, and what was asked is as the manifest "
        "says; whoever can change all files of a release can change that too.",
        "Measures of loss are not counted again: they need the plan.",
    )
    if original is None:
        return trusted
    return (
        *trusted,
        "A published row is compared with the original by its unchanged values; which row it was "
        "made of is the publisher's own knowledge.",
    )


def _words(value: Any) -> str:
    """A number or several by name, for a message."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(part)}" for name, part in value.items())
    if value is None:
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _same(claimed: Any, found: Any) -> bool:
    if isinstance(claimed, dict) and isinstance(found, dict):
        return claimed.keys() == found.keys() and all(
            _same(claimed[key], found[key]) for key in found
        )
    numbers = (int, float)
    if isinstance(claimed, bool) or isinstance(found, bool):
        return claimed is found
    if isinstance(claimed, numbers) and isinstance(found, numbers):
        return abs(claimed - found) <= 1e-9 * max(1.0, abs(claimed))
    return bool(claimed == found)
