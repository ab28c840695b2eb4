"""Folders that appear whole or not at all."""

from __future__ import annotations

import errno
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from shoal.folder import exchange as module
from shoal.folder.exchange import (
    clear_stale,
    draft_for,
    drafts_of,
    exchange,
    locked,
    place_draft,
    recover_name,
    undisturbed,
)


def fill(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "file").write_text(text)
    return folder


def test_a_draft_is_next_to_its_place_and_gone_afterwards(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "release"
    with draft_for(place) as fresh:
        assert fresh.parent == place.parent
        assert fresh.stat().st_mode & 0o777 == 0o700
        assert drafts_of(place) == [fresh]
    assert drafts_of(place) == []


def test_a_draft_takes_its_place(tmp_path: Path) -> None:
    place = tmp_path / "release"
    with draft_for(place) as fresh:
        fill(fresh, "new")
        assert not place_draft(fresh, place)
    assert (place / "file").read_text() == "new"


def test_what_was_there_becomes_the_draft(tmp_path: Path) -> None:
    place = fill(tmp_path / "release", "old")
    with draft_for(place) as fresh:
        fill(fresh, "new")
        assert place_draft(fresh, place)
        assert (fresh / "file").read_text() == "old"
    assert (place / "file").read_text() == "new"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EINVAL])
def test_without_an_exchange_it_goes_in_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: Path) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(module, "_exchange_at_once", refuse)
    one, other = fill(tmp_path / "one", "1"), fill(tmp_path / "other", "2")
    exchange(one, other)
    assert [(p / "file").read_text() for p in (one, other)] == ["2", "1"]


def test_another_failure_of_an_exchange_is_no_reason_for_steps(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        exchange(fill(tmp_path / "one", "1"), tmp_path / "nothing")


@pytest.mark.parametrize("after", range(1, 4))
def test_steps_that_end_early_are_undone_or_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """As if killed after so many renames: the next run finds the name again."""
    one, other = fill(tmp_path / ".release.shoal-x", "new"), fill(tmp_path / "release", "old")
    rename, done = Path.rename, []

    def until(path: Path, target: Path) -> Path:
        if len(done) >= after:
            raise KeyboardInterrupt
        done.append(target)
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", until)
        with suppress(KeyboardInterrupt):
            module._exchange_in_steps(one, other)
    recover_name(other)
    assert (other / "file").read_text() == ("old" if after == 1 else "new")


def test_only_drafts_without_an_owner_are_cleared(tmp_path: Path) -> None:
    place = tmp_path / "release"
    nobody = fill(tmp_path / ".release.shoal-123", "left by a kill")
    foreign = fill(tmp_path / ".releases.shoal-1", "of another place")
    with draft_for(place) as fresh:
        assert not nobody.exists()
        clear_stale(place)
        assert fresh.exists()
    assert foreign.exists()


def test_names_with_wildcards_find_their_own_drafts_only(tmp_path: Path) -> None:
    other = fill(tmp_path / ".ab.shoal-1", "of another place")
    with draft_for(tmp_path / "a*") as fresh:
        assert drafts_of(tmp_path / "a*") == [fresh]
    assert other.exists()


def test_a_lock_keeps_others_out_until_it_is_given_back(tmp_path: Path) -> None:
    with locked(tmp_path, tmp_path):
        assert module._lock(tmp_path, patience=0) is None
    owner = module._lock(tmp_path, patience=0)
    assert owner is not None
    module._unlock(owner)


def test_patience_has_an_end(tmp_path: Path) -> None:
    with locked(tmp_path) as first:
        assert first
        with locked(tmp_path, patience=0.01) as second:
            assert not second
    with locked(tmp_path, patience=0.01) as third:
        assert third
    with locked(tmp_path / "nothing") as nothing:
        assert not nothing


def test_a_signal_waits_until_the_names_are_changed(tmp_path: Path) -> None:
    done = []

    def change_names() -> None:
        with undisturbed():
            signal.raise_signal(signal.SIGINT)
            done.append("not disturbed")

    # A shell that starts the tests in the background has them ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            change_names()
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["not disturbed"]
