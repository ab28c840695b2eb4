"""Where a release may be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.folder.place import check_places


def _files(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    return folder


def test_new_and_empty_folders_are_free(tmp_path: Path) -> None:
    check_places(None, None, force=False)
    check_places(tmp_path / "a" / "b", _files(tmp_path / "own"), force=False)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("name", ["manifest.json", "private.json"])
def test_a_release_is_replaced_only_by_force(name: str, tmp_path: Path) -> None:
    folder = _files(tmp_path / "r", name, "data.csv")
    with pytest.raises(PlanError, match=r"output folder .* already exists"):
        check_places(folder, None, force=False)
    check_places(folder, None, force=True)


def test_anything_else_is_never_replaced(tmp_path: Path) -> None:
    folder = _files(tmp_path / "r", "thesis.tex")
    with pytest.raises(PlanError, match=r"private folder .* other than a release"):
        check_places(None, folder, force=True)


@pytest.mark.parametrize(("below", "text"), [("", "is a file"), ("a/b", "above it is a file")])
def test_a_file_is_no_place(below: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PlanError, match=text):
        check_places(tmp_path / "file" / below, None, force=True)


@pytest.mark.parametrize(
    ("output", "private"), [("r", "r"), ("r", "r/own"), ("own/r", "own"), ("r", "x/../r/own")]
)
def test_neither_folder_is_inside_the_other(output: str, private: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="may be inside the other"):
        check_places(tmp_path / output, tmp_path / private, force=False)
    check_places(tmp_path / "r", tmp_path / "r-own", force=False)


def test_a_link_into_the_release_is_inside_it(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "link").symlink_to("r")
    with pytest.raises(PlanError, match="may be inside the other"):
        check_places(tmp_path / "r", tmp_path / "link" / "own", force=False)


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    folder = _files(tmp_path / "r", "manifest.json")
    with pytest.raises(PlanError) as caught:
        check_places(folder, folder, force=False)
    assert len(caught.value.problems) == 3


def test_a_place_without_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write anywhere, so the system's answer is replaced."""
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(PermissionError) as caught:
        check_places(tmp_path / "a" / "r", None, force=False)
    assert caught.value.filename == str(tmp_path / "a" / "r")
