"""Published quasi-identifiers: even in a class, and covering those whom they stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import Attribute, Individual, Kind, Role, Schema
from shoal.verify.text import quasi as module
from shoal.verify.text.quasi import check_quasi, column_codes, number_codes
from tests.verify.small import quasi, release_of, said

SCHEMA = Schema((quasi(Kind.NUMERIC), Attribute("r", Role.QUASI)))


def look(data: Any, original: Any, schema: Schema = SCHEMA, **more: Any) -> tuple[str, list[int]]:
    problems, vectors, n_vectors = check_quasi(release_of(data, original, schema, **more))
    assert max(vectors, default=0) < max(n_vectors, 1)
    return said(problems), vectors.tolist()


def test_labels_cover_and_are_even() -> None:
    original = {"q": ["1", "2", "3"], "r": "abc"}
    data = {"q": ["[1, 2]", "[1, 2]", "3"], "r": ["{a, b}", "{a, b}", "c"]}
    found, vectors = look(data, original, classes=[4, 4, 9])
    assert found == ""
    assert vectors[0] != vectors[1]
    found, _ = look({**data, "q": ["1", "2", "3"]}, original, classes=[4, 4, 9])
    assert found == "1 class has rows with different published labels (class number 4)."
    found, _ = look({**data, "q": ["[1, 2]", "[1, 2]", "4"]}, original, classes=[4, 4, 9])
    assert "'q' has 1 label that does not cover the original value (published row 3)" in found
    found, _ = look({**data, "q": ["[1, 2]", "[1, 2]", "[4, 3]"]}, original, classes=[4, 4, 9])
    assert "'q' has 1 cell that is not a label of this attribute (published row 3)" in found
    assert "not cover" not in found


def test_classes_that_look_alike_have_one_vector() -> None:
    original = {"q": ["1", "2"], "r": "ab"}
    _, vectors = look({"q": ["*", "*"], "r": ["*", "*"]}, original, classes=[1, 2])
    assert vectors[0] == vectors[1]
    _, vectors = look({"q": ["*", "*"], "r": ["a", "b"]}, original, classes=[1, 2])
    assert vectors[0] != vectors[1]


def test_bounds_in_two_columns() -> None:
    def found(low: list[Any], high: list[Any]) -> str:
        data = {"q_low": pl.Series(low), "q_high": pl.Series(high), "r": ["*", "*"]}
        return look(data, {"q": ["1", "3"], "r": "ab"}, ranges="columns")[0]

    assert found([1, 1], [3, 3]) == ""
    assert "different published labels" in found([1, 1], [3, 4])
    assert "not cover the original value (published row 2)" in found([1, 1], [2, 2])
    assert "not labels of this attribute" in found([4, 4], [3, 3])


@pytest.mark.parametrize(("low", "high"), [([3], ["x"]), (["x"], [3]), (["x"], ["x"])])
def test_what_bounds_of_another_type_say_is_not_looked_at(low: list[Any], high: list[Any]) -> None:
    """That they are no numbers is told where the types of columns are."""
    data = {"q_low": pl.Series(low), "q_high": pl.Series(high), "r": "*"}
    assert look(data, {"q": ["1"], "r": "a"}, ranges="columns") == ("", [0])


def test_a_column_that_is_not_published_is_not_looked_at() -> None:
    """That it is lacking is told where the columns are."""
    assert look({"r": "ab"}, {"q": "12", "r": "ab"}, classes=[1, 2]) == ("", [0, 1])


def test_rows_that_are_in_no_class_need_not_look_alike() -> None:
    """That they are published is told where the rows are."""
    data = original = {"q": "1234", "r": "aaaa"}
    assert look(data, original, classes=[0, 0, -1, -1])[0] == ""
    text = "1 class has rows with different published labels (class number 1)."
    assert look(data, original, classes=[0, 0, 1, 1])[0] == text


def test_numbers_that_are_none_have_codes_of_their_own() -> None:
    codes, n_codes = number_codes(pl.Series([1.0, None, 0.0, float("nan"), 1.0]))
    assert min(codes) >= 0
    assert max(codes) < n_codes
    assert codes[0] == codes[4]
    assert len(set(codes[:3].tolist())) == 3


def test_every_code_of_a_number_is_below_their_count() -> None:
    for cells in ([0, 1, 2, 3, 4], [-3, -2, -1, None], [None]):
        codes, n_codes = number_codes(pl.Series(cells, dtype=pl.Int64))
        assert len(set(codes.tolist())) == len(cells)
        assert max(codes) < n_codes


def test_two_bounds_are_compared_as_numbers_and_labels_as_text() -> None:
    (low, _), (high, _) = column_codes([pl.Series([0.0, -0.0]), pl.Series([1.0, 2.0])])
    assert (low[0] == low[1], high[0] == high[1]) == (True, False)
    ((codes, n_codes),) = column_codes([pl.Series(["1", "1.0", "1"])])
    assert (codes[0] == codes[2], codes[0] == codes[1]) == (True, False)
    assert max(codes) < n_codes


@pytest.mark.parametrize(
    ("parent", "cores", "n"), [(None, 8, 2), (None, 2, 2), (None, 1, 1), (None, None, 1), (0, 8, 1)]
)
def test_at_most_two_attributes_are_examined_at_a_time(
    parent: object, cores: int | None, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of a pool, which has a parent, examines one."""
    monkeypatch.setattr(module, "parent_process", lambda: parent)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert module._threads() == n


