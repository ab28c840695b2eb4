"""Releases with buckets: sound ones pass, and every way of spoiling one is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Individual, Kind, Layout, Requirement, Role, Schema, Verdict
from shoal.verify.secret.adversary import Risks
from shoal.verify.secret.bucket import Listing, check_order
from shoal.verify.secret.guarantee import risk_problems
from shoal.verify.secret.secret import (
    Bucketed,
    SecretColumn,
    check_patterns,
    check_reserved,
    encode_known,
    numbered_as_they_appear,
    read_counters,
)
from tests.papers.lgb import twin as twin
from tests.verify.secret_cases import (
    ATTRIBUTES,
    NAMES,
    SCHEMA,
    Case,
    asked,
    publish,
    random_case,
    random_table,
)
from tests.verify.small import release_of, said, text

RULES: dict[int, twin.Rule] = {0: ("distinct", 2), 2: ("distinct", 2), 4: ("distinct", 2)}
TABLE = twin.Table(
    ATTRIBUTES,
    (
        (20, "Male", "21328", "Bonn", "flu"),
        (22, "Male", "21336", "Kiel", "cold"),
        (31, "Female", "21340", "Rom", "flu"),
        (33, "Male", "21344", "Rom", "gout"),
        (24, "Male", "21352", "Ulm", "pox"),
        (25, "Female", "21328", "Ulm", "flu"),
        (36, "Male", "21328", "Bonn", "cold"),
        (37, "Female", "21336", "Kiel", "rash"),
        (26, "Male", "21340", "Rom", "gout"),
        (27, "Female", "21344", "Ulm", "pox"),
        (38, "Female", "21352", "Bonn", "flu"),
        (39, "Female", "21328", "Bonn", "cold"),
    ),
    tuple((4 <= row < 8, False, row >= 8, False, True) for row in range(12)),
)
RELEASE = twin.lgb(TABLE, 2, RULES)
REQUIREMENTS = asked(2, RULES)


def sound(form: str = "split", ranges: str = "tight") -> Case:
    return publish(TABLE, RELEASE, REQUIREMENTS, form, ranges, seed=1)


def texts(error: pytest.ExceptionInfo[VerificationError]) -> str:
    return "\n".join(map(str, error.value.problems))


def refused(case: Case, finding: str) -> None:
    with pytest.raises(VerificationError) as error:
        case.verify()
    assert finding in texts(error), texts(error)
    for column in ("age", "zip", "town", "ill", "visit"):
        for cell in case.original[column].cast(pl.String).drop_nulls():
            assert cell not in texts(error) or len(cell) < 3


@pytest.mark.parametrize("ranges", ["tight", "columns"])
@pytest.mark.parametrize("form", ["split", "joined"])
@pytest.mark.parametrize("seed", range(8))
def test_sound_random_releases_hold(seed: int, form: str, ranges: str) -> None:
    _, release, case = random_case(seed, form, ranges)
    rules = {NAMES.index(r.parameters["attribute"]): r for r in case.requirements[1:]}
    k = case.requirements[0].parameters["k"]
    verdicts = case.verify()
    assert all(verdict.holds for verdict in verdicts)
    assert {v.attribute for v in verdicts} == {None, "age", "zip", "town", "ill"}
    assert verdicts[0].reached >= k
    for a, requirement in rules.items():
        verdict = next(v for v in verdicts if v.requirement == str(requirement))
        buckets = release.buckets.get(a, [])
        assert verdict.note == ("by bucket" if buckets else "no secret cells")
        if buckets and requirement.parameters.get("kind") == "distinct":
            assert verdict.reached == min(len(set(bucket)) for bucket in buckets)


def test_the_cases_have_withheld_cells_and_suppressed_rows() -> None:
    withheld = suppressed = 0
    for seed in range(12):
        _, release, case = random_case(seed)
        withheld += any(c[0] == "withheld" for r in release.cells.values() for c in r)
        suppressed += -1 in case.classes
    assert withheld
    assert suppressed


def first(case: Case, column: str, *, null: bool = False) -> int:
    cells = case.tables["data"][column].is_null()
    return int((cells if null else ~cells).arg_max() or 0)


def with_schema(case: Case, name: str, **changes: Any) -> Case:
    attributes = tuple(replace(a, **changes) if a.name == name else a for a in SCHEMA.attributes)
    return replace(case, schema=Schema(attributes))


def drop_column(name: str) -> Callable[[Case], Case]:
    return lambda case: case.with_table("data", case.tables["data"].drop(name))


def add_column(name: str) -> Callable[[Case], Case]:
    return lambda case: case.with_column(
        pl.Series(name, ["1"] * case.tables["data"].height, dtype=pl.String)
    )


def show_secret(case: Case) -> Case:
    row = first(case, "age_BID")
    return case.with_cell("age", row, "[20, 39]").with_cell("age_BID", row, None)


def show_beside(case: Case) -> Case:
    return case.with_cell("age", first(case, "age_BID"), "[20, 39]")


def hide_public(case: Case) -> Case:
    row = first(case, "age")
    return case.with_cell("age", row, None).with_cell("age_BID", row, "1")


def withhold_one(case: Case) -> Case:
    return case.with_cell("age", first(case, "age"), None)


def whole_class(column: str, label: str | None) -> Callable[[Case], Case]:
    """Another label for all rows of the first class that shows one."""

    def change(case: Case) -> Case:
        data = case.tables["data"]
        gid = data["GID"][first(case, column)]
        cells = [label if g == gid else c for g, c in zip(data["GID"], data[column], strict=True)]
        return case.with_column(pl.Series(column, cells, dtype=pl.String))

    return change


def renumber(column: str, numbers: dict[str, str]) -> Callable[[Case], Case]:
    def change(case: Case) -> Case:
        case = case.with_column(case.tables["data"][column].replace(numbers))
        if column == "GID":
            return case
        name = f"buckets-{column.removesuffix('_BID')}"
        table = case.tables[name].with_columns(pl.col("BID").replace(numbers))
        return case.with_table(name, table.sort(pl.col("BID").cast(pl.Int64), "value"))

    return change


def swap_classes(case: Case) -> Case:
    case = renumber("GID", {"1": "2", "2": "1"})(case)
    return replace(case, classes=tuple({1: 2, 2: 1}.get(c, c) for c in case.classes))


def bucket(name: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Callable[[Case], Case]:
    table = f"buckets-{name}"
    return lambda case: case.with_table(table, change(case.tables[table]))


def exchange(case: Case) -> Case:
    """Values of two buckets trade places: the whole multiset stays."""
    table = case.tables["buckets-age"]
    bids, values = table["BID"].to_list(), table["value"].to_list()
    other = bids.index("2")
    values[0], values[other] = values[other], values[0]
    changed = pl.DataFrame({"BID": bids, "value": values})
    return case.with_table("buckets-age", changed.sort(pl.col("BID").cast(pl.Int64), "value"))


def drop_table(case: Case) -> Case:
    return replace(case, tables={n: t for n, t in case.tables.items() if n != "buckets-zip"})


def ask(*requirements: Requirement) -> Callable[[Case], Case]:
    return lambda case: replace(case, requirements=requirements)


def drop_row(case: Case) -> Case:
    case = case.with_table("data", case.tables["data"][:-1])
    return replace(case, origin=case.origin[:-1])


def flag(name: str, cells: list[Any]) -> Callable[[Case], Case]:
    def change(case: Case) -> Case:
        given = case.original[name].cast(pl.String).to_list()
        words = [*cells, *given[len(cells) :]]
        column = pl.Series(name, words, dtype=pl.String)
        return replace(case, original=case.original.with_columns(column))

    return change


K, AGE, ZIP, ILL = REQUIREMENTS
SPOILT: dict[str, tuple[Callable[[Case], Case], str]] = {
    "column left out": (drop_column("town"), "Column 'town' is not published"),
    "pointer left out": (drop_column("ill_BID"), "Column 'ill_BID' is not published"),
    "flag published": (
        add_column("zip_secret"),
        "must not be published: its role is flag",
    ),
    "sensitive value published": (
        add_column("ill"),
        "must not be published: its role is sensitive",
    ),
    "other order": (
        lambda c: c.with_table("data", c.tables["data"].select(pl.all().reverse())[:, ::-1]),
        "not in the order of the schema",
    ),
    "record": (lambda c: c.with_cell("record", 2, "9"), "Column 'record' is not the number"),
    "class": (renumber("GID", {"1": "2", "2": "1"}), "Column 'GID' is not the number of its class"),
    "class order": (swap_classes, "Classes are not numbered as they appear in"),
    "numbers of records": (
        lambda c: c.with_column(c.tables["data"]["record"].cast(pl.Int64)),
        "Column 'record' must be published as text",
    ),
    "uneven label": (
        lambda c: c.with_cell("town", 0, "{Bonn, Kiel, Rom, Ulm}"),
        "rows with different published labels",
    ),
    "two patterns": (withhold_one, "1 class has rows of different patterns of 'age'"),
    "secret shown": (show_secret, "Column 'age' has 1 secret cell that is shown"),
    "secret shown beside": (show_beside, "Column 'age' has 1 cell that is shown and in a bucket"),
    "public in a bucket": (hide_public, "Column 'age' has 1 public cell in a bucket"),
    "sensitive in none": (
        lambda c: c.with_cell("ill_BID", 3, None),
        "Column 'ill' has 1 sensitive cell in no bucket (published row 4)",
    ),
    "label of others": (whole_class("age", "[1, 2]"), "labels that do not cover the original"),
    "label of none": (whole_class("zip", "2132?"), "cells that are not labels of this attribute"),
    "quasi left empty": (whole_class("gender", None), "'gender' has 2 labels that do not cover"),
    "unchanged": (
        lambda c: c.with_cell("visit", 0, "v99"),
        "Column 'visit' has 1 cell that differs from the original (published row 1)",
    ),
    "bucket values": (
        bucket("age", lambda t: t.with_columns(pl.col("value").replace(24, 23))),
        "1 bucket of 'age' does not hold the values of its rows",
    ),
    "bucket values exchanged": (exchange, "2 buckets of 'age' do not hold the values"),
    "bucket not sorted": (
        bucket(
            "ill", lambda t: t.sort(pl.col("BID").cast(pl.Int64), "value", descending=[False, True])
        ),
        "buckets of 'ill' are not sorted",
    ),
    "buckets not in order": (
        bucket("age", lambda t: t.sort(-pl.col("BID").cast(pl.Int64), "value")),
        "bucket of 'age' is not sorted",
    ),
    "bucket without rows": (
        bucket("age", lambda t: t.vstack(pl.DataFrame({"BID": ["7"], "value": [24]}))),
        "1 bucket of 'age' has values but no rows (bucket 7)",
    ),
    "rows without bucket": (
        bucket("age", lambda t: t.filter(pl.col("BID") != "1")),
        "1 bucket of 'age' has rows but no values (bucket 1)",
    ),
    "value too many": (
        bucket("age", lambda t: pl.concat([t[:1], t])),
        "1 bucket of 'age' does not have as many values as rows (bucket 1)",
    ),
    "bucket type": (
        bucket("age", lambda t: t.with_columns(pl.col("value").cast(pl.Float32))),
        "The values of the table 'buckets-age' must be text or of the type of the original",
    ),
    "bucket columns": (
        bucket("age", lambda t: t.with_row_index("row")),
        "The columns of the table 'buckets-age' are not",
    ),
    "bucket numbers": (
        bucket("age", lambda t: t.with_columns(pl.col("BID").cast(pl.Int64))),
        "The column 'BID' of the table 'buckets-age' must be text",
    ),
    "bucket number malformed": (
        bucket("age", lambda t: t.with_columns(BID="0" + pl.col("BID"))),
        "'buckets-age' has 4 cells that are not numbers in 'BID'",
    ),
    "missing as text": (
        bucket("zip", lambda t: t.with_columns(pl.col("value").replace("21340", ""))),
        "The table 'buckets-zip' has 1 missing value whose cell is not empty",
    ),
    "no table of buckets": (drop_table, "There is no published table 'buckets-zip'"),
    "a further table": (
        lambda c: c.with_table("buckets-town", c.tables["buckets-zip"]),
        "The table 'buckets-town' is published, but no cell points to it",
    ),
    "pointer malformed": (
        lambda c: c.with_cell("ill_BID", 0, "1.0"),
        "Column 'ill_BID' has 1 cell that is not a number",
    ),
    "bucket order": (
        renumber("age_BID", {"1": "2", "2": "1"}),
        "Column 'age_BID' does not number buckets as they appear",
    ),
    "pointers to nothing": (
        lambda c: c.with_table(
            "data",
            c.tables["data"].insert_column(
                c.tables["data"].columns.index("town") + 1,
                pl.Series("town_BID", [None] * 12, dtype=pl.String),
            ),
        ),
        "Column 'town_BID' is published, but no cell is in a bucket",
    ),
    "row left out": (drop_row, "1 row has a class but is not published"),
    "limit": (
        lambda c: replace(drop_row(c), limit=0.0, classes=_suppress(c)),
        "1 of 12 rows are suppressed",
    ),
    "nothing asked": (ask(K, AGE, ZIP), "There is no requirement on the buckets of 'ill'"),
    "alpha-k": (
        ask(*REQUIREMENTS, Requirement("alpha-k", {"alpha": 1.0, "k": 2})),
        "There is no independent check of alpha-k on buckets",
    ),
    "recursive": (
        ask(*REQUIREMENTS, Requirement("l-diversity", {"l": 2, "c": 2, "kind": "recursive"})),
        "There is no independent check of l-diversity of kind 'recursive' on buckets",
    ),
    "levels": (
        ask(
            *REQUIREMENTS,
            Requirement(
                "multi-level-k",
                {"thresholds": [[0.5, 0.5]], "levels": [{"k": [2, 2], "eir-l": {"l": 2}}]},
            ),
        ),
        "There is no independent check here of levels with requirements other than k",
    ),
    "flag unclear": (
        flag("town_secret", ["no", "perhaps", None]),
        "'town_secret' has 2 cells that say neither yes nor no (original rows 2, 3)",
    ),
    "no flag": (
        lambda c: replace(c, original=c.original.drop("zip_secret")),
        "Column 'zip_secret' is not in the original table",
    ),
    "flag untold": (
        lambda c: with_schema(c, "zip", flag=None),
        "'zip' needs a flag column, but has none",
    ),
    "flag of another role": (
        lambda c: with_schema(c, "zip_secret", role=Role.IDENTIFIER),
        "Column 'zip_secret' must have the role flag",
    ),
    "another flag": (
        flag("zip_secret", ["1"]),
        "Column 'zip' has 1 secret cell that is shown",
    ),
    "people": (
        lambda c: replace(c, schema=replace(SCHEMA, individual=Individual("name"))),
        "where people have several rows",
    ),
    "reserved name": (
        lambda c: replace(
            c, schema=Schema((*SCHEMA.attributes, Attribute("x_BID", Role.INSENSITIVE)))
        ),
        "The name 'x_BID' is reserved",
    ),
}


def _suppress(case: Case) -> tuple[int, ...]:
    return tuple(-1 if row == case.origin[-1] else c for row, c in enumerate(case.classes))


def test_the_sound_release_holds() -> None:
    for form in ("split", "joined"):
        assert all(verdict.holds for verdict in sound(form).verify())


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_release_is_refused(name: str) -> None:
    spoil, finding = SPOILT[name]
    refused(spoil(sound()), finding)


@pytest.mark.parametrize(
    ("kind", "values", "fine"),
    [
        (Kind.NUMERIC, [9, 24], True),
        (Kind.NUMERIC, [24, 9], False),
        (Kind.NUMERIC, ["9", "24"], True),
        (Kind.NUMERIC, ["24", "9"], False),
        (Kind.NUMERIC, ["9", "9.0"], True),
        (Kind.NUMERIC, ["9.0", "9"], False),
        (Kind.DATE, [date(2020, 1, 9), date(2020, 1, 24)], True),
        (Kind.DATE, [date(2020, 1, 24), date(2020, 1, 9)], False),
        (Kind.DATE, ["2020-01", "2020-01-09"], True),
        (Kind.ORDINAL, ["high", "low"], True),
        (Kind.ORDINAL, ["low", "high"], False),
        (Kind.CATEGORICAL, [24, 9], True),
        (Kind.CATEGORICAL, [9, 24], True),
        (Kind.CATEGORICAL, ["9", "24"], False),
        (Kind.CATEGORICAL, ["a", None], True),
        (Kind.CATEGORICAL, [None, "a"], False),
    ],
)
def test_the_order_of_values(kind: Kind, values: list[Any], fine: bool) -> None:
    attribute = Attribute("x", Role.SENSITIVE, kind)
    listing = Listing(np.ones(len(values), dtype=np.int64), pl.Series(values))
    assert (not list(check_order(attribute, listing))) == fine


def swap_shown(name: str) -> Callable[[Case], Case]:
    """Two rows of a bucket show each other's values."""

    def change(case: Case) -> Case:
        data = case.tables["data"]
        rows = [i for i, bid in enumerate(data[f"{name}_BID"]) if bid == "1"][:2]
        cells = [data[name][rows[1]], data[name][rows[0]]]
        return case.with_cell(name, rows[0], cells[0]).with_cell(name, rows[1], cells[1])

    return change


