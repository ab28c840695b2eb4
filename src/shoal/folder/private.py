"""The publisher's own side, which must never be handed out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter

from shoal.folder.history import FILE
from shoal.folder.state import write_state
from shoal.folder.statement import plain
from shoal.folder.table import write_table
from shoal.reading.manifest import MANIFEST, Manifest
from shoal.release.advice import warnings_of
from shoal.release.outcome import Outcome
from shoal.report import private_report
from shoal.schema import Schema

# The one table of a release in two, and the rows that describe people.
WHOLE, DESCRIBED = "whole.parquet", "described-by.parquet"


def digest_manifest(folder: Path) -> str | None:
    """The SHA-256 of the manifest of a release folder; None where it has none."""
    path = folder / MANIFEST
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def release_of(folder: Path) -> str | None:
    """The digest of the manifest that a private side belongs to; None where it names none."""
    return _fact_of(folder, "release")


def input_of(folder: Path) -> str | None:
    """The digest of the input of the release that a private side belongs to."""
    return _fact_of(folder, "input")


def _fact_of(folder: Path, name: str) -> str | None:
    try:
        named = json.loads((folder / "private.json").read_text(encoding="utf-8"))[name]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return named if isinstance(named, str) else None


def write_private(release: Outcome, manifest: Manifest, folder: Path, salt: str) -> None:
    """Write row map, classes, full report, plan and seed; only their owner can read the files.

    The digest of the manifest says which release they belong to. It is written last: a private side
    that names its release is complete. `salt` is that of the plan's digest in the manifest.
    """
    write_table(release.rows, folder / "rows.parquet")
    place = pl.DataFrame({"published": pl.int_range(len(release.origin), eager=True),
                          "row": release.origin})  # fmt: skip
    write_table(place, folder / "published-rows.parquet")
    release.classes.write_csv(folder / "classes.csv")
    schema = TypeAdapter(Schema).dump_json(release.schema, indent=2)
    (folder / "schema.json").write_bytes(schema + b"\n")
    if release.published.halves is not None:
        write_table(release.published.data, folder / WHOLE)
    if release.published.described_by is not None:
        rows = pl.DataFrame({"row": release.published.described_by})
        write_table(rows, folder / DESCRIBED)
    (folder / "report.html").write_text(private_report(release, manifest), encoding="utf-8")
    if release.history is not None:
        release.history.write_parquet(folder / FILE)
    if release.plan_text:
        (folder / "plan.yaml").write_text(release.plan_text, encoding="utf-8")
    if release.seed_origin != "plan":
        # A plan with `seed: {file: …}` that names this file makes the same release again.
        (folder / "seed").write_text(f"{release.seed}\n", encoding="utf-8")
    write_state(release, folder)
    facts = {
        "format": 1,
        "release": hashlib.sha256(manifest.text().encode("utf-8")).hexdigest(),
        "seed": release.seed,
        "seed_given": release.seed_given,
        "input": release.input_digest,
        "plan": release.plan_digest,
        "salt": salt,
        "published": _published(release),
        "notes": list(release.notes),
        "warnings": [asdict(advice) for advice in warnings_of(release)],
    }
    for path in folder.iterdir():
        path.chmod(0o600)
    text = json.dumps(facts, indent=2) + "\n"
    facts_file = folder / "private.json"
    facts_file.touch(mode=0o600)
    facts_file.write_text(text, encoding="utf-8")


def _published(release: Outcome) -> dict[str, Any]:
    """What the verifier was given in addition to the tables, so that an audit can run it again."""
    published = release.published
    return {
        "requirements": [
            {"model": r.model, "parameters": plain(r.parameters)} for r in release.requirements
        ],
        "layout": str(published.layout),
        "ranges": published.ranges,
        "symbols": dict(published.symbols),
        "concealed": dict(published.concealed),
        "counterfeits": dict(published.counterfeits),
        "suppression_limit": published.suppression_limit,
        "may_be_unmet": sorted(release.may_be_unmet),
    }
