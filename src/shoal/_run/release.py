"""A release as `shoal.run` returns it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from shoal.folder.writing import write_release
from shoal.release.advice import warnings_of
from shoal.release.outcome import Outcome
from shoal.report.snippet import verdict_snippet
from shoal.schema.advice import Advice
from shoal.schema.wording import counted, percent


class Release(Outcome):
    """A table that may be handed out, with the proof.

    `frame` and `tables` are published; `rows` and `classes` are the publisher's own.
    """

    @cached_property
    def warnings(self) -> tuple[Advice, ...]:
        """What deserves a second look although everything holds, the gravest first."""
        return warnings_of(self)

    def save(
        self,
        folder: str | Path,
        *,
        private: str | Path | None = None,
        force: bool = False,
        format: str | None = None,
    ) -> Path:
        """Write the release folder, and the publisher's own with `private`; check what was written.

        Either the whole folder appears or nothing does.
        """
        return write_release(
            self, Path(folder), private=private, force=force, format=format or self.format
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: counts, verdicts and losses, but no cell."""
        lost = self.measures["glm"]
        title = f"{repr(self)[1:].split(':')[0]}; {percent(lost)} of the detail is lost (glm)"
        return verdict_snippet(title, self.verdicts)

    def __repr__(self) -> str:
        held = "holds" if self.holds else "does not hold"
        return (
            f"<Release of {counted(self.counts.published, 'row')} in "
            f"{counted(self.counts.classes, 'class', 'classes')} by "
            f"{self.method}: {held} {', '.join(map(str, self.requirements))}>"
        )