JOINED: dict[str, tuple[Callable[[Case], Case], str]] = {
    "order of numbers": (swap_shown("age"), "1 bucket of 'age' is not sorted (bucket 1)"),
    "order of texts": (swap_shown("ill"), "1 bucket of 'ill' is not sorted (bucket 1)"),
    "another value": (
        lambda c: c.with_cell("ill", 0, "ague"),
        "1 bucket of 'ill' does not hold the values of its rows",
    ),
    "nothing": (
        lambda c: c.with_cell("ill", 0, None),
        "1 bucket of 'ill' does not hold the values of its rows",
    ),
    "a table of buckets": (
        lambda c: c.with_table("buckets-age", sound().tables["buckets-age"]),
        "The table 'buckets-age' is published, but no cell points to it",
    ),
    "secret": (
        lambda c: c.with_cell("age_BID", first(c, "age_BID"), None),
        "Column 'age' has 1 secret cell that is shown",
    ),
}


@pytest.mark.parametrize("name", JOINED)
def test_a_spoilt_joined_release_is_refused(name: str) -> None:
    spoil, finding = JOINED[name]
    refused(spoil(sound("joined")), finding)


def test_a_cell_in_a_bucket_shows_one_value_in_columns_of_bounds() -> None:
    case = sound("joined", "columns")
    row = first(case, "age_BID")
    high = case.tables["data"]["age_high"][row]
    refused(case.with_cell("age_high", row, high + 1), "cell in a bucket that shows a range")
    split = sound("split", "columns")
    assert all(verdict.holds for verdict in split.verify())
    refused(split.with_cell("age_low", row, 20), "Column 'age' has 1 cell that is shown and in")


