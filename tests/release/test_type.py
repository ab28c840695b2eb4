"""What is shown as it was has a type, which tells of nothing that is hidden."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.release.type import as_pandas, type_of_cells, with_types
from shoal.schema import Attribute, Kind, Role
from tests.folder.test_simulatable import made, without_order
from tests.folder.world import change_hidden, make_world

DAY = date(2024, 2, 28)
MOMENT = datetime(2024, 10, 26, 22, 30, 5, 123456)
COLUMNS: Mapping[str, pl.Series] = {
    "int": pl.Series(range(12), dtype=pl.Int32),
    "float": pl.Series([1000.0 + n for n in range(12)]),
    "fraction": pl.Series([n / 7 for n in range(12)]),
    "single": pl.Series([n / 7 for n in range(12)], dtype=pl.Float32),
    "gaps": pl.Series([None, 1, 2] * 4, dtype=pl.Int64),
    "flag": pl.Series([True, None, False] * 4),
    "day": pl.Series([DAY + timedelta(n) for n in range(12)]),
    "text": pl.Series([f"{n:03}" for n in range(12)]),
    "digits": pl.Series([str(n + 10) for n in range(12)]),
    **{
        f"{unit} {zone}": pl.Series([MOMENT + timedelta(hours=n / 2) for n in range(12)])
        .cast(pl.Datetime(unit))
        .dt.replace_time_zone("UTC")
        .dt.convert_time_zone(zone)
        for unit in ("ms", "us", "ns")
        for zone in ("UTC", "Europe/Berlin")
    },
    "ns": pl.Series([MOMENT + timedelta(hours=n / 2) for n in range(12)]).cast(pl.Datetime("ns")),
}
TABLE = pl.DataFrame({"age": range(20, 32), **COLUMNS})


def plan(**roles: str) -> dict[str, Any]:
    attributes = {"age": "quasi", **dict.fromkeys(COLUMNS, "insensitive"), **roles}
    return {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 3}}], "seed": 1,
            "method": "mondrian"}  # fmt: skip


def test_columns_that_are_shown_as_they_were_keep_their_types(tmp_path: Path) -> None:
    release = shoal.run(plan(), TABLE)
    expected = TABLE[release.origin.tolist()].drop("age")
    assert release.frame["age"].dtype == pl.String
    assert release.frame.drop("age").equals(expected)
    assert release.frame.drop("age").schema == expected.schema
    release.save(tmp_path / "r", format="parquet")
    assert pl.read_parquet(tmp_path / "r" / "data.parquet").equals(release.frame)
    found = shoal.audit(tmp_path / "r", TABLE)
    assert found.holds
    assert found.complete
    pandas = release.to_pandas()
    names = ("int", "float", "gaps", "flag", "day", "text")
    assert [str(pandas[name].dtype) for name in names] == [
        "int32", "float64", "Int64", "boolean", "datetime64[ms]", "object"]  # fmt: skip
    assert release.frame.to_arrow().schema.field("ms Europe/Berlin").type.tz == "Europe/Berlin"


def test_sensitive_numbers_are_numbers_and_can_be_asked_for(tmp_path: Path) -> None:
    names = ("int", "float", "fraction", "gaps", "flag", "day")
    release = shoal.run(plan(**dict.fromkeys(names, "sensitive")), TABLE)
    expected = TABLE[release.origin.tolist()].select(names)
    assert release.frame.select(names).equals(expected)
    assert release.frame.select(names).schema == expected.schema
    release.save(tmp_path / "r", format="parquet")
    assert shoal.audit(tmp_path / "r", TABLE).holds
    answer = shoal.query(tmp_path / "r", "SELECT AVG(float)")
    assert answer.lower == answer.upper == pytest.approx(1005.5)


def test_a_text_file_has_the_types_that_its_cells_say(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "t.csv")
    release = shoal.run(plan(float="sensitive"), tmp_path / "t.csv")
    names = ("int", "float", "fraction", "gaps", "flag", "day", "text", "digits")
    assert [str(release.frame.schema[name]) for name in names] == [
        "Int64", "Int64", "Float64", "Int64", "Boolean", "Date", "String", "Int64"]  # fmt: skip
    release.save(tmp_path / "r", format="parquet")
    found = shoal.audit(tmp_path / "r", tmp_path / "t.csv")
    assert found.holds, found.findings


def test_linked_tables_are_sorted_alike_whatever_their_types(tmp_path: Path) -> None:
    """Text sorts 1000 before 1000.5, 1e-07 before 1e-10, and so must the audit of numbers."""
    pay = [5.0, 50.0, 1e15, 5.5, 2e17, -5.0, 1e3, 1000.5, 10000.0, 2e-5, 1e-7, 1e-10]
    frame = pl.DataFrame({"age": range(12), "pay": pay})
    attributes = {"age": "quasi", "pay": {"role": "sensitive", "kind": "numeric"}}
    linked = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 12}}], "seed": 1,
              "method": {"qi-mhsa": {"tables": "split"}}}  # fmt: skip
    release = shoal.run(linked, frame)
    assert release.tables["sensitive"]["pay"].dtype == pl.Float64
    release.save(tmp_path / "r", format="parquet")
    assert shoal.audit(tmp_path / "r", frame).findings == ()


def test_values_in_buckets_have_types(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": range(12), "pay": [float(n) for n in range(12)]})
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"attribute": "pay", "l": 3}}]
    secret = {"attributes": {"age": "quasi", "pay": "sensitive"}, "method": "lgb-mdp", "seed": 1,
              "privacy": privacy}  # fmt: skip
    release = shoal.run(secret, frame)
    table = release.tables["buckets-pay"]
    assert table.schema == {"BID": pl.String, "value": pl.Float64}
    release.save(tmp_path / "r", format="parquet")
    assert shoal.audit(tmp_path / "r", frame).holds


LADDER = {
    "attributes": {
        "town": {"role": "quasi", "hierarchy": {"tree": {"north": ["a"], "south": ["b"]}}},
        "pay": "sensitive",
        "note": "insensitive",
    },
    "privacy": [{"k-anonymity": {"k": 3}}],
    "method": "ka",
    "seed": 1,
}


@pytest.mark.parametrize("column", ["pay", "note"])
@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ([1, 2, 3], [4, 2.5, None, "x", 2**40, True]),
        ([1.5, 2.5, 3.5], [4, 2.5, None, "x"]),
        (["a", "b", "c"], ["x", None]),
        ([DAY] * 3, [DAY, None, "x"]),
    ],
)
def test_a_type_does_not_depend_on_a_cell_that_is_left_out(
    column: str, shown: list[Any], hidden: list[Any]
) -> None:
    """Ints are floats in pandas if one is missing, and text if one person's is a word."""
    import pandas as pd

    found: dict[tuple[str, ...], set[pl.DataType]] = {}
    for cell in hidden:
        table = pd.DataFrame({"town": ["a"] * 3 + ["b"], column: [*shown, cell]})
        table["note" if column == "pay" else "pay"] = ["x"] * 4
        release = shoal.run(LADDER, table)
        assert release.counts.suppressed == 1
        cells = tuple(sorted(release.coded["data"][column].cast(pl.String)))
        found.setdefault(cells, set()).add(release.frame.schema[column])
    assert all(len(types) == 1 for types in found.values())
    # Floats that nobody rewrites are shown with a point.
    assert len(found) == 1 or column == "note"


