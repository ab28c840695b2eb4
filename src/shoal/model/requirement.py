"""All that a plan requires of a class, compiled for one kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.model.base import Bound, Model, Reach
from shoal.model.multi_level_k import MultiLevelK
from shoal.table import Column, Table
from shoal.table.distinct import distinct_pairs
from shoal.table.partition import Partition, class_members
from shoal.table.space import end_to_end, starts_of

if TYPE_CHECKING:
    from shoal.kernels.requirement import (
        Bounds,
        ClassTrial,
        Holdings,
        Members,
        Required,
        SensitiveFacts,
    )


SomeModel = TypeVar("SomeModel", bound=Model)

# The steps of one search for a hitting set: about a second. The verifier has ten times as many.
SEARCH_BUDGET = 300_000_000


@dataclass(frozen=True)
class Requirements:
    """The bounds of all models of a plan, over the sensitive attributes of one table.

    `models` are all models of the plan, also those that are not enforced on classes. `budget` is
    the number of steps that a search for a hitting set may take; a class that is undecided then
    counts as one that fails.
    """

    table: Table
    all_bounds: tuple[Bound, ...]
    models: tuple[Model, ...] = ()
    budget: int = SEARCH_BUDGET

    @classmethod
    def of(cls, models: Sequence[Model], table: Table, asked: Sequence[Model] = ()) -> Requirements:
        """Compile what these models require of the classes of a table, and of their members.

        `asked` are all models of the plan, if some of them are not enforced.
        """
        found = [b for m in models for b in m.bounds(table.schema)]
        # Models may share bounds (a k, say): each is judged once.
        return cls(table, tuple(dict.fromkeys(found)), tuple(asked or models))

    @classmethod
    def weighted(cls, given: Requirements, table: Table) -> Requirements:
        """The same for a table whose rows stand for several."""
        return WeightedRequirements(table, given.all_bounds, given.models, given.budget)

    def on(self, shard: Table) -> Requirements:
        """The same for a shard; shares and counts stay those of the whole table."""
        return Requirements(shard, self.all_bounds, self.models, self.budget)

    def together_with(self, models: Sequence[Model]) -> Requirements:
        """The same, and what further models require of the classes."""
        more = [b for m in models for b in m.bounds(self.table.schema)]
        bounds = tuple(dict.fromkeys([*self.all_bounds, *more]))
        return Requirements(self.table, bounds, self.models, self.budget)

    def find(self, kind: type[SomeModel]) -> SomeModel | None:
        """The first model of a kind that the plan requires."""
        return next((m for m in self.models if isinstance(m, kind)), None)

    @property
    def least(self) -> int:
        """The size that every class needs at least."""
        # A hitting set of l values needs l people.
        sized = (Reach.SIZE, Reach.HITTING)
        sizes = [int(b.limit) for b in self.all_bounds if b.reach in sized]
        return max(sizes, default=1)

    @property
    def beyond_size(self) -> bool:
        """Whether a bound needs more than the number of units in a class."""
        return any(b.reach is not Reach.SIZE for b in self.all_bounds)

    @property
    def personal(self) -> bool:
        """Whether members ask for sizes of their own."""
        return any(b.reach is Reach.PERSONAL for b in self.all_bounds)

    @property
    def hits(self) -> bool:
        """Whether a bound is on hitting sets, which need the members themselves."""
        return any(b.reach is Reach.HITTING for b in self.all_bounds)

    @property
    def sizes_only(self) -> bool:
        """Whether sizes alone decide, including those that members ask for."""
        return all(b.reach in (Reach.SIZE, Reach.PERSONAL) for b in self.all_bounds)

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds as the kernel takes them."""
        from shoal.kernels.requirement import Bounds

        index = {a.name: i for i, a in enumerate(self.table.schema.sensitive)}
        return Bounds(
            np.array([int(b.reach) for b in self.all_bounds], dtype=np.int64),
            np.array(
                [-1 if b.attribute is None else index[b.attribute] for b in self.all_bounds],
                dtype=np.int64,
            ),
            np.array([b.limit for b in self.all_bounds], dtype=np.float64),
            np.array([b.extra for b in self.all_bounds], dtype=np.float64),
            np.array([self._absent(b, index) for b in self.all_bounds], dtype=np.int64),
        )

    def _absent(self, bound: Bound, index: Mapping[str, int]) -> int:
        """The place in a summary of the missing value, where it does not count for a bound."""
        if not bound.known or bound.attribute is None:
            return -1
        place = index[bound.attribute]
        missing = self.table.sensitive[place].domain.missing
        return -1 if missing < 0 else int(self.facts.start[place]) + missing

    def asked(self, n_units: int) -> ClassTrial | None:
        """What a kernel needs to judge two classes of n_units; None if one size decides."""
        from shoal.kernels.requirement import ClassTrial

        if not self.beyond_size:
            return None
        buffers = self.summary_room(), self.summary_room(), np.empty(n_units, dtype=np.int32)
        # Threads share no memory of searches, so that what is undecided does not depend on timing.
        people = None if self.people is None else self._with_memory(self.people)
        return ClassTrial(self.bounds, self.members, self.facts, people, *buffers)

    def required(self) -> Required:
        """What a kernel judges a class by."""
        from shoal.kernels.requirement import Required

        return Required(self.bounds, self.members, self.facts, self.people, self.summary_room())

    def required_beyond_size(self) -> Required:
        """The same for a kernel that sees to sizes itself: no bounds if one size decides."""
        required = self.required()
        return required if self.beyond_size else required._replace(bounds=None)

    def summary_room(self) -> NDArray[np.int64]:
        """A buffer for the summary of a class."""
        from shoal.kernels.requirement import BESIDES

        return np.zeros(2 * int(self.facts.start[-1]) + BESIDES, dtype=np.int64)

    @cached_property
    def facts(self) -> SensitiveFacts:
        """What the kernel knows of every sensitive value, attribute after attribute."""
        from shoal.kernels.requirement import SensitiveFacts

        columns = self.table.sensitive
        trees = [_ancestors(c) for c in columns]
        sizes = [len(c.domain) for c in columns]
        return SensitiveFacts(
            start=starts_of(sizes),
            share=end_to_end([self._share(c) for c in columns], np.float64),
            natural=end_to_end([c.domain.natural for c in columns], np.int64),
            number=end_to_end([_numbers(c) for c in columns], np.float64),
            node=end_to_end([t.ravel() for t in trees], np.int32),
            node_start=starts_of([t.size for t in trees]),
            n_levels=np.array([len(t) for t in trees], dtype=np.int64),
        )

    @cached_property
    def members(self) -> Members:
        """The sensitive codes of every unit; the rows of a unit are next to each other."""
        from shoal.kernels.requirement import Members

        table = self.table
        codes = np.empty((table.n_rows, len(table.sensitive)), dtype=np.int32)
        for a, column in enumerate(table.sensitive):
            codes[:, a] = column.codes
        if table.people is None:
            return Members(np.empty(0, dtype=np.int64), codes, self.asked_sizes, self.crowd)
        order = np.argsort(table.people.person, kind="stable")
        sizes = np.bincount(table.people.person, minlength=len(table.people))
        starts = starts_of(sizes)
        return Members(starts, codes[order], self.asked_sizes, self.crowd)

    @cached_property
    def people(self) -> Holdings | None:
        """The different values of each person, if a bound needs them."""
        from shoal.kernels.requirement import Holdings

        table = self.table
        if table.people is None or not any(b.reach.of_people for b in self.all_bounds):
            return None
        starts, parts, n_before = [], [], 0
        for column in table.sensitive:
            n_codes = len(column.domain)
            persons, values = distinct_pairs(table.people.person, column.codes, n_codes)
            sizes = np.bincount(persons, minlength=len(table.people))
            starts.append(starts_of(sizes) + n_before)
            parts.append(values)
            n_before += len(values)
        nothing = np.empty(0, dtype=np.int64)
        own = end_to_end(parts, np.int32)
        return self._with_memory(
            Holdings(np.array(starts, dtype=np.int64), own, self.budget, nothing, nothing)
        )

    def _with_memory(self, people: Holdings) -> Holdings:
        """The same people for one series of searches, which remembers its last hitting set."""
        widest = max([int(b.limit) for b in self.all_bounds if b.reach is Reach.HITTING], default=1)
        witness = np.full((len(people.own_start), widest), -1, dtype=np.int64)
        undecided = np.zeros(4, dtype=np.int64)
        self._undecided.append(undecided)
        return people._replace(witness=witness, undecided=undecided)

    @cached_property
    def _undecided(self) -> list[NDArray[np.int64]]:
        return []

    @property
    def n_undecided(self) -> int:
        """How often a class counted as failing because its search for a hitting set ran out."""
        return sum(int(counted[0]) for counted in self._undecided)

    @cached_property
    def asked_sizes(self) -> NDArray[np.int32]:
        """The class size that each unit asks for by itself."""
        sizes = np.zeros(self.table.n_units, dtype=np.int32)
        for model in self.models:
            if isinstance(model, MultiLevelK):
                sizes = np.maximum(sizes, model.asked_k(self.table))
        return sizes

    @cached_property
    def crowd(self) -> NDArray[np.int64]:
        """How many of the population each unit stands for; empty where no bound asks."""
        if not any(b.reach.of_population for b in self.all_bounds):
            return np.empty(0, dtype=np.int64)
        return self.table.unit_crowd()

    def share_of(self, name: str) -> NDArray[np.float64]:
        """The share of each code of a sensitive attribute in the whole table."""
        return self._share(self.table.columns[name])

    def _share(self, column: Column) -> NDArray[np.float64]:
        counts = self.table.counts(column.attribute.name).astype(np.float64)
        return counts / max(float(counts.sum()), 1.0)

    def reached(self, partition: Partition) -> NDArray[np.float64]:
        """What each class reaches of each bound: (classes, bounds)."""
        return self._judge(*class_members(partition))[1]

    def _judge(
        self, starts: NDArray[np.int64], units: NDArray[np.int32]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which classes miss a bound, and what each reaches of each."""
        from shoal.kernels.requirement import judge_classes

        failing = np.empty(len(starts) - 1, dtype=np.bool_)
        out = np.empty((len(failing), len(self.all_bounds)))
        judge_classes(
            starts, units, self.bounds, self.members, self.facts, self.people, failing, out
        )
        return failing, out

    def holds(self, units: NDArray[np.int32]) -> bool:
        """Whether these units as one class satisfy every bound."""
        return not self.misses(np.array([0, len(units)], dtype=np.int64), units)[0]

    def missed(self, units: NDArray[np.int32]) -> list[Bound]:
        """The bounds that these units as one class do not satisfy."""
        from shoal.kernels.requirement import meets

        _, reached = self._judge(np.array([0, len(units)], dtype=np.int64), units)
        found = zip(self.all_bounds, reached[0].tolist(), strict=True)
        return [b for b, value in found if not meets(int(b.reach), b.limit, value)]

    def single_rows(self, units: NDArray[np.int32]) -> bool:
        """Whether each of these units is one row."""
        starts = self.members.row_start
        return not len(starts) or bool((starts[units + 1] - starts[units] == 1).all())

    def codes_of(self, name: str, units: NDArray[np.int32]) -> NDArray[np.int64]:
        """The sensitive codes of units that are one row each."""
        a = [x.name for x in self.table.schema.sensitive].index(name)
        starts = self.members.row_start
        rows = starts[units] if len(starts) else units
        return np.asarray(self.members.codes[rows, a].astype(np.int64))

    def profiles(self, units: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
        """Units with the same sensitive codes and demands numbered alike, and how many numbers.

        Numbers follow first appearance.
        """
        codes, starts, asked = self.members.codes, self.members.row_start, self.asked_sizes
        crowd = self.crowd if len(self.crowd) else np.zeros(len(asked), dtype=np.int64)
        number: dict[tuple[int, int, bytes], int] = {}
        found = np.empty(len(units), dtype=np.int64)
        for place, unit in enumerate(units.tolist()):
            rows = codes[starts[unit] : starts[unit + 1]] if len(starts) else codes[unit : unit + 1]
            # Two people with the same rows are alike, in whatever order the rows stand.
            if len(rows) > 1:
                rows = rows[np.lexsort(rows.T)]
            found[place] = number.setdefault(
                (int(asked[unit]), int(crowd[unit]), rows.tobytes()), len(number)
            )
        return found, len(number)

    def failing(self, partition: Partition) -> NDArray[np.bool_]:
        """Which classes miss a bound."""
        if not self.beyond_size:
            return partition.sizes() < self.least
        return self.misses(*class_members(partition))

    def misses(self, starts: NDArray[np.int64], units: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which classes miss a bound; class c has the units[starts[c] : starts[c + 1]]."""
        if not self.beyond_size:
            return np.diff(starts) < self.least
        return self._judge(starts, units)[0]


@dataclass(frozen=True)
class WeightedRequirements(Requirements):
    """Requirements on classes of rows that stand for several, judged by their counts."""

    def failing(self, partition: Partition) -> NDArray[np.bool_]:
        return self.misses(*class_members(partition))

    def misses(self, starts: NDArray[np.int64], units: NDArray[np.int32]) -> NDArray[np.bool_]:
        weight = self.table.weights(units)
        sums = starts_of(weight)
        sizes = sums[starts[1:]] - sums[starts[:-1]]
        missing: NDArray[np.bool_] = sizes < self.least
        if self.beyond_size:
            for c in np.flatnonzero(~missing).tolist():
                own = slice(int(starts[c]), int(starts[c + 1]))
                missing[c] = not self._holds(units[own], weight[own], int(sizes[c]))
        return missing

    def _holds(self, units: NDArray[np.int32], weight: NDArray[np.int64], size: int) -> bool:
        from shoal.kernels.requirement import summary_holds

        summary = self.summary_room()
        for place, column in enumerate(self.table.sensitive):
            counts = np.bincount(column.codes[units], weight, len(column.domain))
            start = int(self.facts.start[place])
            summary[start : start + len(counts)] = counts
        # The kernel only takes the length of this, which is never written to.
        members = self._everybody[:size]
        return bool(summary_holds(self.bounds, size, summary, self.facts, None, members))

    @cached_property
    def _everybody(self) -> NDArray[np.int32]:
        every = np.arange(self.table.n_units)
        return np.empty(int(self.table.weights(every).sum()), dtype=np.int32)


def _numbers(column: Column) -> NDArray[np.float64]:
    numbers = column.domain.numbers
    return np.full(len(column.domain), np.nan) if numbers is None else numbers


def _ancestors(column: Column) -> NDArray[np.int32]:
    """The node of every code at every level, closed by one root if there are several tops.

    Tops are those of the hierarchy as declared, even if only one of them has values: distances
    are shares of its height (Li et al. 2007), which must not change with the rows of the table.
    """
    tree, spec = column.domain.tree, column.attribute.hierarchy
    if tree is None:
        return np.zeros((0, len(column.domain)), dtype=np.int32)
    declared = {row[-1] for row in spec.rows} if spec is not None else set()
    return tree.closed(len(declared)).node
