"""The decorator's cache: where it lies, and that it is none where nothing can be written."""

from __future__ import annotations

import ast
import errno
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.caching import IndexDataCacheFile

from shoal.kernels import jit as module
from shoal.kernels.jit import (
    _read,
    _warn_once,
    cache_folder,
    callee,
    inline,
    jit,
    kept_folder,
    sources_of,
)

HERE = Path(module.__file__).parent
OWN = HERE / "hash.py"


def _clear() -> None:
    for kept in (cache_folder, kept_folder, _read, _warn_once):
        kept.cache_clear()


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    _clear()
    yield
    _clear()


@pytest.mark.parametrize("variable", ["SHOAL_CACHE", "XDG_CACHE_HOME"])
def test_kernels_arekept_folder_where_the_environment_says(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHOAL_CACHE", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    found = cache_folder(OWN)
    assert found is not None
    assert Path(found).parent == tmp_path / "shoal" / "kernels"


def test_a_folder_that_cannot_be_made_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match=r"cannot be kept \(Not a directory\)"):
        assert cache_folder(OWN) is None


def test_without_a_home_there_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("SHOAL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "expanduser", broken(RuntimeError()))
    with pytest.warns(UserWarning, match="no home folder"):
        assert cache_folder(OWN) is None


def broken(error: Exception) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def double(number):  # type: ignore[no-untyped-def]
    return 2 * number


compiled = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT),
    reason="the compiler is off",  # type: ignore[attr-defined]
)


@compiled
@pytest.mark.parametrize("step", ["_save_index", "_save_data"])
def test_a_full_disk_is_no_reason_to_fail(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    monkeypatch.setattr(IndexDataCacheFile, step, broken(OSError(errno.ENOSPC, "full")))
    with pytest.warns(UserWarning, match=r"cannot be kept \(No space left on device\)") as told:
        assert [jit(double)(21), jit(double)(2.5)] == [42, 5.0]
    assert len(told) == 1


@compiled
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_what_is_damaged_is_compiled_again(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    assert jit(double)(21) == 42
    for file in tmp_path.rglob(f"*.{suffix}"):
        file.write_bytes(file.read_bytes()[:9])
    for hits in (0, 1):
        mended = jit(double)
        assert mended(21) == 42
        assert sum(mended.stats.cache_hits.values()) == hits  # type: ignore[attr-defined]


def test_an_edit_is_another_folder_for_all_that_import_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "cache"))
    shutil.copytree(HERE, tmp_path / "kernels")
    monkeypatch.setattr("shoal.kernels.jit.__file__", str(tmp_path / "kernels" / "jit.py"))
    kernels = sorted((tmp_path / "kernels").rglob("*.py"))

    def folders() -> dict[str, str | None]:
        _clear()
        return {str(k.relative_to(tmp_path / "kernels")): cache_folder(k) for k in kernels}

    before = folders()
    for edited in ("box/space.py", "link.py"):
        file = tmp_path / "kernels" / edited
        text = file.read_text()
        file.write_text(text + "# edited\n")
        after = folders()
        changed = {name for name in before if before[name] != after[name]}
        assert {edited, "growth/greedy.py", "tree/mondrian.py"} <= changed
        assert ("hash.py" in changed) == (edited == "link.py")
        file.write_text(text)
    assert folders() == before


@pytest.mark.parametrize("kernel", sorted(HERE.rglob("*.py")), ids=str)
def test_what_a_kernel_imports_is_known(kernel: Path) -> None:
    """By python's own parser: what it imports from here, and that all imports are absolute."""
    for node in ast.walk(ast.parse(kernel.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            if (node.module or "").startswith("shoal.kernels"):
                place = HERE.joinpath(*(node.module or "").split(".")[2:])
                assert {place.with_suffix(".py"), *place.rglob("*.py")} & sources_of(kernel)
        elif isinstance(node, ast.Import):
            assert not any(name.name.startswith("shoal") for name in node.names)


@pytest.mark.parametrize("decorator", [callee, inline, jit])
def test_compiling_changes_neither_the_function_nor_the_settings(
    decorator: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    before = numba.config.CACHE_DIR

    def double(number):  # type: ignore[no-untyped-def]
        return 2 * number

    assert decorator(double)(21) == 42  # type: ignore[operator]
    assert before == numba.config.CACHE_DIR
