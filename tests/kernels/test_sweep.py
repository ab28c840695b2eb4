"""What is removed from the cache: folders of kernels that nobody used for a month, nothing else."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shoal.kernels import jit
from shoal.kernels.sweep import mark_used, sweep_once_a_day

DAY = 86_400


def _folder(kept: Path, name: str, days: float) -> Path:
    folder = kept / name
    (folder / "inside").mkdir(parents=True)
    (folder / "inside" / "kernel.nbc").write_bytes(b"machine code")
    _age(folder, days)
    return folder


def _age(path: Path, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(path, (then, then))


@pytest.mark.parametrize(
    ("name", "days", "stays"),
    [
        ("0123456789abcdef", 29.9, True),
        ("0123456789abcdef", 30.1, False),
        ("0123456789abcdef.gone-17", 0, False),
        ("0123456789abcde", 99, True),
        ("mine", 99, True),
    ],
)
def test_a_month_without_use(name: str, days: float, stays: bool, tmp_path: Path) -> None:
    folder = _folder(tmp_path, name, days)
    sweep_once_a_day(tmp_path, set)
    assert folder.exists() == stays
    assert {p.name for p in tmp_path.iterdir()} == {"swept", *([name] if stays else [])}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    kept, elsewhere = tmp_path / "kept", _folder(tmp_path, "elsewhere", 99)
    kept.mkdir()
    (kept / "0123456789abcdef").symlink_to(elsewhere)
    sweep_once_a_day(kept, set)
    assert (elsewhere / "inside" / "kernel.nbc").exists()
    assert (kept / "0123456789abcdef").is_symlink()


def test_once_a_day(tmp_path: Path) -> None:
    sweep_once_a_day(tmp_path, set)
    folder = _folder(tmp_path, "0123456789abcdef", 99)
    sweep_once_a_day(tmp_path, set)
    assert folder.exists()
    _age(tmp_path / "swept", 1.1)
    sweep_once_a_day(tmp_path, set)
    assert not folder.exists()


def test_several_at_once_remove_everything_once(tmp_path: Path) -> None:
    for i in range(40):
        _folder(tmp_path, f"{i:016x}", 99 if i % 2 else 1)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: sweep_once_a_day(tmp_path, set), range(8)))
    assert len(list(tmp_path.iterdir())) == 21


def test_what_is_up_to_date_stays(tmp_path: Path) -> None:
    folder = _folder(tmp_path, "0123456789abcdef", 99)
    sweep_once_a_day(tmp_path, lambda: {folder.name})
    assert folder.exists()


def test_use_is_marked_by_the_day(tmp_path: Path) -> None:
    folder = _folder(tmp_path, "0123456789abcdef", 0.5)
    before = folder.stat().st_mtime
    mark_used(folder)
    assert folder.stat().st_mtime == before
    _age(folder, 29)
    mark_used(folder)
    assert time.time() - folder.stat().st_mtime < DAY


def test_the_cache_of_kernels_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is out of date goes; what is not stays, however long it was not used."""
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    sources = Path(jit.__file__).parent
    cached = jit.cache_folder, jit.kept_folder
    for found in cached:
        found.cache_clear()
    own = [Path(jit.cache_folder(sources / name) or "") for name in ("hash.py", "order.py")]
    for folder in own:
        _folder(folder.parent, folder.name, 99)
    old = _folder(own[0].parent, "0123456789abcdef", 99)
    _age(own[0].parent / "swept", 2)
    for found in cached:
        found.cache_clear()
    jit.cache_folder(sources / "hash.py")
    assert [folder.exists() for folder in own] == [True, True]
    assert not old.exists()
    for found in cached:
        found.cache_clear()


def test_nothing_there_is_no_reason_to_fail(tmp_path: Path) -> None:
    mark_used(tmp_path / "none")
    sweep_once_a_day(tmp_path / "none", set)
    assert list(tmp_path.iterdir()) == []
