"""The labels above a value in every form of hierarchy, and who may be shown how closely."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import VerificationError
from shoal.hierarchy import Hierarchy
from shoal.reading.encoding import encode_text
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema
from shoal.verify import Published, verify_release
from shoal.verify.secret.flag import meets, read_flags
from shoal.verify.secret.path import (
    _as_integers,
    _edge,
    _edges,
    _find_cells,
    _search_cell,
    find_paths,
)

FILE = Hierarchy.rows([["a", "A", "x"], ["b", "A", "x"], ["c", "C", "y"], ["d", "d", "y"]])
TREE = Hierarchy.tree({"all": {"A": ["a", "b"], "C": ["c", "d"]}})
WITH_EMPTY = Hierarchy.rows([["a", "A", "*"], ["b", "A", "*"], ["", "unknown", "*"]])
EMPTY_APART = Hierarchy.rows([["a", "A", "x"], ["b", "A", "x"], ["", "unknown", "y"]])
HIERARCHIES: dict[str, tuple[Hierarchy | None, Kind, list[str]]] = {
    "file": (FILE, Kind.CATEGORICAL, ["a", "b", "c", "d"]),
    "one top of two": (FILE, Kind.CATEGORICAL, ["a", "b"]),
    "two tops": (FILE, Kind.CATEGORICAL, ["b", "c"]),
    "short file": (Hierarchy.rows([["a", "*"], ["b", "*"]]), Kind.CATEGORICAL, ["a", "b"]),
    "leaves only": (Hierarchy.rows([["a"], ["b"]]), Kind.CATEGORICAL, ["a", "b"]),
    "one leaf": (Hierarchy.rows([["a"]]), Kind.CATEGORICAL, ["a"]),
    "a star alone": (Hierarchy.rows([["*"]]), Kind.CATEGORICAL, ["*"]),
    "tree": (TREE, Kind.CATEGORICAL, ["a", "b", "c"]),
    "empty leaf": (WITH_EMPTY, Kind.CATEGORICAL, ["a", "b"]),
    "empty leaf under a top of its own": (EMPTY_APART, Kind.CATEGORICAL, ["a", "b"]),
    "numbers in a file": (
        Hierarchy.rows([["1.0", "few", "*"], ["2", "few", "*"], ["30", "many", "*"]]),
        Kind.NUMERIC,
        ["1", "2.0", "30"],
    ),
    "intervals": (
        Hierarchy.intervals([-2, 0.5, 3]),
        Kind.NUMERIC,
        ["-2.0", "0.5", "0.4", "9", "3"],
    ),
    "width": (
        Hierarchy.width(0.1, 3),
        Kind.NUMERIC,
        ["0.3", "0.7", "-0.1", "0.29999", "12", "0.6"],
    ),
    "halves": (Hierarchy.width(2.5, 2, origin=1), Kind.NUMERIC, ["1", "3.5", "3", "0.9"]),
    "width from": (Hierarchy.width(5, 2, origin=2.5), Kind.NUMERIC, ["2.5", "2.4", "7.5", "-3"]),
    "mask": (Hierarchy.mask(3), Kind.CATEGORICAL, ["13053", "13068", "14", "ß1ü"]),
    "whole mask": (Hierarchy.mask(2), Kind.CATEGORICAL, ["13", "14", "24"]),
    "one star": (Hierarchy.mask(1), Kind.CATEGORICAL, ["1", "2"]),
    "dates": (
        Hierarchy.dates(["day", "month", "quarter", "year", "decade"]),
        Kind.DATE,
        ["2020-03-09", "2020-02-29", "2019-12-31", "0999-01-01"],
    ),
    "times": (
        Hierarchy.dates(["minute", "hour", "day", "year"]),
        Kind.DATE,
        ["2020-03-09 12:30", "2020-03-09 12:59", "2020-03-09 13:00", "0999-01-01 00:00"],
    ),
    "flat": (Hierarchy.flat(), Kind.ORDINAL, ["low", "high"]),
    "none": (None, Kind.NUMERIC, ["1", "2.5"]),
}


def path(hierarchy: Hierarchy | None, kind: Kind, values: list[str | None]) -> list[list[Any]]:
    """The labels of each value up to the root, by the hierarchy itself."""
    if hierarchy is None:
        return [[value, "*"] for value in values]
    rows = [list(row) for row in hierarchy.labels(values, kind)]
    return rows if len({row[-1] for row in rows}) == 1 else [[*row, "*"] for row in rows]


def verify(attribute: Attribute, cells: list[Any], flags: list[Any], shown: list[Any]) -> None:
    schema = Schema((Attribute("q", Role.QUASI), attribute, Attribute("f", Role.FLAG)))
    n = len(cells)
    original = pl.DataFrame({"q": ["q"] * n, "v": pl.Series(cells, dtype=pl.String), "f": flags})
    data = pl.DataFrame({"q": ["q"] * n, "v": pl.Series(shown, dtype=pl.String)})
    verify_release(
        Published(
            {"data": data},
            original,
            np.arange(n),
            np.ones(n, dtype=np.int64),
            schema,
            [],
            symbols={"v": "by-flag"},
        )
    )


def attribute(spec: HierarchySpec | None, kind: Kind, **more: Any) -> Attribute:
    return Attribute("v", Role.SENSITIVE, kind, hierarchy=spec, **more)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", HIERARCHIES)
def test_labels_are_those_of_the_hierarchy(name: str, missing: bool) -> None:
    hierarchy, kind, texts = HIERARCHIES[name]
    values: list[str | None] = [*texts, *([None] if missing else [])]
    cells = [value for value in values for _ in range(3)]
    flags = [0, 1, 2] * len(values)
    shown = []
    for labels in path(hierarchy, kind, values):
        shown += [labels[0], labels[min(1, len(labels) - 1)], labels[-1]]
    own = attribute(hierarchy.spec if hierarchy else None, kind, flag="f")
    verify(own, cells, flags, shown)
    for row, text in enumerate(shown):
        spoilt = [*shown]
        spoilt[row] = "?" if text is None else None
        with pytest.raises(VerificationError, match="'v' has 1 cell that"):
            verify(own, cells, flags, spoilt)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", HIERARCHIES)
def test_every_level_is_that_of_the_hierarchy(name: str, missing: bool) -> None:
    hierarchy, kind, texts = HIERARCHIES[name]
    values: list[str | None] = [*texts, *([None] if missing else [])]
    wanted = path(hierarchy, kind, values)
    shown = encode_text(pl.Series([text for row in wanted for text in row], dtype=pl.String))
    own = attribute(hierarchy.spec if hierarchy else None, kind, flag="f")
    found = find_paths(pl.Series("v", values, dtype=pl.String), shown, own)
    nodes = found.nodes[:, found.of_row].T
    assert nodes.tolist() == found.shown[shown.codes].reshape(len(wanted), -1).tolist()
    assert set(nodes[:, -1].tolist()) == {found.root}
    assert not found.lost.any()


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([0.1, 0.25, 5.0, 7.3, 1e-3]),
    st.sampled_from([0.0, 0.1, -2.5]),
    st.lists(st.decimals(-1000, 1000, places=2).map(str), min_size=1, max_size=8, unique_by=float),
)
def test_widths_of_any_decimals(width: float, origin: float, values: list[str]) -> None:
    hierarchy = Hierarchy.width(width, 2, origin)
    shown = [labels[1] for labels in hierarchy.labels(values, Kind.NUMERIC)]
    own = attribute(hierarchy.spec, Kind.NUMERIC, flag="f")
    verify(own, list(values), [1] * len(values), shown)


def test_masks_of_numbers_are_over_their_shortest_text() -> None:
    own = attribute(Hierarchy.mask(2).spec, Kind.NUMERIC, flag="f")
    masks = {
        "0.00001": "1e-0*", "250e-2": "2.*", "12.0": "1*", "-0.0": "*", "-1000": "-100*",
        "999999999999999": "99999999999999*", "1e15": "1000000000000000.*",
    }  # fmt: skip
    verify(own, list(masks), [1] * len(masks), list(masks.values()))
    with pytest.raises(VerificationError, match="not cover"):
        verify(own, ["0.00001", "12"], [1, 1], ["0.0000*", "1*"])


def test_numbers_and_labels_are_compared_however_small_they_are() -> None:
    tiny = attribute(None, Kind.NUMERIC, flag="f")
    verify(tiny, ["1e-20", "2e-20"], [0, 0], ["1e-20", "2e-20"])
    with pytest.raises(VerificationError, match="'v' has 2 cells that do not cover"):
        verify(tiny, ["1e-20", "2e-20"], [0, 0], ["2e-20", "1e-20"])
    grid = attribute(Hierarchy.width(1e-20, 2).spec, Kind.NUMERIC, flag="f")
    verify(grid, ["5e-21", "0"], [1, 1], ["[0, 1e-20[", "[0, 1e-20["])
    for wide in ("[0, 2e-20[", "[1e-20, 2e-20["):
        with pytest.raises(VerificationError, match="'v' has 1 cell that"):
            verify(grid, ["5e-21", "0"], [1, 1], [wide, "[0, 1e-20["])
    with pytest.raises(VerificationError, match="'v' has 2 cells that are not the symbol"):
        verify(grid, ["5e-21", "0"], [1, 1], ["[0, 2e-20["] * 2)


def test_zero_is_one_number_whatever_its_sign() -> None:
    own = attribute(HierarchySpec("intervals", cuts=(-0.0, 3.0)), Kind.NUMERIC, flag="f")
    cells, flags = ["-0.0", "0", "-1", "5"], [0, 1, 1, 1]
    verify(own, cells, flags, ["0", "[0, 3[", "<0", ">=3"])
    own = attribute(HierarchySpec("intervals", cuts=(-3.0, 0.0)), Kind.NUMERIC, flag="f")
    verify(own, cells, flags, ["-0", ">=-0.0", "[-3, -0[", ">=-0.0"])


@pytest.mark.parametrize("width", [0.1, 0.7, 1.7, 3.0])
@pytest.mark.parametrize("origin", [0.0, 0.5, -1e16, 1e16])
def test_widths_of_numbers_that_floats_hardly_tell_apart(width: float, origin: float) -> None:
    hierarchy = Hierarchy.width(width, 2, origin)
    numbers = [sign * (2.0**power + step) for sign in (1, -1) for power in (51, 53, 54)
               for step in range(0, 9, 2)]  # fmt: skip
    values = ["0", *(str(int(x)) for x in numbers)]
    shown = [labels[1] for labels in hierarchy.labels(values, Kind.NUMERIC)]
    verify(attribute(hierarchy.spec, Kind.NUMERIC, flag="f"), values, [1] * len(values), shown)


def test_widths_of_more_decimals_than_powers_of_ten_are_exact() -> None:
    hierarchy = Hierarchy.width(1e-23, 2)
    values = [f"{n}e-23" for n in range(1, 99)]
    shown = [labels[1] for labels in hierarchy.labels(values, Kind.NUMERIC)]
    verify(attribute(hierarchy.spec, Kind.NUMERIC, flag="f"), values, [1] * len(values), shown)


@pytest.mark.parametrize("width", [0.1, 0.7, 1.7, 3.0])
@pytest.mark.parametrize("origin", [0.0, 0.5, -1e16, 1e16])
def test_a_cell_is_the_same_guessed_or_searched_for(width: float, origin: float) -> None:
    """It is the last one whose lower edge, rounded, is not above the number."""
    units = _as_integers(Hierarchy.width(width, 2, origin).spec)
    sizes = [0.0, 0.3, 17.0, *(2.0**power + step for power in (51, 53, 54) for step in range(9))]
    numbers = np.array(sizes + [-size for size in sizes])
    cells, far = _find_cells(numbers, *units)
    assert not far.any()
    for number, cell in zip(numbers.tolist(), cells.tolist(), strict=True):
        assert _edge(cell, *units) <= number < _edge(cell + 1, *units)
        assert _search_cell(number, *units) == cell


@pytest.mark.parametrize("origin", [2**52 - 1, 2**52, 2**53 + 1, 10**17 + 3, 10**20 + 1])
@pytest.mark.parametrize("sign", [1, -1])
def test_edges_are_rounded_once_however_far_the_origin(origin: int, sign: int) -> None:
    for scale in (1, 10, 1000):
        cells = np.arange(-40, 41)
        wanted = [float(Fraction(7 * cell + sign * origin, scale)) for cell in cells.tolist()]
        assert _edges(cells, scale, 7, sign * origin).tolist() == wanted


def test_an_edge_beyond_all_floats_is_infinite() -> None:
    assert _edge(17, 1, 10**307, 0) == 1.7e308
    assert _edge(18, 1, 10**307, 0) == math.inf
    assert _edge(-17, 1, 10**307, 0) == -1.7e308
    assert _edge(-18, 1, 10**307, 0) == -math.inf


@pytest.mark.parametrize("number", ["1e300", "-1e300", "25e18"])
def test_a_number_too_far_for_its_width_has_no_cell(number: str) -> None:
    """No label may stand for it, such as the furthest cell that there is."""
    hierarchy = Hierarchy.width(10, 20)
    own = attribute(hierarchy.spec, Kind.NUMERIC, flag="f")
    ((_, near, *_),) = hierarchy.labels(["20e18"], Kind.NUMERIC)
    verify(own, ["7", "20e18"], [1, 1], ["[0, 10[", near])
    for shown in (f"[{2**60 * 10}, {(2**60 + 2**15) * 10}[", "*", number):
        with pytest.raises(VerificationError, match=r"that is not in its hierarchy .*row 2"):
            verify(own, ["7", number], [1, 1], ["[0, 10[", shown])


def test_a_cell_may_end_beyond_the_largest_number() -> None:
    own = attribute(Hierarchy.width(1e307, 2).spec, Kind.NUMERIC, flag="f")
    verify(own, ["1.79e308", "-1.79e308"], [2, 2], ["*", "*"])
    with pytest.raises(VerificationError, match="not cover"):
        verify(own, ["1.79e308", "-1.79e308"], [1, 2], ["[0, 1e307[", "*"])


def test_a_width_may_have_more_than_64_bits() -> None:
    own = attribute(Hierarchy.width(1e20, 2).spec, Kind.NUMERIC, flag="f")
    verify(own, ["1", "2e20", None], [1, 1, 0], ["[0, 1e20[", "[2e20, 3e20[", None])
    verify(own, ["1", "2"], [1, 2], ["[0, 1e20[", "*"])
    verify(own, [None, None], [0, 2], [None, "*"])


def test_a_declared_value_that_nobody_has_counts_as_a_top() -> None:
    own = attribute(FILE.spec, Kind.CATEGORICAL, flag="f", values=("a", "b", "c"))
    verify(own, ["a", "b"], [2, 1], ["*", "A"])
    with pytest.raises(VerificationError):
        verify(own, ["a", "b"], [2, 1], ["x", "A"])
    unknown = attribute(FILE.spec, Kind.CATEGORICAL, flag="f", values=("a", "b", "zz"))
    verify(unknown, ["a", "b"], [2, 1], ["x", "A"])
    masked = attribute(Hierarchy.mask(2).spec, Kind.CATEGORICAL, flag="f", values=("13", "155"))
    verify(masked, ["13", "14"], [2, 1], ["*", "1*"])
    with pytest.raises(VerificationError):
        verify(masked, ["13", "14"], [2, 1], ["**", "1*"])


def test_a_value_without_a_leaf_is_found() -> None:
    own = attribute(FILE.spec, Kind.CATEGORICAL, flag="f")
    with pytest.raises(VerificationError, match=r"that is not in its hierarchy .*row 2"):
        verify(own, ["a", "zz"], [0, 0], ["a", "zz"])


@pytest.mark.parametrize(
    "spec", [HierarchySpec("width", width=10, levels=2), HierarchySpec("intervals", cuts=(1, 2))]
)
def test_a_value_that_is_no_number_has_no_place_among_numbers(spec: HierarchySpec) -> None:
    cells = pl.Series("v", ["7", None, "a", "7"])
    for kind, lost in ((Kind.CATEGORICAL, [True, False, True, True]),
                       (Kind.NUMERIC, [False, False, True, False])):  # fmt: skip
        found = find_paths(cells, encode_text(cells), attribute(spec, kind, flag="f"))
        assert found.lost[found.of_row].tolist() == lost


@pytest.mark.parametrize(
    ("units", "good", "odd"),
    [
        (("day", "month"), ["2020-01-05", " 2020-01-05"], ["2020-1-5", "20-01-05", "+2020-01-05"]),
        (("hour", "day"), ["2020-01-05 07:30"], ["2020-01-05 7:3", "20-01-05 07:30", "2020-01-05"]),
    ],
)
def test_dates_of_another_form_are_not_in_the_hierarchy(
    units: tuple[str, ...], good: list[str], odd: list[str]
) -> None:
    own = attribute(HierarchySpec("dates", units=units), Kind.DATE, flag="f")
    cells = pl.Series([*good, None, *odd])
    found = find_paths(cells, encode_text(cells), own)
    assert found.lost[found.of_row].tolist() == [False] * (len(good) + 1) + [True] * len(odd)


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("30 < x < 50", [False, False, True, False]),
        ("30 < x <= 50 or x=7", [True, False, True, True]),
        ("x > 5 and x < 31 or x >= 50 and x != 51", [True, True, False, True]),
        ("3e1 == x", [False, True, False, False]),
        ("-1 < x AND 40. >= x", [True, True, True, False]),
    ],
)
def test_conditions(condition: str, wanted: list[bool]) -> None:
    assert meets(condition, np.array([7.0, 30.0, 40.0, 50.0, np.nan])).tolist() == [*wanted, False]


@pytest.mark.parametrize(
    "text",
    ["", "x", "x <", "1 < 2", "x < y", "(x < 2)", "x < 2 and", "x < 2 x > 1", "x << 2", "1_0 < x"],
)
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(ValueError, match="chain"):
        meets(text, np.array([1.0]))


def flags(kind: Kind, cells: list[Any], rules: Any) -> Any:
    frame = pl.DataFrame({"v": pl.Series(cells)})
    return read_flags(frame, attribute(None, kind, flags=rules, missing=("?",)))


def test_rules_on_lists_cover_numbers_however_written() -> None:
    rules = {"high": [30000, "7"], "middle": "x > 40000", "default": "low"}
    found = flags(Kind.NUMERIC, ["30000.0", "7", "7.5", "50000", None, "?"], rules)
    assert (found.heights.tolist(), found.problems) == ([2, 2, 0, 1, 0, 0], ())
    found = flags(Kind.NUMERIC, [30000, 7, 50000], rules)
    assert found.heights.tolist() == [2, 2, 1]


def test_a_missing_value_has_flag_0_whatever_rules_say() -> None:
    found = flags(Kind.CATEGORICAL, ["?", "", "hiv"], {"high": ["?", "", "hiv"]})
    assert (found.heights.tolist(), found.problems) == ([0, 0, 2], ())


@pytest.mark.parametrize(
    ("kind", "rules", "text"),
    [
        (
            Kind.NUMERIC,
            {"high": "x > 1", "low": "x > 2 or x = 1"},
            "several flag rules cover (row",
        ),
        (Kind.NUMERIC, {"high": "x > 1", "low": [1]}, None),
        (Kind.NUMERIC, {"high": "x > 1"}, "no flag rule covers (row 1)"),
        (Kind.NUMERIC, {"high": "x > one", "default": "low"}, "rule 'high' of column 'v' cannot"),
        (Kind.NUMERIC, {"high": 3, "default": "low"}, "rule 'high' of column 'v' cannot"),
        (Kind.NUMERIC, {"high": [1], "default": "lowest"}, "rule 'default' of column 'v' cannot"),
        (Kind.NUMERIC, {"highest": [1], "default": "low"}, "unknown flag rule 'highest'"),
        (Kind.CATEGORICAL, {"high": "x > 1", "default": "low"}, "rule 'high' of column 'v' cannot"),
    ],
)
def test_rules_that_do_not_tell(kind: Kind, rules: Any, text: str | None) -> None:
    problems = flags(kind, ["1", "2", "3"], rules).problems
    assert [text in problem.text for problem in problems] == ([True] if text else [])


def test_a_column_of_flags() -> None:
    own = attribute(None, Kind.CATEGORICAL, flag="f")
    verify(own, ["a", "b", "c", None], [" High", "0", "MIDDLE", "low"], ["*", "b", "*", None])
    with pytest.raises(
        VerificationError, match=r"'f' has 2 cells that are not flags of 'v' .*rows 1, 3"
    ):
        verify(own, ["a", "b", "c"], ["3", "0", None], ["*", "b", "*"])


def test_a_lacking_column_of_flags() -> None:
    own = attribute(None, Kind.CATEGORICAL, flag="g")
    with pytest.raises(VerificationError, match="flag column 'g' of 'v' is not in"):
        verify(own, ["a", "b"], [0, 0], ["a", "b"])


SPEC = HierarchySpec("width", width=10, levels=2)
INCOME = Attribute("v", Role.SENSITIVE, Kind.NUMERIC, hierarchy=SPEC, flag="f")
CUT = Attribute(
    "v", Role.SENSITIVE, Kind.NUMERIC, hierarchy=HierarchySpec("intervals", cuts=(10, 20)), flag="f"
)

YEARS = HierarchySpec("dates", units=("year",))
BORN = Attribute("v", Role.SENSITIVE, Kind.DATE, hierarchy=YEARS, flag="f")


@pytest.mark.parametrize(
    ("own", "how", "cells", "flags", "shown"),
    [
        (INCOME, "interval", ["1", "9", "4"], [0, 0, 0], ["[0, 10["] * 3),
        (INCOME, "interval", ["1", "11", "4"], [0, 2, 1], ["[0, 20[", "*", "[0, 20["]),
        (INCOME, "interval", ["1", "21", "4"], [0, 0, 0], ["*"] * 3),
        (INCOME, "interval", ["1", None, "4"], [0, 0, 0], ["*"] * 3),
        (INCOME, "interval", [None, None], [0, 2], [None, "*"]),
        (CUT, "one-sided", ["10", "25"], [2, 0], [">=10"] * 2),
        (CUT, "one-sided", ["9", "19.5"], [2, 0], ["<20"] * 2),
        (CUT, "one-sided", ["9", "20"], [2, 0], ["*"] * 2),
        (CUT, "one-sided", ["9", None], [0, 0], ["*"] * 2),
        (INCOME, "one-sided", ["9", "8"], [0, 0], ["*"] * 2),
        (BORN, "one-sided", ["2001-01-01", "2002-02-02", "2003-03-03"], [0, 0, 0], ["*"] * 3),
        (BORN, "one-sided", [f"200{year}-01-01" for year in range(9)], [0] * 9, ["*"] * 9),
        (BORN, "interval", ["2001-01-01", "2001-02-02"], [0, 1], ["2001"] * 2),
    ],
)
def test_symbols_of_a_class(
    own: Attribute, how: str, cells: list[Any], flags: list[int], shown: list[Any]
) -> None:
    def check(shown: list[Any]) -> None:
        n = len(cells)
        schema = Schema((Attribute("q", Role.QUASI), own, Attribute("f", Role.FLAG)))
        original = pl.DataFrame(
            {"q": ["q"] * n, "v": pl.Series(cells, dtype=pl.String), "f": flags}
        )
        data = pl.DataFrame({"q": ["q"] * n, "v": pl.Series(shown, dtype=pl.String)})
        given = (np.arange(n), np.ones(n, dtype=np.int64), schema, [])
        verify_release(Published({"data": data}, original, *given, symbols={"v": how}))

    check(shown)
    for text in ("*", "[0, 10[", "[0, 20[", "[0, 40[", ">=10", ">=20", "<20", "9", None):
        if text != shown[0]:
            with pytest.raises(VerificationError):
                check([text, *shown[1:]])


def test_people_with_several_rows() -> None:
    """Equal rows of a person are published once; the flag is that of the row that is."""
    schema = Schema(
        (
            Attribute("name", Role.IDENTIFIER),
            Attribute("q", Role.QUASI),
            Attribute(
                "v", Role.SENSITIVE, Kind.CATEGORICAL, flags={"high": ["b"], "default": "low"}
            ),
        ),
        Individual("name"),
    )
    original = pl.DataFrame(
        {"name": ["Ann", "Ann", "Ann", "Bob"], "q": ["q"] * 4, "v": ["a", "b", "a", "b"]}
    )
    given = (np.array([3, 2, 1]), np.ones(4, dtype=np.int64), schema, [])

    def check(shown: list[str]) -> None:
        data = pl.DataFrame({"Id_num": ["1", "2", "2"], "q": ["q"] * 3, "v": shown})
        verify_release(Published({"data": data}, original, *given, symbols={"v": "by-flag"}))

    check(["*", "a", "*"])
    with pytest.raises(VerificationError, match=r"flags allow .*row 3"):
        check(["*", "a", "b"])


def concealed_class(shown: list[Any], flags: list[int]) -> None:
    """Four values of one class under a hierarchy of two widths, concealed by l = 1."""
    cells = ["1", "2", "3", "12"]
    schema = Schema((Attribute("q", Role.QUASI), INCOME, Attribute("f", Role.FLAG)))
    original = pl.DataFrame({"q": ["q"] * 4, "v": cells, "f": flags})
    data = pl.DataFrame({"q": ["q"] * 4, "v": shown})
    given: Any = (np.arange(4), np.ones(4, dtype=np.int64), schema, [])
    how: Any = {"symbols": {"v": "interval"}, "concealed": {"v": 1}}
    verify_release(Published({"data": data}, original, *given, **how))


@pytest.mark.parametrize(
    "shown",
    [
        ["[0, 20["] * 4,
        ["[0, 10[", "[0, 10[", "[0, 10[", "*"],
        ["[0, 10[", "[0, 10[", "*", "[0, 20["],
        ["*"] * 4,
    ],
)
def test_a_concealed_class_shows_one_symbol_or_lifted_cells(shown: list[Any]) -> None:
    concealed_class(shown, [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (["[0, 20[", "[0, 20[", "[0, 20[", "*"], "not the symbol of"),
        (["[0, 10[", "[0, 20[", "*", "*"], "not the symbol of"),
        (["[0, 10[", "[0, 10[", "*", "[10, 20["], "not the symbol of"),
        (["[0, 10[", "2", "*", "*"], "flags allow"),
    ],
)
def test_a_concealed_class_with_another_symbol(shown: list[Any], text: str) -> None:
    with pytest.raises(VerificationError, match=text):
        concealed_class(shown, [0, 0, 1, 1])


def test_a_high_flag_is_at_the_root_whatever_is_concealed() -> None:
    with pytest.raises(VerificationError, match="flags allow"):
        concealed_class(["[0, 20["] * 4, [0, 0, 1, 2])
