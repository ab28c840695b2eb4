"""Classes whose members come and go, against what their members say at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from shoal.kernels.box.space import SET
from shoal.kernels.polish import group
from shoal.kernels.polish.group import NOBODY
from tests.kernels.box.small import plain, union_of
from tests.kernels.polish.small import Boxes, boxes, every_form

__all__ = ["boxes"]


def chain(found: Boxes, c: int) -> list[int]:
    """The members of a class as the chain has them."""
    numbers, u = [], int(found.groups.head[c])
    while u != NOBODY:
        numbers.append(u)
        u = int(found.groups.following[u])
    return numbers


def expect(found: Boxes, c: int, members: list[int]) -> None:
    """Assert that class c covers, counts and loses what these members do."""
    metric, groups, units = found.metric, found.groups, found.units
    codes = units.codes[members]
    assert groups.low[c].tolist() == codes.min(axis=0).tolist()
    assert groups.high[c].tolist() == codes.max(axis=0).tolist()
    assert groups.size[c] == len(members)
    assert groups.rows[c] == units.rows[members].sum()
    assert groups.lost[c] == pytest.approx(union_of(metric.space, codes), abs=1e-12)
    for j in np.flatnonzero(metric.space.form == SET):
        words = groups.words[c, metric.word[j] : metric.word[j + 1]].tolist()
        bits = sum(int(word) << 64 * i for i, word in enumerate(words))
        assert bits == sum({1 << int(code) for code in codes[:, j]})


@every_form
def test_classes_are_what_their_members_say(boxes: Iterator[Boxes]) -> None:
    for found in boxes:
        for c, members in enumerate(found.members):
            assert chain(found, c) == members.tolist()
            expect(found, c, members.tolist())


@every_form
def test_one_goes_and_the_class_stays_as_it_was(boxes: Iterator[Boxes]) -> None:
    for found in boxes:
        metric, groups, units, spare = *found[:3], len(found.members)
        for c, members in enumerate(found.members):
            for gone in members.tolist() if len(members) > 1 else ():
                rest = [u for u in members.tolist() if u != gone]
                need = plain(group.rid)(metric, groups, c, units, gone, spare)
                assert need == units.asked[rest].max()
                expect(found, spare, rest)
                assert chain(found, c) == members.tolist()


@every_form
def test_a_copy_is_the_class_with_its_members(boxes: Iterator[Boxes]) -> None:
    for found in boxes:
        spare = len(found.members) + 1
        for c, members in enumerate(found.members):
            plain(group.copy_group)(found.groups, c, spare)
            assert chain(found, spare) == members.tolist()
            expect(found, spare, members.tolist())


@every_form
def test_what_a_class_costs(boxes: Iterator[Boxes]) -> None:
    for found in boxes:
        for c, members in enumerate(found.members):
            rows = found.units.rows[members].sum()
            loss = union_of(found.metric.space, found.units.codes[members])
            assert plain(group.cost_of)(found.groups, c, False) == pytest.approx(loss * rows)
            assert plain(group.cost_of)(found.groups, c, True) == rows**2
