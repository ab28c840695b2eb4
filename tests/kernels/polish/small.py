"""Classes of random tables of all forms, their kernels as Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from shoal.kernels.polish import group, search
from shoal.kernels.polish.group import Metric, PolishedGroups, Units
from shoal.method.polish import _metric_of, _room
from shoal.table.space import packed_codes
from tests.kernels.box.small import plain, spaces

# What the kernels of a module call, by the module that names it.
CALLED = {
    group: ("clear_group", "count_bits", "join", "lose_group"),
    search: ("count_bits",),
}


class Boxes(NamedTuple):
    """Classes, the members of each by number, and the units that are in none."""

    metric: Metric
    groups: PolishedGroups
    units: Units
    members: list[np.ndarray]
    pool: np.ndarray


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch, tabled: int, objective: str) -> Iterator[Boxes]:
    """Classes of random tables. Kernels run as Python, in which chance shifts nothing."""
    monkeypatch.setattr("shoal.method.polish._TABLED", tabled)
    monkeypatch.setattr(search, "draw", lambda _: 2**52)
    for module, names in CALLED.items():
        for name in names:
            monkeypatch.setattr(module, name, plain(getattr(module, name)))
    return _boxes(objective)


def _boxes(objective: str) -> Iterator[Boxes]:
    for _, coded, _ in spaces(objective, 0):
        codes = packed_codes(coded)
        n = len(codes)
        n_in, n_classes = n - n // 4, max(n // 4, 1)
        metric = _metric_of(coded, objective)
        units = Units(codes, 1.0 + np.arange(n) % 3, np.arange(n) % 5)
        groups = _room(metric, n, n_classes + 2, n_classes)
        own = np.arange(n, dtype=np.int64) % n_classes
        plain(group.fill_groups)(metric, units, np.arange(n_in), own, groups)
        members = [np.flatnonzero(own[:n_in] == c) for c in range(n_classes)]
        yield Boxes(metric, groups, units, members, np.arange(n_in, n))


def every_form(test: Any) -> Any:
    """Each objective; small trees as tables of pairs, and none."""
    test = pytest.mark.parametrize("objective", ["glm", "ncp", "infoloss"])(test)
    return pytest.mark.parametrize("tabled", [1_000, 0])(test)
