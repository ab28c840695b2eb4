"""Rehearsals of a first plan on people of the table: what it would lose, before it is proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.init.entry import Entry
from shoal._command.init.person import Person
from shoal._command.init.profile import Profile
from shoal._command.init.quote import quoted
from shoal._command.init.text import attribute_lines, privacy_lines
from shoal._command.rehearsal import Rehearsed, rehearse
from shoal._run.code import CodedInput, code
from shoal._run.read import read_input
from shoal.errors import ShoalError
from shoal.plan import Plan
from shoal.schema import Role

SAMPLE = 10_000
_PUBLISHED = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)


class TrialTable:
    """A table, or a sample of its people, on which plans are rehearsed."""

    def __init__(
        self, profile: Profile, person: Person | None, k: int, base: Path | None = None
    ) -> None:
        self._person, self._k, self._base = person, k, base
        self._frame = profile.frame
        self._rows = _sampled(profile.frame, person)
        self.n_rows = profile.n_rows if self._rows is None else len(self._rows)
        self._coded: dict[str, CodedInput] = {}

    @property
    def has_people(self) -> bool:
        """Whether people have several rows."""
        return self._person is not None

    def measure(self, entries: Sequence[Entry], diversity: Mapping[str, int]) -> Rehearsed | None:
        """What a plan of these columns and requirements would lose; None if there is no release."""
        attributes = self._attributes(entries)
        try:
            plan = self._plan(attributes, diversity)
            key = "\n".join(attributes)
            if key not in self._coded:
                source = read_input(plan, self._table(entries))
                # Once for all that may be required of these columns: it changes no code.
                self._coded[key] = code(self._plan(attributes, {}), source, 0)
            return rehearse(plan, self._coded[key])
        except ShoalError:
            return None

    def _table(self, entries: Sequence[Entry]) -> pl.DataFrame:
        names = [one.name for one in entries if one.role in _PUBLISHED]
        names += [] if self._person is None else [self._person.column]
        columns = [self._frame.get_column(name) for name in names]
        return pl.DataFrame(c if self._rows is None else c.gather(self._rows) for c in columns)

    def _attributes(self, entries: Sequence[Entry]) -> list[str]:
        published = [one for one in entries if one.role in _PUBLISHED]
        # By the very lines of the plan, so that what is rehearsed is what will be written.
        lines = attribute_lines(published, {})
        own = [] if self._person is None else [f"  {quoted(self._person.column)}: identifier"]
        return [*lines, *own]

    def _plan(self, attributes: list[str], diversity: Mapping[str, int]) -> Plan:
        person = self._person
        lines = ["attributes:", *attributes, "privacy:"]
        lines += [*privacy_lines(self._k, diversity, person), "method: mondrian"]
        if person is not None:
            lines.append(f"individual: {{column: {quoted(person.column)}, conflict: mode}}")
        return Plan.parse("\n".join(lines) + "\n", self._base)


def _sampled(frame: pl.DataFrame, person: Person | None) -> NDArray[np.int64] | None:
    """All rows of as many people as have about `SAMPLE` rows; None if these are all."""
    if frame.height <= SAMPLE:
        return None
    # Always the same people, so that the same table gets the same plan.
    draw = np.random.default_rng(0)
    if person is None:
        return np.sort(draw.choice(frame.height, SAMPLE, replace=False))
    people = frame.get_column(person.column)
    known = people.unique(maintain_order=True)
    n_people = max(1, SAMPLE * len(known) // frame.height)
    chosen = known.gather(draw.choice(len(known), n_people, replace=False))
    return people.is_in(chosen.implode()).arg_true().to_numpy().astype(np.int64)
