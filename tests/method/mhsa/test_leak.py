"""What symbols give away: against the twin, and by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shoal.method.mhsa.leak import Leak, Posterior, leaks
from shoal.method.mhsa.symbol import Sensitive, ShownColumn, flagged, show
from shoal.plan import Plan
from shoal.table import encode
from tests.papers.mhsa import twin as twin
from tests.papers.mhsa.cases import (
    PATIENTS,
    partition_of,
    patients_plan,
    random_flagged,
    twin_table,
)


def _same_leak(found: Leak, expected: dict[str, Fraction]) -> None:
    for name, risk in expected.items():
        assert getattr(found, name.replace(" ", "_")) == pytest.approx(float(risk), abs=1e-12)


@pytest.mark.parametrize("numeric", ["interval", "one-sided", "by-flag"])
@pytest.mark.parametrize("seed", range(60))
def test_cells_leak_what_the_twin_says(seed: int, numeric: Any) -> None:
    case = random_flagged(seed)
    coded = case.coded()
    table = twin_table(coded, numeric)
    classes = twin.k_division(table, case.k)
    expected = twin.publish(table, classes)
    row_class = partition_of(classes, table.size).unit_class
    attributes = flagged(coded, numeric, all_of_them=True)
    found = leaks(attributes, show(attributes, row_class), row_class)
    for a, name in enumerate(("pay", "ill")):
        _same_leak(found[name], twin.leak(table, expected, a))


def _disease() -> tuple[Sensitive, ShownColumn]:
    table = encode(PATIENTS, Plan.parse(patients_plan()).schema)
    disease = Sensitive.of(table, "disease", "by-flag", passes_over=False)
    return disease, disease.cells(np.zeros(10, np.int32), np.zeros(10, np.int16))


def test_the_posterior_of_a_symbol_is_the_share_of_its_values() -> None:
    """Behind "comorbities" are Diabetes twice and Hypertension once, behind "*" three viruses."""
    disease, cells = _disease()
    found = Posterior.of(disease, cells)
    place = {text: g for g, text in enumerate(cells.texts)}
    share = found.share.toarray()
    assert sorted(share[place["comorbities"]][share[place["comorbities"]] > 0]) == pytest.approx(
        [1 / 3, 2 / 3]
    )
    assert (found.most[place["*"]], found.total[place["*"]]) == (1, 3)
    assert (found.most[place["Flu"]], found.total[place["Flu"]]) == (2, 2)
    assert sorted(found.of_cells(disease, cells)) == pytest.approx([1 / 3] * 3 + [2 / 3] * 3)


def test_a_release_of_nobody_leaks_nothing() -> None:
    disease, _ = _disease()
    nobody = np.full(10, -1, np.int32)
    cells = disease.cells(nobody, np.zeros(10, np.int16))
    assert leaks({"d": disease}, {"d": cells}, nobody) == {"d": Leak(0.0, 0.0, 0.0, 0.0)}
