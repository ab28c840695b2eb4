"""Labels of names: what each kind of hierarchy lets a label cover, and what is no label."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.reading.encoding import Coded, encode_text
from shoal.reading.label import is_sorted, parse_set
from shoal.schema import Attribute, HierarchySpec, Kind
from shoal.verify.text.named import accept_named, cover_named
from tests.verify.small import labels, quasi, text

ROWS = (("a", "low", "*"), ("b", "low", "*"), ("c", "high", "*"), ("?", "high", "*"))
TREE = HierarchySpec("tree", rows=ROWS)
FLAT = HierarchySpec("flat")
MASK = HierarchySpec("mask", mask=2)
NUMBERS = HierarchySpec("file", rows=(("1", "odd", "*"), ("2.0", "even", "*"), ("x", "odd", "*")))
SIGNS = {True: "covers", False: "misses", None: "malformed"}


def look(label: Any, cell: Any, hierarchy: HierarchySpec | None, kind: Any, values: Any) -> str:
    """Whether a label covers a cell, wherever the two stand in their columns."""
    attribute = quasi(kind, hierarchy, missing=("?",), values=values)
    found = {
        look_at(text(cells), labels(shown), cells.index(cell), shown.index(label), attribute)
        for cells in (["zz", cell, "b"], [cell, "zz", "b"])
        for shown in (["zz", label], [label, "zz"])
    }
    assert len(found) == 1
    return found.pop()


def look_at(original: pl.Series, shown: Coded, row: int, place: int, attribute: Attribute) -> str:
    origin = np.full(len(shown.codes), row)
    coverage = cover_named(shown, original, origin, attribute)
    covered, bad = bool(coverage.covered[place]), bool(coverage.malformed[place])
    assert not (bad and covered)
    coded = encode_text(original)
    pairs, star = accept_named(shown, coded, attribute)
    label = int(shown.codes[place])
    listed = label * coded.n_codes + int(coded.codes[row]) in pairs.tolist()
    assert bad or covered is bool(listed or star[label])
    return SIGNS[None if bad else covered]


@pytest.mark.parametrize(
    ("label", "cell", "wanted"),
    [
        ("a", "a", "covers"), ("a", "b", "misses"), ("{a, b}", "a", "covers"),
        ("{a, b}", "b", "covers"), ("{a, b}", "c", "misses"), ("{b, a}", "a", "malformed"),
        ("{a, a}", "a", "malformed"), ("*", "a", "covers"), ("*", None, "covers"),
        ("*", "*", "covers"), (None, None, "covers"), (None, "?", "covers"), (None, "", "covers"),
        (None, "a", "misses"), ("", None, "malformed"), ("", "a", "malformed"),
        ("a", None, "misses"),
        ('{"", a}', None, "covers"), ('{"", a}', "?", "covers"), ('{"", a}', "b", "misses"),
        ('{a, ""}', None, "covers"), ('{a, ""}', "a", "covers"), ('{a, ""}', "b", "misses"),
        ('{a, "", b}', "a", "malformed"), ('{"", b, a}', "a", "malformed"),
        ('{b, a, ""}', "a", "malformed"), ('{"", a, ""}', None, "malformed"),
        ("?", "?", "misses"), ("{a}", "{a}", "covers"), ("{b, a}", "{b, a}", "covers"),
        ("{a", "{a", "covers"), ("{a", "a", "misses"), ("other", "a", "misses"),
    ],
)  # fmt: skip
def test_sets(label: Any, cell: Any, wanted: str) -> None:
    assert look(label, cell, None, Kind.CATEGORICAL, None) == wanted


def _as_one_by_one(shown: Coded, values: Coded, order: dict[str, int] | None) -> Any:
    """The pairs and the malformed labels of sets, each parsed by itself."""
    pairs, malformed = set(), set()
    for label, written in enumerate(shown.texts):
        members = parse_set(written)
        if members is None or not is_sorted(members, order):
            if written[:1] == "{" and written[-1:] == "}" and len(written) > 1:
                malformed.add(label)
            continue
        for value, cell in enumerate([*values.texts, None]):
            if ("" if cell in (None, "", "?") else cell) in members:
                pairs.add(label * values.n_codes + value)
    return pairs, malformed


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("ordinal", [False, True])
def test_sets_are_those_that_are_parsed_one_by_one(seed: int, ordinal: bool) -> None:
    draw = np.random.default_rng(seed)
    members = ["a", "b", "ü", "c d", "z", '""', '"x, y"', "*", '"*"', "?", "x, y", "{"]
    texts = [
        "{" + ", ".join(draw.choice(members, int(draw.integers(0, 5))).tolist()) + "}"
        for _ in range(60)
    ]
    texts += ["{" + ", ".join(sorted(own.strip("{}").split(", "))) + "}" for own in texts]
    shown = labels([*texts, "{", "{}", "}", "{a"])
    values = encode_text(text(["a", "b", "ü", "c d", "x, y", "*", "?", "", None]))
    order = ("z", "c d", "b", "a", "ü", "x, y") if ordinal else None
    places = None if order is None else {value: place for place, value in enumerate(order)}
    attribute = quasi(Kind.ORDINAL if ordinal else Kind.CATEGORICAL, missing=("?",), values=order)
    pairs, malformed = _as_one_by_one(shown, values, places)
    null = shown.null * values.n_codes
    found = [pair for pair in accept_named(shown, values, attribute)[0].tolist() if pair < null]
    assert set(found) == pairs
    assert len(found) == len(pairs)
    origin = np.zeros(len(shown.codes), dtype=np.int64)
    coverage = cover_named(shown, text(["a"]), origin, attribute)
    assert {int(shown.codes[i]) for i in np.flatnonzero(coverage.malformed)} == malformed


def test_sets_of_ordinals_are_in_their_order() -> None:
    order = ("low", "mid", "high")
    assert look("{low, high}", "high", None, Kind.ORDINAL, order) == "covers"
    assert look("{high, low}", "high", None, Kind.ORDINAL, order) == "malformed"
    assert look("{high, low}", "high", None, Kind.CATEGORICAL, order) == "covers"
    assert look("{high, low}", "high", None, Kind.ORDINAL, None) == "covers"


def judge(*shown: str, attribute: Attribute) -> list[bool]:
    """Whether each of these labels of one column is malformed."""
    origin = np.zeros(len(shown), dtype=np.int64)
    return cover_named(labels(list(shown)), text(["x"]), origin, attribute).malformed.tolist()


def test_sets_of_ordinals_whose_order_is_not_known_agree_on_one() -> None:
    unknown = quasi(Kind.ORDINAL)
    assert judge("{low, mid}", "{mid, high}", "{low, high}", attribute=unknown) == [False] * 3
    # high before low contradicts the other two together.
    found = judge("{low, mid}", "{mid, high}", "{high, low}", "{x, y}", attribute=unknown)
    assert found == [True, True, True, False]
    found = judge("{a, b}", "{b, a}", "{b, c}", "c", attribute=unknown)
    assert found == [True, True, False, False]
    # Sets that agree are sound, wherever they are among those that do not.
    assert judge("{x, y}", "{a, b}", "{b, a}", attribute=unknown) == [False, True, True]
    assert judge("{a, a}", "{a, b, a}", "{a, b, c}", attribute=unknown) == [True, True, True]
    assert judge("a", "*", attribute=unknown) == [False, False]
    found = judge('{"", low}', '{low, ""}', '{low, "", mid}', attribute=unknown)
    assert found == [False, False, True]
    assert judge('{"", ""}', attribute=unknown) == [True]


@pytest.mark.parametrize(
    ("shown", "malformed"),
    [
        (["{5-9, 10-14}", "{15-19, 100-104}"], [False, False]),
        (["{10-14, 5-9}", "{10-14, 15-19}"], [False, False]),
        (["{15-19, 5-9, 10-14}", "{10-14, 15-19}"], [True, False]),
        (["{<9, 9-17}", "{9-17, 80+}", '{"", "[5-9)"}'], [False] * 3),
        (["{<9, 5-8, >= 10}", '{"(80-90]", "[100-110)"}'], [False, False]),
        (["{0.25-0.5, 0.5-2, 10.5 to 11}"], [False]),
        # The same number, twice.
        (["{9-17, 9-18, 10-12}"], [True]),
        # One that is no band: all are in the order of their texts.
        (["{5-9, 10-14}", "{a, b}"], [True, False]),
        (["{10-14, 5-9}", "{a, b}"], [False, False]),
    ],
)
def test_sets_of_bands_are_in_the_order_of_their_numbers(
    shown: list[str], malformed: list[bool]
) -> None:
    assert judge(*shown, attribute=quasi(Kind.CATEGORICAL)) == malformed


@pytest.mark.parametrize("label", ['{"", low}', '{low, ""}', '{"", high}', '{high, ""}'])
@pytest.mark.parametrize("cell", [None, "", "?"])
def test_missing_stands_at_either_end_wherever_the_order_has_it(label: str, cell: Any) -> None:
    assert look(label, cell, None, Kind.ORDINAL, ("low", "", "high")) == "covers"
    assert look(label, cell, None, Kind.ORDINAL, ("low", "high")) == "covers"


@pytest.mark.parametrize(
    ("label", "cell", "wanted"),
    [("a", "a", "covers"), ("a", "b", "misses"), ("*", "a", "covers"), (None, "?", "covers"),
     ("{a, b}", "a", "misses"), ("?", "?", "misses"), ("", None, "malformed")],
)  # fmt: skip
def test_flat(label: Any, cell: Any, wanted: str) -> None:
    assert look(label, cell, FLAT, Kind.CATEGORICAL, None) == wanted


@pytest.mark.parametrize(
    ("label", "cell", "wanted"),
    [
        ("a", "a", "covers"), ("low", "a", "covers"), ("low", "b", "covers"),
        ("low", "c", "misses"),
        ("high", "a", "misses"), ("high", None, "covers"), ("high", "?", "covers"),
        ("low", None, "misses"), ("other", "a", "malformed"), ("{a, b}", "a", "malformed"),
        ("*", "a", "covers"), (None, None, "covers"), (None, "a", "misses"),
        ("low", "gone", "misses"),
        ("b", "a", "misses"), ("", None, "malformed"),
    ],
)  # fmt: skip
def test_rows_of_a_hierarchy(label: Any, cell: Any, wanted: str) -> None:
    assert look(label, cell, TREE, Kind.CATEGORICAL, None) == wanted


@pytest.mark.parametrize(
    ("label", "cell", "kind", "wanted"),
    [
        ("1", "1.0", Kind.NUMERIC, "covers"), ("1", "1.0", Kind.CATEGORICAL, "misses"),
        ("odd", "1.0", Kind.NUMERIC, "covers"), ("odd", "1.0", Kind.CATEGORICAL, "misses"),
        ("even", "2", Kind.NUMERIC, "covers"), ("2", "2", Kind.NUMERIC, "covers"),
        ("2", "2", Kind.CATEGORICAL, "malformed"), ("even", "1", Kind.NUMERIC, "misses"),
        ("odd", "x", Kind.NUMERIC, "covers"), ("x", "x", Kind.NUMERIC, "covers"),
        ("3", "3", Kind.NUMERIC, "malformed"),
    ],
)  # fmt: skip
def test_leaves_that_are_numbers(label: str, cell: str, kind: Kind, wanted: str) -> None:
    assert look(label, cell, NUMBERS, kind, None) == wanted


@pytest.mark.parametrize(
    ("label", "cell", "wanted"),
    [
        ("123", "123", "covers"), ("12*", "123", "covers"), ("1**", "123", "covers"),
        ("***", "123", "covers"), ("*", "123", "covers"), ("12*", "133", "misses"),
        ("12*", "12", "misses"), ("12*", "1234", "misses"), ("**", "?", "misses"),
        (None, "?", "covers"), ("1*3", "123", "misses"), ("12*", None, "misses"),
        ("*", None, "covers"),
        ("?", "?", "misses"), ("", None, "malformed"), ("ü*", "üb", "covers"),
        (None, "1", "misses"), (None, "12", "misses"),
    ],
)  # fmt: skip
def test_masks(label: Any, cell: Any, wanted: str) -> None:
    assert look(label, cell, MASK, None, None) == wanted


@pytest.mark.parametrize("hierarchy", [None, FLAT, TREE, MASK])
def test_a_column_of_nothing_but_missing_cells(hierarchy: HierarchySpec | None) -> None:
    attribute = quasi(Kind.CATEGORICAL, hierarchy)
    coverage = cover_named(labels([None, None]), text(["a", None]), np.arange(2), attribute)
    assert coverage.covered.tolist() == [False, True]
    assert coverage.malformed.tolist() == [False, False]


def test_all_pairs_of_a_column_at_once() -> None:
    """A star has no pairs of its own, and missing goes with all that is missing."""
    values = encode_text(text(["a", "b", "?", None]))
    shown = labels(["{a, b}", "*", "b", None, "{b, a}", "a"])
    pairs, star = accept_named(shown, values, quasi(Kind.CATEGORICAL, missing=("?",)))
    texts = [*shown.texts, None], [*values.texts, None]
    found = {(texts[0][p // values.n_codes], texts[1][p % values.n_codes]) for p in pairs.tolist()}
    wanted = {("{a, b}", "a"), ("{a, b}", "b"), ("b", "b"), ("a", "a"), (None, "?"), (None, None)}
    assert found == wanted
    assert [texts[0][i] for i in np.flatnonzero(star)] == ["*"]
