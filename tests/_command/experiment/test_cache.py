"""The cache: whole results or none, and only those of the same code."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from shoal._command.experiment.cache import Cache, code_digest, write_file
from tests._command.experiment.small import PEOPLE


def test_a_result_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.get("ab12") is None
    cache.put("ab12", {"readings": {"glm": 0.1}})
    assert Cache(tmp_path).get("ab12") == {"readings": {"glm": 0.1}}


def test_results_of_other_code_are_not_used(tmp_path: Path) -> None:
    Cache(tmp_path, "older").put("ab12", {"readings": {}})
    cache = Cache(tmp_path)
    assert cache.get("ab12") is None
    assert cache.others == ["results-0.1.0-older"]
    assert len(code_digest()) == 12


@pytest.mark.parametrize("broken", [b"", b'{"readings": {', b"[1]", b"\xff"])
def test_a_broken_result_is_none(tmp_path: Path, broken: bytes) -> None:
    cache = Cache(tmp_path)
    cache.put("ab12", {})
    next(tmp_path.rglob("ab12.json")).write_bytes(broken)
    assert cache.get("ab12") is None


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.json"
    write_file(file, b"old")

    def full(*_: object) -> object:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(OSError, match="No space"):
        write_file(file, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["one.json"]
    assert file.read_bytes() == b"old"


def test_equal_tables_are_kept_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first, again = cache.keep_table(PEOPLE), cache.keep_table(PEOPLE.clone())
    assert first == again
    assert cache.keep_table(PEOPLE.reverse())[0] != first[0]
    assert len(list((tmp_path / "tables").iterdir())) == 2
