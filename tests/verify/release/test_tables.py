"""A sound small release, and every way of spoiling it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import DataError, VerificationError
from shoal.schema import (
    Attribute,
    HierarchySpec,
    Individual,
    Kind,
    Layout,
    Requirement,
    Role,
    Schema,
)
from shoal.verify import Published, check_table, symbol_leaks, verify_release
from shoal.verify.text.population import Population

SCHEMA = Schema(
    (
        Attribute("name", Role.IDENTIFIER),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("town", Role.QUASI, Kind.CATEGORICAL),
        Attribute("illness", Role.SENSITIVE, Kind.CATEGORICAL, missing=("?",)),
        Attribute("pay", Role.INSENSITIVE, Kind.NUMERIC),
        Attribute("secret", Role.FLAG),
    )
)
ORIGINAL = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dee", "Eve"],
        "age": ["30", "34", "51", "58.5", "99"],
        "town": ["Ulm", "Bonn", None, "Kiel", "Rom"],
        "illness": ["flu", "cold", "?", "flu", "gout"],
        "pay": ["1.0", None, "3", "4", "5"],
        "secret": ["1", "0", "0", "1", "0"],
    }
)
K2 = (Requirement("k-anonymity", {"k": 2}),)


@dataclass(frozen=True)
class Case:
    data: dict[str, list[Any]]
    original: pl.DataFrame = field(default_factory=lambda: ORIGINAL)
    origin: tuple[int, ...] = (2, 0, 3, 1)
    classes: tuple[int, ...] = (7, 7, 3, 3, -1)
    schema: Schema = SCHEMA
    ranges: str = "tight"
    limit: float = 1.0

    def published(self, requirements: Any = K2, dtype: Any = pl.String) -> Published:
        data = pl.DataFrame(self.data)
        text = [c for c in data.columns if data[c].dtype in (pl.String, pl.Null)]
        return Published(
            {"data": data.with_columns(pl.col(text).cast(dtype))},
            self.original,
            np.array(self.origin, dtype=np.int64),
            np.array(self.classes, dtype=np.int64),
            self.schema,
            requirements,
            ranges=self.ranges,
            suppression_limit=self.limit,
        )

    def verify(self, requirements: Any = K2, dtype: Any = pl.String) -> Any:
        return verify_release(self.published(requirements, dtype))

    def with_cell(self, column: str, row: int, cell: Any) -> Case:
        cells = list(self.data[column])
        cells[row] = cell
        return replace(self, data={**self.data, column: cells})


SOUND = Case(
    {
        "age": ["[51, 58.5]", "[30, 34]", "[51, 58.5]", "[30, 34]"],
        "town": ['{"", Kiel}', "{Bonn, Ulm}", '{"", Kiel}', "{Bonn, Ulm}"],
        "illness": [None, "flu", "flu", "cold"],
        "pay": ["3.0", "1", "4", None],
    }
)


def texts(error: pytest.ExceptionInfo[VerificationError]) -> str:
    return "\n".join(map(str, error.value.problems))


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_a_sound_release_holds(dtype: Any) -> None:
    (verdict,) = SOUND.verify(dtype=dtype)
    assert (verdict.holds, verdict.asked, verdict.reached) == (True, 2, 2)
    assert (verdict.worst_class, verdict.offending) == (3, ())


@pytest.mark.parametrize(("k", "holds"), [(2, True), (3, False)])
def test_combinations_are_of_what_is_published(k: int, holds: bool) -> None:
    (verdict,) = SOUND.verify([Requirement("km", {"k": k, "m": 1})])
    assert (verdict.holds, verdict.reached) == (holds, {"k": 2})


def test_an_enum_with_unused_labels_is_read_alike() -> None:
    labels = sorted(
        {cell for column in SOUND.data.values() for cell in column if cell} | {"[9, 1]"}
    )
    assert SOUND.verify(dtype=pl.Enum(labels))[0].holds


def test_a_class_below_k_is_a_failing_verdict() -> None:
    (verdict,) = SOUND.verify([Requirement("k-anonymity", {"k": 3})])
    assert (verdict.holds, verdict.reached, verdict.offending) == (False, 2, (3, 7))


def test_classes_with_equal_labels_are_one_class_under_the_smaller_number() -> None:
    star = {"age": ["*"] * 4, "town": ["*"] * 4}
    (verdict,) = replace(SOUND, data={**SOUND.data, **star}).verify(
        [Requirement("k-anonymity", {"k": 5})]
    )
    assert (verdict.reached, verdict.offending) == (4, (3,))


def drop(case: Case) -> Case:
    return replace(case, data={c: v[1:] for c, v in case.data.items()}, origin=case.origin[1:])


def duplicate(case: Case) -> Case:
    data = {c: [*v, v[0]] for c, v in case.data.items()}
    return replace(case, data=data, origin=(*case.origin, case.origin[0]))


def publish_suppressed(case: Case) -> Case:
    new = {"age": "*", "town": "*", "illness": "gout", "pay": "5"}
    data = {c: [*v, new[c]] for c, v in case.data.items()}
    return replace(case, data=data, origin=(*case.origin, 4))


def add(column: str) -> Callable[[Case], Case]:
    return lambda case: replace(case, data={**case.data, column: ["1", "2", "3", "4"]})


def cell(column: str, row: int, text: Any) -> Callable[[Case], Case]:
    return lambda case: case.with_cell(column, row, text)


def swap_sensitive(case: Case) -> Case:
    return case.with_cell("illness", 1, "cold").with_cell("illness", 3, "flu")


SPOILT: dict[str, tuple[Callable[[Case], Case], str]] = {
    "dropped row": (drop, "1 row has a class but is not published (original row 3)"),
    "duplicated row": (duplicate, "1 row is published more than once (original row 3)"),
    "suppressed row": (publish_suppressed, "1 suppressed row is published (original row 5)"),
    "foreign column": (add("index"), "'index' must not be published: it is not in the schema"),
    "identifier": (add("name"), "'name' must not be published: its role is identifier"),
    "flag": (add("secret"), "'secret' must not be published: its role is flag"),
    "row number": (add("Id_num"), "'Id_num' must not be published: it is not in the schema"),
    "missing column": (
        lambda c: replace(c, data={k: v for k, v in c.data.items() if k != "pay"}),
        "'pay' is not published",
    ),
    "order of columns": (
        lambda c: replace(c, data=dict(reversed(c.data.items()))),
        "not in the order of the schema",
    ),
    "bounds as text": (
        lambda c: replace(c, data={**c.data, "pay": [3.0, 1.0, 4.0, None]}),
        "'pay' must be published as text",
    ),
    "value not generalised": (cell("age", 0, "51"), "different published labels (class number 3)"),
    "range that misses": (cell("age", 0, "[52, 58.5]"), "'age' has 1 label that does not cover"),
    "open end": (cell("age", 2, "[51, 58.5["), "'age' has 1 label that does not cover"),
    "reversed range": (cell("age", 0, "[58.5, 51]"), "'age' has 1 cell that is not a label"),
    "endless range": (cell("age", 0, "[51, inf]"), "'age' has 1 cell that is not a label"),
    "range without space": (cell("age", 0, "[51,58.5]"), "'age' has 1 cell that is not a label"),
    "words for a number": (cell("age", 0, "fifty"), "'age' has 1 cell that is not a label"),
    "null for a number": (cell("age", 0, None), "'age' has 1 label that does not cover"),
    "empty label": (cell("town", 0, ""), "'town' has 1 cell that is not a label"),
    "wrong town": (cell("town", 1, "Kiel"), "'town' has 1 label that does not cover"),
    "set that misses": (cell("town", 1, "{Bonn, Kiel}"), "'town' has 1 label that does not cover"),
    "unsorted set": (cell("town", 1, "{Ulm, Bonn}"), "'town' has 1 cell that is not a label"),
    "repeated member": (cell("town", 1, "{Ulm, Ulm}"), "'town' has 1 cell that is not a label"),
    "set of one": (cell("town", 1, "{Ulm}"), "'town' has 1 cell that is not a label"),
    "malformed set": (cell("town", 1, "{Bonn,Ulm}"), "'town' has 1 cell that is not a label"),
    "set without missing": (cell("town", 0, "{Bonn, Kiel}"), "'town' has 1 label that does not"),
    "swapped sensitive values": (swap_sensitive, "'illness' has 2 cells that differ"),
    "missing spelt out": (cell("illness", 0, "?"), "'illness' has 1 cell that differs"),
    "missing as empty text": (cell("illness", 0, ""), "'illness' has 1 cell that differs"),
    "hidden sensitive value": (cell("illness", 1, None), "'illness' has 1 cell that differs"),
    "changed number": (cell("pay", 0, "3.1"), "'pay' has 1 cell that differs"),
    "limit": (lambda c: replace(c, limit=0.1), "1 of 5 rows are suppressed"),
    "class number 0": (lambda c: replace(c, classes=(7, 7, 3, 3, 0)), "class number below 1"),
    "origin outside": (
        lambda c: replace(c, origin=(2, 0, 3, 5)),
        "not come from an original row",
    ),
    "negative origin": (
        lambda c: replace(c, origin=(2, 0, 3, -4)),
        "not come from an original row",
    ),
    "short map": (lambda c: replace(c, origin=(2, 0, 3)), "row map must have 4 rows"),
    "short classes": (lambda c: replace(c, classes=(7, 7, 3, 3)), "but there are 4"),
    "rows in each other's place": (lambda c: replace(c, origin=(0, 2, 3, 1)), "do not cover"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt(name: str) -> None:
    spoil, finding = SPOILT[name]
    with pytest.raises(VerificationError) as error:
        spoil(SOUND).verify()
    assert finding in texts(error)


@pytest.mark.parametrize("name", SPOILT)
def test_findings_tell_no_values(name: str) -> None:
    with pytest.raises(VerificationError) as error:
        SPOILT[name][0](SOUND).verify()
    for value in ("Ulm", "Kiel", "Bonn", "flu", "cold", "gout", "58.5", "Ann", "fifty"):
        assert value not in texts(error)


def test_all_findings_are_listed() -> None:
    spoilt = swap_sensitive(add("name")(SOUND.with_cell("age", 0, "[1, 2]")))
    with pytest.raises(VerificationError) as error:
        spoilt.verify()
    for part in ("identifier", "'age' has 1 label", "'illness' has 2", "class number 3"):
        assert part in texts(error)


def test_examples_are_at_most_five() -> None:
    n = 9
    case = Case(
        {"age": ["1"] * n},
        pl.DataFrame({"age": ["2"] * n}),
        tuple(range(n)),
        (1,) * n,
        Schema((Attribute("age", Role.QUASI, Kind.NUMERIC),)),
    )
    with pytest.raises(VerificationError, match=r"9 labels .* \(published rows 1, 2, 3, 4, 5, …\)"):
        case.verify()


def test_a_further_table_is_not_waved_through() -> None:
    with pytest.raises(VerificationError, match="no independent check of the table 'buckets-x'"):
        verify_release(
            Published(
                {"data": pl.DataFrame(SOUND.data), "buckets-x": pl.DataFrame({"BID": [1]})},
                ORIGINAL,
                np.array(SOUND.origin),
                np.array(SOUND.classes),
                SCHEMA,
                K2,
            )
        )


def test_semi_sensitive_is_not_waved_through() -> None:
    schema = Schema((*SCHEMA.attributes[1:4], Attribute("pay", Role.SEMI_SENSITIVE, Kind.NUMERIC)))
    with pytest.raises(VerificationError, match="semi-sensitive"):
        replace(SOUND, schema=schema).verify()


def test_an_empty_release_proves_nothing() -> None:
    nothing = Case({c: [] for c in SOUND.data}, origin=(), classes=(-1,) * 5)
    (verdict, other) = nothing.verify([*K2, Requirement("t-closeness", {"t": 1.0})])
    assert (verdict.holds, verdict.reached, verdict.worst_class) == (False, None, None)
    assert (other.holds, other.attribute) == (False, "illness")


def test_a_column_without_text() -> None:
    lists = ORIGINAL.with_columns(pay=pl.Series([[1]] * 5))
    with pytest.raises(VerificationError, match="'pay' has cells that have no text form"):
        replace(SOUND, original=lists).verify()


def test_two_attributes_under_one_name() -> None:
    schema = Schema((*SCHEMA.attributes[:4], Attribute("age_low", Role.INSENSITIVE)))
    with pytest.raises(VerificationError, match="same published column 'age_low'"):
        replace(SPLIT, schema=schema).verify()


# ranges: columns -------------------------------------------------------------------------------

SPLIT = Case(
    {
        "age_low": [51.0, None, 51.0, None],
        "age_high": [58.5, None, 58.5, None],
        **{c: v for c, v in SOUND.data.items() if c != "age"},
    },
    ranges="columns",
)


def test_bounds_in_columns() -> None:
    assert SPLIT.verify()[0].holds


@pytest.mark.parametrize(
    ("column", "row", "bound", "finding"),
    [
        ("age_low", 0, 51.5, "'age' has 1 label that does not cover"),
        ("age_high", 2, 58.0, "'age' has 1 label that does not cover"),
        ("age_low", 0, None, "'age' has 1 cell that is not a label"),
        ("age_high", 0, 50.0, "'age' has 1 cell that is not a label"),
        ("age_high", 0, float("inf"), "'age' has 1 cell that is not a label"),
        ("age_high", 1, 60.0, "'age' has 1 cell that is not a label"),
        ("age_low", 0, 50.0, "1 class has rows with different published labels"),
    ],
)
def test_spoilt_bounds(column: str, row: int, bound: Any, finding: str) -> None:
    with pytest.raises(VerificationError) as error:
        SPLIT.with_cell(column, row, bound).verify()
    assert finding in texts(error)


def test_bounds_split_classes_that_differ_in_one_bound_only() -> None:
    case = replace(
        SPLIT,
        data={
            **SPLIT.data,
            "age_low": [50.0, 10.0, 50.0, 10.0],
            "age_high": [99.0] * 4,
            "town": ["*"] * 4,
        },
    )
    (verdict,) = case.verify([Requirement("k-anonymity", {"k": 3})])
    assert verdict.offending == (3, 7)


# people ----------------------------------------------------------------------------------------

PEOPLE = Case(
    {
        "Id_num": ["1", "2", "1", "3"],
        "age": ["[30, 34]", "[30, 34]", "[30, 34]", "[30, 34]"],
        "illness": ["flu", "cold", "cold", "flu"],
    },
    pl.DataFrame(
        {
            "who": ["Ann", "Bob", "Ann", "Cid"],
            "age": ["30", "34", "30", "31"],
            "illness": ["flu", "cold", "cold", "flu"],
        }
    ),
    (0, 1, 2, 3),
    (1, 1, 1, 1),
    Schema(
        (
            Attribute("who", Role.IDENTIFIER),
            Attribute("age", Role.QUASI, Kind.NUMERIC),
            Attribute("illness", Role.SENSITIVE, Kind.CATEGORICAL),
        ),
        Individual("who"),
    ),
)


def test_k_counts_people() -> None:
    held, failed = PEOPLE.verify([Requirement("k-anonymity", {"k": k}) for k in (3, 4)])
    assert (held.holds, failed.holds, failed.reached) == (True, False, 3)


def test_whole_number_ids() -> None:
    assert replace(PEOPLE, data={**PEOPLE.data, "Id_num": [1, 2, 1, 3]}).verify()[0].holds


@pytest.mark.parametrize(
    ("ids", "finding"),
    [
        (["1", "2", "3", "4"], "does not have the Id_num of its person"),
        (["1", "2", "1", "2"], "shares its Id_num with another person"),
        (["2", "1", "2", "3"], "does not number people as they appear"),
        (["Ann", "Bob", "Ann", "Cid"], "does not number people as they appear"),
        (["1", "2", "1", None], "does not number people as they appear"),
        ([1.0, 2.0, 1.0, 3.0], "neither text nor whole numbers"),
    ],
)
def test_spoilt_ids(ids: list[Any], finding: str) -> None:
    with pytest.raises(VerificationError) as error:
        replace(PEOPLE, data={**PEOPLE.data, "Id_num": ids}).verify()
    assert finding in texts(error)


def test_a_person_split_over_classes() -> None:
    with pytest.raises(VerificationError, match="1 row is in a different class"):
        replace(PEOPLE, classes=(1, 1, 2, 2)).verify()


def test_id_num_must_be_there() -> None:
    with pytest.raises(VerificationError, match="'Id_num' is not published"):
        replace(PEOPLE, data={c: v for c, v in PEOPLE.data.items() if c != "Id_num"}).verify()


@pytest.mark.parametrize(
    ("conflict", "ages", "label", "holds"),
    [
        ("error", ["30", "34", "99", "31"], "[30, 34]", False),
        ("first", ["30", "34", "99", "31"], "[30, 34]", True),
        ("first", ["99", "34", "30", "31"], "[30, 34]", False),
        ("mode", ["30", "34", "99", "31"], "[30, 34]", True),
        ("mode", ["98", "34", "99", "31"], "[30, 34]", False),
    ],
)
def test_conflicts_within_a_person(conflict: Any, ages: list[str], label: str, holds: bool) -> None:
    case = replace(
        PEOPLE,
        data={**PEOPLE.data, "age": [label] * 4},
        original=PEOPLE.original.with_columns(age=pl.Series(ages)),
        schema=replace(PEOPLE.schema, individual=Individual("who", conflict)),
    )
    if holds:
        assert case.verify()[0].holds
    else:
        with pytest.raises(VerificationError, match="not cover"):
            case.verify()


def test_the_commonest_value_stands_for_a_person() -> None:
    schema = replace(PEOPLE.schema, individual=Individual("who", "mode"))
    original = pl.DataFrame({"who": ["Ann"] * 3, "age": ["30", "99", "99"], "illness": list("abc")})
    data = {"Id_num": ["1"] * 3, "age": ["30"] * 3, "illness": list("abc")}
    case = Case(data, original, (0, 1, 2), (1, 1, 1), schema)
    with pytest.raises(VerificationError, match="3 labels"):
        case.verify()
    assert replace(case, data={**data, "age": ["99"] * 3}).verify()


# typed originals -------------------------------------------------------------------------------


def test_typed_columns() -> None:
    from datetime import date

    schema = Schema(
        (
            Attribute("age", Role.QUASI, Kind.NUMERIC, missing=("-9",)),
            Attribute("born", Role.QUASI, Kind.DATE),
            Attribute(
                "code", Role.QUASI, Kind.CATEGORICAL, hierarchy=HierarchySpec("mask", mask=2)
            ),
            Attribute("weight", Role.QUASI, Kind.NUMERIC),
            Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL),
            Attribute("seen", Role.INSENSITIVE, Kind.DATE),
        )
    )
    original = pl.DataFrame(
        {
            "age": [30, None, -9],
            "born": [date(2020, 1, 2), date(2020, 2, 3), date(2020, 1, 9)],
            "code": [123, 145, 199],
            "weight": pl.Series([0.1, 0.2, 0.3], dtype=pl.Float32),
            "ill": [True, False, None],
            "seen": [date(2021, 1, 1), None, date(2021, 1, 2)],
        }
    )
    data = {
        "age": ["*"] * 3,
        "born": ["[2020-01-02, 2020-02-03]"] * 3,
        "code": ["1**"] * 3,
        "weight": ["[0.1, 0.3]"] * 3,
        "ill": ["true", "false", None],
        "seen": ["2021-01-01", None, "2021-01-02"],
    }
    case = Case(data, original, (0, 1, 2), (1, 1, 1), schema)
    assert case.verify()[0].reached == 3
    doubles = {**data, "weight": ["[0.10000000149011612, 0.30000001192092896]"] * 3}
    assert replace(case, data=doubles).verify()
    for column, row, text in (
        ("born", 0, "[2020-01-03, 2020-02-03]"),
        ("code", 2, "12*"),
        ("weight", 2, "[0.1, 0.3["),
        ("ill", 0, "True"),
        ("seen", 1, "2021-01-01"),
        ("age", 2, "-9"),
    ):
        with pytest.raises(VerificationError, match=f"'{column}' has 1 (label|cell) "):
            case.with_cell(column, row, text).verify()


# forms that nobody can check -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"ranges": "loose"}, "no independent check of ranges of form 'loose'"),
        ({"layout": Layout.LINKED}, "linked release do not fit the form 'linked'"),
        ({"halves": {}}, "linked release do not fit the form 'plain'"),
        ({"tables": {}}, "There is no published table 'data'"),
        ({"origin": np.array([2.0, 0.0, 3.0, 1.0])}, "'origin' must be one-dimensional"),
        ({"classes": np.array([[7, 7, 3, 3, -1]])}, "'classes' must be one-dimensional"),
        *(
            ({"layout": layout, **more}, f"no independent check of symbols of form '{layout}'")
            for layout in (Layout.SPLIT, Layout.JOINED)
            for more in (
                {"symbols": {"illness": "by-flag"}},
                {"concealed": {"pay": 2}},
                {"halves": {}},
            )
        ),
    ],
)
def test_what_cannot_be_checked_is_refused(change: dict[str, Any], finding: str) -> None:
    with pytest.raises(VerificationError) as error:
        verify_release(replace(SOUND.published(), **change))
    assert finding in texts(error)


def test_buckets_without_symbols_are_judged_as_buckets() -> None:
    with pytest.raises(VerificationError) as error:
        verify_release(replace(SOUND.published(), layout=Layout.SPLIT))
    assert "'GID' is not published" in texts(error)
    assert "symbols" not in texts(error)


# symbols ---------------------------------------------------------------------------------------

FLAGGED = Case(
    {"age": ["[1, 4]"] * 4, "illness": ["flu", "flu", "cold", "cold"]},
    pl.DataFrame({"age": ["1", "2", "3", "4"], "illness": ["flu", "flu", "cold", "cold"]}),
    (0, 1, 2, 3),
    (1, 1, 1, 1),
    Schema(
        (
            Attribute("age", Role.QUASI, Kind.NUMERIC),
            Attribute("illness", Role.SENSITIVE, Kind.CATEGORICAL, flags={"default": "low"}),
        )
    ),
)


def test_symbols_are_checked() -> None:
    shown = replace(FLAGGED.published(), symbols={"illness": "by-flag"})
    assert verify_release(replace(shown, concealed={"illness": 2}))[0].holds
    with pytest.raises(VerificationError, match="above 1/3 in 1 class"):
        verify_release(replace(shown, concealed={"illness": 3}))


def test_leaks_are_of_sensitive_columns_that_both_tables_have() -> None:
    shown = FLAGGED.published()
    assert (
        symbol_leaks(replace(shown, symbols={"illness": "by-flag"}))["illness"].person_worst == 0.5
    )
    for change, finding in (
        ({"symbols": {"age": "by-flag"}}, "'age' must be a sensitive column of both tables"),
        ({"tables": {"data": shown.data.drop("illness")}}, "'illness' must be a sensitive column"),
        ({"original": shown.original.drop("illness")}, "'illness' must be a sensitive column"),
        ({"origin": np.array([0, 1, 2, 4])}, "not come from an original row"),
        ({"origin": np.array([0.0, 1.0, 2.0, 3.0])}, "'origin' must be one-dimensional"),
    ):
        with pytest.raises(VerificationError, match=finding):
            symbol_leaks(replace(shown, **{"symbols": {"illness": "by-flag"}, **change}))


# tables as they are ----------------------------------------------------------------------------


def as_it_is(people: list[str] | None = None) -> tuple[pl.DataFrame, Schema]:
    frame = pl.DataFrame({"town": list("baaca"), "who": people or list("vwxyz")})
    attributes = (Attribute("town", Role.QUASI), Attribute("who", Role.IDENTIFIER))
    return frame, Schema(attributes, Individual("who") if people else None)


def test_classes_are_numbered_as_they_appear() -> None:
    (verdict,), numbers = check_table(*as_it_is(), K2)
    assert numbers.tolist() == [1, 2, 2, 3, 2]
    assert (verdict.reached, verdict.worst_class, verdict.offending) == (1, 1, (1, 3))


def test_a_table_as_it_is_counts_people() -> None:
    (verdict,), _ = check_table(*as_it_is(list("vwwyw")), K2)
    assert verdict.offending == (1, 2, 3)


def test_a_population_may_be_larger_than_the_table() -> None:
    population = Population(pl.DataFrame({"town": list("abc")}), np.array([3, 2, 1]))
    asked = [Requirement("k-map", {"k": 2})]
    (verdict,), _ = check_table(*as_it_is(), asked, population)
    assert (verdict.reached, verdict.offending) == (1, (3,))


def test_a_table_must_have_its_columns_as_text() -> None:
    frame, schema = as_it_is(list("vwxyz"))
    for spoilt, finding in (
        (frame.drop("town"), r"\AColumn 'town' is not in the table\.\Z"),
        (frame.drop("who"), r"\AColumn 'who' is not in the table\.\Z"),
        (
            frame.with_columns(more=pl.Series([[1]] * 5)),
            r"\AColumn 'more' has cells that have no text form\.\Z",
        ),
    ):
        with pytest.raises(DataError, match=finding):
            check_table(spoilt, schema, K2)
