"""Symbols in place of sensitive values: sound releases hold, every way of spoiling one is found."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema
from shoal.verify import Leak
from shoal.verify.secret.leak import Exposure
from shoal.verify.secret.symbol import _check_risks, check_symbols, find_leaks, refuse_symbols
from shoal.verify.text.published import Published
from tests.verify.small import release_of, said
from tests.verify.symbol_cases import Case, random_case

FORMS = (
    ("by-flag", "intervals"),
    ("by-flag", "width"),
    ("interval", "intervals"),
    ("interval", "width"),
    ("one-sided", "intervals"),
)


def findings(case: Case) -> str:
    with pytest.raises(VerificationError) as error:
        case.verify()
    return "\n".join(map(str, error.value.problems))


def found(seeds: range, numeric: str, hierarchy: str, concealed: bool) -> list[Case]:
    cases = [random_case(seed, numeric, hierarchy, concealed) for seed in seeds]
    return [case for case in cases if case is not None]


def check_leaks(case: Case) -> None:
    """They are those of the twin."""
    leaks = case.leaks()
    for name, wanted in case.twin_leaks().items():
        got = leaks[name]
        risks = (got.cell_worst, got.cell_mean, got.person_worst, got.person_mean)
        assert risks == pytest.approx(tuple(wanted.values()))


# On either side of every limit -----------------------------------------------------------------


def risks(
    l: int,  # noqa: E741
    person: float = 0.0,
    commonest: int = 1,
    total: int = 9,
    flags: tuple[int, ...] = (1, 1),
) -> str:
    """What is said of one symbol and one class with these risks."""
    one = np.array([total])
    exposure = Exposure(
        np.zeros(2, dtype=np.int32), one, np.array([commonest]), one, np.array([person]), one
    )
    cells = SimpleNamespace(
        attribute=Attribute("s", Role.SENSITIVE), exposure=exposure, flags=np.array(flags)
    )
    return said(_check_risks(cells, l, np.array([7])))  # type: ignore[arg-type]


@pytest.mark.parametrize("l", [1, 2, 3, 7])
def test_a_person_may_be_known_with_1_by_l_and_a_billionth(l: int) -> None:  # noqa: E741
    assert risks(l, 1 / l) == ""
    assert risks(l, 1 / l + 1e-9) == ""
    assert f"above 1/{l} in 1 class (class number 7)" in risks(l, 1 / l + 2e-9)
    assert risks(l, 1 / l + 0.02) != ""
    assert risks(l, 1 / l - 0.02) == ""


@pytest.mark.parametrize(
    ("commonest", "total", "fine"), [(2, 4, True), (3, 5, False), (1, 3, True)]
)
def test_a_flagged_cell_may_be_known_with_1_by_l(commonest: int, total: int, fine: bool) -> None:
    assert (risks(2, commonest=commonest, total=total) == "") is fine
    assert risks(2, commonest=commonest, total=total, flags=(0, 0)) == ""
    if not fine:
        found = risks(2, commonest=commonest, total=total, flags=(0, 2))
        assert "'s' has 1 flagged cell that is known with a probability above 1/2" in found
        assert "(published row 2)" in found


@pytest.mark.parametrize("l", [2**62, 2**63, 10**30])
def test_an_l_beyond_64_bits_is_no_less_strict(l: int) -> None:  # noqa: E741
    assert "1 flagged cell that is known" in risks(l, commonest=4, total=9, flags=(0, 2))
    assert "in 1 class" in risks(l, person=0.1)


@pytest.mark.parametrize(("l", "known"), [(9, False), (10, True), (11, True)])
def test_nobody_has_more_values_than_cells(l: int, known: bool) -> None:  # noqa: E741
    """Nine cells with a value each are known with a probability of 1/9."""
    found = risks(l, commonest=1, total=9, flags=(0, 2))
    assert ("flagged cell that is known" in found) is known


def people_case(n_flu: int, n_gout: int) -> Case:
    """One class in which nobody flags anything."""
    schema = Schema(
        (
            Attribute("age", Role.QUASI),
            Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL, flags={"default": "low"}),
        )
    )
    n = n_flu + n_gout
    table = pl.DataFrame({"age": ["a"] * n, "ill": ["flu"] * n_flu + ["gout"] * n_gout})
    return Case(table, table, tuple(range(n)), (3,) * n, schema, {"ill": "by-flag"}, {"ill": 2})


def test_a_release_at_and_just_above_the_risk_of_a_person() -> None:
    people_case(20, 20).verify()
    assert "above 1/2 in 1 class" in findings(people_case(21, 20))


@pytest.mark.parametrize(
    ("l", "fits"), [(1, True), (2, True), (0, False), (-1, False), (True, False), (2.0, False)]
)
def test_cells_are_concealed_by_a_whole_number_from_1(l: object, fits: bool) -> None:  # noqa: E741
    published = people_case(1, 1).published
    hidden: Any = {"ill": l}
    found = said(refuse_symbols(replace(published, symbols={"ill": "by-flag"}, concealed=hidden)))
    assert (found == "") is fits
    assert fits or "must be an integer of at least 1" in found


LADDER = HierarchySpec("tree", rows=(("a", "low", "*"), ("b", "low", "*"), ("c", "high", "*")))
PAY = HierarchySpec("intervals", cuts=(10, 20))
WIDE = HierarchySpec("width", width=10, levels=2)


def symbols(
    how: str,
    cells: str,
    flags: str,
    shown: str,
    classes: str = "",
    hierarchy: HierarchySpec = LADDER,
    concealed: bool = False,
) -> str:
    """What is said of cells with these flags that show these labels; all words by spaces."""
    kind = Kind.NUMERIC if hierarchy in (PAY, WIDE) else Kind.CATEGORICAL
    attribute = Attribute("s", Role.SENSITIVE, kind, hierarchy=hierarchy, flag="f")
    n = len(cells.split())
    numbers = [int(c) for c in classes] or [1] * n
    release = release_of(
        {"s": [None if c == "-" else c.replace("_", " ") for c in shown.split()]},
        {"s": [None if c == "-" else c for c in cells.split()], "f": list(flags)},
        Schema((attribute, Attribute("f", Role.FLAG))),
        classes=numbers,
    )
    hidden = {"s": 1} if concealed else {}
    return said(check_symbols(replace(release, symbols={"s": how}, concealed=hidden)))


COVER, MORE, OTHER = "not cover", "flags allow", "not the symbol of"


@pytest.mark.parametrize(
    ("flag", "shown", "concealed", "finding"),
    [
        ("0", "a", False, ""), ("0", "low", False, OTHER), ("0", "*", False, OTHER),
        ("0", "b", False, COVER), ("0", "high", False, COVER), ("0", "a", True, ""),
        ("0", "low", True, OTHER), ("0", "*", True, ""), ("1", "a", False, MORE),
        ("1", "low", False, ""), ("1", "*", False, OTHER), ("1", "*", True, ""),
        ("1", "a", True, MORE), ("2", "a", False, MORE), ("2", "low", False, MORE),
        ("2", "*", False, ""), ("2", "low", True, MORE), ("2", "*", True, ""),
    ],
)  # fmt: skip
def test_a_cell_by_its_flag(flag: str, shown: str, concealed: bool, finding: str) -> None:
    found = symbols("by-flag", "a b c", f"{flag}00", f"{shown} b c", concealed=concealed)
    assert (found == "") == (finding == "")
    assert finding in found
    assert found == "" or "has 1 cell" in found
    assert "\n" not in found


DEEP = HierarchySpec("tree", rows=(("a", "x", "low", "*"), ("b", "y", "low", "*")))


@pytest.mark.parametrize(
    ("flags", "shown", "finding"),
    [
        ("10", "x b", ""), ("10", "low b", ""), ("10", "* b", ""), ("00", "low b", OTHER),
        ("00", "x b", OTHER), ("20", "low b", MORE),
    ],
)  # fmt: skip
def test_a_flagged_cell_may_be_lifted_step_by_step(flags: str, shown: str, finding: str) -> None:
    found = symbols("by-flag", "a b", flags, shown, hierarchy=DEEP, concealed=True)
    assert (found == "") == (finding == "")
    assert finding in found


@pytest.mark.parametrize(
    ("cells", "flags", "shown", "finding"),
    [
        ("12 19", "00", "[10,_20[ [10,_20[", ""),
        ("12 20", "00", "* *", ""),
        ("12 20", "00", "[10,_20[ [10,_20[", COVER),
        ("10 19", "01", "[10,_20[ [10,_20[", ""),
        ("10 19", "02", "[10,_20[ *", ""),
        ("10 19", "02", "[10,_20[ [10,_20[", MORE),
        ("10 19", "00", "[10,_20[ *", OTHER),
        ("10 19", "00", "10 [10,_20[", MORE),
        ("9 9", "00", "<10 <10", ""),
        ("20 20", "00", ">=20 >=20", ""),
    ],
)
def test_a_class_shows_one_interval(cells: str, flags: str, shown: str, finding: str) -> None:
    found = symbols("interval", cells, flags, shown, hierarchy=PAY)
    assert (found == "") == (finding == "")
    assert finding in found


@pytest.mark.parametrize(
    ("cells", "shown", "concealed", "finding"),
    [
        ("10 25", ">=10 >=10", False, ""),
        ("20 25", ">=20 >=20", False, ""),
        ("20 25", ">=10 >=10", False, OTHER),
        ("9 25", ">=10 >=10", False, COVER),
        ("9 19", "<20 <20", False, ""),
        ("9 20", "<20 <20", False, COVER),
        ("9 9", "<10 <10", False, ""),
        ("9 9", "<20 <20", False, OTHER),
        ("9 20", "* *", False, ""),
        ("10 25", "* *", False, OTHER),
        ("10 25", "* >=20", False, OTHER),
        ("10 25", "* >=20", True, ""),
        ("10 25", "* >=10", True, OTHER),
        ("10 25", ">=10 >=15", False, COVER),
        ("10 25", ">=10 [10,_20[", False, COVER),
        ("9 9", "<=10 <=10", False, COVER),
        ("9 20", "- *", False, COVER),
        ("10 -", "* *", False, ""),
        ("10 -", ">=10 *", False, OTHER),
        ("10 -", ">=10 >=10", False, COVER),
    ],
)
def test_a_class_shows_one_side(cells: str, shown: str, concealed: bool, finding: str) -> None:
    found = symbols("one-sided", cells, "00", shown, hierarchy=PAY, concealed=concealed)
    assert (found == "") == (finding == "")
    assert finding in found


def test_without_cuts_the_only_side_is_the_root() -> None:
    assert symbols("one-sided", "9 8", "00", "* *", hierarchy=WIDE) == ""
    for text in (">=0", "[0,_10[", "9"):
        assert COVER in symbols("one-sided", "9 8", "00", f"{text} *", hierarchy=WIDE)


@pytest.mark.parametrize(
    ("cells", "flags", "shown", "finding"),
    [
        ("1 2 3 12", "0011", "[0,_20[ [0,_20[ [0,_20[ [0,_20[", ""),
        ("1 2 3 12", "0011", "[0,_10[ [0,_10[ [0,_10[ *", ""),
        ("1 2 3 12", "0011", "[0,_10[ [0,_10[ * [0,_20[", ""),
        ("1 2 3 12", "0002", "[0,_10[ [0,_10[ [0,_10[ *", ""),
        ("1 2 3 12", "0011", "* * * *", ""),
        ("1 2 3 12", "0011", "[0,_20[ [0,_20[ [0,_20[ *", "3 cells that are not the symbol of"),
        ("1 2 3 12", "0011", "[0,_10[ [0,_20[ * *", OTHER),
        ("1 2 3 12", "0011", "[0,_10[ [0,_10[ * [10,_20[", OTHER),
        ("1 12", "01", "[0,_10[ *", ""),
        ("1 12", "01", "[0,_20[ *", OTHER),
        ("1", "1", "*", ""),
    ],
)
def test_a_concealed_class_shows_one_symbol_besides_lifted_cells(
    cells: str, flags: str, shown: str, finding: str
) -> None:
    found = symbols("interval", cells, flags, shown, hierarchy=WIDE, concealed=True)
    assert (found == "") == (finding == "")
    assert finding in found


def test_a_class_in_which_all_are_lifted_has_no_symbol() -> None:
    """Its cells may even show what is the symbol of another class."""
    told = "[0,_20[ [0,_20[ [0,_20[ [0,_20["
    assert symbols("interval", "1 12 3 4", "0011", told, "1122", WIDE, concealed=True) == ""
    assert OTHER in symbols("interval", "1 12 3 4", "0001", told, "1122", WIDE, concealed=True)


@pytest.mark.parametrize("flags", ["02", "20"])
def test_equal_rows_of_a_person_are_protected_by_their_highest_flag(flags: str) -> None:
    own = Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL, hierarchy=LADDER, flag="f")
    schema = Schema(
        (Attribute("who", Role.IDENTIFIER), own, Attribute("f", Role.FLAG)), Individual("who")
    )
    original = {"who": ["Ann", "Ann", "Bob"], "s": ["a", "a", "b"], "f": [*flags, "0"]}

    def check(shown: str) -> str:
        release = release_of({"s": [shown, "b"]}, original, schema, origin=[0, 2])
        return said(check_symbols(replace(release, symbols={"s": "by-flag"})))

    assert check("*") == ""
    assert MORE in check("a")


def plain_release(shown: dict[str, Any], **more: Any) -> Published:
    """Two cells a and b of s, published as they are said to be."""
    own = Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL, hierarchy=LADDER, **more)
    return release_of(shown, {"s": ["a", "b"], "f": ["0", "9"]}, Schema((own,)))


@pytest.mark.parametrize(
    ("flagged", "told"), [({"flag": "f"}, True), ({"flags": {"default": "low"}}, True), ({}, False)]
)
def test_a_column_with_flags_of_either_kind_needs_symbols(
    flagged: dict[str, Any], told: bool
) -> None:
    release = plain_release({"s": ["a", "b"]}, **flagged)
    assert ("'s' has flags" in said(refuse_symbols(release))) is told
    assert said(refuse_symbols(replace(release, symbols={"s": "by-flag"}))) == ""


@pytest.mark.parametrize("shown", [{"t": ["a", "b"]}, {"s": pl.Series([1, 2])}])
def test_a_column_that_is_no_text_or_not_there_has_no_symbols(shown: dict[str, Any]) -> None:
    """That it should be there, as text, is found elsewhere."""
    assert said(check_symbols(replace(plain_release(shown), symbols={"s": "by-flag"}))) == ""


def test_where_cells_cannot_be_read_nothing_else_is_said() -> None:
    lost = "Column 's' has 1 cell that is not in its hierarchy (original row 2)."
    assert symbols("by-flag", "a z c", "000", "b a c") == lost
    assert symbols("by-flag", "a z c", "000", "b a c", concealed=True) == lost
    no_flag = "Column 'f' has 1 cell that is not a flag of 's' (original row 2)."
    assert symbols("by-flag", "a b c", "090", "b a c") == no_flag


def test_where_cells_cannot_be_read_there_are_no_leaks() -> None:
    release = replace(plain_release({"s": ["a", "b"]}, flag="f"), symbols={"s": "by-flag"})
    with pytest.raises(VerificationError, match="'f' has 1 cell that is not a flag"):
        find_leaks(release)


def test_a_value_without_anything_above_it_is_its_own_root() -> None:
    alone = HierarchySpec("tree", rows=(("a",),))
    assert symbols("by-flag", "a a a", "012", "a a a", hierarchy=alone) == ""
    assert MORE not in (found := symbols("by-flag", "a a", "01", "a *", hierarchy=alone))
    assert COVER in found


# Random releases -------------------------------------------------------------------------------


@pytest.mark.parametrize(("numeric", "hierarchy"), FORMS)
def test_sound_releases_hold(numeric: str, hierarchy: str) -> None:
    for case in found(range(12), numeric, hierarchy, concealed=False):
        case.verify()
        check_leaks(case)


@pytest.mark.parametrize(("numeric", "hierarchy"), FORMS)
def test_concealed_releases_hold(numeric: str, hierarchy: str) -> None:
    cases = found(range(10), numeric, hierarchy, concealed=True)
    assert len(cases) >= 3
    n_lifted = 0
    for case in cases:
        case.verify()
        check_leaks(case)
        assert case.twin is not None
        n_lifted += any(level for row in case.twin[2] for level in row)
    assert n_lifted


@pytest.mark.parametrize(("numeric", "hierarchy"), FORMS)
def test_every_changed_cell_is_found(numeric: str, hierarchy: str) -> None:
    (case,) = found(range(200, 201), numeric, hierarchy, concealed=False)
    draw = random.Random(7)
    for name in ("ill", "pay"):
        texts = [*case.data[name].unique(), *case.original[name].unique(), "*", None, "", "x"]
        pairs = [
            (row, text)
            for row, text in product(range(case.data.height), texts)
            if text is None or not _same(text, case.data[name][row])
        ]
        for row, text in draw.sample(pairs, 12):
            assert f"'{name}' has " in findings(case.with_cell(name, row, text))


def _same(left: str, right: str) -> bool:
    return left == right or left.removesuffix(".0") == right


@pytest.mark.parametrize(("numeric", "hierarchy"), FORMS)
def test_a_concealed_cell_never_shows_its_value_against_its_flag(
    numeric: str, hierarchy: str
) -> None:
    n_tried = 0
    for case in found(range(300, 302), numeric, hierarchy, concealed=True):
        assert case.twin is not None
        for place, row in enumerate(case.origin):
            for a, name in enumerate(("ill", "pay")):
                class_symbol = name == "pay" and numeric != "by-flag"
                if class_symbol or case.twin[0].flags[row][a]:
                    value = case.original[name][row]
                    shown = (value, value.removesuffix(".0"))
                    if n_tried < 8 and case.data[name][place] not in shown:
                        n_tried += 1
                        findings(case.with_cell(name, place, value))
    assert n_tried == 8


def some(numeric: str, hierarchy: str, concealed: bool, fits: Callable[[Case], bool]) -> Case:
    """The first of many random cases that fits."""
    for seed in range(400, 700):
        case = random_case(seed, numeric, hierarchy, concealed)
        if case is not None and fits(case):
            return case
    raise AssertionError("no such case")


def ill_cells(case: Case, flag: int) -> list[int]:
    """The published rows with this flag of the illness."""
    assert case.twin is not None
    return [place for place, row in enumerate(case.origin) if case.twin[0].flags[row][0] == flag]


def ill_path(case: Case, place: int) -> tuple[str, ...]:
    spec, value = case.schema["ill"].hierarchy, case.original["ill"][case.origin[place]]
    assert spec is not None
    return next(row for row in spec.rows if row[0] == value)


def test_flag_1_and_2_shown_too_closely() -> None:
    case = some("by-flag", "width", False, lambda c: bool(ill_cells(c, 1) and ill_cells(c, 2)))
    for flag in (1, 2):
        place = ill_cells(case, flag)[0]
        for text in ill_path(case, place)[:flag]:
            if text != case.data["ill"][place]:
                spoilt = case.with_cell("ill", place, text)
                assert "'ill' has 1 cell that shows more than its flags allow (published row " in (
                    findings(spoilt)
                )


def test_a_foreign_ancestor() -> None:
    case = some("by-flag", "width", False, lambda c: "lung" in c.data["ill"].to_list())
    place = case.data["ill"].to_list().index("lung")
    text = findings(case.with_cell("ill", place, "virus"))
    assert (
        f"'ill' has 1 cell that does not cover the original value (published row {place + 1})"
        in (text)
    )


def test_shown_less_closely_than_asked_is_no_definition_without_conceal() -> None:
    case = some("by-flag", "width", False, lambda c: bool(ill_cells(c, 0)))
    place = ill_cells(case, 0)[0]
    root = "ill" if ill_path(case, place)[-1] == "ill" else "*"
    assert "not the symbol of its definition" in (findings(case.with_cell("ill", place, root)))


def test_a_cell_that_nobody_flagged_is_lifted_to_the_root_or_not_at_all() -> None:
    case = some(
        "by-flag",
        "width",
        True,
        lambda c: any(ill_path(c, p)[1] in ("lung", "virus") for p in ill_cells(c, 0)),
    )
    place = next(p for p in ill_cells(case, 0) if ill_path(case, p)[1] in ("lung", "virus"))
    spoilt = case.with_cell("ill", place, ill_path(case, place)[1])
    assert "'ill' has 1 cell that is not the symbol" in findings(spoilt)


def concealed_as_if(case: Case, l: int) -> Case:  # noqa: E741
    return replace(case, concealed={"ill": l, "pay": l})


def test_a_cell_risk_above_what_is_allowed() -> None:
    def tells(case: Case) -> bool:
        leak = case.leaks()["ill"]
        return leak.cell_worst > 0.5 + 1e-6 and leak.person_worst < 0.5

    case = some("by-flag", "width", False, tells)
    text = findings(replace(case, concealed={"ill": 2}))
    assert "'ill' has" in text
    assert "flagged cells that are known with a probability above 1/2 (published row" in text
    assert "The values of people" not in text


def test_a_person_risk_above_what_is_allowed() -> None:
    """Nobody flags anything, and two of three people in a class have the flu."""
    schema = Schema(
        (
            Attribute("age", Role.QUASI),
            Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL, flags={"default": "low"}),
        )
    )
    ill = ["flu", "flu", "gout", "flu", "hiv", "gout"]
    original = pl.DataFrame({"age": ["a", "a", "a", "b", "b", "b"], "ill": ill})
    case = Case(original, original, tuple(range(6)), (9, 9, 9, 4, 4, 4), schema, {"ill": "by-flag"})
    case.verify()
    assert case.leaks()["ill"] == Leak(0.0, 0.0, pytest.approx(2 / 3), pytest.approx(0.5))
    replace(case, concealed={"ill": 1}).verify()
    text = findings(replace(case, concealed={"ill": 2}))
    assert "'ill' are known with a probability above 1/2 in 1 class (class number 9)" in text


def test_the_very_limit_is_allowed() -> None:
    case = some(
        "by-flag", "width", True, lambda c: any(k.cell_worst == 0.5 for k in c.leaks().values())
    )
    case.verify()
    assert "above 1/3" in findings(concealed_as_if(case, 3))


def two_symbols(case: Case, column: str) -> Case | None:
    """Two level-1 intervals in one class, where concealing would show one or lift."""
    assert case.twin is not None
    table, classes, _ = case.twin
    for rows in classes:
        values = {table.rows[row][1] // 8 for row in rows if table.flags[row][1] < 2}
        if len(values) > 1:
            spoilt = case
            for row in rows:
                if table.flags[row][1] < 2:
                    low = table.rows[row][1] // 8 * 8
                    place = case.origin.index(row)
                    spoilt = spoilt.with_cell(column, place, f"[{low}, {low + 8}[")
            return spoilt
    return None


def test_two_class_symbols_in_a_concealed_class() -> None:
    case = some("interval", "width", True, lambda c: two_symbols(c, "pay") is not None)
    spoilt = two_symbols(case, "pay")
    assert spoilt is not None
    assert "'pay' has" in (text := findings(spoilt))
    assert "not the symbol" in text


def test_labels_in_two_spellings() -> None:
    def first(case: Case) -> int | None:
        cells = case.data["pay"].to_list()
        return next((i for i, x in enumerate(cells) if x[0] == "[" and cells.count(x) > 1), None)

    case = some("interval", "width", False, lambda c: first(c) is not None)
    place = first(case)
    assert place is not None
    low = case.data["pay"][place].split(",")[0]
    text = case.data["pay"][place].replace(low, low + ".0")
    assert "'pay' has" in (found := findings(case.with_cell("pay", place, text)))
    assert "that spells a label differently" in found


def test_only_values_may_be_spelt_in_several_ways() -> None:
    """They show as they were given; of a label above them there is one text."""
    assert symbols("by-flag", "12 12.0 12", "000", "12 12.0 12", hierarchy=PAY) == ""
    twice = symbols("by-flag", "12 13 14", "111", "[10,_20[ [10,_20[ [10.0,_20[", hierarchy=PAY)
    assert "that spell" in twice


def test_one_sided_is_over_the_cells_that_show_it() -> None:
    def shown(case: Case) -> int | None:
        cells = case.data["pay"].to_list()
        return next((i for i, x in enumerate(cells) if x == ">=30"), None)

    case = some("one-sided", "intervals", True, lambda c: shown(c) is not None)
    place = shown(case)
    assert place is not None
    lower = case.with_cell("pay", place, ">=20")
    assert "not the symbol of its definition" in findings(lower)
    assert "not cover" in findings(case.with_cell("pay", place, "<30"))
    assert "not cover" in findings(case.with_cell("pay", place, ">=25"))


def plain(name: str) -> Case:
    case = random_case(0, "by-flag", "width", False)
    assert case is not None
    return replace(case, symbols={k: v for k, v in case.symbols.items() if k != name})


def test_flagged_columns_must_be_shown_by_symbols() -> None:
    assert "'ill' has flags, but would be published unchanged" in findings(plain("ill"))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"symbols": {"ill": "set", "pay": "by-flag"}}, "symbols of form 'set'"),
        ({"symbols": {"ill": "interval", "pay": "by-flag"}}, "'ill' has no numbers"),
        (
            {"symbols": {"ill": "by-flag", "pay": "by-flag", "age": "by-flag"}},
            "'age' shows symbols",
        ),
        ({"concealed": {"age": 2}}, "'age' is concealed, but is not a sensitive attribute"),
        ({"concealed": {"ill": 0}}, "The l that conceals column 'ill'"),
    ],
)
def test_symbols_that_make_no_sense(change: dict[str, object], text: str) -> None:
    case = random_case(0, "by-flag", "width", False)
    assert case is not None
    assert text.lower() in findings(replace(case, **change)).lower()  # type: ignore[arg-type]


@pytest.mark.parametrize(("values", "open_classes"), [("ab", 0), ("aab", 1)])
def test_a_concealed_column_that_nobody_flags(values: str, open_classes: int) -> None:
    """It shows its values, and may only do so where no class gives one away."""
    n = len(values)
    table = pl.DataFrame({"q": ["1"] * n, "s": list(values)})
    schema = Schema((Attribute("q", Role.QUASI), Attribute("s", Role.SENSITIVE)))
    rows = np.arange(n)
    published = Published(
        {"data": table}, table, rows, np.ones(n, dtype=np.int64), schema, concealed={"s": 2}
    )
    assert not said(refuse_symbols(published))
    found = said(check_symbols(published))
    assert ("are known with a probability above 1/2 in 1 class" in found) is bool(open_classes)


def test_published_flags_are_found() -> None:
    case = random_case(0, "by-flag", "width", False)
    assert case is not None
    flags = case.original["ill_flag"].gather(list(case.origin))
    spoilt = replace(case, data=case.data.with_columns(flags))
    assert "'ill_flag' must not be published: its role is flag" in findings(spoilt)


def test_columns_without_symbols_must_be_as_they_were() -> None:
    case = random_case(3, "by-flag", "width", False)
    assert case is not None
    schema = replace(
        case.schema,
        attributes=tuple(replace(a, flag=None, flags=None) for a in case.schema.attributes),
    )
    bare = case.original["pay"].gather(list(case.origin))
    unflagged = replace(case, schema=schema, symbols={}, data=case.data.with_columns(bare))
    shown = unflagged.data.with_columns(case.original["ill"].gather(list(case.origin)))
    replace(unflagged, data=shown).verify()
    assert "cells that differ from the original" in findings(unflagged)


def test_findings_tell_no_values() -> None:
    (case,) = found(range(800, 801), "interval", "width", concealed=False)
    for name in ("ill", "pay"):
        for place in range(case.data.height):
            text = findings(case.with_cell(name, place, "plague"))
            words = set(text.replace("'", " ").replace(",", " ").split())
            assert not words & {"plague", "flu", "cough", "hiv", "ebola", "gout"}


def test_leaks_in_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.verify.secret.leak._CHUNK", 1)
    for case in found(range(900, 906), "by-flag", "intervals", concealed=False):
        check_leaks(case)


def test_leaks_of_a_column_that_is_not_there() -> None:
    case = random_case(0, "by-flag", "width", False)
    assert case is not None
    with pytest.raises(VerificationError, match="'age' must be a sensitive column"):
        replace(case, symbols={"age": "by-flag"}).leaks()
    empty = replace(case, data=case.data.clear(), origin=(), classes=(-1,) * case.original.height)
    assert empty.leaks()["ill"] == Leak(0.0, 0.0, 0.0, 0.0)
