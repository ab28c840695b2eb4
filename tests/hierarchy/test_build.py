from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from shoal.errors import DataError, PlanError
from shoal.hierarchy import Hierarchy, parse
from shoal.schema import HierarchySpec, Kind


def contains(label: str, number: float) -> bool:
    """Read a published interval, apart from the code that wrote it."""
    if label == "*":
        return True
    if label.startswith("<"):
        return number < float(label[1:])
    if label.startswith(">="):
        return number >= float(label[2:])
    low, high = label.removeprefix("[").removesuffix("[").split(", ")
    return float(low) <= number < float(high)


NUMBERS = st.floats(-1e9, 1e9) | st.decimals(-1000, 1000, places=3).map(float)
WIDTHS = st.floats(1e-4, 1e6) | st.sampled_from([0.1, 0.2, 0.25, 1 / 3, 0.7, 1.0, 5.0, 10.0])


@given(st.lists(NUMBERS, min_size=1), WIDTHS, st.integers(1, 6), NUMBERS | st.just(0.0))
@example([0.3, 0.1 + 0.2, 0.7, 2.9], 0.1, 3, 0.0)
@example([2.0, 3.0, -2.0, -1.0, 0.0, -0.0], 1.0, 4, 0.0)
@example([1e15, 1e16, -1e17, 1.7], 0.1, 2, 0.3)
def test_an_interval_contains_its_numbers(
    numbers: list[float], width: float, levels: int, origin: float
) -> None:
    texts = [repr(number) for number in numbers]
    for number, row in zip(
        numbers, Hierarchy.width(width, levels, origin).labels(texts, Kind.NUMERIC), strict=True
    ):
        assert len(row) == levels + 2
        assert all(contains(label, number) for label in row[1:] if label is not None)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(5e-324, 1e300),
    st.floats(-1e300, 1e300),
)
@example(1.7976931348623157e308, 1e300, 0.0)
@example(-1.7976931348623157e308, 1e300, 0.0)
@example(9007199254740993.0, 1.0, 0.0)
@example(9007199254740992.0, 1.0, 0.0)
def test_extreme_numbers_are_contained_or_refused(
    number: float, width: float, origin: float
) -> None:
    try:
        ((_, *labels),) = Hierarchy.width(width, 3, origin).labels([repr(number)], Kind.NUMERIC)
    except DataError as error:
        furthest = max(abs(Fraction(number)), abs(Fraction(origin)))
        assert furthest / Fraction(width) > 2**59
        assert "too far from the origin" in str(error)  # noqa: PT017
    else:
        assert all(contains(label, number) for label in labels if label is not None)


@given(st.lists(NUMBERS, min_size=1), WIDTHS, st.integers(1, 5), NUMBERS)
def test_widths_double_and_edges_are_multiples_from_the_origin(
    numbers: list[float], width: float, levels: int, origin: float
) -> None:
    exact_width, exact_origin = Fraction(repr(width)), Fraction(repr(origin))
    rows = Hierarchy.width(width, levels, origin).labels(
        [repr(number) for number in numbers], Kind.NUMERIC
    )
    for row in rows:
        for doubling, label in enumerate(row[1:-1]):
            assert label is not None
            low, high = map(Fraction, label[1:-1].split(", "))
            assert high - low == exact_width * 2**doubling
            assert (low - exact_origin) % (exact_width * 2**doubling) == 0


@given(st.lists(NUMBERS, min_size=1, unique=True), st.sampled_from([0.1, 5.0, 0.25]))
def test_numbers_stand_in_order_and_labels_agree_with_bind(
    numbers: list[float], width: float
) -> None:
    assume(len({repr(number) for number in numbers}) == len(numbers))
    texts = [repr(number) for number in numbers]
    hierarchy = Hierarchy.width(width, 3)
    tree = hierarchy.bind(texts, Kind.NUMERIC, np.array(numbers))
    assert (np.diff(np.array(numbers)[tree.order]) >= 0).all()
    rows = hierarchy.labels(texts, Kind.NUMERIC)
    for code, place in enumerate(tree.order.tolist()):
        assert tuple(tree.labels[node] for node in tree.node[:, code]) == rows[place]


