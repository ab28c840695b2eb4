"""What is published, as the verifier looks at it: records of people, classes, and columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema
from shoal.verify.text.structure import check_suppression
from tests.verify.small import release_of, said

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
PAY = Attribute("pay", Role.SENSITIVE, Kind.NUMERIC)
WHO = Attribute("who", Role.IDENTIFIER)
PEOPLE = Schema((WHO, AGE, PAY), Individual("who"))
# The pay of Ann is given twice in different words, and once more; Bob is suppressed.
ORIGINAL = {
    "who": ["Ann", "Ann", "Ann", "Bob"],
    "age": [30, 30, 30, 40],
    "pay": ["1", "1.0", "2", "1"],
}
SHOWN = {"Id_num": [1, 1], "age": ["[30, 40]"] * 2, "pay": ["1", "2"]}


def test_equal_rows_of_a_person_are_one_record() -> None:
    found = release_of(SHOWN, ORIGINAL, PEOPLE, origin=[0, 2], classes=[1, 1, 1, -1])
    assert found.records is not None
    codes, n_records = found.records
    assert n_records == 3
    assert codes[0] == codes[1]
    assert len(set(codes.tolist())) == 3
    assert found.counted is not None
    assert sorted(found.counted.tolist()) == [0, 2, 3]


def test_a_published_row_stands_for_the_equal_rows_of_its_person() -> None:
    found = release_of(SHOWN, ORIGINAL, PEOPLE, origin=[0, 2], classes=[1, 1, 1, -1])
    assert found.stands_for is not None
    shown, rows = found.stands_for
    assert list(zip(shown.tolist(), rows.tolist(), strict=True)) == [(0, 0), (1, 2), (0, 1)]


def test_a_row_does_not_stand_for_rows_without_a_class() -> None:
    for other in (-1, 0):
        found = release_of(SHOWN, ORIGINAL, PEOPLE, origin=[0, 2], classes=[1, other, 1, -1])
        assert found.stands_for is None


def test_rows_of_a_record_that_is_not_published_are_stood_for_by_none() -> None:
    one = {name: cells[:1] for name, cells in SHOWN.items()}
    found = release_of(one, ORIGINAL, PEOPLE, origin=[0])
    assert found.stands_for is not None
    assert [part.tolist() for part in found.stands_for] == [[0, 0], [0, 1]]


def test_rows_of_a_person_that_differ_in_their_description_alone_are_one_record() -> None:
    original = {"who": ["Ann", "Ann"], "age": [30, 31], "pay": ["1", "1"]}
    found = release_of(SHOWN, original, PEOPLE, origin=[0])
    assert found.records is not None
    assert found.records[1] == 1


def test_records_are_told_by_the_columns_that_the_original_has() -> None:
    found = release_of(SHOWN, {"who": ["Ann", "Ann", "Bob"]}, PEOPLE, origin=[0, 2])
    assert found.records is not None
    assert found.records[1] == 2


def test_all_rows_may_be_suppressed_unless_a_limit_is_given() -> None:
    nothing = {"age": [], "pay": []}
    found = release_of(
        nothing, {"age": [1], "pay": [1]}, Schema((AGE, PAY)), origin=[], classes=[-1]
    )
    assert said(check_suppression(found)) == ""


def test_where_rows_are_people_each_is_its_own_record() -> None:
    found = release_of({"age": [1], "pay": [1]}, {"age": [1], "pay": [1]}, Schema((AGE, PAY)))
    assert found.people is None
    assert found.records is None
    assert found.stands_for is None
    assert found.counted is None


def test_every_class_has_a_row_of_its_own_as_sample() -> None:
    schema = Schema((AGE,))
    original = {"age": [1, 2, 3, 4, 5]}
    found = release_of(
        {"age": [1, 2, 3, 5]}, original, schema, origin=[4, 0, 2, 1], classes=[7, 3, 7, -1, 3]
    )
    codes, numbers = found.dense_classes
    assert numbers[codes].tolist() == [3, 7, 7, 3]
    assert [int(found.classes[found.origin[row]]) for row in found.samples] == numbers.tolist()


@pytest.mark.parametrize(
    ("attribute", "split"),
    [
        (AGE, True),
        (replace(AGE, role=Role.SEMI_SENSITIVE), True),
        (PAY, False),
        (replace(AGE, kind=Kind.DATE), False),
        (replace(AGE, hierarchy=HierarchySpec("width")), False),
    ],
)
def test_ranges_of_numbers_are_two_columns_where_that_is_asked(
    attribute: Attribute, split: bool
) -> None:
    cells = {attribute.name: [1]}
    found = release_of(cells, cells, Schema((attribute,)), ranges="columns")
    name = attribute.name
    assert found.cells(attribute) == ([f"{name}_low", f"{name}_high"] if split else [name])
    assert found.has(attribute) == (not split)
    assert not release_of(cells, cells, Schema((attribute,))).is_split(attribute)


def test_people_have_a_number_before_their_columns() -> None:
    found = release_of(SHOWN, ORIGINAL, PEOPLE, ranges="columns")
    assert found.columns() == ["Id_num", "age_low", "age_high", "pay"]
