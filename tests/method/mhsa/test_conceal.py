"""Concealing what symbols give away, against the twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError
from shoal.method.mhsa.conceal import conceal
from shoal.method.mhsa.leak import leaks
from shoal.method.mhsa.symbol import flagged, show
from tests.papers.mhsa import twin as twin
from tests.papers.mhsa.cases import partition_of, random_flagged, twin_table

NUMERIC = ("interval", "one-sided", "by-flag")
NAMES = ("pay", "ill")


def _expected(
    table: twin.Table,
    classes: Any,
    l: int,  # noqa: E741
    orders: Any,
) -> tuple[twin.State | None, dict[int, int]]:
    try:
        return twin.conceal(table, classes, l, orders, "quasi")[-1], {}
    except twin.NotPossibleError as error:
        return None, error.largest


@pytest.mark.parametrize("numeric", NUMERIC)
@pytest.mark.parametrize("seed", range(80))
def test_concealing_ends_where_the_twin_ends(seed: int, numeric: Any) -> None:
    case = random_flagged(seed, n_rows=10 + seed % 20)
    task = case.task()
    coded = task.table
    table = twin_table(coded, numeric, "shown")
    classes = twin.k_division(table, case.k)
    lots = {
        name: np.random.default_rng([seed, a]).random(table.size) for a, name in enumerate(NAMES)
    }
    orders = [np.argsort(lots[name]).tolist() for name in NAMES]
    attributes = flagged(coded, numeric, all_of_them=True, passes_over=True)
    start = partition_of(classes, table.size)
    asked = dict.fromkeys(NAMES, case.l)

    def run() -> Any:
        return conceal(coded, start, task.requirements, attributes, asked, lots.__getitem__)

    expected, impossible = _expected(table, classes, case.l, orders)
    if expected is None:
        with pytest.raises(InfeasibleError) as refused:
            run()
        told = {p.text.split("'")[1] for p in refused.value.problems}
        assert told == {NAMES[a] for a in impossible}
        return
    partition, lifted = run()
    found = [np.flatnonzero(partition.unit_class == c).tolist() for c in range(partition.n_classes)]
    assert sorted(found) == expected.classes
    for a, name in enumerate(NAMES):
        assert lifted[name].tolist() == [levels[a] for levels in expected.lifted]
    shown = show(attributes, partition.unit_class, lifted)
    for leak in leaks(attributes, shown, partition.unit_class).values():
        assert max(leak.cell_worst, leak.person_worst) <= 1 / case.l + 1e-9


def test_where_one_sided_symbols_ignore_flags_the_highest_go_to_the_root_first() -> None:
    """Only the first class must show `*`, for 20 thrice and 50: two further cells have to join."""
    frame = pl.DataFrame(
        {
            "age": [1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9],
            "pay": [20, 20, 20, 50, 10, 10, 20, 30, 60, 60, 70, 80],
            "flag": [2] * 10 + [0] * 2,
        }
    )
    pay = {"role": "sensitive", "kind": "numeric", "hierarchy": {"intervals": [35]}, "flag": "flag"}
    plan = {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "pay": pay, "flag": "flag"},
        "privacy": [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2, "kind": "distinct"}}],
        "method": {"qi-mhsa": {"numeric": "one-sided", "conceal": True}},
        "seed": 3,
    }
    release = shoal.run(plan, frame)
    shown = release.frame["pay"].to_numpy()
    hidden = release.origin[shown == "*"]
    assert {0, 1, 2, 3} < set(hidden.tolist())
    assert frame["flag"][hidden].to_list() == [2] * 6