def test_edges_are_printed_as_written() -> None:
    rows = Hierarchy.width(0.1, 2).labels(["0.3", "0.25", "-0.05", "7"], Kind.NUMERIC)
    assert [row[1:] for row in rows] == [
        ("[0.3, 0.4[", "[0.2, 0.4[", "*"),
        ("[0.2, 0.3[", "[0.2, 0.4[", "*"),
        ("[-0.1, 0[", "[-0.2, 0[", "*"),
        ("[7, 7.1[", "[7, 7.2[", "*"),
    ]
    assert Hierarchy.width(5, 1).labels(["20"], Kind.NUMERIC) == [("20", "[20, 25[", "*")]
    assert Hierarchy.width(5, 1, origin=2.5).labels(["2.5"], Kind.NUMERIC)[0][1] == "[2.5, 7.5["


@given(st.lists(NUMBERS, min_size=1, unique=True), st.lists(NUMBERS, min_size=1))
def test_intervals_contain_their_numbers(cuts: list[float], numbers: list[float]) -> None:
    cuts = sorted(set(cuts))
    hierarchy = Hierarchy.intervals(cuts)
    inside = [*numbers, *cuts, math.nextafter(cuts[0], -math.inf)]
    for number, row in zip(
        inside, hierarchy.labels([repr(n) for n in inside], Kind.NUMERIC), strict=True
    ):
        assert row[1] is not None
        assert contains(row[1], number)
        assert row[2] == "*"


def test_interval_labels() -> None:
    rows = Hierarchy.intervals([18, 30.5]).labels(["17", "18", "30.5"], Kind.NUMERIC)
    assert [row[1] for row in rows] == ["<18", "[18, 30.5[", ">=30.5"]
    assert Hierarchy.intervals([1e-7]).labels(["0"], Kind.NUMERIC)[0][1] == "<0.0000001"


def test_intervals_hold_what_is_infinite_but_widths_refuse_it() -> None:
    assert Hierarchy.intervals([0]).labels(["inf"], Kind.NUMERIC) == [("inf", ">=0", "*")]
    with pytest.raises(DataError, match="1 of 2 values are too far from the origin"):
        Hierarchy.width(1, 1).labels(["inf", "1"], Kind.NUMERIC)


@pytest.mark.parametrize("hierarchy", [Hierarchy.width(5, 2), Hierarchy.intervals([1])])
def test_intervals_need_numbers(hierarchy: Hierarchy) -> None:
    with pytest.raises(PlanError, match=r"age: A hierarchy of form .* needs numbers"):
        hierarchy.bind(["1"], Kind.CATEGORICAL, where="age")


def test_numeric_values_that_are_no_numbers_are_counted_not_shown() -> None:
    with pytest.raises(DataError, match="2 of 3 values are not numbers") as caught:
        Hierarchy.width(5, 2).labels(["1", "secret", "1_0"], Kind.NUMERIC)
    assert "secret" not in str(caught.value)


@given(st.text(st.sampled_from("ab*é1"), max_size=5), st.integers(1, 7))
def test_a_mask_hides_one_more_character_at_each_level(text: str, n_hidden: int) -> None:
    (row,) = Hierarchy.mask(n_hidden).labels([text])
    assert len(row) == n_hidden + 1
    for level, label in enumerate(row):
        kept = max(0, len(text) - level)
        assert label == text[:kept] + "*" * (len(text) - kept)


def test_masks_of_one_length_meet_and_others_do_not() -> None:
    values = ["13053", "13068", "14850", "99"]
    tree = Hierarchy.mask(5).bind(values, Kind.CATEGORICAL)
    assert [values[place] for place in tree.order] == values
    assert tree.join.tolist() == [2, 4, 6]
    assert tree.cover([0, 0, 0], [1, 2, 3]).tolist()[2] == -1
    assert tree.labels[tree.cover(0, 2)] == "1****"


