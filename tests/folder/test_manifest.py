"""What a manifest says of a release, and what it leaves to the publisher."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.folder.manifest import file_of, manifest_of, salted, write_described
from shoal.reading.manifest import MANIFEST

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
    (tmp_path / "data.csv").write_text("data.csv")
    tables = {"data.csv": file_of(tmp_path / "data.csv", 4)}
    manifest = manifest_of(shoal.run(PLAN, FRAME))
    written = write_described(tmp_path, manifest, "report.html", tables)
    assert (tmp_path / MANIFEST).read_text() == written.text()
    files = written.files
    assert {name: file.rows for name, file in files.items()} == {"data.csv": 4, "report.html": None}
    for name, file in files.items():
        assert file.sha256 == hashlib.sha256(name.encode()).hexdigest()


def test_the_digest_of_the_plan_is_salted() -> None:
    release = shoal.run(PLAN, FRAME)
    digests = {manifest_of(release, salt).plan for salt in ("a", "b")}
    assert len(digests) == 2
    assert release.plan_digest not in digests
    assert digests == {salted(release.plan_digest, salt) for salt in ("a", "b")}


def test_columns_say_what_their_losses_are_shares_of() -> None:
    attributes = {**PLAN["attributes"], "age": {"role": "quasi", "domain": [0, 9]}}
    for words, over in ((PLAN["attributes"], "published"), (attributes, "declared")):
        age, ill = manifest_of(shoal.run({**PLAN, "attributes": words}, FRAME)).columns
        assert (age.loss_over, ill.loss_over) == (over, None)


def test_how_conflicts_are_settled_is_said_but_not_where() -> None:
    people = {"column": "who", "conflict": "first"}
    found = manifest_of(shoal.run({**PLAN, "individual": people}, FRAME))
    assert found.conflict == "first"
    assert manifest_of(shoal.run(PLAN, FRAME)).conflict is None
