"""LGB against its slow twin and the paper's own example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shoal.method import LGBMDP, LGBNCP, METHODS
from shoal.method.lgb.generalisation import share_threads
from shoal.table.partition import SUPPRESSED, Partition
from tests.papers.lgb import twin as twin
from tests.papers.lgb.cases import Secrets, random_secrets, twin_table

_STATES = (twin.PUBLIC, twin.SECRET, twin.WITHHELD)


def _groups(partition: Partition) -> set[tuple[tuple[int, ...], tuple[str, ...]]]:
    assert partition.pattern is not None
    return {
        (
            tuple(np.flatnonzero(partition.unit_class == c).tolist()),
            tuple(_STATES[state] for state in partition.pattern[c].tolist()),
        )
        for c in range(partition.n_classes)
    }


def _twin_groups(parts: list[twin.Part], n_quasi: int) -> set[tuple[Any, ...]]:
    return {(part.rows, part.pattern[:n_quasi]) for part in parts}


@pytest.mark.parametrize("seed", range(120))
def test_mdp_cuts_as_the_twin_does(seed: int) -> None:
    case = random_secrets(seed)
    task = case.task()
    table = twin_table(task.table)
    parts, suppressed = twin.join_undersized(table, case.k)
    expected = [c for p in parts for c in twin.mdp_classes(table, p, case.k)]
    found = LGBMDP().partition(task)
    assert _groups(found) == _twin_groups(expected, len(task.table.quasi))
    assert np.flatnonzero(found.unit_class == SUPPRESSED).tolist() == suppressed


@pytest.mark.parametrize("threads", [1, 2, 3, 8, 64])
def test_parts_that_are_cut_at_once_have_no_more_threads_than_there_are(threads: int) -> None:
    draw = np.random.default_rng(threads)
    for n_parts in (1, 2, 3, 10, 100):
        sizes = (draw.pareto(1.0, n_parts) * 100 + 1).astype(int).tolist()
        at_once, own = share_threads(threads, sizes)
        assert at_once >= 1
        assert min(own) >= 1
        assert sum(sorted(own)[-at_once:]) <= threads


def test_threads_do_not_show() -> None:
    for seed in range(20):
        task = random_secrets(seed).task()
        one, several = (LGBMDP().partition(replace(task, threads=n)) for n in (1, 5))
        assert _groups(one) == _groups(several)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("seed", range(100))
def test_ncp_halves_as_the_twin_does(seed: int, balanced: bool) -> None:
    case = random_secrets(seed, n_rows=10 + seed % 31)
    task = case.task("lgb-ncp", seed)
    table = twin_table(task.table)
    parts, _ = twin.join_undersized(table, case.k)
    expected = [c for p in parts for c in _twin_halves(table, p, case, seed, balanced)]
    found = LGBNCP(balanced=balanced).partition(task)
    assert _groups(found) == _twin_groups(expected, len(task.table.quasi))


def _twin_halves(
    table: twin.Table, part: twin.Part, case: Secrets, seed: int, balanced: bool
) -> list[twin.Part]:
    order = np.random.default_rng([seed, part.rows[0]]).permutation(len(part.rows)).tolist()
    rank = {part.rows[row]: place for place, row in enumerate(order)}
    if not part.public:
        return [part]
    return twin.ncp_classes(
        table, part, case.k, lambda rows: sorted(rows, key=rank.__getitem__), balanced
    )


def test_both_are_registered() -> None:
    assert {"lgb-mdp", "lgb-ncp"} <= set(METHODS)
