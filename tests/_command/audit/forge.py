"""Releases for forgers: good ones of every form, and what is done to them with digests to match."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.reading.table import read_table
from tests.report.sample import PLAN, people

Change = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class Forged:
    """A release that somebody may change, with all that an honest audit is given."""

    folder: Path
    private: Path
    plan: dict[str, Any]
    original: pl.DataFrame

    def table(self, change: Change, name: str = "data") -> Forged:
        """Change a table, and put its true digest and row count into the manifest."""
        path = self.folder / f"{name}.csv"
        table = change(read_table(path))
        table.write_csv(path)
        return self.vouch()

    def manifest(self, change: Callable[[dict[str, Any]], Any]) -> Forged:
        path = self.folder / "manifest.json"
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        return self

    def vouch(self) -> Forged:
        """Give every file the digest, and every table the rows, that it has."""

        def entries(document: dict[str, Any]) -> None:
            for name in document["files"]:
                path = self.folder / name
                if path.is_file():
                    entry = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
                    if path.suffix == ".csv":
                        entry["rows"] = read_table(path).height  # type: ignore[assignment]
                    document["files"][name] = entry

        return self.manifest(entries)

    def counts(self, **counts: int) -> Forged:
        return self.manifest(lambda m: m["counts"].update(counts))

    def audit(self, *given: str) -> Any:
        """Audit it, given "original", "plan" or "private"."""
        more: dict[str, Any] = {}
        if "plan" in given:
            more["plan"] = self.plan
        if "private" in given:
            more["private"] = self.private
        return shoal.audit(self.folder, self.original if given else None, **more)


def write(place: Path, plan: dict[str, Any], original: pl.DataFrame) -> Forged:
    """A release with its private side."""
    shoal.run(plan, original).save(place / "release", private=place / "private")
    return Forged(place / "release", place / "private", plan, original)


def sample(place: Path, **changes: Any) -> Forged:
    """A release by Mondrian, with a tree, a range, a set and a date."""
    return write(place, {**PLAN, **changes}, people(80))


def patients(place: Path, method: str = "danonyir") -> Forged:
    """A release of people with several rows."""
    draw = np.random.default_rng(3)
    who = np.repeat(np.arange(30), 3)
    frame = pl.DataFrame(
        {
            "who": [f"p{i}" for i in who],
            "age": draw.integers(20, 60, 30)[who],
            "town": draw.choice([*"uvw"], 30)[who],
            "ill": draw.choice([*"abcdef"], 90),
        }
    )
    plan = {
        "individual": "who",
        "attributes": {"who": "identifier", "age": "quasi", "town": "quasi", "ill": "sensitive"},
        "privacy": [{"ir-k": {"k": 2}}, {"eir-l": {"l": 2}}],
        "method": method,
        "seed": 5,
    }
    return write(place, plan, frame)


def texts(found: Any) -> str:
    return "\n".join(map(str, (*found.findings, *found.unlike)))


def copied(good: Forged, place: Path) -> Forged:
    (place / "copy").mkdir()
    for path in good.folder.iterdir():
        (place / "copy" / path.name).write_bytes(path.read_bytes())
    return Forged(place / "copy", good.private, good.plan, good.original)
