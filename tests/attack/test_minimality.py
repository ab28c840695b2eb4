"""An adversary who replays the method, as Wong et al. do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from shoal.attack import Minimality, Target
from shoal.schema import Attribute, Kind, Role, Schema

SCHEMA = Schema((Attribute("q", Role.QUASI, Kind.CATEGORICAL), Attribute("ill", Role.SENSITIVE)))
KNOWN = pl.DataFrame({"q": ["a"] * 2 + ["b"] * 5, "ill": ["hiv", "hiv", *["flu"] * 5]})


def coarsen(world: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Their method: labels stay as they are, unless a class has HIV in more than half its rows."""
    share = world.group_by("q").agg((pl.col("ill") == "hiv").mean())
    if (share["ill"] <= 0.5).all():
        return world
    return world.with_columns(pl.lit("*").alias("q"))


ONE = Target(coarsen(KNOWN, 0), SCHEMA, (), KNOWN, replay=coarsen, worlds=300, origin=np.arange(7))


def test_that_it_was_needed_gives_it_away() -> None:
    """Had not both of the first two HIV, nothing would have been made coarser."""
    (found,) = Minimality().run(ONE)
    assert found.attack == "minimality"
    assert found.worst > 0.85
    assert "highest chance is 71.4%" in found.note
    # From the class alone everybody has flu, which five of seven do.
    assert found.baseline.share == pytest.approx(5 / 7)
    assert found.success.share > found.baseline.share
    assert found.control.share <= found.success.share
    assert found.holds is None


def test_a_method_that_does_not_look_gives_nothing_away() -> None:
    def star(world: pl.DataFrame, seed: int) -> pl.DataFrame:
        return world.with_columns(pl.lit("*").alias("q"))

    (found,) = Minimality().run(replace(ONE, replay=star))
    assert "300 of 300 worlds" in found.note
    assert found.success.share == pytest.approx(found.baseline.share)
    assert found.worst == pytest.approx(5 / 7, abs=0.08)


def test_no_world_fits() -> None:
    (found,) = Minimality().run(replace(ONE, replay=lambda world, seed: world.clear()))
    assert found.success == found.baseline
    assert "0 of 300 worlds" in found.note


@pytest.mark.parametrize("changes", [{"replay": None}, {"origin": None}, {"worlds": 0}])
def test_it_needs_the_method(changes: dict[str, object]) -> None:
    assert list(Minimality().run(replace(ONE, **changes))) == []