PEOPLE = ("error", "first", "mode")


@pytest.mark.parametrize(
    ("conflict", "ages", "label", "fine"),
    [
        ("error", "111", "1", True), ("error", "112", "1", False), ("first", "122", "1", True),
        ("first", "122", "2", False), ("mode", "122", "2", True), ("mode", "122", "1", False),
        ("mode", "12", "1", True), ("mode", "12", "2", True), ("mode", "1122", "2", True),
    ],
)  # fmt: skip
def test_the_value_that_stands_for_a_person(
    conflict: Any, ages: str, label: str, fine: bool
) -> None:
    schema = Schema(
        (Attribute("who", Role.IDENTIFIER), quasi(Kind.NUMERIC), Attribute("s", Role.SENSITIVE)),
        Individual("who", conflict),
    )
    n = len(ages)
    original = {"who": ["p"] * n, "q": list(ages), "s": [f"v{i}" for i in range(n)]}
    data = {"Id_num": ["1"] * n, "q": [label] * n, "s": original["s"]}
    assert (look(data, original, schema)[0] == "") is fine


@pytest.mark.parametrize(
    ("described_by", "label", "fine"),
    [
        (None, "1", True), ([0, 2], "1", True), ([1, 2], "2", True), ([1, 2], "1", False),
        ([2], "1", True), ([2], "2", False), ([0, 1, 2], "1", False),
    ],
)  # fmt: skip
def test_the_row_that_describes_a_person_is_one_of_their_own(
    described_by: list[int] | None, label: str, fine: bool
) -> None:
    """The first as given where none of a person's rows is named, the last of several."""
    schema = Schema(
        (Attribute("who", Role.IDENTIFIER), quasi(Kind.NUMERIC), Attribute("s", Role.SENSITIVE)),
        Individual("who", "first"),
    )
    data = {"Id_num": "112", "q": [label, label, "3"], "s": "abc"}
    release = replace(
        release_of(data, {"who": "ppr", "q": "123", "s": "abc"}, schema, classes=[1, 1, 2]),
        described_by=None if described_by is None else np.array(described_by),
    )
    assert (check_quasi(release)[0] == []) is fine


def test_equal_rows_that_are_not_published_are_covered_too() -> None:
    schema = Schema(
        (Attribute("who", Role.IDENTIFIER), quasi(Kind.NUMERIC), Attribute("s", Role.SENSITIVE)),
        Individual("who"),
    )
    original = {"who": "ppq", "q": "121", "s": "aab"}
    data = {"Id_num": "12", "q": ["1", "1"], "s": "ab"}
    found, _ = look(data, original, schema, origin=[0, 2], classes=[1, 1, 1])
    assert "1 label that does not cover the original value (published row 1)" in found
    data["q"] = ["[1, 2]", "[1, 2]"]
    assert look(data, original, schema, origin=[0, 2], classes=[1, 1, 1])[0] == ""


def test_one_missing_and_one_number_are_one_value_however_written() -> None:
    schema = Schema(
        (
            Attribute("who", Role.IDENTIFIER),
            quasi(Kind.NUMERIC, missing=("?",)),
            Attribute("s", Role.SENSITIVE),
        ),
        Individual("who", "mode"),
    )
    for ages, label, fine in (
        (["1", "1.0", "2"], "1", True),
        (["1", "1.0", "2"], "2", False),
        (["?", None, "2"], None, True),
        (["?", None, "2"], "2", False),
    ):
        original = {"who": "ppp", "q": ages, "s": "abc"}
        data = {"Id_num": "111", "q": [label] * 3, "s": "abc"}
        assert (look(data, original, schema)[0] == "") is fine
