from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shoal.errors import DataError, PlanError
from shoal.plan import Plan
from shoal.studio.place import OWN, Place, TooLarge, check_name
from tests.studio.sample import PLAN


async def parts(*given: bytes) -> AsyncIterator[bytes]:
    for part in given:
        yield part


@pytest.fixture
def place(folder: Path) -> Place:
    made = Place(folder)
    made.prepare()
    return made


@pytest.mark.parametrize(
    "name",
    ["../a.csv", "a/b.csv", "..", ".hidden.csv", "", "a\\b.csv", "a\n.csv", " a.csv", "a.exe",
     "a.csv\0", "C:a.csv", "x" * 200 + ".csv", "a"],
)  # fmt: skip
def test_only_plain_names_are_taken(name: str) -> None:
    with pytest.raises(DataError):
        check_name(name)


def test_an_upload_is_written_whole(place: Place) -> None:
    file = asyncio.run(place.receive("new.csv", parts(b"a,b\n", b"1,2\n"), 100))
    assert (place.folder / "new.csv").read_bytes() == b"a,b\n1,2\n"
    assert file.size == 8


def test_an_upload_beyond_the_limit_leaves_nothing(place: Place) -> None:
    before = sorted(place.folder.rglob("*"))
    with pytest.raises(TooLarge):
        asyncio.run(place.receive("new.csv", parts(b"x" * 60, b"x" * 60), 100))
    assert sorted(place.folder.rglob("*")) == before


def test_an_upload_that_breaks_off_leaves_nothing(place: Place) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"a,b\n"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        asyncio.run(place.receive("new.csv", broken(), 100))
    assert not (place.folder / "new.csv").exists()
    assert not list(place.own.glob("upload-*"))


def test_no_upload_replaces_a_file(place: Place) -> None:
    before = (place.folder / "people.csv").read_bytes()
    with pytest.raises(DataError, match="already has"):
        asyncio.run(place.receive("people.csv", parts(b"x"), 100))
    assert (place.folder / "people.csv").read_bytes() == before


def test_links_and_hidden_files_are_not_listed(place: Place, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="utf-8")
    (place.folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    assert [file.name for file in place.tables()] == ["people.csv"]
    for name in ("link.csv", f"{OWN}/studio.sqlite", "../secret.csv"):
        with pytest.raises(DataError):
            place.find(name)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("source: people.csv", "source: ../people.csv"),
        ("source: people.csv", "source: /etc/hostname.csv"),
        ("source: people.csv", "source: sqlite:///x.db\ntable: t"),
        ("method: mondrian", "method: mondrian\nseed: {file: ../seed}"),
    ],
)
def test_a_plan_reads_nothing_outside_the_folder(place: Place, old: str, new: str) -> None:
    plan = Plan.parse(PLAN.replace(old, new), place.folder)
    with pytest.raises(PlanError, match=r"folder|database"):
        place.confine(plan)


def test_the_own_folder_is_for_its_owner(place: Place) -> None:
    assert place.own.stat().st_mode & 0o077 == 0


def test_a_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="must exist"):
        Place(tmp_path / "absent").prepare()
