"""Files that a command writes: whole or not at all, and never over another unasked."""

from __future__ import annotations

import shutil
from pathlib import Path

from shoal.cli.failure import UsageError
from shoal.cli.watch import announce


def check_file(file: Path, what: str, option: str, force: bool) -> None:
    """Refuse a folder, and without `force` a file that exists."""
    if file.is_dir():
        raise UsageError(f"{what} {file} is a folder.", f"Name a file with {option}.")
    if file.exists() and not force:
        raise UsageError(
            f"{what} {file} already exists.",
            f"Name another with {option}, or replace it with --force.",
        )


def check_page(page: Path, option: str, force: bool = True) -> None:
    """Refuse a page that is not named as one or can have no folder, too: before any work."""
    if page.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{option} writes a page, so its name must end in '.html'.")
    there = next(folder for folder in page.parents if folder.exists())
    if not there.is_dir():
        raise UsageError(f"{option} needs a folder for its page, but {there} is a file.")
    check_file(page, "The page", option, force)


def write_whole(file: Path, content: str | bytes, keep_mode: bool = False) -> None:
    """Write next to the file first and rename, so that there is never half a file.

    A symbolic link is written through, and stays a link. A folder that is missing is made: whoever
    names a place for a page should not lose the work behind it.
    """
    from shoal.folder.exchange import draft_for

    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    announce(file)
    with draft_for(file) as draft:
        fresh = draft / file.name
        fresh.write_bytes(content.encode() if isinstance(content, str) else content)
        # A draft has the mode of any new file, but whoever could read the plan still must.
        if keep_mode:
            shutil.copymode(file, fresh)
        fresh.replace(file)
