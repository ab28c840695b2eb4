"""Plan files: from bytes to text."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten

from shoal.errors import PlanError, Problem

_SUFFIXES = (".yaml", ".yml", ".json")
LONGEST = 1 << 21


def read_file(path: Path) -> str:
    """The text of a plan file, which must be UTF-8 and of at most `LONGEST` bytes."""
    try:
        with path.open("rb") as file:
            # One byte more shows that it is too long; the rest of a huge file is not read.
            content = file.read(LONGEST + 1)
    except IsADirectoryError:
        raise PlanError(
            f"A plan must be a file, but {path.name!r} is a folder.", _plans_in(path)
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        raise PlanError(f"The plan {path.name!r} does not exist.", _meant(path)) from None
    except OSError as error:
        # A text that was taken for a path may be long.
        name = shorten(path.name, 60)
        raise PlanError(f"Cannot read the plan {name!r}: {error.strerror}.") from None
    except ValueError:
        raise PlanError("The path of the plan must not contain a null character.") from None
    if len(content) > LONGEST:
        raise PlanError(
            f"A plan must have at most {LONGEST:,} bytes, but {path.name!r} has more.",
            "Write hierarchies into files of their own, and name these in the plan.",
        )
    try:
        # Editors on Windows may begin a file with a byte order mark.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = Problem(
            "The plan must be UTF-8, but it is not.", hint="Save it as UTF-8.", line=line
        )
        raise PlanError(problem) from None


def _meant(path: Path) -> str:
    if not path.parent.is_dir():
        return f"The folder {path.parent.name!r} does not exist."
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    close = get_close_matches(path.name, names, n=1)
    return f"Did you mean {close[0]!r}?" if close else _plans_in(path.parent)


def _plans_in(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix in _SUFFIXES)[:5]
    return f"The folder contains {', '.join(names)}." if names else ""
