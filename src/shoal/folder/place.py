"""Where a release may be written, decided before any work is done."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from shoal.errors import PlanError, Problem
from shoal.reading.manifest import MANIFEST


def check_places(output: Path | None, private: Path | None, force: bool) -> None:
    """Raise PlanError unless both folders are free, or may be replaced, and apart.

    Raises PermissionError where one of them cannot be created, before any work is done.
    """
    problems = []
    folders = [(f, what) for f, what in ((output, "output"), (private, "private")) if f is not None]
    for folder, what in folders:
        problems += _occupied(folder, what, force) or _unreachable(folder, what)
    if output is not None and private is not None:
        problems += _together(output, private)
    if problems:
        raise PlanError(problems)
    for folder, _ in folders:
        if not os.access(_nearest(folder), os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def check_apart(output: Path, private: Path) -> None:
    """Raise PlanError unless both folders can be made, and are apart; they may be in use."""
    problems = _together(output, private)
    for folder, what in ((output, "output"), (private, "private")):
        if folder.exists() and not folder.is_dir():
            problems.append(Problem(f"The {what} folder {folder} is a file."))
        elif not folder.exists():
            problems += _unreachable(folder, what)
    if problems:
        raise PlanError(problems)


def _together(output: Path, private: Path) -> list[Problem]:
    inner, outer = private.resolve(), output.resolve()
    if inner != outer and outer not in inner.parents and inner not in outer.parents:
        return []
    return [
        Problem(
            "Neither the output folder nor the private folder may be inside the other.",
            hint="Choose another place: private files must not be handed out.",
        )
    ]


def _nearest(folder: Path) -> Path:
    """The nearest folder above this one that exists."""
    return next(above for above in folder.absolute().parents if above.exists())


def _unreachable(folder: Path, what: str) -> list[Problem]:
    if _nearest(folder).is_dir():
        return []
    text = f"The {what} folder {folder} cannot be created: a folder above it is a file."
    return [Problem(text, hint="Choose another place.")]


def _occupied(folder: Path, what: str, force: bool) -> list[Problem]:
    if not folder.exists():
        return []
    if not folder.is_dir():
        return [Problem(f"The {what} folder {folder} is a file.", hint="Choose another place.")]
    if not any(folder.iterdir()):
        return []
    if not force:
        return [
            Problem(
                f"The {what} folder {folder} already exists.",
                hint="Choose another, or replace it with --force.",
            )
        ]
    if not (folder / MANIFEST).is_file() and not (folder / "private.json").is_file():
        return [
            Problem(
                f"The {what} folder {folder} contains something other than a release of shoal.",
                hint="Choose another place: it is not replaced, even with --force.",
            )
        ]
    return []
