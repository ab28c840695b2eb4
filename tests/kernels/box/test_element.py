"""Elements: classes that grow, are kept and emptied, and what a union with them loses."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.box.element import (
    bit_of,
    boxes_of_people,
    distance,
    empty_class,
    keep_class,
    list_distances,
    room_for_boxes,
    room_to_grow,
    take_in,
)
from shoal.kernels.box.space import SET
from shoal.table.space import packed_codes
from tests.kernels.box.small import elements, spaces, union_of


@pytest.mark.parametrize("grown", [False, True])
@pytest.mark.parametrize("name", ["glm", "ncp", "infoloss"])
def test_the_distance_of_elements_is_what_their_rows_lose(name: str, grown: bool) -> None:
    """Equations 16 to 18 of identity-reserved anonymity."""
    for _, table, space in spaces(name, 1):
        boxes, sets, codes, members, rows = elements(table, space, grown)
        growing = room_to_grow(int(space.start[-1]), len(space.form))
        empty_class(growing, space)
        chosen = range(0, len(members), 4)
        for e in chosen:
            take_in(growing, space, boxes, np.int64(e), sets, codes)
        own = np.vstack([members[e] for e in chosen])
        n_own, before = sum(float(rows[e]) for e in chosen), union_of(space, own)
        for e in set(range(len(members))) - set(chosen):
            both = union_of(space, np.vstack([own, members[e]]))
            want = float(rows[e]) * (both - union_of(space, members[e])) + n_own * (both - before)
            found = distance(growing, space, boxes, np.int64(e), sets, codes)
            assert found == pytest.approx(want, abs=1e-9)


def test_distances_to_a_group_are_those_that_classes_grow_by() -> None:
    for _, table, space in spaces("glm", 2):
        boxes, no_sets, none, members, _ = elements(table, space, grown=False)
        growing = room_to_grow(int(space.start[-1]), len(space.form))
        group, out = np.arange(0, len(members), 5), np.empty(len(members))
        list_distances(space, boxes, group, growing, no_sets, none, out)
        for e, found in enumerate(out.tolist()):
            assert found == distance(growing, space, boxes, np.int64(e), no_sets, none)


def test_a_class_that_is_kept_is_an_element_with_its_codes() -> None:
    """Kept in room for one code only, which must grow; then taken in again by an empty class."""
    for _, table, space in spaces("glm", 3):
        points = packed_codes(table)
        n, d = points.shape
        people = boxes_of_people(points, np.arange(1, n + 1))
        growing, kept = room_to_grow(int(space.start[-1]), d), room_for_boxes(2, d)
        sets, no_sets = np.empty((2, 2 * d), np.int64), np.empty((0, 2 * d), np.int64)
        codes, used = np.empty(1, np.int32), np.int64(0)
        parts = [own for own in (np.arange(0, n, 2), np.arange(1, n, 2)) if len(own)]
        for e, part in enumerate(parts):
            empty_class(growing, space)
            for p in part:
                take_in(growing, space, people, p, no_sets, codes)
            codes, used = keep_class(growing, space, kept, np.int64(e), sets, codes, used)
        for e, part in enumerate(parts):
            own = points[part]
            assert kept.ends[e].tolist() == [*own.min(axis=0), *own.max(axis=0)]
            assert kept.loss[e, :d].sum() == pytest.approx(union_of(space, own), abs=1e-12)
            assert kept.loss[e, d] == (part + 1).sum()
            for j in range(d):
                want = set(own[:, j].tolist()) if space.form[j] == SET else set()
                listed = codes[sets[e, j] : sets[e, d + j]].tolist()
                assert sorted(listed) == sorted(want)
        empty_class(growing, space)
        assert not growing.inside.any()
        for e in range(len(parts)):
            take_in(growing, space, kept, np.int64(e), sets, codes)
        assert growing.loss[d] == pytest.approx(union_of(space, points), abs=1e-12)
        assert growing.loss[d + 1] == n * (n + 1) / 2


@pytest.mark.parametrize("n_codes", [1, 63, 64, 65, 1000])
def test_codes_share_64_bits_in_order(n_codes: int) -> None:
    bits = [int(bit_of(code, n_codes)) for code in range(n_codes)]
    assert bits == sorted(bits)
    assert set(bits) == set(range(min(n_codes, 64)))
