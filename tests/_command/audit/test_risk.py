"""Attacks in an audit: those that apply to what is given."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import DataError
from tests._command.audit.forge import Forged, write
from tests.frozen.plans import frozen_plans


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


def test_two_releases_of_the_same_people(good: Forged, tmp_path: Path) -> None:
    other = write(tmp_path, {**good.plan, "method": "k-member"}, good.original)
    found = shoal.audit(good.folder, good.original, plan=good.plan, beside=other.folder)
    (both,) = [gain for gain in found.gains if gain.attack == "intersection"]
    assert both.success.share >= both.baseline.share
    with pytest.raises(DataError, match="without the original"):
        shoal.audit(good.folder, beside=other.folder)


def test_buckets(tmp_path: Path) -> None:
    plan, frame = frozen_plans()["the paper's secrets"]
    found = write(tmp_path, plan, frame).audit("original", "private")
    buckets = [gain for gain in found.gains if gain.attack == "bucket"]
    assert buckets
    assert all(gain.holds is not False for gain in buckets)
