"""What readers know of a column, by the plan or by its cells."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.folder.public import Public
from shoal.schema import Kind
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS
from tests.papers.mhsa.cases import PATIENTS as FLAGGED
from tests.papers.mhsa.cases import patients_plan

FRAME = pl.DataFrame({"age": [1, 2, 8, 9], "ill": list("xyxy"), "pay": [1, 2, 3, 4]})
PLAN: dict[str, Any] = {
    "attributes": {"age": "quasi", "ill": "sensitive", "pay": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 2}}],
    "seed": 1,
}
SECRETS = {
    "attributes": PATIENT_ATTRIBUTES,
    "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
    "seed": 3,
}


def public(plan: dict[str, Any], frame: pl.DataFrame) -> Public:
    return Public.of(shoal.run(plan, frame))


def test_kinds_are_those_that_the_tables_tell() -> None:
    kinds = {a.name: a.kind for a in public(PLAN, FRAME).schema.attributes}
    assert kinds == {"age": Kind.NUMERIC, "ill": Kind.CATEGORICAL, "pay": Kind.NUMERIC}


@pytest.mark.parametrize("ranges", ["tight", "snapped", "columns"])
def test_ranges_tell_numbers_in_every_form(ranges: str) -> None:
    assert public({**PLAN, "ranges": ranges}, FRAME).schema["age"].kind is Kind.NUMERIC


def test_a_column_may_be_named_like_an_end() -> None:
    frame = pl.DataFrame({"age": list("xxyy"), "age_low": [1, 2, 3, 4]})
    attributes = {"age": "quasi", "age_low": "insensitive"}
    assert public({**PLAN, "attributes": attributes}, frame).schema["age"].kind is Kind.CATEGORICAL


@pytest.mark.parametrize("tables", ["split", "joined"])
def test_cells_are_those_of_rows_and_buckets(tables: str) -> None:
    found = public({**SECRETS, "method": {"lgb-mdp": {"tables": tables}}}, PATIENTS)
    cells = found.cells(found.declared["disease"])
    assert sorted(cells) == sorted(PATIENTS["disease"])
    assert found.schema["age"].kind is Kind.NUMERIC
    assert found.symbols == {}


@pytest.mark.parametrize("numeric", ["interval", "one-sided", "by-flag"])
@pytest.mark.parametrize("tables", ["joined", "split"])
def test_symbols_are_those_of_the_run(numeric: str, tables: str) -> None:
    plan = patients_plan({"qi-mhsa": {"numeric": numeric, "tables": tables}})
    release = shoal.run(plan, FLAGGED)
    assert Public.of(release).symbols == release.symbols


def test_symbols_do_not_depend_on_a_guess() -> None:
    """Whether the values are numbers decides what they show, and only the data tells it."""
    tree = {"tree": {"*": {"low": [1, 2], "high": [3, 4, "n/a"]}}}
    attributes = {**PLAN["attributes"], "pay": {"role": "sensitive", "hierarchy": tree}}
    plan = {**PLAN, "attributes": attributes, "method": {"qi-mhsa": {"numeric": "interval"}}}
    release = shoal.run(plan, FRAME)
    assert release.symbols == {"pay": "interval"}
    assert Public.of(release).symbols == {"pay": "by-flag"}
