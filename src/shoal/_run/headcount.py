"""The shard plan where people have several rows: the same tree, found from counts of people.

A person has one description, so a cut has whole people on either side. Counts of people by
description, and of values by rows and by people, add up over batches in which nobody's rows are
divided: every engine finds the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._run.cut import CutTree, Growth, Question, SlotCounts
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.distinct import distinct_pairs
from shoal.table.space import stack_columns

_ALONE = (Reach.HITTING, Reach.VALUE_PEOPLE, Reach.VALUE_ROWS)


@dataclass(frozen=True)
class Heads:
    """People: the codes of their descriptions, and of the values of their rows.

    `person` is that of every row, `values` has the codes of a sensitive attribute by row. A row
    that repeats another of its person does not count.
    """

    descriptions: NDArray[Any]
    person: NDArray[np.integer]
    values: tuple[NDArray[np.integer], ...]

    @classmethod
    def of(cls, table: Table) -> Heads:
        """The people of a table without repeated rows."""
        assert table.people is not None
        first = table.people.first_row
        quasi = [table.columns[a.name].codes[first] for a in table.schema.quasi]
        values = tuple(column.codes for column in table.sensitive)
        return cls(stack_columns(quasi), table.people.person, values)

    def __len__(self) -> int:
        return len(self.descriptions)

    def n_rows(self) -> NDArray[np.int64]:
        """How many rows every person has."""
        return np.bincount(self.person, minlength=len(self)).astype(np.int64)


@dataclass(frozen=True)
class Sizes:
    """The different numbers of rows that people have, ascending, and how many have each."""

    rows: NDArray[np.int64]
    people: NDArray[np.int64]

    @classmethod
    def of(cls, n_rows: NDArray[np.int64]) -> Sizes:
        rows, people = np.unique(n_rows, return_counts=True)
        return cls(rows, people.astype(np.int64))

    def __add__(self, other: Sizes) -> Sizes:
        rows = np.concatenate([self.rows, other.rows])
        found, place = np.unique(rows, return_inverse=True)
        people = np.zeros(len(found), dtype=np.int64)
        np.add.at(people, place, np.concatenate([self.people, other.people]))
        return Sizes(found, people)

    @property
    def n_rows(self) -> int:
        return int(self.rows @ self.people)

    @property
    def n_people(self) -> int:
        return int(self.people.sum())


@dataclass(frozen=True)
class PeopleQuestion:
    """Which leaves are to be counted: a pure function of people.

    The counts of a leaf are those of descriptions in the bins of `question`, of rows by value, of
    people by value, of people who have no other value, and of people by their number of rows.
    """

    question: Question
    n_values: tuple[int, ...]
    sizes: NDArray[np.int64]

    def count(self, heads: Heads) -> SlotCounts:
        """The counts of the leaves over these people; those of several batches add up."""
        from shoal.kernels.shard import find_leaves

        cuts, own = self.question.cuts, self.question.count(heads.descriptions)
        leaf = np.empty(len(heads), dtype=np.int64)
        find_leaves(heads.descriptions, cuts.column, cuts.code, cuts.left, cuts.right, leaf)
        slot = self.question.slot[leaf]
        parts = [own, *self._of_values(heads, slot, len(own))]
        size = np.searchsorted(self.sizes, heads.n_rows())
        parts.append(_histogram(slot, size, len(own), len(self.sizes)))
        return np.concatenate(parts, axis=1)

    def _of_values(
        self, heads: Heads, slot: NDArray[np.int64], n_slots: int
    ) -> Iterator[SlotCounts]:
        each = list(zip(heads.values, self.n_values, strict=True))
        pairs = [distinct_pairs(heads.person, values, n) for values, n in each]
        for values, n in each:
            yield _histogram(slot[heads.person], values, n_slots, n)
        for (person, value), n in zip(pairs, self.n_values, strict=True):
            yield _histogram(slot[person], value, n_slots, n)
        for (person, value), n in zip(pairs, self.n_values, strict=True):
            only = np.bincount(person, minlength=len(heads))[person] == 1
            yield _histogram(slot[person[only]], value[only], n_slots, n)


def _histogram(
    slot: NDArray[np.int64], place: NDArray[np.integer], n_slots: int, n: int
) -> SlotCounts:
    there = slot >= 0
    found = np.bincount(slot[there] * n + place[there], minlength=n_slots * n)
    return found.reshape(n_slots, n).astype(np.int64)


@dataclass(frozen=True)
class Tally:
    """The counts of the people of one leaf, as a class of its own would be judged."""

    n_people: int
    n_rows: int
    most_rows: int
    rows: NDArray[np.int64]
    people: NDArray[np.int64]
    only: NDArray[np.int64]

    def holds(self, requirements: Requirements) -> bool:
        """Whether these people can be shown to meet every bound as one class.

        A hitting set is not searched for (`_takes`): where counts show nothing, the answer is no,
        and the leaf is joined with another.
        """
        if not self.n_people:
            return False
        counted = tuple(b for b in requirements.all_bounds if b.reach not in _ALONE)
        others = (b for b in requirements.all_bounds if b.reach in _ALONE)
        return all(self._meets(b, requirements) for b in others) and self._hold(
            replace(requirements, all_bounds=counted)
        )

    def _hold(self, requirements: Requirements) -> bool:
        from shoal.kernels.requirement import summary_holds

        summary, n = requirements.summary_room(), len(self.rows)
        summary[:n], summary[2 * n] = self.rows, self.most_rows
        units = np.empty(self.n_people, dtype=np.int32)
        facts = requirements.facts
        return bool(summary_holds(requirements.bounds, self.n_rows, summary, facts, None, units))

    def _meets(self, bound: Bound, requirements: Requirements) -> bool:
        """Whether counts show that a bound on what people have is met.

        The kernel judges these by the codes of each person, which are not here; the two shares are
        compared as it compares them, which a test sees to.
        """
        start = requirements.facts.start
        names = [a.name for a in requirements.table.schema.sensitive]
        place = names.index(bound.attribute or "")
        own = slice(int(start[place]), int(start[place + 1]))
        most = int(self.people[own].max(initial=0))
        if bound.reach is Reach.VALUE_ROWS:
            return most / self.n_rows <= bound.limit
        if bound.reach is Reach.VALUE_PEOPLE:
            return most / self.n_people <= bound.limit
        return self._takes(own, int(bound.limit))

    def _takes(self, own: slice, l: int) -> bool:  # noqa: E741
        """Whether it takes l values to hit everybody, by either of two proofs.

        l values are somebody's only one each; or the l - 1 commonest together have fewer people
        than there are.
        """
        if np.count_nonzero(self.only[own]) >= l:
            return True
        commonest = np.sort(self.people[own])[::-1][: l - 1]
        return int(commonest.sum()) < self.n_people


class _PeopleGrowth(Growth):
    """A tree that grows by counts of people."""

    def __init__(self, requirements: Requirements, sizes: Sizes, rows: int) -> None:
        # This many people have about as many rows as a shard may have.
        super().__init__(requirements, max(1, rows * sizes.n_people // sizes.n_rows), ())
        self.sizes = sizes

    def question(self, todo: Sequence[int]) -> PeopleQuestion:
        domains = [len(c.domain) for c in self.requirements.table.sensitive]
        return PeopleQuestion(super().question(todo), tuple(domains), self.sizes.rows)

    def tally(self, counts: SlotCounts) -> Tally:
        n = sum(len(c.domain) for c in self.requirements.table.sensitive)
        rows, people, only, sizes = np.split(counts[self.bins.edge[-1] :], [n, 2 * n, 3 * n])
        n_rows, most = int(sizes @ self.sizes.rows), np.flatnonzero(sizes).max(initial=0)
        return Tally(int(sizes.sum()), n_rows, int(self.sizes.rows[most]), rows, people, only)

    def can_hold(self, counts: SlotCounts) -> bool:
        return self.tally(counts).holds(self.requirements)


CountPeople = Callable[[PeopleQuestion], SlotCounts]


def plan_people(requirements: Requirements, sizes: Sizes, rows: int, count: CountPeople) -> CutTree:
    """Cut people until a shard has at most about `rows`; `sizes` are those of all people."""
    return _PeopleGrowth(requirements, sizes, rows).grow(count)


def tally_all(requirements: Requirements, sizes: Sizes, count: CountPeople) -> Tally:
    """The counts of all people together."""
    growth = _PeopleGrowth(requirements, sizes, sizes.n_rows)
    return growth.tally(count(growth.question([0]))[0])


def people_can_be_counted(requirements: Requirements) -> bool:
    """Whether counts of people and of their values decide if people can be one class."""
    bounds = requirements.all_bounds
    return requirements.table.people is not None and not any(
        b.reach is Reach.PERSONAL or b.reach.of_population for b in bounds
    )
