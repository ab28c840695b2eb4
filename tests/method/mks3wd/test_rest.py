"""What is handed to Mondrian: by hand, and never at a loss."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.method.mks3wd.rest import Rest
from shoal.model import KAnonymity, LDiversity, Model
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Table, encode

BOTTOM, TOP = 0, 1
VISITED = np.array([[0, 0], [1, 1]], dtype=np.int8)


def _table(a: str, b: str, s: str) -> Table:
    quasi = {"role": "quasi", "hierarchy": "flat"}
    attributes = {"a": quasi, "b": quasi, "s": "sensitive"}
    plan = Plan.parse({"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}]})
    return encode(pl.DataFrame({"a": list(a), "b": list(b), "s": list(s)}), plan.schema)


def _improve(table: Table, marks: list[int], *models: Model) -> tuple[list[int], Rest]:
    rest = Rest(table)
    units, tops = np.arange(table.n_units), np.zeros(table.n_units, dtype=np.int32)
    asked = Requirements.of(models, table)
    found = rest.improve(units, np.array(marks, dtype=np.int32), VISITED, tops, 2, asked)
    return found.tolist(), rest


def test_who_is_at_the_top_is_cut_where_that_loses_less() -> None:
    table = _table("xxyyzz", "ppqrst", "uvuvuv")
    marks, rest = _improve(table, [BOTTOM] * 2 + [TOP] * 4, KAnonymity(k=2))
    assert marks[:2] == [BOTTOM, BOTTOM]
    assert [rest.vectors[m - 2] for m in marks[2:]] == [(0, 1)] * 4


def test_what_mondrian_cannot_better_stays_as_it_was() -> None:
    table = _table("xxyyzz", "ppqqrr", "uvuvuv")
    assert _improve(table, [BOTTOM] * 6, KAnonymity(k=2)) == ([BOTTOM] * 6, Rest(table))


def test_what_cannot_hold_stays_as_it_was() -> None:
    table = _table("xxyyzz", "ppqrst", "uuuuuu")
    marks, rest = _improve(table, [TOP] * 6, KAnonymity(k=2), LDiversity(l=2))
    assert (marks, rest.vectors) == ([TOP] * 6, [])


def test_no_class_crosses_a_top() -> None:
    table = _table("xxyyzz", "ppqrst", "uvuvuv")
    rest, asked = Rest(table), Requirements.of([KAnonymity(k=2)], table)
    tops = np.array([0, 0, 1, 2, 3, 3], dtype=np.int32)
    unsafe = np.full(6, -1, dtype=np.int32)
    found = rest.improve(np.arange(6), unsafe, VISITED, tops, 2, asked)
    assert [rest.vectors[m - 2] if m >= 0 else None for m in found.tolist()] == [
        (0, 0), (0, 0), None, None, (0, 1), (0, 1),
    ]  # fmt: skip
