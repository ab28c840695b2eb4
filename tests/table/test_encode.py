"""From cells to codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.schema import Attribute, Individual, Kind, Role, Schema
from shoal.table import encode, encode_column, find_people, number_text, settle_conflicts
from tests.cases import random_case, task_of
from tests.papers import naive


@pytest.mark.parametrize("block", range(3))
def test_codes_stand_in_the_order_of_the_definition(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        case = random_case(seed, most_rows=25)
        table = task_of(case).table
        for quasi in case.quasi:
            column = table.columns[quasi.name]
            if quasi.kind == "numeric":
                want = [None if v is None else naive.number_text(float(v)) for v in quasi.values]
            else:
                want = quasi.values
            assert list(column.domain.texts) == want, (seed, quasi.name)
            assert column.codes.tolist() == [quasi.values.index(v) for v in quasi.cells]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", "-3e2"], Kind.NUMERIC),
        (["01", "2"], Kind.CATEGORICAL),
        (["0", "0.5"], Kind.NUMERIC),
        (["1234567890123456"], Kind.CATEGORICAL),
        (["2020-01-31", None], Kind.DATE),
        (["2020-01-31", "x"], Kind.CATEGORICAL),
        (["1", "x"], Kind.CATEGORICAL),
        (["nan", "inf"], Kind.CATEGORICAL),
        ([None, None], Kind.CATEGORICAL),
        (["1_000"], Kind.CATEGORICAL),
        (["0x10"], Kind.CATEGORICAL),
    ],
)
def test_kinds_are_guessed(cells: list[str | None], kind: Kind) -> None:
    series = pl.Series("x", cells, dtype=pl.String)
    assert encode_column(series, Attribute("x", Role.QUASI)).attribute.kind is kind


@pytest.mark.parametrize(
    ("cells", "attribute"),
    [
        (["1", "zebra", "zebra"], {"kind": Kind.NUMERIC}),
        (["1", "inf", "inf"], {"kind": Kind.NUMERIC}),
        (["1", "99999999999999999", "9999999999999999"], {"kind": Kind.NUMERIC}),
        (["1", "77", "78"], {"kind": Kind.NUMERIC, "domain": (0.0, 10.0)}),
        (["2020-01-01", "zebra", "2020-02-30"], {"kind": Kind.DATE}),
        (["2020-01-01", "0000-01-01", "0000-01-02"], {"kind": Kind.DATE}),
        (["a", "zebra", "yak"], {"kind": Kind.ORDINAL, "values": ("a", "b")}),
    ],
)
def test_what_does_not_fit_is_named_by_row_and_never_by_value(
    cells: list[str], attribute: dict[str, Any]
) -> None:
    with pytest.raises(DataError) as caught:
        encode_column(pl.Series("x", cells), Attribute("x", Role.QUASI, **attribute))
    message = str(caught.value)
    assert "2 rows (2, 3)" in message
    assert not any(value in message for value in cells[1:])


def test_every_column_reports_its_problems_at_once() -> None:
    schema = Schema(tuple(Attribute(n, Role.QUASI, Kind.NUMERIC) for n in ("a", "b")))
    with pytest.raises(DataError) as caught:
        encode(pl.DataFrame({"a": ["x"], "b": ["y"]}), schema)
    assert len(caught.value.problems) == 2


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(number: float) -> None:
    assert float(number_text(number)) == number
    assert number_text(number) == naive.number_text(number)


def _schema(conflict: str = "error") -> Schema:
    attributes = (Attribute("who", Role.IDENTIFIER), Attribute("age", Role.QUASI, Kind.NUMERIC))
    return Schema(attributes, Individual("who", conflict))  # type: ignore[arg-type]


def test_people_are_numbered_as_they_appear() -> None:
    people = find_people(pl.Series("who", ["b", "a", "b", "c"]))
    assert people.person.tolist() == [0, 1, 0, 2]
    assert people.first_row.tolist() == [0, 1, 3]
    with pytest.raises(DataError, match=r"2 rows \(first: row 2\)"):
        find_people(pl.Series("who", ["b", None, "?"]), ("?",))


@pytest.mark.parametrize(("conflict", "ages"), [("first", [1, 1, 1, 5]), ("mode", [2, 2, 2, 5])])
def test_conflicts_are_settled(conflict: str, ages: list[int]) -> None:
    frame = pl.DataFrame({"who": ["a", "a", "a", "b"], "age": [1, 2, 2, 5]})
    settled, notes = settle_conflicts(frame, _schema(conflict))
    assert settled["age"].to_list() == ages
    assert len(notes) == 1
    assert frame["age"].to_list() == [1, 2, 2, 5]


def test_a_tie_goes_to_the_lesser_value_and_missing_is_a_value() -> None:
    frame = pl.DataFrame({"who": ["a", "a", "b", "b", "b"], "age": [7, 3, None, None, 1]})
    settled, _ = settle_conflicts(frame, _schema("mode"))
    assert settled["age"].to_list() == [3, 3, None, None, None]


def test_a_conflict_is_an_error_by_default() -> None:
    frame = pl.DataFrame({"who": ["a", "a"], "age": [31, 47]})
    with pytest.raises(DataError, match=r"'age' differs within a person in 1 rows \(2\)") as caught:
        settle_conflicts(frame, _schema())
    assert "47" not in str(caught.value)


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
