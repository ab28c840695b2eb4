"""The one metric against the definitions, and every kernel that computes it its own way against it.

Spaces are random: ranges, sets, trees of one and of several tops, missing values among them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from shoal.kernels.box.element import (
    boxes_of_people,
    distance,
    empty_class,
    list_distances,
    room_to_grow,
    take_in,
)
from shoal.kernels.box.index import NOBODY, build, find_nearest, remove, room_for_index
from shoal.kernels.box.neighbour import (
    distance_of,
    fill_distances,
    find_farthest,
    list_nearest,
    spread_of,
)
from shoal.kernels.box.space import BILLIONTH, SET, Space, lose_runs, lose_union
from shoal.kernels.graph.weight import weigh
from shoal.method.graph.edge import columns_of, weights_of
from shoal.method.repair import Workshop
from shoal.table import Table
from shoal.table.partition import Partition
from shoal.table.space import metric_of, packed_codes, space_of
from tests.cases import random_case, task_of
from tests.papers import naive
from tests.papers.graph import twin as graph_twin
from tests.papers.naive import Field, Text
from tests.test_graph import column_of

SPACES: dict[str, Callable[[Table], Space]] = {
    "glm": lambda table: space_of(table.quasi, "glm"),
    "ncp": lambda table: space_of(table.quasi, "ncp"),
    "infoloss": lambda table: space_of(table.quasi, "infoloss"),
    "f_dis": lambda table: metric_of(table.quasi),
    "normalised": lambda table: metric_of(table.quasi, normalise=True),
}


def _infoloss(field: Field, values: set[Text]) -> float:
    """Equation 2 of QI-MHSA: of (m - 1)/(n - 1) the same with n below."""
    lost = naive.glm(field, values)
    n = len(field.values)
    return lost if field.is_range else lost * max(n - 1, 1) / n


def _f_dis(field: Field, values: set[Text], normalise: bool = False) -> float:
    numbers = {None if v is None else field.number(v) for v in values} if field.is_range else values
    return graph_twin.f_dis(column_of(field), list(numbers), normalise)


DEFINITIONS: dict[str, Callable[[Field, set[Text]], float]] = {
    "glm": naive.glm,
    "ncp": naive.ncp,
    "infoloss": _infoloss,
    "f_dis": _f_dis,
    "normalised": lambda field, values: _f_dis(field, values, normalise=True),
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


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("block", range(3))
def test_a_union_loses_what_the_definition_says(name: str, block: int) -> None:
    rng = random.Random(block)
    for case, _, space in spaces(name, block):
        for j, field in enumerate(case.quasi):
            if name == "infoloss" and field.tree and field.kind in ("numeric", "date"):
                continue  # by the length of intervals: the twin of QI-MHSA compares those
            present = sorted({field.values.index(v) for v in field.cells})
            for _ in range(6):
                codes = rng.sample(present, rng.randint(1, len(present)))
                want = DEFINITIONS[name](field, {field.values[c] for c in codes})
                assert lose(space, j, codes) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("name", SPACES)
def test_runs_lose_what_their_unions_do(name: str) -> None:
    for _, table, space in spaces(name, 0):
        for j, column in enumerate(packed_codes(table).T):
            codes = np.unique(column).astype(np.int64)
            out, m = np.empty(len(codes)), len(codes)
            for step in (1, -1):
                lose_runs(space, j, codes, m, step, out)
                runs = [codes[: i + 1] if step == 1 else codes[i:] for i in range(m)]
                assert out.tolist() == pytest.approx([lose(space, j, r) for r in runs], abs=1e-12)


def _elements(table: Table, space: Space, grown: bool) -> tuple[Any, ...]:
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


@pytest.mark.parametrize("grown", [False, True])
@pytest.mark.parametrize("name", ["glm", "ncp", "infoloss"])
def test_the_distance_of_elements_is_what_their_rows_lose(name: str, grown: bool) -> None:
    """Equations 16 to 18, and the index search, which computes them its own way."""
    for _, table, space in spaces(name, 1):
        boxes, sets, codes, members, rows = _elements(table, space, grown)
        n, d = len(members), len(space.form)
        growing = room_to_grow(int(space.start[-1]), d)
        index, items = room_for_index(n, d), np.arange(n, dtype=np.int32)
        build(index, items, space, boxes)
        empty_class(growing, space)
        chosen = list(range(0, n, 4))
        for e in chosen:
            take_in(growing, space, boxes, np.int64(e), sets, codes)
            remove(index, np.int64(e), boxes)
        own = np.vstack([members[e] for e in chosen])
        left = [e for e in range(n) if e not in chosen]
        n_own, before = sum(float(rows[e]) for e in chosen), union_of(space, own)
        want = {}
        for e in left:
            both = union_of(space, np.vstack([own, members[e]]))
            alone = union_of(space, members[e])
            want[e] = float(rows[e]) * (both - alone) + n_own * (both - before)
            found = distance(growing, space, boxes, np.int64(e), sets, codes)
            assert found == pytest.approx(want[e], abs=1e-9)
        room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
        search = plain(find_nearest)
        away, nearest, following = search(
            index, growing, space, boxes, sets, codes, room, np.inf, False
        )
        if not left:
            assert nearest == NOBODY
            continue
        assert away == pytest.approx(min(want.values()), abs=1e-9)
        assert want[nearest] == pytest.approx(away, abs=1e-9)
        others = [w for e, w in want.items() if e != nearest]
        assert following <= min(others, default=np.inf) + 1e-9
        _, first, _ = search(index, growing, space, boxes, sets, codes, room, away + 1e-9, True)
        assert first == min(e for e, w in want.items() if w <= away + 1e-9)


def test_distances_to_a_group_are_those_that_classes_grow_by() -> None:
    for _, table, space in spaces("glm", 2):
        boxes, no_sets, none, members, _ = _elements(table, space, grown=False)
        growing = room_to_grow(int(space.start[-1]), len(space.form))
        group, out = np.arange(0, len(members), 5), np.empty(len(members))
        list_distances(space, boxes, group, growing, no_sets, none, out)
        for e, found in enumerate(out.tolist()):
            assert found == distance(growing, space, boxes, np.int64(e), no_sets, none)


@pytest.mark.parametrize("name", SPACES)
def test_searches_for_neighbours_find_what_all_distances_say(name: str) -> None:
    for _, table, space in spaces(name, 2):
        codes = packed_codes(table)
        n, d = codes.shape
        boxes = boxes_of_people(codes, np.ones(n, dtype=np.int64))
        matrix = np.zeros((n, n))
        fill_distances(space, codes, matrix)
        for p in range(n):
            for q in range(n):
                pair = codes[[p, q]]
                assert matrix[p, q] == pytest.approx(union_of(space, pair), abs=1e-12)
        ticks = np.rint(matrix * BILLIONTH).astype(np.int64)
        index = room_for_index(n, d)
        build(index, np.arange(n, dtype=np.int32), space, boxes)
        room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
        near, far = np.empty(n, np.int64), np.empty(n, np.int64)
        for q in range(0, n, 5):
            assert distance_of(space, boxes.ends, q, 0) == ticks[q, 0]
            order = sorted((int(ticks[q, e]), e) for e in range(n) if e != q)[:4]
            found = plain(list_nearest)(
                index, space, boxes.ends, q, 4, np.iinfo(np.int64).max, room, near, far
            )
            assert list(zip(far[:found].tolist(), near[:found].tolist(), strict=True)) == order
            farthest = plain(find_farthest)(index, space, boxes.ends, q, room)
            assert farthest == min(range(n), key=lambda e, q=q: (-int(ticks[q, e]), e))


@pytest.mark.parametrize("tabled", [True, False])
@pytest.mark.parametrize("name", ["glm", "f_dis", "normalised"])
def test_edges_weigh_what_their_ends_lose(
    name: str, tabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables of pairs and steps of trees against the metric; steps of glm differ by their mean."""
    if not tabled:
        monkeypatch.setattr("shoal.method.graph.edge._TABLED", 0)
        monkeypatch.setattr("shoal.method.graph.edge._TABLED_TREE", 0)
    forms = None if tabled or name != "glm" else ("range", "halves", "set", "ordinal", "date")
    for _, table, space in spaces(name, 1, forms):
        codes = packed_codes(table)
        weights, columns = weights_of(table, codes, space), columns_of(table, space)
        for p in range(0, len(codes), 3):
            for q in range(len(codes)):
                want = pytest.approx(spread_of(space, codes, p, codes, q), abs=1e-9)
                assert plain(weigh)(*weights, p, q) == want
                assert sum(float(c.between(np.array(p), np.array(q))) for c in columns) == want


@pytest.mark.parametrize("objective", ["glm", "ncp", "infoloss"])
def test_merging_classes_adds_what_their_unions_lose(objective: str) -> None:
    for case, table, space in spaces(objective, 0):
        codes = packed_codes(table)
        unit_class = (np.arange(len(codes)) % min(5, len(codes))).astype(np.int32)
        parts = [codes[unit_class == c] for c in range(int(unit_class.max()) + 1)]
        partition = Partition(unit_class, len(parts))
        work = Workshop(table, task_of(case).requirements, partition, objective)
        lost = [len(part) * union_of(space, part) for part in parts]
        assert (work.lost * work.sizes).tolist() == pytest.approx(lost, abs=1e-9)
        for c, own in enumerate(parts):
            added = {
                other: (len(own) + len(part)) * union_of(space, np.vstack([own, part]))
                - lost[c]
                - lost[other]
                for other, part in enumerate(parts)
                if other != c
            }
            found, least, _ = work.nearest(c)
            assert (found < 0) == (not added)
            if added:
                assert least == pytest.approx(min(added.values()), abs=1e-9)
                assert added[found] == pytest.approx(least, abs=1e-9)
