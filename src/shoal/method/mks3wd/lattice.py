"""The generalisation lattice: every hierarchy climbs by itself, and cells go by their loss."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import Tree
from shoal.method.mks3wd.cell import PackedLattice
from shoal.method.mks3wd.climb import UNSAFE, Climb, Marks, Offer, Taken, UnitNumbers
from shoal.method.mks3wd.ladder import count_weights, group_units, number_keys
from shoal.method.mks3wd.rest import Rest
from shoal.method.mks3wd.vector import Steps, most_vectors, order_vectors, trees_of
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.distinct import first_of
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import packed_rows


@dataclass(frozen=True)
class Lattice(Climb):
    """Cells of a table in order of their own loss, over its different tuples.

    A level vector has a level (from 0) for each quasi-identifier. Its mean loss is that of all
    units published at these levels, by `glm`; equal ones go by the sum of levels, then from left
    to right. A cell is a group at a vector. Its loss is that of one unit published there, in STEPS
    steps; cells of one step go by their vectors. Each in turn is released if those who are left
    in it reach what is required.

    base[unit] is the tuple of a unit, codes[tuple] its values. A unit's mark is the place of its
    vector in `vectors`. Where these are not all, `rest` may serve some units better; their marks
    are beyond, in the order of its vectors.
    """

    table: Table
    base: Marks
    codes: NDArray[np.int32]
    vectors: NDArray[np.int16]
    rest: Rest | None = None

    @classmethod
    def of(cls, table: Table, budget: int) -> Lattice:
        """Order the vectors, as many as a budget of look-ups allows, tuples times vectors."""
        n_quasi = len(table.quasi)
        base, n_tuples = group_units(table, np.arange(table.n_units), [0] * n_quasi)
        first = first_of(base, n_tuples)
        codes = packed_rows(table)[first].astype(np.int32)
        people = count_weights(table, np.arange(table.n_units), base, n_tuples)
        steps = Steps.of(table, codes, people)
        vectors = order_vectors(steps, most_vectors(budget, n_tuples))
        rest = Rest(table) if len(vectors) < steps.n_vectors else None
        return cls(table, base, codes, vectors, rest)

    @cached_property
    def trees(self) -> list[Tree]:
        return trees_of(self.table)

    @cached_property
    def cells(self) -> PackedLattice:
        """The cells of all vectors, as the kernel takes them."""
        return PackedLattice.of(self.trees, self.codes, self.vectors)

    def climb(self, members: UnitNumbers, k: int, requirements: Requirements) -> Marks:
        tuples = self.base[members]
        weight = count_weights(self.table, members, tuples, len(self.codes))
        marks = self.cells.climb(members, tuples, weight, k, requirements)
        found = marks[self.base[members]]
        if self.rest is None or not len(members):
            return found
        tops = self.tops[self.base]
        return self.rest.improve(members, found, self.vectors, tops, k, requirements)

    def take_singly(self, offer: Offer) -> Taken:
        marks, taken = offer.nobody(len(self.base))
        top = self.tops[self.base]
        waiting: dict[int, list[int]] = {}
        for unit in offer.unsafe.tolist():
            waiting.setdefault(int(top[unit]), []).append(unit)
        n_waiting = len(offer.unsafe)
        for i, unit in enumerate(offer.offered.tolist()):
            if n_waiting == 0:
                break
            taken[i] = True
            n_waiting += 1
            near = waiting.setdefault(int(top[unit]), [])
            near.append(unit)
            # Whoever shares a group with this row shares its top: fewer than k complete nothing.
            if len(near) < offer.least:
                continue
            place, members = self._lowest(unit, np.array(near), offer)
            marks[members] = place
            n_waiting -= len(members)
            waiting[int(top[unit])] = [u for u in near if marks[u] == UNSAFE]
        return marks, taken

    def _lowest(self, unit: int, near: UnitNumbers, offer: Offer) -> tuple[int, UnitNumbers]:
        """The first vector at which the group of a unit holds, and its members there."""
        from shoal.kernels.tree.lattice import find_reach

        needs = self._needs(int(self.base[unit]), self.base[near])
        weights, start, seen = np.ones(len(near), dtype=np.int64), 0, set()
        while (place := find_reach(needs, weights, self.allowed, offer.least, start)) >= 0:
            inside = self._fits(needs, place)
            known = inside.tobytes()
            # The same people fail again, at whichever vector.
            if known not in seen and offer.requirements.holds(near[inside].astype(np.int32)):
                return place, near[inside]
            seen.add(known)
            start = place + 1
        return UNSAFE, near[:0]

    def take_classes(self, offer: Offer) -> Taken:
        """As the interface says; the tuples of the unsafe wait for the first vector that serves.

        Groups only shrink as others are served, so a vector that was passed over stays so.
        """
        marks, taken = offer.nobody(len(self.base))
        unsafe, offered = offer.unsafe, offer.offered
        own_top, offered_top = (self.tops[self.base[units]] for units in (unsafe, offered))
        own_of, offered_of = _places_by(own_top), _places_by(offered_top)
        tuples, first = np.unique(self.base[unsafe], return_index=True)
        waiting = [(0, int(i), int(t)) for i, t in zip(first, tuples, strict=True)]
        heapq.heapify(waiting)
        while waiting:
            start, i, number = heapq.heappop(waiting)
            if marks[unsafe[i]] != UNSAFE:
                continue
            own = unsafe[own_of[int(own_top[i])]]
            own = own[marks[own] == UNSAFE]
            free = offered_of.get(int(own_top[i]), np.empty(0, dtype=np.int64))
            free = free[~taken[free]]
            needs = self._needs(number, self.base[np.concatenate([own, offered[free]])])
            place = self._reach(needs, offer.least, start)
            if place < 0:
                continue
            # Another tuple may be served at an earlier vector: this one waits its turn.
            if waiting and (place, i) > waiting[0][:2]:
                heapq.heappush(waiting, (place, i, number))
                continue
            inside = self._fits(needs, place)
            own, free = own[inside[: len(own)]], free[inside[len(own) :]]
            chosen = offer.portion(own, free, bool(self.alike[place]))
            if not len(chosen):
                heapq.heappush(waiting, (place + 1, i, number))
                continue
            marks[own] = place
            marks[offered[chosen]] = place
            taken[chosen] = True
        return marks, taken

    def _reach(self, needs: NDArray[np.uint64], k: int, start: int) -> int:
        from shoal.kernels.tree.lattice import find_reach

        few, counts = np.unique(needs, axis=0, return_counts=True)
        return int(find_reach(few, counts, self.allowed, k, start))

    def classes(self, marks: Marks, batch: NDArray[np.int32] | None) -> Partition:
        kept = np.flatnonzero(marks != UNSAFE)
        places = marks[kept].astype(np.int64)
        every = self.vectors
        if self.rest is not None and self.rest.vectors:
            every = np.vstack([every, np.array(self.rest.vectors, dtype=np.int16)])
        apart = places if batch is None else places + batch[kept].astype(np.int64) * len(every)
        alike, first = number_keys(apart * len(self.codes) + self.base[kept])
        keys, vectors = apart[first], every[places[first]]
        for j, tree in enumerate(self.trees):
            nodes = tree.node[vectors[:, j], self.codes[self.base[kept[first]], j]]
            # Before a key would leave 64 bits, keys are numbered densely.
            if keys.max(initial=0) >= 2**62 // tree.n_nodes:
                keys = number_keys(keys)[0].astype(np.int64)
            keys = keys * tree.n_nodes + nodes
        number, founders = number_keys(keys)
        unit_class = np.full(len(marks), SUPPRESSED, dtype=np.int32)
        unit_class[kept] = number[alike]
        level = np.zeros(len(marks), dtype=np.int16)
        level[kept] = every.max(axis=1)[places] + 1
        return Partition(unit_class, len(founders), vectors[founders], level)

    @property
    def n_vectors(self) -> int:
        return len(self.vectors)

    @cached_property
    def tops(self) -> Marks:
        """The group of every tuple where all hierarchies are at their tops."""
        first = first_of(self.base, len(self.codes))
        return group_units(self.table, first, [t.height - 1 for t in self.trees])[0]

    @cached_property
    def alike(self) -> NDArray[np.bool_]:
        """At which vectors everyone in the table is alike."""
        single = np.ones(self.n_vectors, dtype=np.bool_)
        for j, tree in enumerate(self.trees):
            nodes = tree.node[:, self.codes[:, j]]
            single &= (nodes.min(axis=1) == nodes.max(axis=1))[self.vectors[:, j]]
        return single

    @cached_property
    def steps(self) -> list[NDArray[np.uint64]]:
        """For each attribute and level the set of the steps up to it, one bit a step."""
        # Levels as sets of steps, so that one test of bits says whether a vector is high enough in
        # every attribute at once.
        bit, steps = 0, []
        n_words = max(-(-sum(t.height - 1 for t in self.trees) // 64), 1)
        for tree in self.trees:
            climbed = np.zeros((tree.height, n_words), dtype=np.uint64)
            for level in range(1, tree.height):
                climbed[level:, bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
                bit += 1
            steps.append(climbed)
        return steps

    @cached_property
    def allowed(self) -> NDArray[np.uint64]:
        """The steps of each vector."""
        allowed = np.zeros((self.n_vectors, self.steps[0].shape[1]), dtype=np.uint64)
        for j, steps in enumerate(self.steps):
            allowed |= steps[self.vectors[:, j]]
        return allowed

    def _needs(self, number: int, others: Marks) -> NDArray[np.uint64]:
        """The steps that other tuples under the same top need to be alike with this one."""
        needs = np.zeros((len(others), self.steps[0].shape[1]), dtype=np.uint64)
        for j, (tree, steps) in enumerate(zip(self.trees, self.steps, strict=True)):
            apart = tree.node != tree.node[:, self.codes[number, j]][:, None]
            # Groups are nested: two codes meet at the level that is the number of levels at which
            # they are apart.
            level = np.minimum(apart.sum(axis=0), tree.height - 1)
            needs |= steps[level][self.codes[others, j]]
        return needs

    def _fits(self, needs: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
        outside: NDArray[np.bool_] = (needs & ~self.allowed[place]).any(axis=1)
        return ~outside


def _places_by(groups: Marks) -> dict[int, NDArray[np.int64]]:
    """The places of each group, in order."""
    order = np.argsort(groups, kind="stable")
    shown, begins = np.unique(groups[order], return_index=True)
    return dict(zip(shown.tolist(), np.split(order, begins[1:]), strict=True))
