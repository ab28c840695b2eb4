"""The coded table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.errors import DataError
from shoal.schema import Attribute, Individual, Kind, Role, Schema
from shoal.table import Table, encode, published_contents
from tests.cases import random_case, task_of


def test_every_column_reports_its_problems_at_once() -> None:
    schema = Schema(tuple(Attribute(n, Role.QUASI, Kind.NUMERIC) for n in ("a", "b")))
    with pytest.raises(DataError) as caught:
        encode(pl.DataFrame({"a": ["x"], "b": ["y"]}), schema)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("seed", range(20))
def test_a_shard_knows_its_people_and_the_counts_of_the_whole(seed: int) -> None:
    case = random_case(seed, most_rows=25)
    table = task_of(case).table
    rows = np.flatnonzero(np.arange(case.n_rows) % 3 != 1)[::-1]
    part = table.take(rows)
    assert part.n_rows == len(rows)
    for name, column in part.columns.items():
        assert column.codes.tolist() == table.columns[name].codes[rows].tolist()
    for secret in case.sensitive:
        assert part.counts(secret.name).tolist() == table.counts(secret.name).tolist()
    if case.people is not None:
        assert part.people is not None
        kept = [case.people[row] for row in rows]
        names = list(dict.fromkeys(kept))
        assert [names[p] for p in part.people.person.tolist()] == kept
        assert [kept[row] for row in part.people.first_row.tolist()] == names


def _table(people: bool = True) -> Table:
    frame = pl.DataFrame(
        {
            "who": ["b", "a", "b"],
            "age": [30, 20, 30],
            "ill": ["x", "y", "x"],
            "note": ["n", "", "m"],
            "f": [0.1, 0.5, 0.7],
            "care": ["0", "1", "2"],
        }
    )
    attributes = (
        Attribute("who", Role.IDENTIFIER),
        Attribute("age", Role.QUASI),
        Attribute("ill", Role.SENSITIVE, flag="care"),
        Attribute("note", Role.INSENSITIVE, missing=("n",)),
        Attribute("f", Role.SENSITIVITY),
        Attribute("care", Role.FLAG),
    )
    return encode(frame, Schema(attributes, Individual("who") if people else None))


def test_units_are_people_or_rows() -> None:
    table, rows = _table(), _table(people=False)
    assert (table.n_units, table.unit_word, rows.n_units, rows.unit_word) == (
        2,
        "people",
        3,
        "rows",
    )
    assert table.unit_of_row().tolist() == [0, 1, 0]
    assert rows.unit_of_row().tolist() == [0, 1, 2]
    assert table.unit_codes("age").tolist() == [1, 0]
    assert table.unit_sensitivity().tolist() == [0.7, 0.5]
    assert rows.unit_sensitivity().tolist() == [0.1, 0.5, 0.7]


def test_kinds_are_filled_in_and_flags_stay_unpublished() -> None:
    table = _table()
    assert table.schema["age"].kind is Kind.NUMERIC
    assert table.schema["note"].kind is None
    assert table.flags["ill"].tolist() == [0, 1, 2]
    assert table.unpublished["care"].to_list() == ["0", "1", "2"]


def test_a_part_takes_everything_along() -> None:
    part = _table().take(np.array([2, 1]))
    assert part.counts("ill").tolist() == [2, 1]
    assert part.as_whole().counts("ill").tolist() == [1, 1]
    assert part.flags["ill"].tolist() == [2, 1]
    assert part.unpublished["care"].to_list() == ["2", "1"]
    assert part.unit_sensitivity().tolist() == [0.7, 0.5]
    assert part.present_numbers("age").tolist() == [20.0, 30.0]
    assert len(part.present_numbers("ill")) == 0


def test_contents_are_what_is_published_but_not_quasi_identifying() -> None:
    frame = pl.DataFrame({"note": ["n", "", "m"], "age": [30, 20, 30]})
    ill, note = published_contents(frame, _table())
    assert ill.tolist() == [0, 1, 0]
    assert note[0] == note[1] != note[2], "the empty cell and 'n' are both missing"


@pytest.mark.parametrize(("f", "ok"), [(0.0, True), (1.0, True), (-0.01, False), (1.01, False)])
def test_a_sensitivity_lies_between_0_and_1(f: float, ok: bool) -> None:
    frame, schema = pl.DataFrame({"f": [f, 0.5]}), Schema((Attribute("f", Role.SENSITIVITY),))
    if ok:
        assert encode(frame, schema).unit_sensitivity().tolist() == [f, 0.5]
    else:
        with pytest.raises(DataError, match=r"does not in 1 row \(1\)"):
            encode(frame, schema)
