"""The counts of a run, and the k that its measures compare with."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.measure import _required_k
from shoal.model import KAnonymity
from shoal.plan import Plan
from shoal.table import encode
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS

K: dict[str, Any] = {"k-anonymity": {"k": 2}}


def test_the_largest_k_of_all_models_is_required() -> None:
    roles = {"age": {"role": "quasi", "kind": "numeric"}}
    plan = Plan.of({"attributes": roles, "privacy": [K]})
    table = encode(pl.DataFrame({"age": [1, 2, 3]}), plan.schema)
    assert _required_k([], table) is None
    found = _required_k([KAnonymity(k=2), KAnonymity(k=3)], table)
    assert found is not None
    assert np.array_equal(found, [3, 3, 3])


def test_rows_are_counted_once_each() -> None:
    """Of five rows one repeats another, and two are published for each of two people."""
    frame = pl.DataFrame({"who": list("aaabb"), "age": [1] * 5, "ill": list("xxyxy")})
    roles = {"who": "identifier", "age": "quasi", "ill": "sensitive"}
    plan = {"attributes": roles, "privacy": [K], "individual": "who", "seed": 1}
    counts = shoal.run(plan, frame).counts
    assert (counts.rows, counts.repeated, counts.published, counts.suppressed) == (5, 1, 4, 0)
    assert (counts.people, counts.classes) == (2, 1)
    assert counts.withheld is counts.withheld_rows is None


@pytest.mark.parametrize(("k", "withheld"), [(2, 0), (3, 3)])
def test_withheld_cells_are_counted_where_secrets_are_kept(k: int, withheld: int) -> None:
    privacy = [
        {"k-anonymity": {"k": k}},
        *({"l-diversity": {"attribute": n, "l": 2}} for n in ("age", "zip", "disease")),
    ]
    plan = {"attributes": PATIENT_ATTRIBUTES, "privacy": privacy, "method": "lgb-mdp", "seed": 1}
    release = shoal.run({**plan, "suppression": {"limit": 1.0}}, PATIENTS)
    assert (release.counts.withheld, release.counts.withheld_rows) == (withheld, withheld)
