"""The folder of a studio: which of its files may be named, and where the studio keeps its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import DataError, PlanError, Problem
from shoal.plan import Plan
from shoal.source.location import FORMATS

OWN = ".shoal-studio"
PLANS = (".yaml", ".yml")
_LONGEST = 120
# Signs that separate paths or make globs, and those that Windows does not take in a name.
_UNSAFE = frozenset('/\\:*?"<>|')


class TooLarge(DataError):
    """An upload beyond the limit."""


@dataclass(frozen=True)
class File:
    """A file of the folder: its name, its bytes, and a stamp that changes with its content."""

    name: str
    size: int
    stamp: str


@dataclass(frozen=True)
class Place:
    """A folder of tables, and within it the folder that only the studio and its owner read."""

    folder: Path

    @property
    def own(self) -> Path:
        """Where the studio keeps its database and what its jobs make."""
        return self.folder / OWN

    def job(self, number: int) -> Path:
        """The folder of one job."""
        return self.own / "jobs" / str(number)

    def prepare(self) -> None:
        """Make the studio's own folder, for its owner alone."""
        if not self.folder.is_dir():
            raise DataError(
                f"The folder of the studio must exist, but {self.folder.name!r} does not.",
                hint="Name a folder with tables, or make one.",
            )
        (self.own / "jobs").mkdir(mode=0o700, parents=True, exist_ok=True)
        self.own.chmod(0o700)

    def tables(self) -> list[File]:
        """The tables of the folder, by name."""
        return [file for file in self._files() if _is_table(file.name)]

    def plans(self) -> list[File]:
        """The plan files of the folder, by name."""
        return [file for file in self._files() if file.name.lower().endswith(PLANS)]

    def _files(self) -> Iterator[File]:
        for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name.lower()):
            # A symbolic link may lead out of the folder.
            if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                found = entry.stat()
                yield File(entry.name, found.st_size, f"{found.st_mtime_ns}-{found.st_size}")

    def stamp(self) -> str:
        """What changes when a file that a plan may name does: here, or one folder down."""
        found = []
        for pattern in ("*", "[!.]*/*"):
            for path in self.folder.glob(pattern):
                with suppress(OSError):
                    found.append((str(path), path.stat().st_mtime_ns))
        return repr(hash(tuple(sorted(found))))

    def find(self, name: str) -> File:
        """A table or a plan of the folder by its name; raises DataError for anything else."""
        # Looked up in the listing: a name that was sent never becomes part of a path.
        for file in self._files():
            if file.name == name and (_is_table(name) or name.lower().endswith(PLANS)):
                return file
        raise DataError(
            "There is no such table or plan in the folder of the studio.",
            hint="Choose one from the list, or upload it.",
        )

    def path(self, name: str) -> Path:
        """The path of a file that `find` finds."""
        return self.folder / self.find(name).name

    async def receive(self, name: str, content: AsyncIterable[bytes], most: int) -> File:
        """Write an upload as it arrives, whole or not at all, and never over another file."""
        target = self.folder / check_name(name)
        if target.exists() or target.is_symlink():
            raise DataError(
                "The folder already has a file of this name.",
                hint="Rename the file to be uploaded.",
            )
        # Where nobody else reads, and on the file system of the target, as a link requires.
        draft = self.own / f"upload-{os.urandom(8).hex()}"
        size = 0
        try:
            with draft.open("xb") as file:
                async for part in content:
                    size += len(part)
                    if size > most:
                        raise TooLarge(
                            f"An upload must have at most {most:,} bytes, but this has more.",
                            hint="Copy the file into the folder instead: there is no limit there.",
                        )
                    file.write(part)
            # A link fails where the name was taken meanwhile; a rename would replace that file.
            os.link(draft, target)
        except FileExistsError:
            raise DataError("The folder already has a file of this name.") from None
        finally:
            draft.unlink(missing_ok=True)
        return self.find(target.name)

    def sweep(self, keep: set[int]) -> None:
        """Remove what jobs and uploads that were killed have left behind."""
        for entry in self.own.iterdir():
            if entry.name.startswith("upload-"):
                entry.unlink()
        for entry in (self.own / "jobs").iterdir():
            if not entry.name.isdigit() or int(entry.name) not in keep:
                shutil.rmtree(entry, ignore_errors=True)

    def confine(self, plan: Plan) -> None:
        """Raise PlanError if a plan reads anything outside the folder, or a database."""
        problems = [
            Problem(
                f"A plan in the studio must read files of its folder, but {what} is elsewhere.",
                where,
                "Copy the file into the folder, or run the plan with 'shoal run'.",
            )
            for where, what, path in self._reads(plan)
            if not self._holds(path)
        ]
        if plan.data is not None and not isinstance(plan.data, tuple):
            problems.append(
                Problem(
                    "A plan in the studio must read a file, but this one reads a database.",
                    "source",
                    "Run it with 'shoal run'.",
                )
            )
        if problems:
            raise PlanError(problems)

    def _reads(self, plan: Plan) -> Iterator[tuple[str, str, str]]:
        for source in plan.source:
            yield "source", "its source", source
        for attribute in plan.schema.attributes:
            if attribute.hierarchy is not None and attribute.hierarchy.path:
                path = attribute.hierarchy.path
                yield f"attributes.{attribute.name}", f"the hierarchy of {attribute.name!r}", path
        if plan.seed is not None and not isinstance(plan.seed, int):
            yield "seed", "its seed file", plan.seed.path

    def _holds(self, path: str) -> bool:
        if "://" in path:
            return False
        # Resolved, so that neither '..' nor a symbolic link leads out of the folder.
        whole = (self.folder / path).resolve()
        return whole.is_relative_to(self.folder.resolve())


def check_name(name: str) -> str:
    """A name that an upload may have: one plain name with the suffix of a table or a plan.

    >>> check_name("patients 2026.csv")
    'patients 2026.csv'
    """
    plain = name.isprintable() and not _UNSAFE & set(name) and not name.startswith(".")
    if not plain or not 0 < len(name.encode()) <= _LONGEST or name != name.strip():
        raise DataError(
            f"The name of an upload must be a plain file name of at most {_LONGEST} bytes.",
            hint="Use letters, digits, blanks, '-', '_' and '.'.",
        )
    if not _is_table(name) and not name.lower().endswith(PLANS):
        known = ", ".join([*FORMATS, *PLANS])
        raise DataError(
            "The name of an upload must have the suffix of a table or a plan.",
            hint=f"Known: {known}.",
        )
    return name


def _is_table(name: str) -> bool:
    return name.lower().endswith(tuple(FORMATS))
