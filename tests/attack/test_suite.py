"""Attacks in an audit: those that apply to what is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal._command.audit.page import lead_of
from shoal.attack.target import NOT_THERE
from shoal.errors import DataError
from tests._command.audit.forge import Forged, write
from tests.frozen.plans import frozen_plans


def test_attacks_are_measured_with_the_original(good: Forged) -> None:
    found = good.audit("original", "plan")
    assert {gain.attack for gain in found.gains} == {
        "linkage",
        "marketer",
        "inference",
        "downcoding",
    }
    linkage, marketer, inference, *_ = found.gains
    assert linkage.holds is marketer.holds is True
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
    with pytest.raises(DataError, match="--with needs --original"):
        shoal.audit(good.folder, beside=other.folder)


def test_buckets(tmp_path: Path) -> None:
    plan, frame = frozen_plans()["the paper's secrets"]
    found = write(tmp_path, plan, frame).audit("original", "private")
    assert {"bucket", "definetti"} <= {gain.attack for gain in found.gains}
    assert all(gain.holds is not False for gain in found.gains)


def test_flags_and_personal_k(tmp_path: Path) -> None:
    plans = frozen_plans()
    flags = write(tmp_path / "flags", *plans["flags in two tables"]).audit("original")
    assert {gain.about for gain in flags.gains if gain.attack == "flag"} == {"income", "disease"}
    levels = write(tmp_path / "levels", *plans["ece-mks3wd of rows"])
    assert "personal-k" in {gain.attack for gain in levels.audit("original", "plan").gains}
    assert "personal-k" in {gain.attack for gain in levels.audit("original", "private").gains}
    # How large a crowd people require is in the plan.
    assert "personal-k" not in {gain.attack for gain in levels.audit("original").gains}


def test_the_method_is_replayed(good: Forged) -> None:
    found = shoal.audit(good.folder, good.original, plan=good.plan, replay=2)
    (replayed,) = [gain for gain in found.gains if gain.attack == "minimality"]
    assert "of 2 worlds" in replayed.note
    with pytest.raises(DataError, match="needs the plan"):
        shoal.audit(good.folder, good.original, replay=2)


def test_people_of_the_register_who_are_not_in_the_data(good: Forged) -> None:
    register = good.original.select("age", "town", "job", "seen")
    more = pl.concat([register, register.head(9).with_columns(pl.col("age") + 100)])
    found = shoal.audit(good.folder, good.original, plan=good.plan, register=more)
    linkage = found.gains[0]
    assert linkage.strangers == NOT_THERE
    assert linkage.control is not None
    assert (linkage.control.n, linkage.control.share) == (9, 0.0)


def test_a_broken_promise_does_not_hold(good: Forged) -> None:
    found = good.audit("original", "plan")
    assert found.verdict is True
    worse = replace(found.gains[0], worst=1.0)
    broken = replace(found, gains=(worse, *found.gains[1:]))
    assert broken.broken == (worse,)
    assert broken.verdict is False
    assert lead_of(broken) == "An attack shows that what was promised does not hold."
