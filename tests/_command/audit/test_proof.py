"""With the private folder nothing stays open, whatever the method and the form."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.errors import DataError
from tests._command.audit.forge import Forged, texts, write
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
    with pytest.raises(DataError, match="without the original"):
        shoal.audit(good.folder, plan=good.plan)
