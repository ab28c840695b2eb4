"""Files are written whole or not at all, and never over another unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.cli.failure import UsageError
from shoal.cli.file import check_file, check_page, write_whole


def test_a_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    check_file(file, "The plan", "--output", force=False)
    file.touch()
    check_file(file, "The plan", "--output", force=True)
    with pytest.raises(UsageError, match="already exists") as caught:
        check_file(file, "The plan", "--output", force=False)
    assert "replace it with --force" in caught.value.problems[0].hint


def test_a_folder_is_not_a_file_even_with_force(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        check_file(tmp_path, "The plan", "--output", force=True)


@pytest.mark.parametrize(
    ("name", "fits"), [("a.html", True), ("a.HTM", True), ("a.pdf", False), ("html", False)]
)
def test_a_page_is_named_as_one(tmp_path: Path, name: str, fits: bool) -> None:
    if fits:
        check_page(tmp_path / name, "--plot")
        return
    with pytest.raises(UsageError, match="--plot writes a page"):
        check_page(tmp_path / name, "--plot")


def test_a_file_gets_the_folder_that_it_lacks(tmp_path: Path) -> None:
    write_whole(tmp_path / "some" / "where" / "a.html", "text")
    assert (tmp_path / "some" / "where" / "a.html").read_text() == "text"


@pytest.mark.parametrize("keep_mode", [False, True])
def test_a_new_file_replaces_the_old_one_and_may_keep_its_mode(
    tmp_path: Path, keep_mode: bool
) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("old")
    file.chmod(0o600)
    write_whole(file, "é", keep_mode)
    assert file.read_bytes() == "é".encode()
    assert (file.stat().st_mode & 0o777 == 0o600) is keep_mode
    assert list(tmp_path.iterdir()) == [file]


def test_a_failed_rename_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "full")

    file = tmp_path / "plan.yaml"
    file.write_text("old")
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="full"):
        write_whole(file, b"new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    file, link = tmp_path / "plan.yaml", tmp_path / "link.yaml"
    file.write_text("old")
    link.symlink_to(file)
    write_whole(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
