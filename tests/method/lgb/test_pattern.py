"""Rows by what their people keep secret: Figure 3 of LGB, and joining against the twin."""

from __future__ import annotations

import pytest

from shoal.method.lgb.pattern import PatternPart, join_small, parts_of
from shoal.plan import Plan
from shoal.table import Table, encode
from tests.papers.lgb import twin as twin
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS, random_secrets, twin_table

_STATES = (twin.PUBLIC, twin.SECRET, twin.WITHHELD)


def _patients(n_rows: int = 8) -> Table:
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}]
    plan = Plan.parse({"attributes": PATIENT_ATTRIBUTES, "privacy": privacy, "method": "lgb-mdp"})
    return encode(PATIENTS.head(n_rows), plan.schema)


def _rows(parts: list[PatternPart]) -> list[list[int]]:
    return [part.rows.tolist() for part in parts]


def test_the_parts_of_figure_3() -> None:
    """QI[t] is gender with the zip, with the age, or with both."""
    table = _patients()
    names = [a.name for a in table.schema.quasi]
    found = parts_of(table)
    assert _rows(found) == [[0, 1], [2, 5], [3, 4, 6, 7]]
    assert [{names[j] for j in part.public.tolist()} for part in found] == [
        {"age", "gender"}, {"age", "gender", "zip"}, {"gender", "zip"}
    ]  # fmt: skip


def test_parts_that_are_large_enough_stay() -> None:
    table = _patients()
    parts = parts_of(table)
    assert join_small(table, parts, 2) is parts


def test_a_part_that_has_nothing_to_join_is_suppressed() -> None:
    table = _patients(2)
    assert join_small(table, parts_of(table), 3) == []


@pytest.mark.parametrize("seed", range(120))
def test_small_parts_are_joined_as_the_twin_joins_them(seed: int) -> None:
    case = random_secrets(seed)
    coded = case.coded()
    found = join_small(coded, parts_of(coded), case.k)
    expected, _ = twin.join_undersized(twin_table(coded), case.k)
    n_quasi = len(coded.quasi)
    assert {
        (tuple(p.rows.tolist()), tuple(_STATES[s] for s in p.pattern.tolist())) for p in found
    } == {(part.rows, part.pattern[:n_quasi]) for part in expected}
