"""What a manifest says of a release, and what it leaves to the publisher."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.folder.manifest import manifest_of, with_files

FRAME = pl.DataFrame({"who": list("aabb"), "age": [1, 1, 2, 2], "ill": list("xyxy")})
PLAN: dict[str, Any] = {
    "attributes": {"who": "identifier", "age": "quasi", "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 2}}],
    "seed": 1,
}


def test_columns_are_those_that_are_published() -> None:
    plain = manifest_of(shoal.run(PLAN, FRAME))
    assert [(c.name, c.role) for c in plain.columns] == [("age", "quasi"), ("ill", "sensitive")]
    people = manifest_of(shoal.run({**PLAN, "individual": "who"}, FRAME))
    assert [c.name for c in people.columns] == ["Id_num", "age", "ill"]


def test_counts_that_do_not_apply_are_left_out() -> None:
    counts = manifest_of(shoal.run(PLAN, FRAME)).counts
    assert counts["rows"] == 4
    assert counts.keys().isdisjoint({"people", "withheld", "withheld_rows"})


def test_files_have_digests_and_tables_their_rows(tmp_path: Path) -> None:
    release = shoal.run(PLAN, FRAME)
    for name in ("data.csv", "report.html"):
        (tmp_path / name).write_text(name)
    paths = sorted(tmp_path.iterdir())
    files = with_files(manifest_of(release), release, paths).files
    assert {name: file.rows for name, file in files.items()} == {"data.csv": 4, "report.html": None}
    assert files["data.csv"].sha256 == hashlib.sha256(b"data.csv").hexdigest()
