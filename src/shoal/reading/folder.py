"""A release folder as it is written: its manifest, its attributes, its tables."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, Field, ValidationError

from shoal.errors import DataError, Problem, VerificationError
from shoal.reading.table import read_table
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema

FORMAT = 1
MANIFEST = "manifest.json"


class _Column(BaseModel):
    name: str
    role: Role | Literal["person"]
    kind: Kind | None = None
    hierarchy: Literal["file", "tree", "intervals", "width", "mask", "dates", "flat"] | None = None
    symbols: Literal["by-flag", "interval", "one-sided"] | None = None


class _Requirement(BaseModel):
    model: str
    parameters: dict[str, Any]


class _Verdict(BaseModel):
    requirement: str
    attribute: str | None = None
    holds: bool | None = None


class Manifest(BaseModel):
    """What an audit needs of a manifest."""

    columns: list[_Column]
    requirements: list[_Requirement]
    verdicts: list[_Verdict]
    files: dict[str, dict[str, Any]]
    ranges: Literal["tight", "snapped", "columns"]
    form: Literal["plain", "split", "joined", "linked"] = "plain"
    counts: dict[str, int] = Field(default_factory=dict)


def read_manifest(folder: Path) -> tuple[dict[str, Any], Manifest]:
    """The manifest of a release as it is, and as far as an audit needs it."""
    manifest = load_manifest(folder)
    return manifest, _shape(manifest, folder)


def load_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a release, or a clear word on why there is none."""
    path = folder / MANIFEST
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
    return dict(manifest)


def _shape(manifest: dict[str, Any], folder: Path) -> Manifest:
    try:
        return Manifest.model_validate(manifest)
    except ValidationError as error:
        places = [".".join(map(str, e["loc"])) for e in error.errors(include_input=False)]
    raise DataError(
        Problem(
            f"The manifest of {folder} is broken: this is absent, or not what it must be.", place
        )
        for place in dict.fromkeys(places)
    )


def schema_of(manifest: Manifest, folder: Path) -> Schema:
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


def read_buckets(folder: Path, manifest: Manifest, schema: Schema) -> dict[str, pl.DataFrame]:
    """The tables of buckets that can be read, by name."""
    found = {}
    for attribute in schema.secret:
        for suffix in ("csv", "parquet"):
            path = folder / f"buckets-{attribute.name}.{suffix}"
            if path.name in manifest.files and path.is_file():
                with suppress(VerificationError):
                    found[path.stem] = read_table(path)
    return found


def read_data(folder: Path, manifest: Manifest, stem: str = "data") -> pl.DataFrame | None:
    """A published table that the manifest lists; what is wrong with its file is told already."""
    names = [f"{stem}.{suffix}" for suffix in ("csv", "parquet")]
    for name in [name for name in names if name in manifest.files] or names:
        if (folder / name).is_file():
            try:
                return read_table(folder / name)
            except VerificationError:
                return None
    return None