def test_missing_values_are_values_of_buckets() -> None:
    for form in ("split", "joined"):
        case = sound(form)
        row, published = 4, case.origin.index(4)
        ages = case.original["age"].to_list()
        text, ages[row] = str(ages[row]), None
        original = case.original.with_columns(pl.Series("age", ages, dtype=pl.Int64))
        case = replace(case, original=original)
        bid = case.tables["data"]["age_BID"][published]
        if form == "split":
            table = case.tables["buckets-age"]
            values = [None if b == bid and str(v) == text else v for b, v in table.rows()]
            table = table.with_columns(pl.Series("value", values, dtype=pl.Int64))
            by = pl.col("BID").cast(pl.Int64)
            case = case.with_table("buckets-age", table.sort(by, "value", nulls_last=True))
            wrong = case.with_table("buckets-age", table.sort(by, "value", nulls_last=False))
            refused(wrong, "bucket of 'age' is not sorted")
        else:
            rows = [i for i, b in enumerate(case.tables["data"]["age_BID"]) if b == bid]
            cells = [case.tables["data"]["age"][i] for i in rows]
            cells = [*(c for c in cells if c != text), None]
            for i, cell in zip(rows, cells, strict=True):
                case = case.with_cell("age", i, cell)
        assert all(verdict.holds for verdict in case.verify())


