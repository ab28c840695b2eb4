"""Top-Down against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.method import TopDown
from shoal.recode import generalise
from tests.papers.mhsa import twin as twin
from tests.papers.mhsa.cases import random_flagged, twin_table


@pytest.mark.parametrize("seed", range(150))
def test_the_same_classes_and_labels_as_the_twin(seed: int) -> None:
    case = random_flagged(seed, ladders=True)
    task = case.task()
    table = twin_table(task.table)
    kinds = [case.kind or "distinct"] * 2

    def diverse(rows: list[int]) -> bool:
        return twin.diverse(table, rows, case.l, kinds)

    if len(table.rows) < case.k or not diverse(list(range(len(table.rows)))):
        pytest.skip("the whole table does not hold")
    expected = twin.top_down(table, case.k, [diverse])
    found = TopDown().partition(task)
    classes = [np.flatnonzero(found.unit_class == c).tolist() for c in range(found.n_classes)]
    assert sorted(classes) == expected.classes
    labels = generalise(task.table, found)
    for row in range(len(table.rows)):
        wanted = [x.text for x in twin.cut_labels(table, expected.levels, row)]
        assert [x.texts[x.of_class[found.unit_class[row]]] for x in labels] == wanted
