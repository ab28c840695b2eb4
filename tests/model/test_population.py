"""k-map and delta-presence: what can be had of a population."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from shoal.model import DeltaPresence, KMap
from shoal.model.base import Bound, Reach
from shoal.model.population import Register
from shoal.schema import Requirement
from shoal.table import Table
from tests.model.small import table_of
from tests.verify.small import said


def three() -> Table:
    """A table of three people, with how many of the population are like each of them."""
    return replace(table_of("abc"), crowd=np.array([1, 4, 2]))


def test_k_of_the_population() -> None:
    assert KMap(k=7, population="x.csv").bounds(three().schema) == [Bound(Reach.POPULATION, 7)]
    assert KMap(k=7, population="x.csv").infeasible(three()) == []
    found = said(KMap(k=8, population="x.csv").infeasible(three()))
    assert "k-map with k = 8 cannot be achieved: 7 people of the population are like" in found


def test_a_share_of_the_population() -> None:
    model = DeltaPresence(high=0.25, population="x.csv")
    assert model.bounds(three().schema) == [Bound(Reach.PRESENCE, 0.25)]
    assert model.infeasible(three()) == []
    found = said(DeltaPresence(high=0.24, population="x.csv").infeasible(three()))
    assert "delta-presence with high = 0.24 cannot be achieved" in found
    assert "smallest possible high is 0.25" in found


def test_no_method_aims_at_low() -> None:
    assert DeltaPresence(high=0.5, population="x.csv").unfit(three()) == []
    found = said(DeltaPresence(low=0.1, high=0.5, population="x.csv").unfit(three()))
    assert "can be checked, but no method aims at it" in found


def test_a_register_is_frozen_and_refuses_without_telling_what() -> None:
    with pytest.raises(ValidationError):
        Register(source="x.csv").source = "y.csv"
    with pytest.raises(ValidationError) as caught:
        Register.model_validate({"source": "x.csv", "counts": "S3CRET"})
    assert "S3CRET" not in str(caught.value)


def test_where_a_population_is_kept_is_not_public() -> None:
    model = KMap(k=2, population={"source": "secret/people.csv", "count": "n"})
    assert model.requirement() == Requirement("k-map", {"k": 2})
    assert list(model.parameters()) == ["k", "population"]