def verdict_of(case: Case, *requirements: Requirement) -> Verdict:
    """The verdict on the first of them; the buckets of all else are fine."""
    rest = [Requirement("t-closeness", {"t": 1})]
    return replace(case, requirements=(*requirements, *rest)).verify()[0]


def test_a_small_class_is_a_failing_verdict() -> None:
    verdict = verdict_of(sound(), Requirement("k-anonymity", {"k": 3}))
    assert (verdict.holds, verdict.reached) == (False, 2)
    assert verdict.offending


def test_each_class_must_hold_k_by_itself() -> None:
    """Two classes that look alike count together, and yet each must have k rows."""
    case = sound()
    number = max(case.classes) + 1
    gid = case.classes[0]
    torn = next(row for row, c in enumerate(case.classes) if c == gid)
    classes = tuple(number if row == torn else c for row, c in enumerate(case.classes))
    numbers: dict[int, int] = {}
    for row in case.origin:
        numbers.setdefault(classes[row], len(numbers) + 1)
    classes = tuple(numbers[c] for c in classes)
    case = replace(case, classes=classes)
    case = case.with_column(
        pl.Series("GID", [str(classes[row]) for row in case.origin], dtype=pl.String)
    )
    verdict = verdict_of(case, Requirement("k-anonymity", {"k": 2}))
    assert (verdict.holds, verdict.reached) == (False, 1)
    assert "even though others look like it" in verdict.note
    one = verdict_of(case, Requirement("k-anonymity", {"k": 1}))
    assert (one.holds, one.reached) == (True, 2)