def test_dates() -> None:
    hierarchy = Hierarchy.dates(["day", "month", "quarter", "year", "decade"])
    assert hierarchy.labels(["2020-03-31", "1999-12-01"], Kind.DATE) == [
        ("2020-03-31", "2020-03", "2020-Q1", "2020", "2020-2029", "*"),
        ("1999-12-01", "1999-12", "1999-Q4", "1999", "1990-1999", "*"),
    ]
    assert hierarchy.height == 6
    assert Hierarchy.dates(["year"]).labels(["2020-03-31"]) == [("2020-03-31", "2020", "*")]


def test_dates_must_be_dates() -> None:
    bad = ["2020-02-30", "2020-2-3", "31.12.2020", "2020-01-01 10:00"]
    with pytest.raises(DataError, match="visit: 4 of 5 values are not dates"):
        Hierarchy.dates(["year"]).bind([*bad, "2020-01-01"], Kind.DATE, where="visit")


def test_flat() -> None:
    assert Hierarchy.flat().labels(["b", "a"]) == [("b", "*"), ("a", "*")]
    assert Hierarchy.flat().bind(["b", "a"], Kind.CATEGORICAL).order.tolist() == [1, 0]
    assert Hierarchy.flat().bind(["b", "a"], Kind.ORDINAL).order.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("declared", "n_problems"),
    [
        ({"intervals": []}, 1),
        ({"intervals": 5}, 1),
        ({"intervals": "15"}, 1),
        ({"intervals": [1, 1]}, 1),
        ({"intervals": [2, 1]}, 1),
        ({"intervals": [math.nan, math.inf, True, "1"]}, 4),
        ({"width": 0, "levels": 0, "origin": math.inf}, 3),
        ({"width": -1, "levels": 1}, 1),
        ({"width": 10**400, "levels": 1.0}, 2),
        ({"width": 5}, 1),
        ({"width": 5, "levels": 51}, 1),
        ({"width": 5, "levels": True, "from": 3, "mask ": 1}, 3),
        ({"mask": 0}, 1),
        ({"mask": "3"}, 1),
        ({"mask": 3, "levels": 3}, 1),
        ({"dates": []}, 1),
        ({"dates": "year"}, 1),
        ({"dates": ["year", "month"]}, 1),
        ({"dates": ["month", "month"]}, 1),
        ({"dates": ["week", "year", "month", "second"]}, 3),
        ({"tree": {}}, 1),
        ({"tree": ["a"]}, 1),
        ({"rows": []}, 1),
        ({"rows": [["a", True], [], "ab", ["a", "*"]]}, 3),
        ({"rows": [["a", "A"], ["a", "B"]]}, 1),
        ({"mask": 2, "width": 3}, 1),
        ({}, 1),
        (None, 1),
        ("  ", 1),
        (["a.csv"], 1),
    ],
)
def test_every_fault_of_a_declaration_is_listed(declared: object, n_problems: int) -> None:
    with pytest.raises(PlanError) as caught:
        parse(declared, Path())
    assert len(caught.value.problems) == n_problems


def test_a_fault_says_what_must_be_and_what_was_given() -> None:
    with pytest.raises(PlanError) as caught:
        Hierarchy.width(0, 3)
    assert str(caught.value) == (
        "The 'width' parameter of the hierarchy must be a finite number above 0, got 0 instead."
    )


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("flat", Hierarchy.flat()),
        ({"intervals": [1, 2.5]}, Hierarchy.intervals([1, 2.5])),
        ({"width": 5, "levels": 3}, Hierarchy.width(5, 3)),
        ({"width": 5, "levels": 3, "origin": 2}, Hierarchy.width(5, 3, 2)),
        ({"mask": 5}, Hierarchy.mask(5)),
        ({"dates": ["day", "year"]}, Hierarchy.dates(["day", "year"])),
        ({"tree": {"*": ["a"]}}, Hierarchy.tree({"*": ["a"]})),
        ({"rows": [["a", "*"], [39, "*"]]}, Hierarchy.rows([["a", "*"], ["39", "*"]])),
    ],
)
def test_parse(declared: object, expected: Hierarchy) -> None:
    parsed = parse(declared, Path())
    assert parsed == expected
    assert Hierarchy.from_spec(parsed.spec) == parsed
    assert parse(parsed, Path()) == parsed


