"""The publisher's own side: complete, readable by its owner only, and tied to one release."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.folder.private import digest_manifest, release_of
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS

FRAME = pl.DataFrame({"who": list("abcd"), "age": [1, 1, 2, 2]})
PLAN = {
    "attributes": {"who": "identifier", "age": "quasi"},
    "privacy": [{"k-anonymity": {"k": 2}}],
    "seed": 7,
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, None),
        ("", None),
        ("[]", None),
        ("{}", None),
        ('{"release": 5}', None),
        ('{"release": "abc"}', "abc"),
    ],
)
def test_only_a_complete_private_side_names_its_release(
    text: str | None, found: str | None, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "private.json").write_text(text)
    assert release_of(tmp_path) == found


def test_the_digest_is_of_the_bytes_of_the_manifest(tmp_path: Path) -> None:
    assert digest_manifest(tmp_path) is None
    (tmp_path / "manifest.json").write_bytes(b"{}\n")
    assert digest_manifest(tmp_path) == hashlib.sha256(b"{}\n").hexdigest()


def test_files_lead_back_to_the_input_and_are_the_owners_alone(tmp_path: Path) -> None:
    own = tmp_path / "own"
    release = shoal.run(PLAN, FRAME, output=tmp_path / "r", private=own)
    assert {path.stat().st_mode & 0o777 for path in own.iterdir()} == {0o600}
    assert own.stat().st_mode & 0o077 == 0
    facts = json.loads((own / "private.json").read_text())
    assert (facts["seed"], facts["seed_given"]) == (7, True)
    assert facts["warnings"] == [
        {"code": a.code, "severity": a.severity, "text": a.text} for a in release.warnings
    ]
    rows = pl.read_parquet(own / "published-rows.parquet")["row"]
    published = pl.read_csv(tmp_path / "r" / "data.csv", infer_schema=False)["age"]
    assert FRAME["age"].gather(rows).cast(pl.String).to_list() == published.to_list()
    assert (own / "schema.json").is_file()


def test_the_schema_is_kept_with_secrets(tmp_path: Path) -> None:
    diversity = [{"l-diversity": {"attribute": n, "l": 2}} for n in ("age", "zip", "disease")]
    plan = {**PLAN, "attributes": PATIENT_ATTRIBUTES, "method": "lgb-mdp"}
    plan["privacy"] = [{"k-anonymity": {"k": 2}}, *diversity]
    shoal.run(plan, PATIENTS, output=tmp_path / "r", private=tmp_path / "own")
    kept = json.loads((tmp_path / "own" / "schema.json").read_text())
    assert [a["name"] for a in kept["attributes"]] == list(PATIENT_ATTRIBUTES)
