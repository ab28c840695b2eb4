"""What is counted again from a release with buckets, by itself and beside the original."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError, VerificationError
from shoal.reading.table import read_table
from shoal.schema import Individual, Requirement, Schema
from shoal.verify import audit_table, verify_files, verify_manifest
from shoal.verify.model import recount as words
from shoal.verify.model.recount import Recount
from shoal.verify.release.audit_secret import UNREAD
from tests.verify.release.test_files import write_csv
from tests.verify.secret.test_secret import (
    REQUIREMENTS,
    bucket,
    drop_column,
    drop_table,
    exchange,
    renumber,
    show_beside,
    sound,
    swap_shown,
    whole_class,
    withhold_one,
)
from tests.verify.secret_cases import SCHEMA, Case, random_case

# The manifest lists published columns only, and no values or rows of a hierarchy.
TOLD = Schema(
    tuple(
        replace(a, flag=None, hierarchy=a.hierarchy and replace(a.hierarchy, rows=()))
        for a in SCHEMA.published
    )
)


def recount(case: Case, original: Any = None, *, as_text: bool = False, **more: Any) -> Recount:
    tables = dict(case.tables)
    if as_text:
        tables = {name: table.cast(pl.String) for name, table in tables.items()}
    data = tables.pop("data")
    asks = more.pop("requirements", case.requirements)
    return audit_table(data, TOLD, asks, original, case.ranges, buckets=tables, **more)


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("ranges", ["tight", "columns"])
@pytest.mark.parametrize("form", ["split", "joined"])
@pytest.mark.parametrize("seed", range(5))
def test_a_sound_release_is_counted_alike(seed: int, form: str, ranges: str, as_text: bool) -> None:
    _, _, case = random_case(seed, form, ranges)
    for original in (None, case.original):
        found = recount(case, original, as_text=as_text)
        assert found.problems == ()
        for again, verdict in zip(found.verdicts, case.verify(), strict=True):
            assert (again.requirement, again.attribute) == (verdict.requirement, verdict.attribute)
            if again.holds is None:
                assert again.note == words.UNORDERED
                continue
            assert (again.holds, again.asked) == (verdict.holds, verdict.asked)
            assert again.reached == pytest.approx(verdict.reached)
            assert (again.worst_class, again.offending) == (verdict.worst_class, verdict.offending)


SPOILT: dict[str, tuple[Callable[[Case], Case], str]] = {
    "column": (drop_column("town"), "Column 'town' is in the manifest but not in the table"),
    "table": (drop_table, "There is no published table 'buckets-zip'"),
    "record": (lambda c: c.with_cell("record", 1, "7"), "Column 'record' is not the number"),
    "class": (lambda c: c.with_cell("GID", 0, "x"), "Classes are not numbered as they appear"),
    "pattern": (withhold_one, "rows of different patterns of 'age'"),
    "label": (lambda c: c.with_cell("gender", 0, "*"), "different published labels"),
    "both": (show_beside, "Column 'age' has 1 cell that is shown and in a bucket"),
    "in none": (lambda c: c.with_cell("ill_BID", 3, None), "1 sensitive cell in no bucket"),
    "numbers": (
        renumber("age_BID", {"1": "2", "2": "1"}),
        "does not number buckets as they appear",
    ),
    "order": (
        bucket("ill", lambda t: t.sort(pl.col("BID").cast(pl.Int64), -pl.int_range(pl.len()))),
        "buckets of 'ill' are not sorted",
    ),
    "count": (
        bucket("age", lambda t: pl.concat([t[:1], t])),
        "1 bucket of 'age' does not have as many values as rows (bucket 1)",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_release_is_noticed(name: str) -> None:
    spoil, finding = SPOILT[name]
    problems = recount(spoil(sound())).problems
    assert finding in "\n".join(map(str, problems))


def test_values_in_another_order_in_one_table() -> None:
    problems = recount(swap_shown("ill")(sound("joined"))).problems
    assert "bucket of 'ill' is not sorted" in str(problems[0])


@pytest.mark.parametrize("as_text", [False, True])
def test_a_bound_that_is_no_number_is_a_range(as_text: bool) -> None:
    case = sound("joined", "columns")
    high = case.tables["data"]["age_high"].cast(pl.String)
    forged = case.with_column(high).with_cell("age_high", 0, "x")
    (problem,) = recount(forged, case.original, as_text=as_text).problems
    assert str(problem).startswith("Column 'age' has 1 cell in a bucket that shows a range")
    assert "(published row 1)" in str(problem)


def test_what_only_the_row_map_tells_is_not_noticed() -> None:
    assert recount(exchange(sound())).problems == ()
    assert recount(whole_class("town", "Atlantis")(sound())).problems == ()


def test_values_that_the_original_has_less_often_are_noticed() -> None:
    forged = bucket("age", lambda t: t.with_columns(pl.col("value").replace(24, 23)))(sound())
    assert recount(forged).problems == ()
    *_, problem = recount(forged, forged.original).problems
    assert str(problem) == "1 value of 'age' is in buckets more often than in the original."


@pytest.mark.parametrize("there", [False, True])
def test_people_whose_rows_nobody_can_tell_apart_leave_all_open(there: bool) -> None:
    """Rows must not be counted as people where the manifest says that people may have several."""
    case = sound()
    data = case.tables["data"]
    tables = {name: table for name, table in case.tables.items() if name != "data"}
    if there:
        data = data.with_columns(pl.Series("who", [1] * data.height))
    schema = replace(TOLD, individual=Individual("who"))
    for original in (None, case.original):
        found = audit_table(data, schema, case.requirements, original, case.ranges, buckets=tables)
        assert {v.holds for v in found.verdicts} == {None}
        text = "Column 'who' has people, which no release with buckets has."
        assert text in [str(problem) for problem in found.problems]


def with_entry(name: str, bid: str, value: Any) -> Callable[[Case], Case]:
    """One more value in a bucket, in its place."""

    def add(table: pl.DataFrame) -> pl.DataFrame:
        more = pl.DataFrame({"BID": [bid], "value": [value]}, schema=table.schema)
        return pl.concat([table, more]).sort(pl.col("BID").cast(pl.Int64), "value")

    return bucket(name, add)


def test_entries_that_are_nobodys_are_counted_over_all_attributes() -> None:
    more = with_entry("ill", "3", "pox")(with_entry("age", "1", 99)(sound()))
    for original in (None, more.original):
        assert recount(more, original, n_entries=2).problems == ()
        for said in (1, 3):
            (problem,) = recount(more, original, n_entries=said).problems
            text = f"The manifest claims {said} counterfeit entries in buckets, but there are 2."
            assert str(problem) == text
    texts = [str(problem) for problem in recount(more).problems]
    assert texts == [
        "1 bucket of 'age' does not have as many values as rows (bucket 1).",
        "1 bucket of 'ill' does not have as many values as rows (bucket 3).",
    ]
    (problem,) = recount(sound(), n_entries=1).problems
    assert "but there are 0" in str(problem)


def test_an_entry_that_is_nobodys_makes_up_for_no_other() -> None:
    short = bucket("zip", lambda t: t[1:])(with_entry("age", "1", 99)(sound()))
    (problem,) = recount(short, n_entries=1).problems
    assert str(problem) == "1 bucket of 'zip' does not have as many values as rows (bucket 1)."
    # Of two ages that the original has less often, one is nobody's.
    forged = bucket("age", lambda t: t.with_columns(pl.col("value").replace(24, 23)))(
        with_entry("age", "1", 99)(sound())
    )
    assert recount(forged, n_entries=1).problems == ()
    *_, problem = recount(forged, forged.original, n_entries=1).problems
    assert str(problem) == "2 values of 'age' are in buckets more often than in the original."


def test_entries_of_buckets_that_cannot_be_read_are_not_counted() -> None:
    more = with_entry("age", "1", 99)(sound())
    unread = bucket("ill", lambda t: t.rename({"value": "cell"}))(more)
    (problem,) = recount(unread, n_entries=1).problems
    assert "The columns of the table 'buckets-ill'" in str(problem)


def test_no_rows_are_in_no_class() -> None:
    case = sound()
    empty = replace(case, tables={name: table.clear() for name, table in case.tables.items()})
    found = recount(empty)
    assert found.n_classes == 0
    assert [v.holds for v in found.verdicts] == [False] * 4


def test_unchanged_values_are_compared() -> None:
    case = sound()
    (problem,) = recount(case.with_cell("visit", 0, "v77"), case.original).problems
    assert "(published row 1)" in str(problem)
    with pytest.raises(DataError, match="has no column 'zip'"):
        recount(case, case.original.drop("zip"))


def test_personal_wishes_are_not_published() -> None:
    wish = Requirement("l-diversity", {"l": 2, "attribute": "age", "personal": "own"})
    (verdict,) = recount(sound(), requirements=[wish]).verdicts
    assert (verdict.holds, verdict.reached, verdict.note) == (None, None, words.PERSONAL)
    more = Requirement("l-diversity", {"l": 3, "attribute": "age", "personal": "own"})
    (verdict,) = recount(sound(), requirements=[more]).verdicts
    assert (verdict.holds, verdict.reached) == (False, 2)
    assert verdict.requirement == str(more)


def test_what_is_left_open() -> None:
    case = sound()
    asks = [
        Requirement("alpha-k", {"alpha": 0.5, "k": 2, "attribute": "ill"}),
        Requirement("l-diversity", {"l": 2, "attribute": "visit"}),
        Requirement("l-diversity", {"l": 2, "attribute": "name"}),
        Requirement("t-closeness", {"t": 0.9, "attribute": "zip"}),
        Requirement("t-closeness", {"t": 0.9, "attribute": "zip", "distance": "equal"}),
        Requirement("new", {}),
        Requirement("ir-k", {"k": 2}),
        Requirement("eir-l", {"l": 2, "attribute": "ill"}),
    ]
    found = recount(case, requirements=asks)
    notes = [words.UNKNOWN, words.ALONE, words.NOTHING, words.UNORDERED, "by bucket", words.UNKNOWN]
    assert [v.note for v in found.verdicts] == [*notes, words.INVALID, words.INVALID]
    assert [v.holds for v in found.verdicts] == [None] * 4 + [True] + [None] * 3
    for model, problem in zip(("ir-k", "eir-l"), found.problems, strict=True):
        assert f"{model} must know" in str(problem)


def test_levels_are_told_by_sizes() -> None:
    def ask(k: int) -> Requirement:
        return Requirement("multi-level-k", {"thresholds": [[0.5, 0.5]], "levels": [[k, k]]})

    found = recount(sound(), requirements=[ask(2), ask(9)])
    assert [v.holds for v in found.verdicts] == [True, False]


def test_columns_that_do_not_fit_leave_all_open() -> None:
    found = recount(drop_column("GID")(sound()))
    assert {v.note for v in found.verdicts} == {words.COLUMNS}
    assert [v.attribute for v in found.verdicts] == [None, "age", "zip", "ill"]


@pytest.mark.parametrize("name", ["age", "ill"])
def test_a_table_of_buckets_that_cannot_be_read(name: str) -> None:
    case = bucket(name, lambda t: t.rename({"value": "cell"}))(sound())
    for original in (None, case.original):
        found = recount(case, original)
        (problem,) = found.problems
        assert f"The columns of the table 'buckets-{name}' are not" in str(problem)
        notes = {v.attribute: v.note for v in found.verdicts if v.holds is None}
        assert notes == {name: UNREAD}
    # What can be read is still compared, and whether all cells are true is not known.
    (_, problem) = recount(case.with_cell("visit", 0, "v77"), case.original).problems
    assert "(published row 1)" in str(problem)
    assert found.assigned is not None
    assert found.assigned.holds is None


def test_nobody_is_in_a_bucket_that_holds_nothing() -> None:
    case = sound().with_cell("age_BID", 0, "99")
    *_, problem = recount(case, case.original).problems
    assert "1 published row can be no row of the original" in str(problem)
    assert "(published row 1)" in str(problem)


def folder_of(tables: dict[str, pl.DataFrame], folder: Path, suffix: str) -> Path:
    files = {}
    for name, table in tables.items():
        path = folder / f"{name}.{suffix}"
        if suffix == "csv":
            write_csv(path, table)
        else:
            table.write_parquet(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        files[path.name] = {"sha256": digest, "rows": table.height}
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "files": files}))
    return folder


VALUES: list[pl.Series] = [
    pl.Series([3, None, -4]),
    pl.Series([0.5, 1e20, None]),
    pl.Series(["=1+1", "'@x", None]),
    pl.Series([date(2020, 2, 29), None, date(1999, 1, 1)]),
]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("values", VALUES, ids=lambda s: str(s.dtype))
def test_written_tables_of_buckets(values: pl.Series, suffix: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"BID": ["1", "1", "2"], "value": values})
    tables = {**sound().tables, "buckets-x": table}
    folder = folder_of(tables, tmp_path, suffix)
    verify_files(folder, tables)
    assert verify_manifest(folder) == []
    for column, other in (("BID", ["1", "2", "2"]), ("value", values.reverse())):
        changed = table.with_columns(pl.Series(column, other, dtype=table[column].dtype))
        with pytest.raises(VerificationError, match=f"Column '{column}' has"):
            verify_files(folder, {**tables, "buckets-x": changed})
    with pytest.raises(VerificationError, match="a table that was not verified"):
        verify_files(folder, dict(sound().tables))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_written_release_is_counted_from_its_files(suffix: str, tmp_path: Path) -> None:
    case = sound()
    folder = folder_of(dict(case.tables), tmp_path, suffix)
    tables = {path.stem: read_table(path) for path in folder.glob(f"*.{suffix}")}
    found = recount(replace(case, tables=tables), case.original)
    assert found.problems == ()
    assert [v.holds for v in found.verdicts] == [True] * len(REQUIREMENTS)
    assert found.n_classes == len(set(case.classes))


def test_numbers_that_are_categories_may_be_sorted_either_way() -> None:
    case = sound()
    numbers = bucket("ill", lambda t: t.with_columns(value=pl.lit("9")))(case)
    table = numbers.tables["buckets-ill"]
    values = ["9", "24"] + ["9"] * (table.height - 2)
    numbers = numbers.with_table("buckets-ill", table.with_columns(pl.Series("value", values)))
    assert recount(numbers).problems == ()
    values = ["9", "x"] + ["9"] * (table.height - 2)
    mixed = numbers.with_table("buckets-ill", table.with_columns(pl.Series("value", values)))
    assert recount(mixed).problems == ()
    values = ["x", "9"] + ["9"] * (table.height - 2)
    mixed = numbers.with_table("buckets-ill", table.with_columns(pl.Series("value", values)))
    assert "is not sorted" in str(recount(mixed).problems[0])
