"""Filling in the manifest of a release."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from shoal.folder.cost import cost_of
from shoal.folder.counted import PERSON
from shoal.folder.loss import is_declared
from shoal.folder.public import Public
from shoal.folder.statement import cells_by_attribute, counts_of, plain, singled_out, verdicts_of
from shoal.reading.manifest import (
    MANIFEST,
    Manifest,
    ManifestColumn,
    ManifestFile,
    Ranges,
    Republish,
    Symbols,
)
from shoal.release.outcome import Outcome
from shoal.schema import Attribute, Requirement, Schema
from shoal.verify import Recount
from shoal.version import __version__


def manifest_of(release: Outcome, salt: str = "") -> Manifest:
    """The manifest of a release, without its list of files.

    All of it but the time and the digest of the plan is a function of what is public.
    """
    return stamped(state(Public.counted_of(release)), release.plan_digest, salt)


def stamped(manifest: Manifest, plan_digest: str, salt: str) -> Manifest:
    """The manifest with the time and the digest of its plan."""
    time = datetime.now(UTC).isoformat(timespec="seconds")
    return manifest.model_copy(update={"time": time, "plan": salted(plan_digest, salt)})


def salted(digest: str, salt: str) -> str:
    """The digest of a plan as it is published: without the salt no guess at a plan is confirmed."""
    return hmac.digest(salt.encode(), digest.encode(), "sha256").hex()


def state(public: Public, recount: Callable[[Schema], Recount] | None = None) -> Manifest:
    """Everything that is stated about the tables, derived only from what is public.

    `recount` judges tables that are not in memory, by the manifest's schema.
    """
    cost, columns = cost_of(public), _columns(public)
    individual = public.declared.individual
    manifest = Manifest(
        version=__version__,
        method=public.method,
        ranges=cast(Ranges, public.ranges),
        form=public.layout,
        columns=columns,
        individual=None if individual is None else individual.column,
        conflict=None if individual is None else individual.conflict,
        requirements=tuple(Requirement(r.model, plain(r.parameters)) for r in public.requirements),
        verdicts=(),
        measures=cost.measures,
        loss_by_attribute=cost.by_attribute,
        cells_by_attribute=cells_by_attribute(public),
        singled_out=singled_out(public),
        counts=counts_of(public),
        republish=cast(Republish | None, public.republish),
    )
    schema = manifest.as_schema()
    verdicts = verdicts_of(public, schema, None if recount is None else recount(schema))
    return manifest.model_copy(update={"verdicts": verdicts})


def write_described(
    folder: Path, manifest: Manifest, report: str, tables: Mapping[str, ManifestFile]
) -> Manifest:
    """Write the report and the manifest, which lists all files, next to the tables of a release."""
    path = folder / "report.html"
    path.write_text(report, encoding="utf-8")
    files = {**tables, path.name: file_of(path, None)}
    manifest = manifest.model_copy(update={"files": files})
    (folder / MANIFEST).write_text(manifest.text(), encoding="utf-8")
    return manifest


def _columns(public: Public) -> tuple[ManifestColumn, ...]:
    people = (
        [ManifestColumn(name=PERSON, role="person")]
        if public.declared.individual is not None
        else []
    )
    return (*people, *(_column(a, public) for a in public.schema.published))


def _column(attribute: Attribute, public: Public) -> ManifestColumn:
    measured = attribute in public.schema.quasi or attribute.name in public.symbols
    return ManifestColumn(
        name=attribute.name,
        role=attribute.role,
        kind=attribute.kind,
        hierarchy=None if attribute.hierarchy is None else attribute.hierarchy.form,
        symbols=cast(Symbols | None, public.symbols.get(attribute.name)),
        loss_over=("declared" if is_declared(attribute) else "published") if measured else None,
        missing=attribute.missing or None,
    )


def file_of(path: Path, n_rows: int | None) -> ManifestFile:
    """What a manifest says of a file; tables have rows."""
    with path.open("rb") as file:
        return ManifestFile(sha256=hashlib.file_digest(file, "sha256").hexdigest(), rows=n_rows)
