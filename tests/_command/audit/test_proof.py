"""With the private folder nothing stays open, whatever the method and the form."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import DataError
from shoal.folder.ledger import LEDGER, SIGNATURES
from tests._command.audit.forge import Forged, texts, write
from tests._run.test_invariance import PLAN, people
from tests.frozen.plans import frozen_plans

PLANS = frozen_plans()
FORMS = ["mondrian of rows", "ka of people", "sd-mks3wd of rows", "danonyir of people",
         "the paper's secrets", "the paper's flags", "flags concealed", "flags in two tables",
         "ranges in columns", "close"]  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_the_row_map_proves_everything(name: str, tmp_path: Path) -> None:
    plan, frame = PLANS[name]
    found = write(tmp_path, plan, frame).audit("original", "private")
    assert (texts(found), found.verdict) == ("", True)


@pytest.mark.parametrize("name", [*FORMS[:2], FORMS[3], *FORMS[8:]])
def test_the_plan_proves_what_is_not_hidden(name: str, tmp_path: Path) -> None:
    plan, frame = PLANS[name]
    found = write(tmp_path, plan, frame).audit("original", "plan")
    assert (texts(found), found.verdict) == ("", True)


@pytest.mark.parametrize("name", FORMS)
def test_the_row_map_and_the_plan_agree(name: str, tmp_path: Path) -> None:
    plan, frame = PLANS[name]
    found = write(tmp_path, plan, frame).audit("original", "plan", "private")
    assert (texts(found), found.verdict) == ("", True)


def test_another_plan_is_told_with_the_private_folder_too(release: Forged) -> None:
    """The run of the private folder may not have been one of this plan."""
    other = {**release.plan, "privacy": [{"k-anonymity": {"k": 20}}]}
    found = shoal.audit(release.folder, release.original, plan=other, private=release.private)
    assert "The plan requires k-anonymity {k: 20}, but the manifest does not" in texts(found)
    assert found.verdict is False


def test_the_method_is_replayed_with_the_private_folder_too(release: Forged) -> None:
    given = {"plan": release.plan, "private": release.private}
    found = shoal.audit(release.folder, release.original, replay=1, **given)
    assert "minimality" in {gain.attack for gain in found.gains}


def test_another_plan_is_told(release: Forged) -> None:
    other = {**release.plan, "method": "k-member", "privacy": [{"k-anonymity": {"k": 5}}]}
    found = texts(shoal.audit(release.folder, release.original, plan=other))
    assert "The plan requires k-anonymity {k: 5}, but the manifest does not" in found
    assert "what the plan says: method" in found


def test_the_private_side_of_another_run_is_told(release: Forged) -> None:
    release.manifest(lambda m: m.update(time="2001-01-01T00:00:00+00:00"))
    assert "not the one that the private folder belongs to" in texts(
        release.audit("original", "private")
    )


def test_plan_and_private_folder_need_the_original(good: Forged) -> None:
    with pytest.raises(DataError, match=r"^--plan needs --original: the table"):
        shoal.audit(good.folder, plan=good.plan)
    with pytest.raises(DataError, match=r"^--private and --with need --original: the table"):
        shoal.audit(good.folder, private=good.private, beside=good.folder)


def _versions(folder: Path, method: str) -> pl.DataFrame:
    """Two versions that hold together, of which the second is audited: its table."""
    names = [f"p{i}" for i in range(40)]
    plan = {**PLAN, "method": method}
    shoal.run(plan, people(names[:30], 1), output=folder / "1", private=folder / "own1")
    more, gone = people(names[30:], 2), names[:4]
    to = {"output": folder / "2", "private": folder / "own"}
    release = shoal.update(folder / "own1", more, gone, **to)
    return release.source.head(release.counts.rows)


def _sealed(own: Path, name: str) -> None:
    """The digest of a file in the state, as whoever forges it can write it too."""
    facts = json.loads((own / "state.json").read_text())
    facts["files"][name] = hashlib.sha256((own / name).read_bytes()).hexdigest()
    (own / "state.json").write_text(json.dumps(facts))


def _audit(folder: Path, original: pl.DataFrame) -> Any:
    return shoal.audit(folder / "2", original, private=folder / "own")


@pytest.mark.parametrize("method", ["mondrian", "lgb-mdp"])
def test_versions_are_checked_together_again(tmp_path: Path, method: str) -> None:
    found = _audit(tmp_path, _versions(tmp_path, method))
    assert (texts(found), found.verdict) == ("", True)
    assert [check.holds for check in found.checks if check.name == "versions"] == [True]


def test_the_state_holds_the_original_of_an_update(tmp_path: Path) -> None:
    _versions(tmp_path, "mondrian")
    own = tmp_path / "own"
    found = shoal.audit(tmp_path / "2", own / "input.parquet", private=own, beside=tmp_path / "1")
    assert (texts(found), found.verdict) == ("", True)


def _other_signature(people: pl.DataFrame) -> pl.DataFrame:
    """Somebody who is in both versions had another signature in the first."""
    last = people.filter(pl.col("release") == 2).drop_nulls("signature")
    who = people.filter(pl.col("release") == 1)["person"]
    one = last.filter(pl.col("person").is_in(who.implode()))["person"][0]
    forged = (pl.col("person") == one) & (pl.col("release") == 1)
    return people.with_columns(
        signature=pl.when(forged).then(pl.col("signature") + 1).otherwise("signature")
    )


FORGERIES = {
    "different signatures in different versions": _other_signature,
    "people who are published": lambda p: p.filter(
        (pl.col("release") == 1) | (pl.col("person") != p["person"][-1])
    ),
    "signatures without values": lambda p: p.with_columns(signature=pl.col("signature") + 10_000),
    "without a signature": lambda p: p.with_columns(signature=pl.lit(None, pl.Int64)),
}


@pytest.mark.parametrize("method", ["mondrian", "lgb-mdp"])
@pytest.mark.parametrize("said", FORGERIES)
def test_a_forged_ledger_is_found(tmp_path: Path, method: str, said: str) -> None:
    original = _versions(tmp_path, method)
    own = tmp_path / "own"
    FORGERIES[said](pl.read_parquet(own / LEDGER)).write_parquet(own / LEDGER)
    unsealed = _audit(tmp_path, original)
    assert "not the one that the run wrote" in texts(unsealed)
    _sealed(own, LEDGER)
    found = _audit(tmp_path, original)
    assert said in texts(found)
    assert [check.holds for check in found.checks if check.name == "versions"] == [False]
    assert found.verdict is False


def test_forged_signatures_are_found(tmp_path: Path) -> None:
    original = _versions(tmp_path, "mondrian")
    own = tmp_path / "own"
    values = pl.read_parquet(own / SIGNATURES)
    values.with_columns(value=pl.lit("v0")).write_parquet(own / SIGNATURES)
    _sealed(own, SIGNATURES)
    found = texts(_audit(tmp_path, original))
    assert "classes have other values of 'ill' than their signature" in found
    assert "signatures have fewer than 3 values of 'ill'" in found


def test_a_private_side_without_its_ledger_is_told(tmp_path: Path) -> None:
    original = _versions(tmp_path, "mondrian")
    facts = json.loads((tmp_path / "own" / "state.json").read_text())
    del facts["files"][LEDGER]
    (tmp_path / "own" / "state.json").write_text(json.dumps(facts))
    assert "has no ledger of them" in texts(_audit(tmp_path, original))


def test_a_ledger_of_other_columns_cannot_be_read(tmp_path: Path) -> None:
    original = _versions(tmp_path, "mondrian")
    pl.DataFrame({"person": ["p1"]}).write_parquet(tmp_path / "own" / LEDGER)
    with pytest.raises(DataError, match="cannot be read"):
        _audit(tmp_path, original)
