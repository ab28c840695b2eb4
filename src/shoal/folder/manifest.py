"""Filling in the manifest of a release."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from shoal.reading.manifest import Column, File, Manifest, Ranges, Stated, Symbols
from shoal.release.outcome import Outcome
from shoal.report import cells_by_attribute
from shoal.schema import Requirement, Verdict
from shoal.version import __version__


def manifest_of(release: Outcome) -> Manifest:
    """The manifest of a release, without its list of files."""
    return Manifest(
        version=__version__,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        plan=release.plan_digest,
        method=release.method,
        ranges=cast(Ranges, release.ranges),
        form=release.layout,
        columns=_columns(release),
        requirements=tuple(
            Requirement(r.model, _plain(r.parameters)) for r in release.requirements
        ),
        verdicts=tuple(map(_stated, release.verdicts)),
        measures=release.measures.quick,
        loss_by_attribute=release.measures.by_attribute,
        cells_by_attribute=cells_by_attribute(release),
        replaced=dict(release.replaced),
        singled_out=release.singled_out,
        counts={k: v for k, v in asdict(release.counts).items() if v is not None},
    )


def with_files(manifest: Manifest, release: Outcome, files: Sequence[Path]) -> Manifest:
    """The manifest with the files of the release: their digests and, for tables, their rows."""
    return manifest.model_copy(update={"files": {f.name: _file(f, release) for f in files}})


def _columns(release: Outcome) -> tuple[Column, ...]:
    people = [] if release.schema.individual is None else [Column(name="Id_num", role="person")]
    published = [
        Column(
            name=a.name,
            role=a.role,
            kind=a.kind,
            hierarchy=None if a.hierarchy is None else a.hierarchy.form,
            symbols=cast(Symbols | None, release.symbols.get(a.name)),
        )
        for a in release.schema.published
    ]
    return (*people, *published)


def _stated(verdict: Verdict) -> Stated:
    """A verdict without the numbers of classes, which are the publisher's own."""
    return Stated(
        requirement=verdict.requirement,
        attribute=verdict.attribute,
        holds=verdict.holds,
        asked=_plain(verdict.asked),
        reached=_plain(verdict.reached),
        offending=len(verdict.offending),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if v is not None}
    return value.item() if hasattr(value, "item") else value


def _file(path: Path, release: Outcome) -> File:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    table = release.coded.get(path.stem)
    return File(sha256=digest, rows=None if table is None else table.height)
