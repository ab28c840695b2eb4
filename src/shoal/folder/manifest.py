"""The manifest: what a release promises and reaches, without a value, a seed, a path or a row."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.release.release import Release
from shoal.report import cells_by_attribute
from shoal.schema import Verdict
from shoal.version import __version__

FORMAT = 1


def manifest_of(release: Release) -> dict[str, Any]:
    """The manifest of a release, but for the files that it lists."""
    counts = {k: v for k, v in asdict(release.counts).items() if v is not None}
    return {
        "format": FORMAT,
        "tool": "shoal",
        "version": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "plan": release.plan_digest,
        "method": release.method,
        "ranges": release.ranges,
        "form": release.form,
        "columns": _columns(release),
        "requirements": [
            {"model": r.model, "parameters": _plain(r.parameters)} for r in release.requirements
        ],
        "verdicts": [_verdict(v) for v in release.verdicts],
        "measures": release.measures.quick,
        "loss_by_attribute": release.measures.by_attribute,
        "cells_by_attribute": cells_by_attribute(release),
        "replaced": dict(release.replaced),
        "singled_out": release.singled_out,
        "counts": counts,
    }


def list_files(release: Release, files: list[Path]) -> dict[str, Any]:
    """The files of a release with their digests and, for tables, their rows."""
    return {path.name: _facts(path, release) for path in files}


def _columns(release: Release) -> list[dict[str, Any]]:
    columns = []
    if release.schema.individual is not None:
        columns.append({"name": "Id_num", "role": "person"})
    for attribute in release.schema.published:
        entry: dict[str, Any] = {"name": attribute.name, "role": str(attribute.role)}
        if attribute.kind is not None:
            entry["kind"] = str(attribute.kind)
        if attribute.hierarchy is not None:
            entry["hierarchy"] = attribute.hierarchy.form
        if attribute.name in release.symbols:
            entry["symbols"] = release.symbols[attribute.name]
        columns.append(entry)
    return columns


def _verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict without the numbers of classes, which are the publisher's own."""
    entry = {
        "requirement": verdict.requirement,
        "attribute": verdict.attribute,
        "holds": verdict.holds,
        "asked": _plain(verdict.asked),
        "reached": _plain(verdict.reached),
        "offending": len(verdict.offending),
    }
    return {k: v for k, v in entry.items() if v is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if v is not None}
    return value.item() if hasattr(value, "item") else value


def _facts(path: Path, release: Release) -> dict[str, Any]:
    with path.open("rb") as file:
        entry: dict[str, Any] = {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    table = release.coded.get(path.stem)
    if table is not None:
        entry["rows"] = table.height
    return entry
