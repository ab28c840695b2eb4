"""The publisher's own side: what must never be handed out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import polars as pl
from pydantic import TypeAdapter

from shoal.folder.history import FILE
from shoal.folder.table import write_table
from shoal.reading.manifest import Manifest
from shoal.release.advice import warnings_of
from shoal.release.outcome import Outcome
from shoal.report import private_report
from shoal.schema import Schema


def write_private(release: Outcome, manifest: Manifest, folder: Path) -> None:
    """Row map, mapping, full report, plan and seed, into a folder that only its owner can read."""
    write_table(release.rows, folder / "rows.parquet")
    place = pl.DataFrame({"published": pl.int_range(len(release.origin), eager=True),
                          "row": release.origin})  # fmt: skip
    write_table(place, folder / "published-rows.parquet")
    release.classes.write_csv(folder / "classes.csv")
    if release.keeps_secrets:
        schema = TypeAdapter(Schema).dump_json(release.schema, indent=2)
        (folder / "schema.json").write_bytes(schema + b"\n")
    (folder / "report.html").write_text(private_report(release, manifest), encoding="utf-8")
    if release.history is not None:
        release.history.write_parquet(folder / FILE)
    if release.plan_text:
        (folder / "plan.yaml").write_text(release.plan_text, encoding="utf-8")
    facts = {
        "format": 1,
        "seed": release.seed,
        "seed_given": release.seed_given,
        "input": release.input_digest,
        "plan": release.plan_digest,
        "notes": list(release.notes),
        "warnings": [asdict(advice) for advice in warnings_of(release)],
    }
    (folder / "private.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    for path in folder.iterdir():
        path.chmod(0o600)
