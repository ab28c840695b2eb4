"""The shard plan: by counts alone, whatever the batches; every shard can hold what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal._run.cut import (
    CutTree,
    Question,
    can_be_counted,
    counted_sensitive,
    plan_cuts,
)
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode
from shoal.table.space import stack_columns


def _required(frame: pl.DataFrame, privacy: list[Any], **quasi: Any) -> Requirements:
    attributes = {**quasi, "ill": {"role": "sensitive", "kind": "categorical"}}
    plan = Plan.of({"attributes": attributes, "privacy": privacy, "method": "mondrian"})
    table = encode(frame, plan.schema)
    return Requirements.of(plan.method.enforced(plan.models), table, plan.models)


def _codes(required: Requirements) -> np.ndarray:
    table = required.table
    quasi = [table.columns[a.name].codes for a in table.schema.quasi]
    return stack_columns([*quasi, *(c.codes for c in counted_sensitive(required))])


def _frame(n: int = 2000) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, n),
            "town": draw.integers(0, 12, n).astype(str),
            "ill": draw.integers(0, 6, n).astype(str),
        }
    )


_QUASI: dict[str, Any] = {
    "age": {"role": "quasi", "kind": "numeric"},
    "town": {"role": "quasi", "kind": "categorical"},
}
_K: list[Any] = [{"k-anonymity": {"k": 5}}]


def test_the_batches_do_not_matter() -> None:
    required = _required(_frame(), _K, **_QUASI)
    codes = _codes(required)
    whole = plan_cuts(required, 300, lambda q: q.count(codes))

    def in_batches(question: Question) -> np.ndarray:
        return sum(question.count(part) for part in np.array_split(codes[::-1], 7))  # type: ignore[return-value]

    parts = plan_cuts(required, 300, in_batches)
    assert all((getattr(whole, n) == getattr(parts, n)).all() for n in ("column", "code", "left"))
    sizes = np.bincount(whole.find(codes))
    assert len(sizes) == whole.n_shards > 5
    assert sizes.max() <= 300
    assert sizes.min() >= 75


def test_a_shard_is_a_box_of_codes() -> None:
    required = _required(_frame(), _K, **_QUASI)
    codes = _codes(required)
    found = plan_cuts(required, 300, lambda q: q.count(codes)).find(codes)
    boxes = [(codes[found == s].min(0), codes[found == s].max(0)) for s in range(found.max() + 1)]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert ((low > other_high) | (other_low > high)).any()


def test_sides_that_cannot_hold_are_joined_again() -> None:
    # Everybody over 50 has the same illness, so that no cut of age near there is possible.
    frame = _frame().with_columns(
        ill=pl.when(pl.col("age") > 50).then(pl.lit("0")).otherwise("ill")
    )
    required = _required(frame, [{"l-diversity": {"l": 3}}], **_QUASI)
    codes = _codes(required)
    found = plan_cuts(required, 300, lambda q: q.count(codes)).find(codes)
    n_values = [len(np.unique(codes[found == s, 2])) for s in range(found.max() + 1)]
    assert len(n_values) > 1
    assert min(n_values) >= 3


def test_rows_that_are_all_alike_stay_together() -> None:
    frame = pl.DataFrame({"age": [30] * 100, "town": ["a"] * 100, "ill": ["x", "y"] * 50})
    required = _required(frame, _K, **_QUASI)
    codes = _codes(required)
    assert plan_cuts(required, 10, lambda q: q.count(codes)).n_shards == 1
    assert CutTree.none().find(codes).tolist() == [0] * 100


def test_people_cannot_be_counted_by_rows() -> None:
    assert can_be_counted(_required(_frame(20), _K, **_QUASI))
    plan = Plan.of(
        {
            "individual": "who",
            "attributes": {"who": "identifier", "age": "quasi", "ill": "sensitive"},
            "privacy": [{"k-anonymity": {"k": 2}}],
        }
    )
    frame = pl.DataFrame({"who": [1, 1, 2, 2], "age": [1, 1, 2, 2], "ill": list("abcd")})
    table = encode(frame, plan.schema)
    assert not can_be_counted(Requirements.of(plan.models, table))
