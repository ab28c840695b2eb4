"""What a star says: that the value is one of those that are hidden."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from shoal.attack import Flag, Target
from shoal.attack.flag import spread_values
from shoal.schema import Attribute, Kind, Requirement, Role, Schema

SCHEMA = Schema(
    (
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL),
    )
)


def released(shown: list[str], ills: list[str]) -> Target:
    """Pairs of people, of whom the ages are published as ranges."""
    ages = list(range(len(ills)))
    labels = [f"[{age - age % 2}, {age - age % 2 + 1}]" for age in ages]
    data = pl.DataFrame({"age": labels, "ill": shown})
    known = pl.DataFrame({"age": ages, "ill": ills})
    limit = (Requirement("l-diversity", {"l": 2}),)
    return Target(data, SCHEMA, limit, known, symbols=("ill",))


def test_one_hidden_value_is_no_secret() -> None:
    """Only HIV is hidden, so that a star is HIV."""
    one = released(["flu", "*", "pox", "*"], ["flu", "hiv", "pox", "hiv"])
    (found,) = Flag().run(one)
    assert "with up to 100%" in found.note
    assert (found.worst, found.bound, found.holds) == (0.5, 0.5, None)
    # In each pair one of two is guessed; the commonest value is right for two of four.
    assert (found.success.share, found.baseline.share) == (0.5, 0.5)


def test_a_class_of_stars() -> None:
    one = released(["*", "*", "flu", "flu"], ["hiv", "hiv", "flu", "flu"])
    (found,) = Flag().run(one)
    assert (found.worst, found.success.share) == (1.0, 1.0)


def test_stars_that_hide_all_values_say_nothing() -> None:
    one = released(["*"] * 4, ["flu", "hiv", "pox", "gout"])
    (found,) = Flag().run(one)
    assert found.worst == pytest.approx(1 / 4)


def test_two_tables() -> None:
    one = released(["*", "*", "flu", "flu"], ["hiv", "hiv", "flu", "flu"])
    gid = pl.Series("GID", ["1", "1", "2", "2"])
    two = replace(
        one,
        data=one.data.drop("ill").with_columns(gid),
        second=one.data.select("ill").with_columns(gid),
        linked=True,
    )
    (found,) = Flag().run(two)
    assert found.worst == 1.0


def test_only_columns_with_symbols() -> None:
    one = released(["flu", "hiv"], ["flu", "hiv"])
    assert list(Flag().run(replace(one, symbols=()))) == []


def test_values_are_spread_over_what_covers_them() -> None:
    """A node over a and b, a root over all: two a are open, the c is behind the root."""
    covered = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)
    found = spread_values(covered, np.array([2.0, 1.0, 1.0]), np.array([2.0, 1.0, 1.0]))
    assert found[0].tolist() == [1, 0, 0]
    assert found[1] == pytest.approx([0, 1, 0], abs=0.02)
    assert found[2] == pytest.approx([0, 0, 1], abs=0.02)