@pytest.mark.parametrize(
    ("model", "parameters", "reached"),
    [
        ("l-diversity", {"l": 3, "attribute": "age"}, 2),
        ("l-diversity", {"l": 2.5, "kind": "frequency", "attribute": "age"}, 2.0),
        ("l-diversity", {"l": 2.5, "kind": "entropy", "attribute": "age"}, 2.0),
    ],
)
def test_buckets_that_fail_are_named(model: str, parameters: Any, reached: Any) -> None:
    verdict = verdict_of(sound(), Requirement(model, parameters))
    assert (verdict.holds, verdict.reached, verdict.attribute) == (False, reached, "age")
    assert (verdict.worst_class, verdict.offending) == (1, (1, 2))
    assert verdict.note == "by bucket"


def test_closeness_is_to_all_that_is_in_buckets() -> None:
    verdict = verdict_of(sound(), Requirement("t-closeness", {"t": 0.1, "attribute": "age"}))
    table = [24, 25, 36, 37]
    buckets = RELEASE.buckets[0]
    far = max(float(twin.emd(ATTRIBUTES[0], bucket, table)) for bucket in buckets)
    assert verdict.holds is False
    assert verdict.reached == pytest.approx(far)


def test_without_a_name_every_attribute_with_buckets_is_judged() -> None:
    case = replace(sound(), requirements=(K, Requirement("l-diversity", {"l": 2})))
    verdicts = case.verify()
    assert [v.attribute for v in verdicts] == [None, "age", "zip", "town", "ill"]
    notes = ["by bucket", "by bucket", "no secret cells", "by bucket"]
    assert [v.note for v in verdicts[1:]] == notes
    assert all(v.holds for v in verdicts)


