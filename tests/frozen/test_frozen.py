"""A change of the code changes no release, unless it means to: then `releases.json` changes too."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

import shoal
from tests.frozen.plans import frozen_plans

RELEASES = Path(__file__).with_name("releases.json")
PLANS = frozen_plans()


def digest_release(plan: dict[str, object], frame: pl.DataFrame, folder: Path) -> str:
    """Of the published files, the row map, the verdicts and the losses."""
    release = shoal.run(plan, frame, output=folder)
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.csv")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(release.rows.write_csv().encode())
    verdicts = [(v.requirement, v.attribute, v.holds) for v in release.verdicts]
    losses = {name: f"{release.measures[name]:.9f}" for name in ("glm", "ncp", "dm", "avg-class")}
    digest.update(json.dumps([verdicts, losses]).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("name", PLANS)
def test_releases_stay_what_they_are(name: str, tmp_path: Path) -> None:
    plan, frame = PLANS[name]
    assert digest_release(plan, frame, tmp_path / "r") == json.loads(RELEASES.read_text())[name]


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    found = {}
    for each, (asked, table) in PLANS.items():
        with TemporaryDirectory() as folder:
            found[each] = digest_release(asked, table, Path(folder) / "r")
    RELEASES.write_text(json.dumps(found, indent=2) + "\n")
