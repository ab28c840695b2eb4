"""What attacks gain, for a page: one row each, on a line from nobody to everybody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from shoal.attack import ATTACKS, Gain
from shoal.attack.suite import Knowledge, Opened, find_gains
from shoal.reading.manifest import Manifest
from shoal.release.outcome import Outcome
from shoal.schema import Role
from shoal.schema.wording import percent

# Attacks of larger tables are measured for this many people, drawn once and for all.
MOST = 5000


class Tile(NamedTuple):
    """One figure at a glance."""

    title: str
    value: str
    text: str


@dataclass(frozen=True)
class AttackRow:
    """One attack: what it asks, its gain, and how far it is beyond what anybody could guess."""

    question: str
    gain: Gain

    @property
    def title(self) -> str:
        """The name of the attack, and what it is about."""
        return f"{self.gain.attack} · {self.gain.about}"

    @property
    def beyond(self) -> float:
        """By how much it is right more often than guessing, and than of people not in the data."""
        others = [self.gain.baseline.share]
        if self.gain.control is not None and self.gain.control.n:
            others.append(self.gain.control.share)
        return self.gain.success.share - max(others)

    @property
    def words(self) -> str:
        """All figures in one sentence, for those who do not see the plot."""
        gain = self.gain
        parts = [
            f"right for {percent(gain.success.share)}",
            f"by guessing {percent(gain.baseline.share)}",
            f"worst person {percent(gain.worst)}",
        ]
        if gain.control is not None and gain.control.n:
            parts.insert(2, f"for people not in the data {percent(gain.control.share)}")
        if gain.bound is not None:
            parts.append(f"promised at most {percent(gain.bound)}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Risk:
    """All attacks of a release, those that break a promise first."""

    rows: tuple[AttackRow, ...]
    n_people: int = 0
    sampled: bool = False

    @property
    def tiles(self) -> list[Tile]:
        """What somebody sees at a glance."""
        gains = [row.gain for row in self.rows]
        kept = [gain.holds for gain in gains if gain.holds is not None]
        worst = max(self.rows, key=lambda row: row.gain.worst)
        most = max(self.rows, key=lambda row: row.beyond)
        promises = "promise is kept" if len(kept) == 1 else "promises are kept"
        tiles = [Tile("Attacks", str(len(gains)), "were tried")]
        if kept:
            tiles.append(Tile("Promises", f"{sum(kept)} of {len(kept)}", promises))
        text = f"of any person: {worst.title}"
        tiles.append(Tile("Highest chance", percent(worst.gain.worst), text))
        if most.beyond > 0:
            text = f"points beyond guessing and control: {most.title}"
            tiles.append(Tile("Most gained", f"+{100 * most.beyond:.1f}", text))
        return tiles


def risk_of_gains(gains: Iterable[Gain]) -> Risk:
    """The rows of a page."""
    rows = [AttackRow(_question(gain), gain) for gain in gains]
    return Risk(tuple(sorted(rows, key=lambda row: row.gain.holds is not False)))


def _question(gain: Gain) -> str:
    """What the attack asks: its summary without its name."""
    summary = ATTACKS[gain.attack].summary()
    asked = summary.partition(": ")[2] or summary
    return asked[0].upper() + asked[1:]


def risk_of_release(release: Outcome, manifest: Manifest) -> Risk:
    """All attacks that apply to a release that was just made, with the input as the original."""
    person = None if release.schema.individual is None else release.schema.individual.column
    known = release.source
    sampled = known.height > MOST
    if sampled:
        # Always the same people, so that a report can be made again.
        drawn = known.sample(MOST, seed=0)
        # A person has all their rows.
        known = (
            drawn
            if person is None
            else known.join(drawn.select(person).unique(), on=person, how="semi")
        )
    sensitivity = release.schema.of(Role.SENSITIVITY)
    opened = Opened(manifest, dict(release.coded), release.schema.as_published())
    found = find_gains(
        opened,
        Knowledge(known, person=person, sensitivity=sensitivity[0].name if sensitivity else None),
    )
    risk = risk_of_gains(found)
    return Risk(risk.rows, known.height, sampled)
