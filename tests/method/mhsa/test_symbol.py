"""What cells show, by their flags and their classes: against the twin, and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.method.mhsa.symbol import Sensitive, SymbolTree, flagged, show
from shoal.plan import Plan
from shoal.table import Table, encode
from shoal.table.partition import SUPPRESSED
from tests.papers.mhsa import twin as twin
from tests.papers.mhsa.cases import (
    PATIENTS,
    partition_of,
    patients_plan,
    random_flagged,
    twin_table,
)


def _patients() -> Table:
    return encode(PATIENTS, Plan.parse(patients_plan()).schema)


def _shown(one: Sensitive, row_class: Any, lifted: Any = None) -> list[str | None]:
    lifted = np.zeros(len(row_class), np.int16) if lifted is None else lifted
    cells = one.cells(np.asarray(row_class, dtype=np.int32), lifted)
    return [cells.texts[s] if s >= 0 else None for s in cells.symbol]


@pytest.mark.parametrize("numeric", ["interval", "one-sided", "by-flag"])
@pytest.mark.parametrize("seed", range(60))
def test_cells_show_what_the_twin_says(seed: int, numeric: Any) -> None:
    case = random_flagged(seed)
    coded = case.coded()
    table = twin_table(coded, numeric)
    classes = twin.k_division(table, case.k)
    expected = twin.publish(table, classes)
    attributes = flagged(coded, numeric, all_of_them=True)
    found = show(attributes, partition_of(classes, table.size).unit_class)
    for a, name in enumerate(("pay", "ill")):
        cells = found[name]
        assert [cells.texts[s] for s in cells.symbol] == expected.texts(a)
        losses = [float(row[a].infoloss) for row in expected.sensitive]
        assert cells.loss.tolist() == pytest.approx(losses, abs=1e-12)


def test_flags_lift_the_diseases_of_the_paper() -> None:
    """High: the root; middle: one level up; low: the value itself."""
    disease = Sensitive.of(_patients(), "disease", "by-flag", passes_over=False)
    assert _shown(disease, [0] * 10) == [
        "Flu", "comorbities", "*", "Pneumonia", "*", "comorbities", "*", "Bronchitis", "Flu",
        "comorbities",
    ]  # fmt: skip
    lifted = np.zeros(10, np.int16)
    lifted[0] = 1
    assert _shown(disease, [0] * 10, lifted)[0] == "respiratory problems"


def test_rows_without_a_class_show_nothing() -> None:
    disease = Sensitive.of(_patients(), "disease", "by-flag", passes_over=False)
    assert _shown(disease, [SUPPRESSED] * 9 + [0]) == [None] * 9 + ["comorbities"]


def test_one_sided_is_the_largest_cut_that_is_reached_or_the_smallest_that_is_not() -> None:
    """Incomes 35 to 51 thousand, below and above; cuts at 30, 40 and 50 thousand."""
    income = Sensitive.of(_patients(), "income", "one-sided", passes_over=False)
    found = _shown(income, [0, 0, 1, 1, 2, 2, 1, 3, 3, 3])
    assert [found[row] for row in (0, 2, 4, 7)] == [">=30000", "<30000", ">=40000", ">=30000"]


def test_only_flagged_attributes_show_symbols_unless_all_are_asked_for() -> None:
    table = _patients()
    assert set(flagged(table)) == {"income", "disease"}
    bare = Table(table.schema, table.columns, table.n_rows)
    assert set(flagged(bare)) == set()
    assert set(flagged(bare, all_of_them=True)) == {"income", "disease"}


def test_without_a_hierarchy_the_root_stands_above_the_values() -> None:
    tree = SymbolTree.of(_patients().columns["age"])
    assert tree.top == 1
    assert tree.texts[tree.root] == "*"