@pytest.mark.parametrize("method", ["ka", "mondrian"])
def test_equal_published_cells_have_equal_types(method: str) -> None:
    """Whatever was hidden, tables that show the same have the same types."""
    compared = 0
    for seed in range(25):
        draw = random.Random(seed)
        world = make_world(method, draw)
        first = made(world)
        other = None if first is None else change_hidden(world, first, draw)
        second = None if other is None or other == world else made(other)
        if first is None or second is None:
            continue
        if without_order(second.coded) == without_order(first.coded):
            compared += 1
            types = [{n: t.schema for n, t in r.tables.items()} for r in (first, second)]
            assert types[0] == types[1]
    assert compared


@pytest.mark.parametrize(
    ("cells", "kind", "dtype"),
    [
        (["0", "-7", "123456789012345"], None, pl.Int64),
        (["1234567890123456"], None, pl.String),
        (["007", "12"], None, pl.String),
        (["57.0", "57.5"], None, pl.Float64),
        (["57", "57.5", "2.5e-07"], None, pl.Float64),
        (["57", "57.0"], None, pl.String),
        (["250.00", "250.01"], None, pl.String),
        (["250.00", "250.01"], Kind.NUMERIC, pl.Float64),
        (["1e999", "inf"], None, pl.String),
        (["12", "13"], Kind.CATEGORICAL, pl.String),
        (["true", "false"], Kind.CATEGORICAL, pl.Boolean),
        (["2024-02-29"], None, pl.Date),
        (["2024-02-29 10:00:00.000"], None, pl.Datetime("ms")),
        (["2024-02-29 10:00"], None, pl.String),
        ([], None, pl.String),
        ([], Kind.NUMERIC, pl.Float64),
        ([], Kind.DATE, pl.Date),
    ],
)
def test_the_type_of_cells(cells: list[str], kind: Kind | None, dtype: Any) -> None:
    column = pl.Series(cells, dtype=pl.String)
    assert type_of_cells(column, Attribute("x", Role.INSENSITIVE, kind)) == dtype


def test_what_does_not_fit_stays_text() -> None:
    """No day of the calendar: better as text than lost."""
    table = pl.DataFrame({"day": ["2023-02-29", "2023-03-01"]})
    found = with_types(table, [("day", Attribute("day", Role.INSENSITIVE))], {})
    assert found.equals(table)


def test_values_that_no_row_shows_are_in_no_type() -> None:
    cells = pl.Series("pay", ["1", None], dtype=pl.Enum(["secret", "1"]))
    found = with_types(pl.DataFrame([cells]), [("pay", Attribute("pay", Role.SENSITIVE))], {})
    assert found.schema == {"pay": pl.Int64}
    assert found["pay"].to_list() == [1, None]
    plain = with_types(pl.DataFrame([cells]), [], {})
    assert plain.schema == {"pay": pl.String}


def test_pandas_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pandas.arrays", None)
    with pytest.raises(ShoalError, match="pip install 'pandas"):
        as_pandas(TABLE)
