"""The values of classes: told apart, in natural order, missing last."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.model.closeness import closeness
from shoal.verify.text.classes import Classes, encode_cells, read_values
from tests.verify.small import classes_of, text


def values(cells: Any, kind: Kind | None = None, declared: Any = None) -> Any:
    attribute = Attribute("s", Role.SENSITIVE, kind, values=declared, missing=("?",))
    return read_values(text(cells), attribute)


def test_numbers_are_in_order_and_missing_is_last() -> None:
    found = values(["10", "9", None, "9.0", "?"], Kind.NUMERIC)
    assert found.codes.tolist() == [1, 0, 2, 0, 2]
    assert (found.n_values, found.has_missing, found.numbers.tolist()) == (3, True, [9.0, 10.0])
    assert found.counts.tolist() == [2, 1, 2]
    assert values(["1"], Kind.NUMERIC).has_missing is False
    with pytest.raises(VerificationError, match="1 cell is not a finite number"):
        values(["1", "x"], Kind.NUMERIC)


@pytest.mark.parametrize(
    ("kind", "declared", "cells", "order", "known"),
    [
        (None, None, ["b", "a"], ("a", "b"), True),
        (Kind.ORDINAL, ("b", "a"), ["a", "b"], ("b", "a"), True),
        (Kind.ORDINAL, ("b",), ["a", "b"], ("a", "b"), False),
        (Kind.CATEGORICAL, ("b",), ["b", "a"], ("a", "b"), True),
        (Kind.DATE, None, ["2020-01-10", "2020-01-09"], ("2020-01-09", "2020-01-10"), True),
        (Kind.DATE, None, ["2020-01-10", "soon"], None, False),
    ],
)
def test_natural_order(kind: Any, declared: Any, cells: Any, order: Any, known: bool) -> None:
    found = values([*cells, "?"], kind, declared)
    assert found.in_order is known
    assert (found.n_values, found.has_missing) == (3, True)
    assert found.codes[-1] == 2
    if order is not None:
        assert found.texts == order
        assert [found.texts[c] for c in found.codes[:-1]] == cells


@pytest.mark.parametrize(
    ("cells", "kind", "codes"),
    [
        (["a", "b", "a", None, "?"], None, [0, 1, 0, 2, 2]),
        (["1", "1.0", "[1, 2]", "[1, 2]", None, "?", "x"], Kind.NUMERIC, [0, 0, 1, 1, 2, 2, 3]),
        (["1", "2", "x", None], Kind.NUMERIC, [0, 1, 2, 3]),
        (["1", "1.0"], Kind.CATEGORICAL, [0, 1]),
    ],
)
def test_cells_as_they_are(cells: Any, kind: Any, codes: list[int]) -> None:
    frame = pl.DataFrame([text(cells, "q")])
    found, n_codes = encode_cells(frame, Attribute("q", Role.QUASI, kind, missing=("?",)))
    assert max(found) < n_codes
    same = np.equal.outer(found, found)
    assert same.tolist() == np.equal.outer(codes, codes).tolist()


@pytest.mark.parametrize(
    ("cells", "n_values", "has_missing"),
    [(["a", "b"], 2, False), (["a", None], 2, True), ([None, "?"], 1, True), ([], 0, False)],
)
def test_missing_is_one_value_where_there_is_a_missing_cell(
    cells: Any, n_values: int, has_missing: bool
) -> None:
    found = values(cells)
    assert (found.n_values, found.has_missing) == (n_values, has_missing)
    assert len(found.counts) == n_values


def test_people_are_counted_once_a_class() -> None:
    classes = classes_of({5: "abc", 6: "d"}, people=[3, 3, 0, 3])
    assert (classes.n_rows.tolist(), classes.n_people.tolist()) == ([3, 1], [2, 1])
    assert len(classes) == 2
    assert classes_of({5: "abc"}).n_people.tolist() == [3]


def test_the_latest_attribute_is_kept_and_no_other() -> None:
    other = Attribute("o", Role.SENSITIVE)
    classes = classes_of({1: "aab"}, attributes=[other], extra={"o": "xyz"})
    assert classes.runs(classes.schema["s"]).counts.tolist() == [2, 1]
    assert classes.runs(other).counts.tolist() == [1, 1, 1]
    assert list(classes._latest) == ["o"]
    assert classes.runs(classes.schema["s"]).counts.tolist() == [2, 1]


@pytest.mark.parametrize("kind", [None, Kind.NUMERIC])
@pytest.mark.parametrize("seed", range(4))
def test_a_part_with_the_shares_of_the_whole_is_judged_as_in_the_whole(
    kind: Kind | None, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    pool = ["1", "2", "7", "?", None]
    cells = pl.Series("s", [pool[i] for i in draw.integers(0, 5, 60)], dtype=pl.String)
    of_row = draw.integers(0, 3, 60).astype(np.int32)
    of_row[:3] = range(3)
    attribute = Attribute("s", Role.SENSITIVE, kind, missing=("?",))
    schema, numbers = Schema((attribute,)), np.arange(1, 4)
    every = Classes(schema, cells.to_frame(), np.arange(60), of_row, numbers)
    own = np.flatnonzero(of_row == 1)
    counted = cells.value_counts(name="n").rename({"s": "value"})
    part = Classes(
        schema,
        cells.gather(own).to_frame(),
        np.arange(len(own)),
        np.zeros(len(own), dtype=np.int32),
        numbers[:1],
        whole={"s": counted.with_columns(pl.col("n").cast(pl.Int64))},
    )
    assert part.values(attribute).counts.tolist() == every.values(attribute).counts.tolist()
    for distance in ("equal", "ordered"):
        found = closeness(part, attribute, distance)
        assert found == pytest.approx(closeness(every, attribute, distance)[1:2])
    alone = replace(part, whole={}, _latest={})
    assert closeness(alone, attribute, "equal") == pytest.approx([0.0])


@pytest.mark.parametrize("kind", [None, Kind.NUMERIC])
def test_the_whole_may_have_another_type_than_its_part(kind: Kind | None) -> None:
    attribute = Attribute("s", Role.SENSITIVE, kind)
    whole = pl.DataFrame({"value": ["1", "2", "10"], "n": [3, 4, 5]})
    part = Classes(
        Schema((attribute,)),
        pl.DataFrame({"s": [2, 1, 2]}),
        np.arange(3),
        np.zeros(3, dtype=np.int32),
        np.array([1]),
        whole={"s": whole},
    )
    assert part.runs(attribute).counts.tolist() == [1, 2]
    expected = [3, 4, 5] if kind else [3, 5, 4]
    assert part.values(attribute).counts.tolist() == expected
