"""A folder that fills: its files are taken once, whole, in the order of their names.

A writer gives a file its name when it is complete (written under another name and renamed). Names
that begin with a dot, or end in `.tmp`, `.part` or `~`, are not complete.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import DataError, Problem

SUFFIXES = (
    ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".arrow", ".arrows", ".ipc", ".feather",
)  # fmt: skip
_UNFINISHED = (".tmp", ".part", "~")


@dataclass(frozen=True)
class Inbox:
    """The folder, by the name that a message may show."""

    folder: Path
    name: str

    def after(self, last: str, taken: Collection[str]) -> list[str]:
        """The complete files whose turn is next, in the order of their names.

        `last` is the file that was taken last, `taken` those that were taken before and are still
        there. Raises DataError for files that come too late, since their name is before the last,
        and for files of unknown format: nothing is passed over in silence.
        """
        there = self.listed()
        problems = [
            Problem(
                f"The format of '{name}' is unknown.",
                hint=f"Known suffixes: {', '.join(SUFFIXES)}.",
            )
            for name in there
            if not name.lower().endswith(SUFFIXES)
        ]
        problems += [
            Problem(
                f"'{name}' comes before a file that was already read.",
                hint="Files are read in the order of their names: give it a later name.",
            )
            for name in there
            if name < last and name not in taken
        ]
        if problems:
            raise DataError(problems)
        return [name for name in there if name > last]

    def listed(self) -> list[str]:
        """The complete files, in the order of their names."""
        if not self.folder.is_dir():
            raise DataError(
                f"The source of a stream must be a folder, but there is no folder '{self.name}'.",
                "Name one, or leave 'source' out of the plan to read standard input.",
            )
        return sorted(
            path.name
            for path in self.folder.iterdir()
            if not path.name.startswith(".")
            and not path.name.endswith(_UNFINISHED)
            and path.is_file()
        )
