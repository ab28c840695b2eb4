"""LGB: local generalisation, with buckets for what people keep secret."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.method.base import Method, Task
from shoal.method.baseline.mondrian import cut_rows
from shoal.method.lgb.pattern import PatternPart, join_small, parts_of
from shoal.model import KAnonymity, LDiversity, Model, TCloseness
from shoal.schema import Layout, Schema
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import packed_rows, space_of

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space

_MODELS = (KAnonymity, LDiversity, TCloseness)
Marked = tuple[NDArray[np.uint8], NDArray[np.int32]]


class LocalGeneralisation(Method):
    """What the two ways of local generalisation share: parts, patterns, and what may be asked."""

    tables: Literal["split", "joined"] = Field(
        "split",
        description="buckets in tables of their own, or each secret cell next to a value of "
        "its bucket in one table",
    )

    @property
    def layout(self) -> Layout:
        return Layout(self.tables)

    def problems(self, schema: Schema) -> list[Problem]:
        found = super().problems(schema)
        found += [
            Problem(
                f"{self.name} does not support flags of sensitive values, but {a.name!r} has some.",
                hint="Leave 'flag' and 'flags' out, or choose a method that shows its values.",
            )
            for a in schema.sensitive
            if a.flag is not None or a.flags is not None
        ]
        return found

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        found = [
            Problem(
                f"{self.name} does not support {m.name}. It supports k-anonymity, l-diversity "
                "and t-closeness.",
                hint="Leave it out, or choose another method.",
            )
            for m in models
            if not isinstance(m, _MODELS)
        ]
        if not any(isinstance(m, KAnonymity) for m in models):
            hint = "Add '- k-anonymity: {k: 5}'."
            found.append(Problem(f"{self.name} needs k-anonymity for its classes.", hint=hint))
        return found

    def partition(self, task: Task) -> Partition:
        """Parts by what is secret, each cut into classes by itself."""
        table = task.table
        parts = join_small(table, parts_of(table), task.requirements.least)
        unit_class = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
        patterns, n_classes = [np.zeros((0, len(table.quasi)), dtype=np.int8)], 0
        for part, (starts, units) in zip(parts, self._cut_all(task, parts), strict=True):
            unit_class[units] = np.cumsum(starts, dtype=np.int32) - 1 + n_classes
            n_own = int(starts.sum())
            n_classes += n_own
            patterns.append(np.repeat(part.pattern[np.newaxis], n_own, axis=0))
        return Partition(unit_class, n_classes, pattern=np.concatenate(patterns))

    def _cut_all(self, task: Task, parts: list[PatternPart]) -> list[Marked]:
        """Threads share the parts, the largest first, each with its share of them for itself."""
        rows = packed_rows(task.table)
        at_once, threads = share_threads(task.threads, [len(part.rows) for part in parts])
        tasks = [replace(task, threads=own) for own in threads]
        pool = ThreadPoolExecutor(at_once)
        try:
            # The largest first: begun last, it would run on alone at the end.
            by_size = sorted(range(len(parts)), key=lambda i: -len(parts[i].rows))
            cut = {i: pool.submit(self._cut, tasks[i], parts[i], rows) for i in by_size}
            return [cut[i].result() for i in range(len(parts))]
        finally:
            pool.shutdown(cancel_futures=True)

    def _cut(self, task: Task, part: PatternPart, rows: NDArray[Any]) -> Marked:
        # Others know nothing of these rows, so one class of all of them loses nothing.
        if not len(part.public):
            starts = np.zeros(len(part.rows), dtype=np.uint8)
            starts[0] = 1
            return starts, part.rows.astype(np.int32)
        space = space_of([task.table.quasi[j] for j in part.public], "ncp")
        codes = np.ascontiguousarray(rows[part.rows][:, part.public])
        return self.classes(task, part, space, codes)

    def classes(self, task: Task, part: PatternPart, space: Space, codes: NDArray[Any]) -> Marked:
        """The rows of a part in the order of its classes, and a mark where each begins.

        `codes` are its public quasi-identifiers, which have this space.
        """
        raise NotImplementedError


def share_threads(threads: int, sizes: Sequence[int]) -> tuple[int, list[int]]:
    """How many parts are cut at once, and how many threads each has, by its share of the rows.

    Whichever parts are cut at once, they have no more than `threads` together.

    >>> share_threads(4, [6, 1, 1])
    (2, [3, 1, 1])
    """
    own = [max(1, threads * size // sum(sizes)) for size in sizes]
    return threads - sum(n - 1 for n in own), own


class LGBMDP(LocalGeneralisation):
    """Put secret cells into buckets; cut the table at medians of what others know.

    Rows whose people keep the same attributes secret are cut along the attribute of widest range
    at its median while both sides have k rows (Algorithm 3). Secret values go into buckets.
    """

    name: ClassVar[str] = "lgb-mdp"
    cite: ClassVar[papers.Citations] = (
        papers.cite("lgb", "Algorithms 1 to 3"),
        papers.cite("lefevre"),
        papers.cite("xiao"),
    )
    limits: ClassVar[str] = (
        "Rows are split by which cells people keep secret (their pattern): with many "
        "semi-sensitive attributes, the parts are small and their classes wide. Patterns of fewer "
        "than k rows are joined with others, which withholds cells, or are suppressed."
    )

    def classes(self, task: Task, part: PatternPart, space: Space, codes: NDArray[Any]) -> Marked:
        units = part.rows.astype(np.int32)
        return cut_rows(codes, units, space, task.requirements, "widest", threads=task.threads)


class LGBNCP(LocalGeneralisation):
    """Put secret cells into buckets; halve the table around seeds that are far apart.

    Rows whose people keep the same attributes secret are halved: around two rows far apart by NCP,
    every other row goes to the side whose loss it raises less (Algorithm 4). As printed, a set is
    not halved if a side stays below k; `balanced` moves rows to that side instead.
    """

    name: ClassVar[str] = "lgb-ncp"
    cite: ClassVar[papers.Citations] = (
        papers.cite("lgb", "Algorithms 1, 2 and 4"),
        papers.cite("xu"),
        papers.cite("xiao"),
    )
    limits: ClassVar[str] = (
        "Those of lgb-mdp. It is slower, and who shares a class depends on the seed. With "
        "`balanced: false`, one row that is unlike all the others stops the halving of its whole "
        "set."
    )

    balanced: bool = Field(
        True, description="move rows to a side that is too small, instead of giving up"
    )

    def classes(self, task: Task, part: PatternPart, space: Space, codes: NDArray[Any]) -> Marked:
        from shoal.kernels.tree.halves import halve, make_room

        # Each part has a seed of its own, so that it does not matter which thread comes first.
        units = np.random.default_rng([task.seed, int(part.rows[0])]).permutation(len(part.rows))
        units = units.astype(np.int32)
        starts = np.zeros(len(units), dtype=np.uint8)
        least = np.int64(max(task.requirements.least, 1))
        room = make_room(codes.astype(np.int32), int(space.start[-1]))
        halve(space, units, least, np.bool_(self.balanced), room, starts)
        return starts, part.rows[units].astype(np.int32)