def test_people_may_ask_for_more() -> None:
    own = Requirement("l-diversity", {"l": 2, "attribute": "age", "personal": "own"})
    assert verdict_of(sound(), own).holds
    case = sound()
    wishes = [None] * 12
    wishes[5] = 3  # type: ignore[call-overload]
    original = case.original.with_columns(pl.Series("own", wishes, dtype=pl.Int64))
    case = replace(case, original=original)
    bid = int(case.tables["data"]["age_BID"][case.origin.index(5)])
    verdict = verdict_of(case, own)
    assert (verdict.holds, verdict.asked, verdict.reached) == (False, 2, 2)
    assert (verdict.worst_class, verdict.offending) == (bid, (bid,))
    # Who is in no bucket of the attribute asks for nothing there.
    wishes[5], wishes[0] = None, 9  # type: ignore[call-overload]
    original = case.original.with_columns(pl.Series("own", wishes, dtype=pl.Int64))
    assert verdict_of(replace(case, original=original), own).holds


@pytest.mark.parametrize("wish", ["much", "0.5"])
def test_wishes_that_make_no_sense(wish: str) -> None:
    case = sound()
    column = pl.Series("own", [wish, *[None] * 11], dtype=pl.String)
    case = replace(case, original=case.original.with_columns(column))
    own = Requirement("l-diversity", {"l": 2, "personal": "own"})
    refused(replace(case, requirements=(K, own)), "'own' has 1 cell that is not a number")
    named = Requirement("l-diversity", {"l": 2, "personal": "town"})
    refused(replace(case, requirements=(K, named)), "names no column of role flag")


