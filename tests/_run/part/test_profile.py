"""The distinct cells of a table, whatever its batches."""

from __future__ import annotations

from functools import reduce

from shoal._run.part.profile import CellProfile, Profiler
from shoal.plan import Plan
from tests._run.part.table import people, plan_of


def test_batches_add_up() -> None:
    profiler = Profiler(Plan.of(plan_of(missing=["n5", "Ulm"])))
    frame = people()
    whole = profiler(frame).in_order()
    parts = reduce(CellProfile.merge, map(profiler, frame.iter_slices(90))).in_order()
    assert whole.n_rows == parts.n_rows == 600
    assert set(whole.cells) == {"age", "town", "pay", "ill"}
    assert all(own.equals(parts.cells[name]) for name, own in whole.cells.items())
    assert int(whole.cells["town"]["n"].sum()) == 600
    assert whole.matched["name"] == parts.matched["name"] == {"n5"}
