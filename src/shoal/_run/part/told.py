"""What a shard reports about its people: counts that add up, and nobody."""

from __future__ import annotations

from dataclasses import dataclass

from shoal._run.headcount import Sizes


@dataclass(frozen=True)
class PeopleNote:
    """What a shard reports about its people.

    `n_rows` were read, `n_lost` of them are left out. `n_telling` published people have a number of
    rows that nobody else in their class has; `sizes` are the numbers of rows of the published.
    """

    n_rows: int
    n_lost: int
    n_people: int
    n_telling: int
    sizes: Sizes

    def merge(self, other: PeopleNote) -> PeopleNote:
        return PeopleNote(
            self.n_rows + other.n_rows,
            self.n_lost + other.n_lost,
            self.n_people + other.n_people,
            self.n_telling + other.n_telling,
            self.sizes + other.sizes,
        )

    @property
    def telling(self) -> float:
        """The share of published people whose number of rows tells them apart."""
        if len(self.sizes.rows) < 2:
            return 0.0
        return self.n_telling / self.sizes.n_people
