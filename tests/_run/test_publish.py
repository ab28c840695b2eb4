"""The stages from classes to published tables, one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal._run import publish
from shoal._run.code import CodedInput, code
from shoal._run.engine import LocalEngine
from shoal._run.publish import label, lay_out, may_be_unmet, order, verify
from shoal._run.read import read_input
from shoal.errors import VerificationError
from shoal.plan import Plan
from shoal.recode import Concealed
from shoal.schema import Verdict
from shoal.table.partition import Partition

FRAME = pl.DataFrame({"age": [1, 2, 8, 9, 5], "ill": list("xyxyz")})
PLAN = Plan.of(
    {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "suppression": {"limit": 0.2},
    }
)


def _staged(unit_class: list[int]) -> tuple[CodedInput, publish.Ordered]:
    coded = code(PLAN, read_input(PLAN, FRAME, LocalEngine()), seed=4)
    partition = Partition(np.array(unit_class, dtype=np.int32), max(unit_class) + 1)
    concealed = Concealed.nothing(coded.table, partition, PLAN.method.display)
    return coded, order(PLAN, coded, label(PLAN, coded, concealed))


def test_suppressed_rows_are_left_out_and_classes_numbered_as_they_appear() -> None:
    coded, ordered = _staged([1, 1, 0, 0, -1])
    assert sorted(ordered.rows.tolist()) == [0, 1, 2, 3]
    published = lay_out(PLAN, coded, ordered)
    assert published.classes[4] == -1
    first = published.classes[ordered.rows]
    assert first[0] == 1
    assert sorted(set(first.tolist())) == [1, 2]
    cells = published.tables["data"]["age"].cast(pl.String).to_list()
    want = {0: "[1, 2]", 1: "[1, 2]", 2: "[8, 9]", 3: "[8, 9]"}
    assert cells == [want[row] for row in ordered.rows.tolist()]


def test_what_holds_is_passed_on_with_its_verdicts() -> None:
    coded, ordered = _staged([0, 0, 1, 1, -1])
    [verdict] = verify(PLAN, lay_out(PLAN, coded, ordered)).verdicts
    assert (verdict.holds, verdict.asked, verdict.reached) == (True, 2, 2)


def test_a_class_that_is_too_small_is_named() -> None:
    coded, ordered = _staged([0, 0, 1, 1, 2])
    with pytest.raises(VerificationError, match="required 2, achieved 1, 1 fail"):
        verify(PLAN, lay_out(PLAN, coded, ordered))


@pytest.mark.parametrize("holds", [False, None])
def test_what_the_verifier_cannot_confirm_does_not_pass(
    holds: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    coded, ordered = _staged([0, 0, 1, 1, -1])
    published = lay_out(PLAN, coded, ordered)
    unsure = (Verdict("k-anonymity (k = 2)", holds, 2, 2),)
    monkeypatch.setattr(publish, "verify_release", lambda _: unsure)
    with pytest.raises(VerificationError, match="k-anonymity"):
        verify(PLAN, published)


def test_only_requirements_that_the_method_may_miss_may_be_unmet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert may_be_unmet(PLAN) == frozenset()
    lax: Any = type("Lax", (type(PLAN.method),), {"may_miss": lambda self, model: True})()
    assert may_be_unmet(replace(PLAN, method=lax)) == {str(PLAN.models[0].requirement())}
