"""Rows under their names and types."""

from __future__ import annotations

import polars as pl

from shoal._run.part.finish import both_types, cell_types, finished, finished_people, named
from shoal.schema import Attribute, Role

ROWS = pl.DataFrame({"p0": ["[1, 2]", "3"], "p1": ["7", None], "key": [1, 2]})


def test_published_columns_get_their_names_and_nothing_else_is_written() -> None:
    assert named(("age", "visit"), ROWS).to_dict(as_series=False) == {
        "age": ["[1, 2]", "3"],
        "visit": ["7", None],
    }


def test_columns_with_a_type_are_read_as_such() -> None:
    rows = finished(("age", "visit"), {"age": pl.String(), "visit": pl.Int64()}, ROWS)
    assert rows.schema == {"age": pl.String, "visit": pl.Int64}
    assert rows["visit"].to_list() == [7, None]


def test_people_are_numbered_before_rows_are_finished() -> None:
    def numbers(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(p0=pl.lit("1"))

    found = finished_people(numbers, lambda rows: named(("Id_num",), rows), ROWS)  # type: ignore[arg-type]
    assert found["Id_num"].to_list() == ["1", "1"]


def test_the_type_of_a_column_is_that_of_all_batches() -> None:
    attribute = Attribute("visit", Role.INSENSITIVE)
    whole, fraction, text = (
        cell_types(("p1",), pl.DataFrame({"p1": cells})) for cells in (["1", None], ["2.5"], ["x"])
    )
    assert whole["p1"].dtype(attribute) == pl.Int64
    assert both_types(whole, fraction)["p1"].dtype(attribute) == pl.Float64
    assert both_types(fraction, whole)["p1"].dtype(attribute) == pl.Float64
    assert both_types(whole, text)["p1"].dtype(attribute) == pl.String
