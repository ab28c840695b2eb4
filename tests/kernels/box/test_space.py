"""The one metric against the definitions; each kernel that computes it its own way has its test.

Spaces are random: ranges, sets, trees of one and of several tops, missing values among them.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from shoal.kernels.box.space import lose_runs
from shoal.method.workshop import Workshop
from shoal.table.partition import Partition
from shoal.table.space import packed_codes
from tests.cases import task_of
from tests.kernels.box.small import SPACES, lose, spaces, union_of
from tests.papers import naive
from tests.papers.graph import twin as graph_twin
from tests.papers.naive import Field, Text
from tests.test_graph import column_of


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
