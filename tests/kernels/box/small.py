"""Spaces over random tables, and what unions lose in them by the one definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shoal.kernels.box.element import boxes_of_people
from shoal.kernels.box.space import SET, Space, lose_union
from shoal.table import Table
from shoal.table.space import metric_of, packed_codes, space_of
from tests.cases import random_case, task_of

SPACES: dict[str, Callable[[Table], Space]] = {
    "glm": lambda table: space_of(table.quasi, "glm"),
    "ncp": lambda table: space_of(table.quasi, "ncp"),
    "infoloss": lambda table: space_of(table.quasi, "infoloss"),
    "f_dis": lambda table: metric_of(table.quasi),
    "normalised": lambda table: metric_of(table.quasi, normalise=True),
}


def plain(kernel: Any) -> Any:
    """The function itself: what it calls is compiled, and it need not be once more."""
    return getattr(kernel, "py_func", kernel)


def lose(space: Space, j: int, codes: Any) -> float:
    """What a union of codes of one attribute loses, by the one definition."""
    found = sorted(set(codes))
    return float(lose_union(space, j, found[0], found[-1], len(found)))


def union_of(space: Space, points: Any) -> float:
    """What the points lose as one class, added up over the attributes."""
    return sum(lose(space, j, points[:, j].tolist()) for j in range(points.shape[1]))


def spaces(name: str, block: int, forms: tuple[str, ...] | None = None) -> Iterator[tuple]:
    """Random cases with their tables, and the space of this name over each."""
    for seed in range(block * 12, block * 12 + 12):
        chosen = {} if forms is None else {"forms": forms}
        case = random_case(seed, most_rows=24, **chosen)
        table = task_of(case).table
        yield case, table, SPACES[name](table)


def elements(table: Table, space: Space, grown: bool) -> tuple[Any, ...]:
    """People, or classes of people: boxes with their sets, and the codes of each one's members."""
    codes = packed_codes(table)
    n, d = codes.shape
    rows = 1 + np.arange(n) % 3
    persons = boxes_of_people(codes, rows)
    if not grown:
        none = np.empty((0, 2 * d), np.int64), np.empty(0, np.int32)
        return persons, *none, [codes[i : i + 1] for i in range(n)], rows
    members = [codes[i : i + 3] for i in range(0, n, 3)]
    ends = np.array([[*m.min(axis=0), *m.max(axis=0)] for m in members], dtype=np.int32)
    loss = np.array([[lose(space, j, m[:, j]) for j in range(d)] + [len(m)] for m in members])
    sets, parts = np.empty((len(members), 2 * d), np.int64), []
    for e, own in enumerate(members):
        for j in range(d):
            values = np.unique(own[:, j]) if space.form[j] == SET else own[:0, j]
            sets[e, j] = sum(map(len, parts))
            parts.append(values)
            sets[e, d + j] = sets[e, j] + len(values)
    boxes = persons._replace(ends=ends, loss=loss)
    return boxes, sets, np.concatenate(parts).astype(np.int32), members, loss[:, -1]
