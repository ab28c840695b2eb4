"""Secrets that are published with the l that each can carry, and those that cost too much."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal._command.init.diversity import MOST
from shoal.schema import Role

DRAW = np.random.default_rng(7)
PEOPLE = pl.DataFrame({"age": DRAW.integers(18, 90, 4_000), "sex": DRAW.integers(0, 2, 4_000)})


def test_l_is_what_the_column_can_carry() -> None:
    """Three values where they are frequent, two of a yes or no, and none of what is rare."""
    frame = PEOPLE.with_columns(
        diagnosis=pl.Series(DRAW.choice(list("abcdef"), 4_000)),
        asthma=pl.Series(DRAW.choice(["yes", "no"], 4_000, p=[0.4, 0.6])),
        cancer=pl.Series(DRAW.choice(["yes", "no"], 4_000, p=[0.002, 0.998])),
    )
    found = shoal.init(frame)
    assert found.diversity == {"diagnosis": 3, "asthma": 2}
    cancer = next(one for one in found.entries if one.name == "cancer")
    assert (cancer.role, cancer.instead) == (Role.DROP, Role.SENSITIVE)
    assert ">99% of the rows have the same value" in cancer.reason


def test_a_secret_that_follows_from_what_is_published_is_left_out_with_its_cost() -> None:
    frame = PEOPLE.with_columns(pension=pl.Series(PEOPLE["age"] > 65).cast(pl.Int64)).rename(
        {"pension": "illness"}
    )
    (illness,) = [one for one in shoal.init(frame).entries if one.name == "illness"]
    assert illness.role is Role.DROP
    assert illness.reason.startswith("l = 2 of it would raise the loss from 0.0")


def test_no_more_secrets_than_a_handful_unless_they_are_decided() -> None:
    names = [f"diagnosis_{i}" for i in range(MOST + 2)]
    frame = PEOPLE.with_columns(
        pl.Series(name, DRAW.choice(list("abcdef"), 4_000)) for name in names
    )
    found = shoal.init(frame)
    left = [one.name for one in found.entries if one.is_open]
    assert len(found.diversity) == MOST
    assert sorted([*found.diversity, *left]) == names
