"""What somebody should look at: a missing header, texts and codes that mean missing."""

from __future__ import annotations

import polars as pl
import pytest

from shoal._command.init import profile, propose
from shoal.errors import DataError


@pytest.mark.parametrize(
    "columns",
    [
        {"39": ["40", "41"], "77516": ["3", "4"], "x": ["u", "v"]},
        {"State-gov": ["Private", "State-gov"], "Male": ["Male", "Female"], "x": ["u", "v"]},
    ],
)
def test_a_table_without_a_header_is_refused(columns: dict[str, list[str]]) -> None:
    with pytest.raises(DataError, match="must be a header, but it looks like a row") as caught:
        propose(profile(pl.DataFrame(columns)))
    assert "State-gov" not in str(caught.value)


def test_one_odd_name_is_no_missing_header() -> None:
    columns = {"1990": ["3", "4"], "x": ["x", "y"], "age": [30, 40], "sex": ["f", "m"]}
    assert len(propose(profile(pl.DataFrame(columns))).entries) == 4


def test_texts_that_mean_missing_are_named_with_their_columns() -> None:
    columns = {"age": ["?", "1", "2"], "sex": ["f", " NA", "secret-x"], "job": ["NA", "u", "NA"]}
    found = propose(profile(pl.DataFrame(columns)))
    age, others = found.notes[-2:]
    assert age.startswith("'age' has a text that often means missing (?) in 1 cell and numbers")
    assert others.startswith("'sex', 'job' have a text that often means missing (NA) in 3 cells;")
    assert "secret-x" not in str(found.notes)


def test_frequent_negative_codes_are_pointed_out() -> None:
    often = [-9, -1, *range(48)]
    columns = {"a": often, "b": [*often[:-1], -350], "c": [float(i) for i in often],
               "d": ["-9", "-1", *(f"V{i}" for i in range(10, 48)), *(f"{i}" for i in range(10))],
               "e": list(range(50))}  # fmt: skip
    notes = propose(profile(pl.DataFrame(columns))).notes
    (note,) = [note for note in notes if "negative code" in note]
    assert note.startswith("'a', 'c', 'd' have a negative code")
    assert " in 6 cells," in note
    rare = pl.DataFrame({"a": [-9, *range(299)]})
    assert not any("negative" in note for note in propose(profile(rare)).notes)
