"""`shoal audit`: what speaks for a release, what against it, and what nobody can tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.place import SECRET, Place

AGE = {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 10, "levels": 3}}
PROOF = ("--original", "people.csv", "--plan", "plan.yaml")


@pytest.fixture
def release(place: Place) -> Place:
    """A release that leaves out somebody of 900 years: t of the whole table needs the original."""
    return _released(place, {"t-closeness": {"t": 0.9, "distance": "equal"}})


def _released(place: Place, *asked: object) -> Place:
    path = place.folder / "people.csv"
    first = path.read_text().splitlines()[:2]
    old = dict(zip(first[0].split(","), first[1].split(","), strict=True)) | {"age": "900"}
    place.write("people.csv", path.read_text() + ",".join(old.values()) + "\n")
    town = {"role": "quasi", "kind": "categorical", "hierarchy": "flat"}
    attributes = {"name": "identifier", "age": AGE, "town": town, "ill": "sensitive"}
    privacy = [{"k-anonymity": {"k": 3}}, *asked]
    place.plan(privacy=privacy, attributes=attributes, method="ka")
    assert place.run("run", "plan.yaml", "--quiet").code == 0
    return place


def test_without_the_original_secrets_are_not_checkable(release: Place) -> None:
    before = release.look()
    outcome = release.run("audit", "release")
    assert (outcome.code, outcome.err) == (0, "")
    assert "✓ The folder holds the 2 files of the manifest, unchanged" in outcome.out
    assert "✓ holds" in outcome.out
    assert "? open" in outcome.out
    assert "not checkable from the release alone" in " ".join(outcome.out.split())
    assert "Open: 1 of 3 questions is not answered" in outcome.out
    assert "every requirement holds" not in outcome.out
    assert "--original DATA" in outcome.out
    assert release.look() == before


def test_a_reason_is_given_once_for_all_that_share_it(place: Place) -> None:
    _released(place, {"l-diversity": {"l": 2}}, *({"t-closeness": {"t": t}} for t in (0.8, 0.9)))
    said = " ".join(place.run("audit", "release").out.split())
    assert said.count("not checkable from the release alone") == 1
    assert "- 2 requirements (t-closeness" in said


def test_with_the_original_everything_is_counted(release: Place) -> None:
    outcome = release.run("audit", "release", *PROOF)
    assert outcome.code == 0
    assert "open" not in outcome.out
    last = outcome.out.splitlines()[-1]
    assert last == "✓ Holds: every requirement is met, and every cell is true"


def test_strict_is_not_content_with_what_is_open(release: Place) -> None:
    assert release.run("audit", "release", "--strict").code == 1
    assert release.run("audit", "release", "--original", "people.csv", "--strict").code == 1
    assert release.run("audit", "release", *PROOF, "--strict").code == 0
    outcome = release.run("audit", "release", "--strict", "--json")
    assert (outcome.code, outcome.data["verdict"]) == (1, "open")


def test_the_document_says_the_same(release: Place) -> None:
    outcome = release.run("audit", "release/", "--json")
    assert outcome.code == 0
    assert outcome.data["holds"] is True
    assert outcome.data["complete"] is False
    size, kinds = outcome.data["claims"]
    assert (size["holds"], size["asked"], size["claimed"]) == (True, 3, size["recounted"])
    assert (kinds["holds"], kinds["recounted"], kinds["attribute"]) == (None, None, "ill")
    assert kinds["note"] == "not checkable from the release alone"


def edit(folder: Path) -> None:
    path = folder / "data.csv"
    path.write_text(path.read_text().replace(f"{SECRET}-a", f"{SECRET}-b", 1))


def add(folder: Path) -> None:
    (folder / "notes.txt").write_text(SECRET)


def change_claim(folder: Path) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["verdicts"][0]["reached"] = 77
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (edit, "data.csv: The file's SHA-256 is not the one in the manifest."),
        (add, "notes.txt: The file is in the folder, but the manifest does not list it."),
        (change_claim, "the manifest claims 77, but"),
    ],
)
def test_whatever_was_done_is_told_without_a_value(
    release: Place, tamper: Callable[[Path], None], words: str
) -> None:
    tamper(release.folder / "release")
    outcome = release.run("audit", "release")
    assert outcome.code == 1
    said = " ".join(outcome.out.split())
    assert words in said
    assert "✗ Does not hold: this release is not what it claims to be" in said
    assert SECRET not in said
    quiet = release.run("audit", "release", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (1, "", "")
    document = release.run("audit", "release", "--json")
    assert document.code == 1
    assert document.data["holds"] is False
    assert document.data["findings"] or document.data["unlike"]


def newer(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 2'))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (newer, "is of format 2, but this version reads up to 1"),
        (lambda folder: (folder / "manifest.json").unlink(), "has no manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "cannot be read"),
        (lambda folder: (folder / "manifest.json").write_text('{"format": 1}'), "is broken"),
    ],
)
def test_without_a_manifest_that_can_be_read_the_input_is_wrong(
    release: Place, spoil: Callable[[Path], object], words: str
) -> None:
    spoil(release.folder / "release")
    outcome = release.run("audit", "release")
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.words
    assert str(release.folder) not in outcome.err
    assert release.run("audit", "release", "--json").data["error"] == "DataError"


@pytest.mark.parametrize("folder", ["nothing", "people.csv"])
def test_no_folder_is_wrong_input(release: Place, folder: str) -> None:
    assert release.run("audit", folder).code == 2


def test_no_original_is_wrong_input(release: Place) -> None:
    outcome = release.run("audit", "release", "--original", "nothing.csv")
    assert (outcome.code, outcome.out) == (2, "")


def test_a_certificate_is_written_and_verified(release: Place) -> None:
    asked = ("audit", "release", *PROOF, "--certificate", "audit.json")
    assert release.run(*asked).code == 0
    found = release.run("audit", "release", "--verify", "audit.json", "--json")
    assert (found.code, found.data["verdict"]) == (0, "open")
    assert found.data["statement"]["verdict"] == "holds"
    assert SECRET not in (release.folder / "audit.json").read_text()
    assert release.run("audit", "release", "--verify", "audit.json", "--strict").code == 1
    said = release.run("audit", "release", "--verify", "audit.json")
    assert "Open: it is not signed" in said.out
    assert release.run("audit", "release", "--key", "key.pem").code == 2
    path = release.folder / "release" / "manifest.json"
    path.write_text(path.read_text().replace('"ka"', '"k-member"'))
    assert release.run("audit", "release", "--verify", "audit.json").code == 1


def test_a_page_is_written(release: Place) -> None:
    outcome = release.run("audit", "release", "--original", "people.csv", "--plot", "risk.html")
    assert outcome.code == 0
    page = (release.folder / "risk.html").read_text()
    assert "Audit of a release" in page
    assert SECRET not in page
    assert release.run("audit", "release", "--plot", "risk.txt").code == 2