def test_a_value_that_is_common_in_its_bucket_gives_itself_away() -> None:
    """Two distinct values are in each bucket, and one of them in most of its rows."""
    table = random_table(1, 8, 0.0)
    ills = ("flu", "flu", "flu", "gout") * 2
    table = replace(
        table, rows=tuple((*row[:4], ill) for row, ill in zip(table.rows, ills, strict=True))
    )
    release = twin.lgb(table, 2, {4: ("t", 0.0)})
    case = publish(table, release, asked(2, {4: ("t", 0.0)}))
    assert all(verdict.holds for verdict in case.verify())
    case = replace(case, requirements=asked(2, {4: ("distinct", 2)}))
    refused(case, "A secret in 'ill' is learned with a probability of 0.75")
    frequent = replace(case, requirements=asked(2, {4: ("frequency", 2)}))
    assert [verdict.holds for verdict in frequent.verify()] == [True, False]


def test_risks_beyond_verdicts_that_hold_are_problems() -> None:
    risks = Risks(0.6, True, {"ill": 0.6}, {"ill": False}, 1)
    held = [Verdict(str(r), True, 2, attribute=r.parameters.get("attribute")) for r in (K, ILL)]
    found = [str(p) for p in risk_problems(risks, (K, ILL), held)]
    assert "Somebody is found with a probability of 0.6" in found[0]
    assert "'ill' may be learned with a probability of 0.6" in found[1]
    failed = [replace(verdict, holds=False) for verdict in held]
    assert not list(risk_problems(risks, (K, ILL), failed))


def test_a_plain_release_has_no_secrets() -> None:
    case = replace(sound(), form="plain")
    refused(case, "There is no independent check of column 'age', of role semi-sensitive")


# Parts by themselves ---------------------------------------------------------------------------


def test_counters_are_plain_numbers_from_1() -> None:
    assert read_counters(text(["1", "10", None])).tolist() == [1, 10, 0]
    for odd in ("0", "-1", "-0", "01", "+1", " 1", "1.0", "1e1", "x", ""):
        assert read_counters(text([odd])).tolist() == [-1]


def test_numbers_begin_at_1_and_leave_none_out() -> None:
    for numbers, fine in (
        ([1, 2, 1, 3], [True, True, True, True]),
        ([0, 1], [False, True]),
        ([-1, 1], [False, True]),
        ([2, 1], [False, True]),
        ([1, 3, 2], [True, False, True]),
    ):
        assert numbered_as_they_appear(np.array(numbers)).tolist() == fine


def test_shown_in_a_bucket_and_withheld_are_three_patterns() -> None:
    inside = np.array([False, True, False, True])
    shown = np.array([True, False, False, True])
    assert SecretColumn(inside, shown).pattern.tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize("name", ["record", "GID", "x_BID"])
def test_names_that_a_release_with_buckets_needs_are_reserved(name: str) -> None:
    for role, n_found in ((Role.INSENSITIVE, 1), (Role.QUASI, 1), (Role.IDENTIFIER, 0)):
        assert len(list(check_reserved(Schema((Attribute(name, role),))))) == n_found
    assert not list(check_reserved(Schema((Attribute(f"{name}s", Role.QUASI),))))


S, T = Attribute("s", Role.SENSITIVE), Attribute("t", Role.SEMI_SENSITIVE, flag="f")


