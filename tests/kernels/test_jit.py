"""The decorator's cache: where it lies, and that it is none where nothing can be written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

from shoal.kernels.jit import cache_folder, callee, inline, jit


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    cache_folder.cache_clear()
    yield
    cache_folder.cache_clear()


@pytest.mark.parametrize("variable", ["SHOAL_CACHE", "XDG_CACHE_HOME"])
def test_kernels_are_kept_where_the_environment_says(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHOAL_CACHE", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    found = cache_folder()
    assert found is not None
    assert Path(found).is_dir()
    assert Path(found).parent == tmp_path / "shoal" / "kernels"


def test_a_folder_that_cannot_be_made_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "file"))
    assert cache_folder() is None


def test_an_edit_of_any_kernel_is_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "cache"))
    inner = tmp_path / "kernels" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.setattr("shoal.kernels.jit.__file__", str(tmp_path / "kernels" / "jit.py"))
    found = []
    for text in ("one", "other", "one"):
        (inner / "kernel.py").write_text(text)
        cache_folder.cache_clear()
        found.append(cache_folder())
    assert found[0] == found[2] != found[1]


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
