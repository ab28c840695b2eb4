"""What sensitive cells show, and what that reveals."""

from __future__ import annotations

import numpy as np

from shoal.method import Display
from shoal.plan import Plan
from shoal.recode.conceal import Concealed
from shoal.recode.show import Showing, show_sensitive
from shoal.table import Table, encode
from shoal.table.partition import SUPPRESSED, Partition
from tests.papers.mhsa.cases import ATTRIBUTES, PATIENTS, patients_plan

HALVES = Partition(np.array([0] * 5 + [1] * 5, dtype=np.int32), 2)
EVERYBODY = np.ones(10, dtype=np.bool_)


def table_of(attributes: dict[str, object]) -> Table:
    plan = Plan.of({**patients_plan("mondrian"), "attributes": attributes})
    return encode(PATIENTS, plan.schema)


def shown(showing: Showing, name: str) -> list[str | None]:
    cells = showing.cells[name]
    return [None if s < 0 else cells.texts[s] for s in cells.symbol.tolist()]


def test_without_flags_nothing_is_a_symbol() -> None:
    table = table_of({**ATTRIBUTES, "income": "sensitive", "disease": "sensitive"})
    concealed = Concealed.nothing(table, HALVES, Display())
    assert show_sensitive(table, concealed, EVERYBODY) == Showing()


def test_a_cell_shows_what_its_flag_allows() -> None:
    """Low the value, middle one level up, high the root (Table 5 of the paper, by flags alone)."""
    table = table_of(ATTRIBUTES)
    found = show_sensitive(table, Concealed.nothing(table, HALVES, Display()), EVERYBODY)
    assert found.how == {"income": "by-flag", "disease": "by-flag"}
    assert shown(found, "disease")[:4] == ["Flu", "comorbities", "*", "Pneumonia"]
    assert found.before is found.after
    assert set(found.after) == {"income", "disease"}


def test_rows_that_are_not_published_show_nothing() -> None:
    table = table_of(ATTRIBUTES)
    classes = HALVES.unit_class.copy()
    classes[0] = SUPPRESSED
    published = EVERYBODY.copy()
    published[1] = False
    concealed = Concealed.nothing(table, Partition(classes, 2), Display())
    found = show_sensitive(table, concealed, published)
    assert shown(found, "disease")[:3] == [None, None, "*"]


def test_a_lifted_cell_shows_at_least_its_level() -> None:
    table = table_of(ATTRIBUTES)
    plain = Concealed.nothing(table, HALVES, Display())
    lifted = {name: np.zeros(10, dtype=np.int16) for name in plain.attributes}
    lifted["disease"][0] = 2
    found = show_sensitive(table, Concealed(HALVES, plain.attributes, lifted), EVERYBODY)
    assert shown(found, "disease")[:2] == ["*", "comorbities"]