def bucketed(classes: list[int], **columns: list[str | None]) -> Bucketed:
    """Published cells of s and t as they would be without the rest of a release."""
    schema = Schema(tuple(a for a in (S, T) if f"{a.name}_BID" in columns))
    original = {a.name: ["a"] * len(classes) for a in schema.attributes}
    published = release_of(columns, original, schema, classes=classes)
    return Bucketed.of(replace(published, layout=Layout.SPLIT))


def test_sensitive_cells_in_no_bucket_are_told_once() -> None:
    assert said(check_patterns(bucketed([1, 1], s_BID=["1", None]))) == (
        "Column 's' has 1 sensitive cell in no bucket (published row 2)."
    )


def test_classes_of_several_patterns_are_named() -> None:
    for n_mixed, named in (
        (1, "1 class has rows of different patterns of 't' (class number 2)."),
        (2, "2 classes have rows of different patterns of 't' (class numbers 2, 3)."),
        (6, "6 classes have rows of different patterns of 't' (class numbers 2, 3, 4, 5, 6, …)."),
    ):
        classes = [number for number in range(1, n_mixed + 2) for _ in range(2)]
        labels: list[str | None] = [None, None, *["a", None] * n_mixed]
        bids: list[str | None] = ["1", "1", *[None, "1"] * n_mixed]
        found = said(check_patterns(bucketed(classes, t=labels, t_BID=bids)))
        assert found == named


def test_a_cell_in_a_bucket_has_a_code_of_its_own() -> None:
    """Classes are told apart by what they show: nothing is not the same as a bucket."""
    cells: dict[str, list[str | None]] = {
        "t": ["a", "b", None, None, None],
        "t_BID": [None, None, None, "1", "2"],
    }
    _, [(codes, n_codes)] = encode_known(bucketed([1, 2, 3, 4, 4], **cells), T)
    assert codes[3] == codes[4]
    assert len(set(codes.tolist())) == 4
    assert codes.max() < n_codes


@pytest.mark.parametrize("form", ["split", "joined"])
def test_bounds_of_public_cells_cover_them_and_are_the_same_in_a_class(form: str) -> None:
    case = sound(form, "columns")
    data = case.tables["data"]
    gid = data["GID"].filter(data["age_BID"].is_null())[0]
    rows = [row for row, number in enumerate(data["GID"]) if number == gid]
    low, high = data["age_low"][rows[0]], data["age_high"][rows[0]]

    def bounds(first: int, last: int, rows: list[int] = rows) -> Case:
        changed = case
        for row in rows:
            changed = changed.with_cell("age_low", row, first).with_cell("age_high", row, last)
        return changed

    assert all(verdict.holds for verdict in bounds(low - 1, high + 1).verify())
    refused(bounds(low - 1, high, rows[:1]), "1 class has rows with different published labels")
    refused(bounds(high, high), "Column 'age' has 1 label that does not cover the original value")
    refused(bounds(high, low), "Column 'age' has 2 cells that are not labels of this attribute")


def test_columns_of_another_type_are_told_once() -> None:
    case = sound("split", "columns")
    for name in ("age_low", "age_high"):
        # Whether it could be read as numbers or not: what it covers is not looked at.
        for word in ("", "about "):
            column = (word + case.tables["data"][name].cast(pl.String)).alias(name)
            with pytest.raises(VerificationError) as error:
                case.with_column(column).verify()
            assert texts(error) == f"Column {name!r} must be published as numbers."
    with pytest.raises(VerificationError) as error:
        sound().with_column(pl.Series("town", [1] * 12)).verify()
    assert texts(error) == "Column 'town' must be published as text."


@pytest.mark.parametrize("form", ["split", "joined"])
def test_of_a_release_without_rows_nothing_is_proved(form: str) -> None:
    case = sound(form)
    data = case.tables["data"].clear().drop("age_BID", "zip_BID")
    tables = {name: t.clear() for name, t in case.tables.items() if name == "buckets-ill"}
    nobody = replace(
        case, tables={"data": data, **tables}, original=case.original.clear(), origin=(), classes=()
    )
    verdicts = nobody.verify()
    assert [v.holds for v in verdicts] == [False, True, True, False]
    assert [v.note for v in verdicts] == [
        "no rows",
        "no secret cells",
        "no secret cells",
        "no rows",
    ]
