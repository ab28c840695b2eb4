"""Shares of values of people, of published units and of classes in two tables."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.attack import Target
from shoal.attack.value import infer, of_units, values_of
from tests.attack.test_inference import SCHEMA, released


def test_values_of_rows() -> None:
    one = released(["[1, 2]", "[1, 2]", "[5, 8]"], "aab", [1, 2, 5])
    found = values_of(one, one.schema.sensitive)
    assert found.totals.tolist() == [2 / 3, 1 / 3]
    assert found.shown.toarray().tolist() == found.own.toarray().tolist()


def test_a_unit_of_two_tables_shows_its_class() -> None:
    data = pl.DataFrame({"GID": ["2", "1"], "age": ["*", "*"]})
    second = pl.DataFrame({"GID": ["1", "2", "2"], "ill": list("abc")})
    one = Target(data, SCHEMA, (), pl.DataFrame({"age": [1], "ill": ["a"]}), second=second)
    shown = of_units(one, np.array([0, 1, 2], dtype=np.int32), 3)
    assert shown.toarray().tolist() == [[0, 0.5, 0.5], [1, 0, 0]]


def test_made_up_people_are_the_control() -> None:
    one = released(["[1, 2]"] * 2 + ["[5, 8]"] * 2, "aabb", [1, 2, 5, 8])
    found, guess = infer("x", "ill", one, values_of(one, one.schema.sensitive))
    assert (found.success.share, found.worst, guess.right.tolist()) == (1.0, 1.0, [1, 1, 1, 1])
    # One quasi-identifier, dealt out anew, makes up nobody who is not there.
    assert found.control is not None
    assert found.control.n == 0
