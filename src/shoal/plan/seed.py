"""The seed of a plan: a number, or a file that holds a secret text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.plan.document import Document
from shoal.plan.field import SeedFields
from shoal.plan.validation import DocumentPart, check
from shoal.plan.wording import describe

BITS = 128
# As much as a seed that is drawn has: 128 bits.
_LEAST_BYTES = 16
_MOST_BYTES = 65_536
_MAKE_ONE = "Make one, for example with 'openssl rand -hex 16 > {}', and keep it as secret as data."


@dataclass(frozen=True)
class SeedFile:
    """The file whose text is the seed; relative to the folder of the plan."""

    path: str

    def read(self, base: Path) -> str:
        """The text without blanks around it; raises PlanError, never with a part of the text."""
        name = Path(self.path).name
        hint = _MAKE_ONE.format(name)
        try:
            with (base / self.path).open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
            text = content.decode("utf-8").strip()
        except FileNotFoundError:
            raise _problem(f"The seed file {name!r} does not exist.", hint) from None
        except UnicodeDecodeError:
            raise _problem(f"The seed file {name!r} must be text in UTF-8.", hint) from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "its path is not valid"
            raise _problem(f"Cannot read the seed file {name!r}: {why}.", hint) from None
        if not _LEAST_BYTES <= len(text.encode()) <= _MOST_BYTES:
            found = f"at least {_LEAST_BYTES} bytes and at most {_MOST_BYTES:,}"
            raise _problem(f"The seed file {name!r} must contain a text of {found}.", hint)
        return text


def _problem(text: str, hint: str) -> PlanError:
    return PlanError([Problem(text, "seed.file", hint)])


def read_seed(document: Document, given: Any) -> tuple[int | SeedFile | None, list[Problem]]:
    """The seed as the plan names it, or what is wrong with it."""
    if given is None:
        return None, []
    if isinstance(given, dict):
        checked = check(SeedFields, given, DocumentPart(document, ("seed",), "seed"))
        return None if checked.part is None else SeedFile(checked.part.file), checked.problems
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 2**BITS:
        return given, []
    text = (
        f"The 'seed' parameter of the plan must be an integer of at least 0 and below 2^{BITS}, or "
        f"a mapping with 'file', got {describe(given)} instead."
    )
    hint = "To take the seed from a file, write 'seed: {file: PATH}'."
    # A text was probably meant as the path.
    return None, [document.problem(("seed",), text, hint if isinstance(given, str) else "")]
