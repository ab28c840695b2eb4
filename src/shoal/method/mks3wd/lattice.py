"""The generalisation lattice: every hierarchy climbs by itself, in order of mean loss."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import Tree
from shoal.method.mks3wd.climb import UNSAFE, Climb, Marks, Offer, Taken, Units
from shoal.method.mks3wd.ladder import first_of, group_units
from shoal.method.mks3wd.rest import Rest
from shoal.method.mks3wd.vector import Steps, most_vectors, order_vectors
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition

if TYPE_CHECKING:
    from shoal.kernels.tree.lattice import Crowd, Judge, Vectors


@dataclass(frozen=True)
class Lattice(Climb):
    """Level vectors in order of mean loss, over the different tuples of a table.

    A level vector has a level (from 0) for each quasi-identifier. Its mean loss is that of all
    units published at these levels, by `glm`; equal ones go by the sum of levels, then from left
    to right. At each vector in turn the groups of those who are left are released that reach what
    is asked. base[unit] is the tuple of a unit, codes[tuple] its values. A unit's mark is the place
    of its vector in `vectors`. Where these are not all, `rest` may serve some units better; their
    marks are beyond, in the order of its vectors.
    """

    table: Table
    base: Marks
    codes: NDArray[np.int32]
    vectors: NDArray[np.int8]
    rest: Rest | None = None

    @classmethod
    def of(cls, table: Table, budget: int) -> Lattice:
        """Order the vectors, as many as a budget of look-ups allows, tuples times vectors."""
        n_quasi = len(table.quasi)
        base, n_tuples = group_units(table, np.arange(table.n_units), [0] * n_quasi)
        first = first_of(base, n_tuples)
        codes = np.empty((n_tuples, n_quasi), dtype=np.int32)
        for j, attribute in enumerate(table.schema.quasi):
            codes[:, j] = table.unit_codes(attribute.name)[first]
        people = np.bincount(base, minlength=n_tuples)
        steps = Steps.of(table, codes, people)
        vectors = order_vectors(steps, most_vectors(budget, n_tuples))
        rest = Rest(table) if len(vectors) < steps.n_vectors else None
        return cls(table, base, codes, vectors, rest)

    @cached_property
    def trees(self) -> list[Tree]:
        return [d.tree for d in self.table.quasi if d.tree is not None]

    def climb(self, members: Units, k: int, requirements: Requirements) -> Marks:
        from shoal.kernels.tree.lattice import climb_lattice

        k = max(k, requirements.least, _fewest(requirements))
        weight = np.bincount(self.base[members], minlength=len(self.codes))
        present = np.flatnonzero(weight)
        crowd = _crowd(self.codes[present], weight[present])
        out = np.full(len(present), UNSAFE, dtype=np.int32)
        judge, asked = None, requirements.asked(len(members))
        if asked is not None:
            number = np.full(len(self.codes), UNSAFE)
            number[present] = np.arange(len(present))
            judge = _judge(members, number[self.base[members]], len(crowd.key), requirements)
        climb_lattice(self.entries, crowd, k, judge, asked, out)
        marks = np.full(len(self.codes), UNSAFE, dtype=np.int32)
        marks[present] = out
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

    def _lowest(self, unit: int, near: Units, offer: Offer) -> tuple[int, Units]:
        """The first vector at which the group of a unit holds, and its members there."""
        from shoal.kernels.tree.lattice import find_reach

        needs = self._needs(int(self.base[unit]), self.base[near])
        weights, start, seen = np.ones(len(near), dtype=np.int64), 0, set()
        while (place := find_reach(needs, weights, self.allowed, offer.least, start)) >= 0:
            inside = self._fits(needs, place)
            known = inside.tobytes()
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
            every = np.vstack([every, np.array(self.rest.vectors, dtype=np.int8)])
        apart = places if batch is None else places + batch[kept].astype(np.int64) * len(every)
        alike, first = _numbered(apart * len(self.codes) + self.base[kept])
        keys, vectors = apart[first], every[places[first]]
        for j, tree in enumerate(self.trees):
            nodes = tree.node[vectors[:, j], self.codes[self.base[kept[first]], j]]
            if keys.max(initial=0) >= 2**62 // tree.n_nodes:
                keys = _numbered(keys)[0].astype(np.int64)
            keys = keys * tree.n_nodes + nodes
        number, founders = _numbered(keys)
        unit_class = np.full(len(marks), SUPPRESSED, dtype=np.int32)
        unit_class[kept] = number[alike]
        level = np.zeros(len(marks), dtype=np.int16)
        level[kept] = every.max(axis=1)[places] + 1
        return Partition(unit_class, len(founders), vectors[founders], level)

    @property
    def n_vectors(self) -> int:
        return len(self.vectors)

    @cached_property
    def entries(self) -> Vectors:
        """The vectors as the kernel takes them."""
        from shoal.kernels.tree.lattice import Vectors

        n_nodes = [int((t.node.max(axis=1) - t.node.min(axis=1)).max()) + 1 for t in self.trees]
        wide = float(np.prod(np.array(n_nodes, dtype=np.float64))) >= 2.0**62
        parts, begins, stride, end = [], [], 1, 0
        for tree, n in zip(self.trees, n_nodes, strict=True):
            nodes = (tree.node - tree.node.min(axis=1, keepdims=True)).astype(np.uint64)
            parts.append((nodes * np.uint64(stride)).ravel())
            begins.append(end + np.arange(tree.height) * tree.node.shape[1])
            # Odd factors keep the nodes of one attribute apart also where the product overflows.
            stride = stride * (0x9E3779B97F4A7C15 if wide else n) % 2**64
            end += nodes.size
        probes, probe_of = _probes(self.vectors)
        rows, probe_rows = (
            np.stack([b[v[:, j]] for j, b in enumerate(begins)], axis=1).astype(np.uint32)
            for v in (self.vectors, probes)
        )
        return Vectors(rows, probe_rows, probe_of, np.concatenate(parts), wide)

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
            level = np.minimum(apart.sum(axis=0), tree.height - 1)
            needs |= steps[level][self.codes[others, j]]
        return needs

    def _fits(self, needs: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
        outside: NDArray[np.bool_] = (needs & ~self.allowed[place]).any(axis=1)
        return ~outside


def _probes(vectors: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """The least vectors above a few that are alike, block by block, and the probe of each vector.

    Within a block vectors that follow each other from left to right differ little.
    """
    from shoal.kernels.tree.lattice import BLOCK, RUN

    places = np.arange(len(vectors))
    order = np.lexsort([*vectors.T[::-1], places // BLOCK])
    probes = np.maximum.reduceat(vectors[order], places[::RUN], axis=0)
    probe_of = np.empty(len(vectors), dtype=np.uint8)
    probe_of[order] = places % BLOCK // RUN
    return probes, probe_of


def _crowd(codes: NDArray[np.int32], weight: NDArray[np.int64]) -> Crowd:
    from shoal.kernels.tree.lattice import PROBES, Crowd

    n, room = len(codes), 64
    while room < 2 * n:
        room *= 2
    return Crowd(
        codes=np.ascontiguousarray(codes),
        weight=weight.astype(np.int32),
        number=np.arange(n, dtype=np.int32),
        hopeless=np.zeros(n, dtype=np.uint64),
        chosen=np.zeros(n, dtype=np.uint32),
        slot=np.zeros(n, dtype=np.uint32),
        key=np.zeros(room, dtype=np.uint64),
        stamp=np.zeros(room, dtype=np.int64),
        size=np.zeros(room, dtype=np.int32),
        first=np.zeros(room, dtype=np.uint32),
        state=np.array([0, n, 0, PROBES], dtype=np.int64),
    )


def _judge(
    members: Units, number: NDArray[np.int64], room: int, requirements: Requirements
) -> Judge:
    """Members by the number of their tuple, and room for as many slots."""
    from shoal.kernels.tree.lattice import FAILED, Judge

    sizes = np.bincount(number)
    names = np.random.default_rng(0).integers(1, 2**64, len(sizes), dtype=np.uint64)
    return Judge(
        starts=np.append(0, np.cumsum(sizes)),
        units=members[np.argsort(number, kind="stable")].astype(np.int32),
        name=names,
        total=np.zeros(room, dtype=np.uint64),
        head=np.zeros(room, dtype=np.int32),
        below=np.zeros(len(sizes), dtype=np.int32),
        failed=np.zeros(FAILED, dtype=np.uint64),
        needed=replace(requirements, all_bounds=_needed(requirements)).bounds,
    )


def _needed(requirements: Requirements) -> tuple[Bound, ...]:
    """Different values without which a group cannot hold: l of them, for l-diversity of any kind.

    A part of a group never has more of them than the whole.
    """
    varied = (Reach.DISTINCT, Reach.FREQUENCY, Reach.ENTROPY)
    return tuple(
        Bound(Reach.DISTINCT, float(ceil(b.limit - 1e-6)), b.attribute)
        for b in requirements.all_bounds
        if b.reach in varied
    )


def _fewest(requirements: Requirements) -> int:
    """How many rows so many different values need: smaller groups are not judged."""
    if requirements.table.people is not None:
        return 1
    return max([int(b.limit) for b in _needed(requirements)], default=1)


def _numbered(keys: NDArray[np.int64]) -> tuple[Marks, NDArray[np.int64]]:
    """Equal keys numbered alike, in order of first appearance, and where each first appears."""
    from shoal.kernels.group import group_keys

    out = np.empty(len(keys), dtype=np.int32)
    return out, first_of(out, group_keys(keys, out))


def _places_by(groups: Marks) -> dict[int, NDArray[np.int64]]:
    """The places of each group, in order."""
    order = np.argsort(groups, kind="stable")
    shown, begins = np.unique(groups[order], return_index=True)
    return dict(zip(shown.tolist(), np.split(order, begins[1:]), strict=True))
