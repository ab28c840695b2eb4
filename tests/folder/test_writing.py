"""A release folder and its private side: old or new, whatever happens, and always of one run."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.folder.exchange import drafts_of
from shoal.folder.private import digest_manifest, release_of
from shoal.folder.state import read_state
from shoal.folder.writing import claim_places

PEOPLE = pl.DataFrame({"age": [30 + i % 7 for i in range(40)], "ill": list("abcd") * 10})
KILLED = Path(__file__).with_name("killed.py")


def plan(k: int) -> dict[str, Any]:
    attributes = {"age": {"role": "quasi", "kind": "numeric"}, "ill": "sensitive"}
    return {"attributes": attributes, "privacy": [{"k-anonymity": {"k": k}}], "seed": k}


def tables(folder: Path) -> str:
    return hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()


@pytest.mark.slow
def test_a_kill_at_any_file_event_leaves_old_or_new(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    shoal.run(plan(2), PEOPLE, output=prepared / "release", private=prepared / "own")
    PEOPLE.write_csv(prepared / "people.csv")
    text = shoal.Plan.parse({**plan(5), "source": "people.csv"}).to_yaml()
    (prepared / "again.yaml").write_text(text)
    old = tables(prepared / "release")
    shoal.run(plan(5), PEOPLE, output=tmp_path / "new")
    new = tables(tmp_path / "new")
    assert old != new
    command = [sys.executable, str(KILLED), str(prepared), str(tmp_path / "killed")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    n_events = int(done.stdout)
    assert n_events > 30
    found = [_after_a_kill(tmp_path / "killed" / str(n)) for n in range(1, n_events + 1)]
    assert set(found) == {old, new}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "lgb-mdp"])
def test_a_kill_at_any_file_event_of_an_update_leaves_the_old_state_or_the_new(
    tmp_path: Path, method: str
) -> None:
    """The update takes the place of the version that it goes on from, with its ledger."""
    prepared = tmp_path / "prepared"
    people = PEOPLE.with_columns(name=pl.Series([f"p{i}" for i in range(40)]))
    attributes = {"name": "identifier", **plan(2)["attributes"]}
    versions = {
        "attributes": attributes,
        "individual": "name",
        "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}],
        "method": method,
        "republish": "m-invariance",
        "seed": 1,
    }
    shoal.run(versions, people, output=prepared / "release", private=prepared / "own")
    new = people.head(3).with_columns(name=pl.Series(["x", "y", "z"]))
    new.select(people.columns).write_csv(prepared / "new.csv")
    command = [sys.executable, str(KILLED), str(prepared), str(tmp_path / "killed")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    n_events = int(done.stdout)
    assert n_events > 30
    heights = set()
    for n in range(1, n_events + 1):
        folder = tmp_path / "killed" / str(n)
        _after_a_kill(folder)
        state = read_state(folder / "own")
        assert state.ledger is not None
        assert state.ledger.n_releases == (1 if state.frame.height == 40 else 2)
        heights.add(state.frame.height)
    assert heights == {40, 43}


def _after_a_kill(folder: Path) -> str:
    """The next run fails, since the folders exist, and still puts things right."""
    release, own = folder / "release", folder / "own"
    with pytest.raises(PlanError, match="exists"):
        claim_places(release, own, force=False)
    assert digest_manifest(release) == release_of(own), folder.name
    assert shoal.audit(release).holds, folder.name
    return tables(release)


def test_of_two_runs_into_one_folder_one_is_refused(tmp_path: Path) -> None:
    """Both find the place free; the one that comes second at the end has to say so."""
    releases = [shoal.run(plan(k), PEOPLE) for k in (2, 5)]
    ends: list[object] = []

    def save(release: shoal.Release) -> None:
        try:
            ends.append(release.save(tmp_path / "release"))
        except PlanError as error:
            ends.append(error.exit_code)

    threads = [threading.Thread(target=save, args=(release,)) for release in releases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, ends)) == sorted(map(str, [tmp_path / "release", 2]))
    assert drafts_of(tmp_path / "release") == []


def test_a_link_is_written_through_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "release"
    link.symlink_to("real")
    release = shoal.run(plan(2), PEOPLE, output=link)
    assert link.is_symlink()
    assert tables(tmp_path / "real") == tables(link)
    release.save(link, force=True)
    assert link.is_symlink()


def test_the_private_side_names_its_release(tmp_path: Path) -> None:
    for k in (2, 5):
        shoal.run(plan(k), PEOPLE, output=tmp_path / "r", private=tmp_path / "own", force=True)
        assert release_of(tmp_path / "own") == digest_manifest(tmp_path / "r")


def test_a_private_side_that_cannot_be_placed_takes_the_release_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.folder import writing

    shoal.run(plan(2), PEOPLE, output=tmp_path / "r", private=tmp_path / "own")
    before = tables(tmp_path / "r"), release_of(tmp_path / "own")
    place = writing.place_draft

    def fail(fresh: Path, folder: Path) -> bool:
        if folder.name == "own":
            raise OSError(28, "No space left on device")
        return place(fresh, folder)

    monkeypatch.setattr(writing, "place_draft", fail)
    with pytest.raises(OSError, match="No space"):
        shoal.run(plan(5), PEOPLE, output=tmp_path / "r", private=tmp_path / "own", force=True)
    assert (tables(tmp_path / "r"), release_of(tmp_path / "own")) == before