def test_a_path_is_relative_to_the_plan(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "flat.csv").write_text("a;*\n")
    parsed = parse("sub/flat.csv", tmp_path)
    assert parsed.spec == HierarchySpec("file", rows=(("a", "*"),), path="sub/flat.csv")
    assert Hierarchy.from_spec(parsed.spec) == parsed


def test_a_specification_is_checked() -> None:
    with pytest.raises(PlanError, match=r"old\.csv: 1 leaves with two parents"):
        Hierarchy.from_spec(
            HierarchySpec("file", rows=(("a", "A"), ("a", "B")), path="folder/old.csv")
        )
    with pytest.raises(PlanError, match="'width' parameter"):
        Hierarchy.from_spec(HierarchySpec("width", levels=2))
    with pytest.raises(PlanError, match="'form' parameter"):
        Hierarchy.from_spec(HierarchySpec("cube"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tree", "rows"),
    [
        ({"*": {"A": ["a", "b"], "c": None}}, (("a", "A", "*"), ("b", "A", "*"), ("c", "*", "*"))),
        ({"*": {"A": "a", "B": {}}}, (("a", "A", "*"), ("B", "*", "*"))),
        ({"X": ["a", 1], "Y": [0.5]}, (("a", "X"), ("1", "X"), ("0.5", "Y"))),
        ({"a": None, "b": None}, (("a",), ("b",))),
        ({"*": ["a", {"B": ["b"]}]}, (("a", "*", "*"), ("b", "B", "*"))),
        ({"*": {"a": ["a"]}}, (("a", "a", "*"),)),
    ],
)
def test_tree(tree: dict[str, object], rows: tuple[tuple[str, ...], ...]) -> None:
    hierarchy = Hierarchy.tree(tree)
    assert hierarchy.spec.rows == rows
    assert Hierarchy.from_spec(hierarchy.spec) == hierarchy


def endless() -> dict[str, object]:
    tree: dict[str, object] = {}
    tree["a"] = {"b": tree}
    return tree


def endless_echo() -> dict[str, object]:
    tree: dict[str, object] = {}
    tree["a"] = tree
    return tree


@pytest.mark.parametrize(
    ("tree", "n_problems", "text"),
    [
        ({"*": {"A": ["a"], "B": ["a"]}}, 1, "1 leaves with two parents in column 2 (paths 1 and"),
        ({"*": {"A": {"X": ["a"]}, "B": {"X": ["b"]}}}, 1, "labels of column 2"),
        ({"*": {"A": {"B": {"A": ["x"]}}, "C": {"D": ["C"]}}}, 2, "depth 4 is its own ancestor"),
        (endless(), 1, "its own ancestor"),
        (endless_echo(), 1, "its own ancestor"),
        ({"*": [True, None, 3]}, 2, "depth 2 must be a text or a number"),
        ({None: ["a"]}, 1, "depth 1 must be"),
    ],
)
def test_what_is_no_tree(tree: dict[str, object], n_problems: int, text: str) -> None:
    with pytest.raises(PlanError) as caught:
        Hierarchy.tree(tree)
    assert len(caught.value.problems) == n_problems
    assert text in caught.value.problems[0].text


def test_what_is_handed_over_stays_as_it_was() -> None:
    tree = {"*": {"A": ["a", "b"]}}
    values = ["b", None, "a"]
    Hierarchy.tree(tree).bind(values, Kind.CATEGORICAL)
    assert tree == {"*": {"A": ["a", "b"]}}
    assert values == ["b", None, "a"]
