"""Attacks in an audit: those that apply to what is given."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.errors import DataError
from tests._command.audit.forge import Forged


def test_attacks_are_measured_with_the_original(good: Forged) -> None:
    found = good.audit("original", "plan")
    assert [gain.attack for gain in found.gains] == ["linkage", "inference"]
    linkage, inference = found.gains
    assert linkage.holds is True
    assert 0 < linkage.success.low <= linkage.success.share <= linkage.worst <= linkage.bound
    assert inference.about == "illness"
    assert good.audit().gains == ()


def test_a_register_alone(good: Forged) -> None:
    register = good.original.select("age", "town", "job", "seen")
    (found,) = shoal.audit(good.folder, register=register).gains
    assert found.attack == "journalist"
    with pytest.raises(DataError, match="lacks 'age'"):
        shoal.audit(good.folder, register=register.drop("age"))


def test_nothing_is_measured_of_a_forged_release(release: Forged) -> None:
    release.table(lambda t: t.with_columns(pl.lit("999").alias("age")))
    assert release.audit("original").gains == ()
