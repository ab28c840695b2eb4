"""Is a written release what it says it is? Everything is read and counted again from the files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

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

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found of a release folder.

    `findings` are breaches of its integrity, `verdicts` the requirements counted again (`holds` is
    None where that needs the original), `unlike` the claims of the manifest that came out
    otherwise.
    """

    folder: Path
    manifest: dict[str, Any]
    findings: tuple[Problem, ...]
    verdicts: tuple[Verdict, ...]
    unlike: tuple[Problem, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing was found against the release; says nothing of what was not checkable."""
        broken = any(verdict.holds is False for verdict in self.verdicts)
        return not (self.findings or self.unlike or broken)


def audit(folder: str | Path, original: Any = None) -> Audit:
    """Read a release folder again: its integrity, and what it claims, counted anew.

    From the release alone only sizes of classes can be counted. With the `original` table, what is
    asked of sensitive values is counted too, after every published row has found a row of the
    original with the same sensitive values.
    """
    place = Path(folder)
    manifest = _manifest(place)
    findings = tuple(verify_manifest(place))
    schema = _schema(manifest)
    requirements = [
        Requirement(str(r["model"]), dict(r["parameters"])) for r in manifest["requirements"]
    ]
    data = _data(place)
    source = None if original is None else read(original, base=Path.cwd())
    try:
        verdicts = audit_table(data, schema, requirements, source)
    except VerificationError as error:
        return Audit(place, manifest, (*findings, *error.problems), (), ())
    return Audit(place, manifest, findings, verdicts, _unlike(manifest, verdicts))


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a release, or a clear word on why there is none."""
    path = folder / "manifest.json"
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
    except (ValueError, KeyError, TypeError):
        raise DataError(f"The manifest of {folder} cannot be read.") from None
    if not isinstance(written, int) or written > FORMAT:
        raise DataError(
            f"The release in {folder} is of a newer format than this version reads ({FORMAT}).",
            hint="Audit it with the version of shoal that wrote it, or a later one.",
        )
    missing = {"columns", "requirements", "verdicts", "files", "ranges"} - set(manifest)
    if missing:
        raise DataError(f"The manifest of {folder} lacks {', '.join(sorted(missing))}.")
    return dict(manifest)


def _schema(manifest: dict[str, Any]) -> Schema:
    """What the manifest tells of the attributes; values and hierarchies it does not."""
    attributes = []
    individual = None
    for column in manifest["columns"]:
        if column["role"] == "person":
            individual = Individual(column["name"])
            attributes.append(Attribute(column["name"], Role.IDENTIFIER))
            continue
        kind = Kind(column["kind"]) if "kind" in column else None
        tree = HierarchySpec(column["hierarchy"]) if "hierarchy" in column else None
        attributes.append(Attribute(column["name"], Role(column["role"]), kind, hierarchy=tree))
    return Schema(tuple(attributes), individual)


def _data(folder: Path) -> pl.DataFrame:
    for name in ("data.csv", "data.parquet"):
        if (folder / name).is_file():
            return read_table(folder / name)
    raise DataError(f"The folder {folder} has no data.csv or data.parquet.")


def _unlike(manifest: dict[str, Any], verdicts: tuple[Verdict, ...]) -> tuple[Problem, ...]:
    """Claims that came out otherwise when counted again."""
    claimed = {(v["requirement"], v.get("attribute")): v for v in manifest["verdicts"]}
    found = []
    for verdict in verdicts:
        claim = claimed.get((verdict.requirement, verdict.attribute))
        if verdict.holds is None:
            continue
        if claim is None:
            found.append(Problem(f"The manifest has no verdict on {verdict.requirement}."))
        elif not _same(claim.get("reached"), verdict.reached):
            found.append(
                Problem(
                    f"{verdict.requirement}: the manifest claims {claim.get('reached')}, "
                    f"and {verdict.reached} is reached.",
                    where=verdict.attribute or "",
                )
            )
    return tuple(found)


def _same(claimed: Any, found: Any) -> bool:
    if isinstance(claimed, dict) and isinstance(found, dict):
        return claimed.keys() == found.keys() and all(
            _same(claimed[key], found[key]) for key in found
        )
    if isinstance(claimed, (int, float)) and isinstance(found, (int, float)):
        return abs(claimed - found) <= 1e-9 * max(1.0, abs(claimed))
    return bool(claimed == found)
