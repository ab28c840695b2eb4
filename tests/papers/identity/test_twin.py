"""The twin against the paper's worked example and cases that were worked out by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.papers.identity.twin import (
    Attribute,
    Lifted,
    Person,
    danonyir,
    distance,
    eir_alpha_beta,
    eir_l,
    element,
    geneir,
    holds_for,
    nloss,
    reasoning_sets,
    satisfies,
    width,
)

TABLE_2 = [
    Person(("M", 36, 10085), 2, (("Hypertension", "Heart"),)),
    Person(("F", 37, 10076), 1, (("Cancer",),)),
    Person(("M", 36, 10086), 1, (("Hypertension",),)),
    Person(("F", 33, 10087), 2, (("Hypertension", "Diabetes"),)),
    Person(("F", 38, 10077), 1, (("HIV",),)),
    Person(("F", 34, 10070), 2, (("Leukaemia", "Heart"),)),
    Person(("F", 33, 10073), 1, (("Syphilis",),)),
]
SETS: list[Attribute] = [("set", 2), ("numeric", 30, 39), ("set", 7)]
POSTCODES = [10070, 10073, 10076, 10077, 10085, 10086, 10087]
TREES: list[Attribute] = [
    ("tree", [("M", "*"), ("F", "*")]),
    ("tree", [(a, "[30, 34]" if a < 35 else "[35, 39]", "[30, 39]") for a in range(30, 40)]),
    ("tree", [(p, f"{p // 10}*", "100*") for p in POSTCODES]),
]
LINE: list[Attribute] = [("numeric", 0, 10)]
TABLE_3 = [[2, 5, 6, 7], [1, 3, 4]]


def numbers(*papers: int) -> list[int]:
    """The paper counts people from 1."""
    return [p - 1 for p in papers]


def from_paper(one: list[int], other: list[int]) -> float:
    first, second = element(TABLE_2, numbers(*one)), element(TABLE_2, numbers(*other))
    return distance(SETS, first, second)


def at(*places: float, rows: dict[int, int] | None = None) -> list[Person]:
    """People on a line, of one row unless said."""
    return [Person((x,), (rows or {}).get(i, 1)) for i, x in enumerate(places)]


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ([6], {1: 5.556, 2: 1.5, 3: 4.167, 4: 1.111, 5: 1.833, 7: 0.833}),
        ([6, 7], {1: 7.5, 2: 2.278, 3: 5.833, 4: 1.389, 5: 2.722}),
        ([3], {1: 0.5}),
    ],
)
def test_distances_of_the_worked_example(group: list[int], expected: dict[int, float]) -> None:
    assert {p: round(from_paper([p], group), 3) for p in expected} == expected


def test_distance_between_classes_of_the_worked_example() -> None:
    assert round(from_paper([3], [4, 6, 7]), 3) == 8.778


@pytest.mark.parametrize(
    "asked", [{"eir-l": {"l": 3}}, {"eir-alpha-beta": {"alpha": 0.4, "beta": 0.6}}]
)
def test_classes_of_the_worked_example(asked: dict[str, Any]) -> None:
    holds = holds_for(TABLE_2, [asked])
    classes, suppressed = danonyir(TABLE_2, SETS, holds, range(7), first=numbers(6, 3))
    assert classes == [numbers(6, 7, 4), numbers(3, 1, 2, 5)]
    assert suppressed == []
    assert round(nloss(TABLE_2, SETS, classes), 6) == 0.361111


def test_table_3_holds_ir_but_not_eir() -> None:
    cases: list[tuple[dict[str, Any], list[bool]]] = [
        ({"ir-kl": {"k": 3, "l": 3}}, [True, True]),
        ({"ir-k": {"k": 4}}, [True, False]),
        ({"ir-alpha-beta": {"alpha": 0.4, "beta": 0.6}}, [True, True]),
        ({"eir-l": {"l": 2}}, [True, False]),
        ({"eir-l": {"l": 4}}, [True, False]),
        ({"eir-l": {"l": 5}}, [False, False]),
        ({"eir-alpha-beta": {"alpha": 0.4, "beta": 0.6}}, [True, False]),
        ({"eir-alpha-beta": {"alpha": 0.39, "beta": 0.6}}, [False, False]),
        ({"k-anonymity": {"k": 4}}, [True, False]),
        ({"l-diversity": {"l": 4}}, [True, False]),
    ]
    for asked, expected in cases:
        holds = holds_for(TABLE_2, [asked])
        assert [holds(numbers(*members)) for members in TABLE_3] == expected, asked


def test_each_requirement_holds_for_every_sensitive_attribute_or_the_named_one() -> None:
    pair = [Person((), 1, (("a",), ("x",))), Person((), 1, (("b",), ("x",)))]
    assert not satisfies(pair, [{"eir-l": {"l": 2}}])
    assert satisfies(pair, [{"eir-l": {"l": 2, "attribute": 0}}])
    assert not satisfies(pair, [{"eir-l": {"l": 2, "attribute": 0}}, {"ir-k": {"k": 3}}])
    assert not satisfies([], [{"ir-k": {"k": 1}}])


@pytest.mark.parametrize("seed", range(50))
def test_theorems_agree_with_every_reasoning_set(seed: int) -> None:
    rng = random.Random(seed)
    secrets = [tuple(rng.sample("abcdef", rng.randint(1, 3))) for _ in range(rng.randint(1, 6))]
    group = [Person((), len(own), (own,)) for own in secrets]
    chosen = reasoning_sets(secrets)
    fewest = min(len(set(rows)) for rows in chosen)
    most = max(rows.count(s) for rows in chosen for s in rows) / len(group)
    assert [eir_l(group, secrets, l) for l in range(1, 9)] == [fewest >= l for l in range(1, 9)]  # noqa: E741
    for beta in (0.2, 0.4, 0.5, 0.75, 1.0):
        assert eir_alpha_beta(group, secrets, 1.0, beta) == (most <= beta)


@pytest.mark.parametrize(
    ("attribute", "values", "expected"),
    [
        (("numeric", 0, 8), [2, 4, 3], 0.25),
        (("numeric", 0, 8), [2, None], 1.0),
        (("numeric", 0, 8), [None], 0.0),
        (("numeric", 5, 5), [5], 0.0),
        (("set", 5), ["a", None, "b"], 0.5),
        (("set", 1), ["a"], 0.0),
        (TREES[2], [10070], 0.0),
        (TREES[2], [10070, 10077], 0.5),
        (TREES[2], [10070, 10087], 1.0),
        (("tree", [("a", "x"), ("b", "x"), ("c", "y")]), ["a", "b"], 0.5),
        (("tree", [("a", "x"), ("b", "x"), ("c", "y")]), ["a", "c"], 1.0),
    ],
)
def test_width(attribute: Attribute, values: list[Any], expected: float) -> None:
    assert width(attribute, frozenset(values)) == expected


def pairs_of(people: list[Person], starters: list[int]) -> tuple[list[list[int]], list[int]]:
    return danonyir(people, LINE, holds_for(people, [{"k-anonymity": {"k": 2}}]), starters)


def test_tie_of_people_goes_by_table_order() -> None:
    assert pairs_of(at(6, 5, 4, 9), [1, 3, 0, 2]) == ([[1, 0], [3, 2]], [])


def test_tie_of_a_person_and_a_class_goes_to_the_person() -> None:
    # From person 2 at 1: the class of 0 and 1 costs (1 + 2) * 0.1, person 3 with 2 rows as much.
    people = at(0, 0, 1, 2, rows={3: 2})
    assert pairs_of(people, [0, 2, 1, 3]) == ([[0, 1], [2, 3]], [])


def test_a_class_that_is_nearer_than_anyone_left_is_merged() -> None:
    people = at(0, 0, 1, 5)
    # 3 is left alone, and costs (3 + 1) * 0.5 - 3 * 0.1 > 1.
    assert pairs_of(people, [0, 2, 1, 3]) == ([[2, 0, 1]], [3])


def test_a_merged_class_counts_as_newly_formed() -> None:
    # 4 joins {0, 1}; then 5 is as far from {2, 3} (3 rows) as from {4, 0, 1}, the younger.
    people = at(0, 0, 10, 10, 0, 5, 9, rows={3: 2, 6: 5})
    classes, suppressed = pairs_of(people, [0, 2, 4, 5, 6, 1, 3])
    # 6 is residual, inside [5, 10]: 5 rows * 0.5 <= 5.
    assert classes == [[4, 0, 1], [5, 2, 3, 6]]
    assert suppressed == []


def test_starters_given_first_are_used_once_and_skipped_where_placed() -> None:
    people = at(0, 1, 5, 6, 9, 10)
    holds = holds_for(people, [{"k-anonymity": {"k": 2}}])
    found = danonyir(people, LINE, holds, [0, 1, 2, 3, 4, 5], first=[3, 2, 5])
    assert found == ([[3, 2], [5, 4], [0, 1]], [])


def test_a_class_of_one_is_not_tested_before_another_joined() -> None:
    people = at(0, 10)
    assert danonyir(people, LINE, lambda members: True, [0, 1]) == ([[0, 1]], [])


def test_residual_joins_where_the_class_still_holds_and_else_is_suppressed() -> None:
    # Person 4 has 3 of 5 rows in either class: more than alpha.
    people = [
        *(Person((x,), 1, ((s,),)) for x, s in ((0, "a"), (0, "b"), (10, "c"), (10, "d"))),
        Person((4,), 3, (("a", "b", "e"),)),
    ]
    for alpha, expected in ((0.5, [4]), (0.6, [])):
        asked = [{"eir-alpha-beta": {"alpha": alpha, "beta": 0.7}}]
        classes, suppressed = danonyir(people, LINE, holds_for(people, asked), [0, 2, 4, 1, 3])
        assert suppressed == expected
        # {0, 1} with 4 costs 5 * 0.4 = 2 <= 3, {2, 3} costs 5 * 0.6.
        assert classes == [[0, 1, *({4} - {*expected})], [2, 3]]


def test_residual_that_costs_exactly_its_rows_joins() -> None:
    people = at(0, 0, 10 / 3)
    assert pairs_of(people, [0, 2, 1]) == ([[0, 1, 2]], [])
    assert pairs_of(at(0, 0, 3.5), [0, 2, 1]) == ([[0, 1]], [2])


def test_residual_people_see_the_classes_that_earlier_ones_widened() -> None:
    # k = 3: {0, 1, 2} at 0, and 3 and 4 are left over. 3 joins, 8 * 0.5 = 4 <= 5. Then 4 costs
    # 16 * 0.75 - 4 = 8, its rows; before that it would have cost 11 * 0.75 = 8.25.
    people = at(0, 0, 0, 5, 7.5, rows={3: 5, 4: 8})
    holds = holds_for(people, [{"ir-k": {"k": 3}}])
    assert danonyir(people, LINE, holds, [0, 3, 4, 1, 2]) == ([[0, 1, 2, 3, 4]], [])


def test_nloss_counts_suppressed_rows_as_one() -> None:
    people = at(0, 5, 10, rows={1: 3, 2: 4})
    assert nloss(people, LINE, [[1, 0]]) == pytest.approx((4 * 0.5 + 4) / 8)


def test_where_nobody_can_be_published_all_are_suppressed() -> None:
    people = at(3, 1, 2)
    holds = holds_for(people, [{"ir-k": {"k": 4}}])
    assert danonyir(people, LINE, holds, [1, 2, 0]) == ([], [0, 1, 2])
    assert nloss(people, LINE, []) == 1.0


def test_geneir_gives_table_3() -> None:
    drawn = iter([2, 1, 1, 0])
    offered = []

    def draws(candidates: list[int]) -> int:
        offered.append(candidates)
        return next(drawn)

    holds = holds_for(TABLE_2, [{"ir-kl": {"k": 3, "l": 3}}])
    released, suppressed = geneir(TABLE_2, TREES, holds, draws)
    assert released == [Lifted(numbers(2, 5, 6, 7), [0, 2, 1]), Lifted(numbers(1, 3, 4), [1, 2, 1])]
    assert suppressed == []
    assert offered == [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 2]]
    lost = nloss(TABLE_2, TREES, [q.members for q in released], [q.levels for q in released])
    # 5 rows at (0, 1, 3/6) and 5 rows at (1, 1, 2/6), over 30 cells.
    assert lost == pytest.approx((5 * 1.5 + 5 * (2 + 1 / 3)) / 30)


FOREST: list[Attribute] = [("tree", [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y"), ("e", "y")])]


def test_geneir_residual_joins_where_least_is_added() -> None:
    # {0, 1} at d and {2, 3, 4} at a satisfy at once; 5 alone does not, at b or anywhere.
    people = [Person((v,)) for v in "ddaaab"]
    holds = holds_for(people, [{"k-anonymity": {"k": 2}}])
    released, suppressed = geneir(people, FOREST, holds, lambda candidates: candidates[0])
    # b and a meet at x, (3 - 1) / 4 for 4 rows; b and d never meet: 1 for 3 rows.
    assert released == [Lifted([0, 1], [0]), Lifted([2, 3, 4, 5], [1])]
    assert suppressed == []


def test_geneir_has_no_cap_and_a_class_above_every_node_stays_there() -> None:
    # d costs 4 * 1, there being no common node, and e then 5 * 1 - 4 * 1.
    people = [Person((v,)) for v in "aaade"]
    holds = holds_for(people, [{"ir-k": {"k": 3}}])
    released, suppressed = geneir(people, FOREST, holds, lambda candidates: candidates[0])
    assert (released, suppressed) == ([Lifted([0, 1, 2, 3, 4], [None])], [])


def test_geneir_suppresses_where_no_class_would_hold() -> None:
    people = [Person(("a",)), Person(("a",))]
    holds = holds_for(people, [{"ir-k": {"k": 3}}])
    assert geneir(people, FOREST, holds, lambda candidates: candidates[0]) == ([], [0, 1])


def test_geneir_ties_go_by_order_of_release() -> None:
    # {2, 3} is released at c, then {0, 1}, of 3 rows, at x. To take in d costs 3 * 1 there and
    # 4 * 1 - 3 / 3 here.
    tree = ("tree", [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")])
    people = [Person((v,), 2 if v == "a" else 1) for v in "abccd"]
    holds = holds_for(people, [{"ir-k": {"k": 2}}])
    released, _ = geneir(people, [tree], holds, lambda candidates: candidates[0])
    assert released == [Lifted([2, 3, 4], [None]), Lifted([0, 1], [1])]
