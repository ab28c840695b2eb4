"""The paper's distances, and those of random tables against the twin's."""

from __future__ import annotations

from functools import partial

import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.identity import class_distance, distances, query_errors
from tests.cases import random_case
from tests.method.identity.test_danonyir import ATTRIBUTES
from tests.papers.identity import twin as twin
from tests.papers.identity.cases import PATIENTS, twin_attribute, twin_people


@pytest.mark.parametrize(
    ("group", "want"),
    [
        (["Ella"], [5.556, 1.500, 4.167, 1.111, 1.833, 0, 0.833]),
        (["Ella", "Lucy"], [7.500, 2.278, 5.833, 1.389, 2.722, 0, 0]),
    ],
)
def test_the_worked_example(group: list[str], want: list[float]) -> None:
    found = distances(PATIENTS, ATTRIBUTES, "name", group)
    assert list(found) == ["Mike", "Lily", "Tim", "Jane", "Tina", "Ella", "Lucy"]
    assert list(found.values()) == pytest.approx(want, abs=5e-4)


def test_a_hierarchy_changes_nothing_and_the_name_need_not_be_declared() -> None:
    asked = {name: words for name, words in ATTRIBUTES.items() if name != "name"}
    asked["postcode"] = {"role": "quasi", "hierarchy": {"mask": 5}}
    found = distances(PATIENTS, asked, "name", ["Tim"])
    assert found["Mike"] == pytest.approx(0.5)
    assert found["Tim"] == 0


def test_repeated_rows_count_once() -> None:
    twice = pl.concat([PATIENTS, PATIENTS.reverse()])
    assert distances(twice, ATTRIBUTES, "name", ["Ella"]) == pytest.approx(
        distances(PATIENTS, ATTRIBUTES, "name", ["Ella"])
    )


@pytest.mark.parametrize("seed", range(30))
def test_distances_are_the_twins(seed: int) -> None:
    forms = ("range", "halves", "set", "ordinal", "date")
    case = random_case(seed, forms=forms, most_rows=25, share_of_people=1.0)
    assert case.people is not None
    # A column that differs in every row, so that nothing is merged.
    frame = case.frame.with_columns(pl.int_range(pl.len()).cast(pl.String).alias("visit"))
    people = twin_people(case)
    names = list(dict.fromkeys(case.people))
    group = names[: 1 + seed % 3]
    attributes = [twin_attribute(q) for q in case.quasi]
    found = distances(frame, {**case.attributes, "visit": "insensitive"}, "person", group)
    together = twin.element(people, range(len(group)))
    for number, name in enumerate(names):
        if name not in group:
            want = twin.distance(attributes, twin.element(people, [number]), together)
            assert found[name] == pytest.approx(want, abs=1e-9)


def test_a_group_must_be_somebody() -> None:
    with pytest.raises(DataError, match="empty"):
        distances(PATIENTS, ATTRIBUTES, "name", [])
    with pytest.raises(PlanError, match=r"1 of the 2 people in the group .*entries 2") as error:
        distances(PATIENTS, ATTRIBUTES, "name", ["Tim", "Ann"])
    assert "Ann" not in str(error.value)
    with pytest.raises(PlanError, match="no column 'shoe'"):
        distances(PATIENTS, {**ATTRIBUTES, "shoe": "quasi"}, "name", ["Tim"])


def test_the_distance_of_classes_in_the_worked_example() -> None:
    between = partial(class_distance, PATIENTS, ATTRIBUTES, "name")
    assert between(["Tim"], ["Jane", "Ella", "Lucy"]) == pytest.approx(8.778, abs=5e-4)
    assert between(["Tim"], ["Mike"]) == pytest.approx(0.5)
    assert between(["Ella", "Lucy"], ["Jane"]) == pytest.approx(1.389, abs=5e-4)
    assert between(["Jane"], ["Lucy", "Ella"]) == between(["Ella", "Lucy"], ["Jane"])


@pytest.mark.parametrize("seed", range(30))
def test_distances_of_classes_are_the_twins(seed: int) -> None:
    forms = ("range", "halves", "set", "ordinal", "date")
    case = random_case(seed, forms=forms, most_rows=25, share_of_people=1.0)
    assert case.people is not None
    frame = case.frame.with_columns(pl.int_range(pl.len()).cast(pl.String).alias("visit"))
    people, names = twin_people(case), list(dict.fromkeys(case.people))
    cut = len(names) // 2
    if not cut:
        pytest.skip("a single person")
    found = class_distance(
        frame, {**case.attributes, "visit": "insensitive"}, "person", names[:cut], names[cut:]
    )
    one, other = range(cut), range(cut, len(names))
    attributes = [twin_attribute(q) for q in case.quasi]
    want = twin.distance(attributes, twin.element(people, one), twin.element(people, other))
    assert found == pytest.approx(want, abs=1e-9)


def test_classes_must_be_somebody_and_apart() -> None:
    with pytest.raises(DataError, match="empty"):
        class_distance(PATIENTS, ATTRIBUTES, "name", ["Tim"], [])
    with pytest.raises(DataError, match="share a person"):
        class_distance(PATIENTS, ATTRIBUTES, "name", ["Tim"], ["Tim", "Ella"])


def test_queries_count_people_and_a_person_once() -> None:
    """Everybody is in one class, so that eq. 19 is a product over shares of the domains."""
    visits = pl.DataFrame(
        {
            "who": ["a", "a", "b", "c", "d"],
            "age": [1, 1, 2, 3, 4],
            "ill": ["x", "x", "x", "x", "x"],
            "day": [1, 2, 1, 1, 1],
        }
    )
    attributes = {"who": "identifier", "age": {"role": "quasi", "kind": "numeric"},
                  "ill": "sensitive", "day": "insensitive"}  # fmt: skip
    plan = {"individual": "who", "attributes": attributes, "privacy": [{"ir-k": {"k": 4}}],
            "method": "danonyir", "seed": 1}  # fmt: skip
    release = shoal.run(plan, visits)
    found = query_errors(release, [1], 50)
    # A range of ages holds as many people as ages: every share of the four is right.
    assert found.rows() == [(1, 0.0, 50)]
    skewed = visits.with_columns(age=pl.Series([1, 1, 1, 1, 4]))
    errors = query_errors(shoal.run(plan, skewed), [1], 50)
    assert errors["error"][0] > 0
