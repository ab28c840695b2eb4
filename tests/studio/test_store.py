from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from shoal.errors import DataError
from shoal.studio import store as store_module
from shoal.studio.store import Store


def test_plans_and_jobs_are_there_after_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path / "studio.sqlite")
    plan = store.add_plan("May", "source: x.csv\n")
    job = store.add_job("run", str(plan.id), {"text": "…"}, "First")
    store.change_job(job.id, state="done", log=[("reading", "now")], result={"loss": 0.5}, note="n")
    store.close()
    again = Store(tmp_path / "studio.sqlite")
    assert again.plans() == [plan]
    found = again.latest("run", str(plan.id))
    assert found is not None
    assert (found.name, found.note, found.state, dict(found.result)) == (
        "First", "n", "done", {"loss": 0.5},
    )  # fmt: skip
    assert found.log == (("reading", "now"),)
    again.close()


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "studio.sqlite").close()
    with sqlite3.connect(tmp_path / "studio.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(DataError, match="later"):
        Store(tmp_path / "studio.sqlite")


def test_two_studios_cannot_share_a_folder(tmp_path: Path) -> None:
    first = Store(tmp_path / "studio.sqlite")
    with pytest.raises(DataError, match="Only one studio"):
        Store(tmp_path / "studio.sqlite")
    assert first.plans() == []
    first.close()
    Store(tmp_path / "studio.sqlite").close()


def test_the_file_is_for_its_owner(tmp_path: Path) -> None:
    Store(tmp_path / "studio.sqlite").close()
    assert (tmp_path / "studio.sqlite").stat().st_mode & 0o077 == 0


def test_numbers_that_nothing_has(tmp_path: Path) -> None:
    store = Store(tmp_path / "studio.sqlite")
    assert store.plan(7) is None
    assert store.job(10**30) is None
    store.close()


def test_no_two_changes_have_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "now", lambda: "2026-01-31T23:59:59.999+00:00")
    store = Store(tmp_path / "studio.sqlite")
    first, second = store.add_plan("a", "x"), store.add_plan("b", "y")
    store.change_plan(first.id, text="z")
    assert [p.id for p in store.plans()] == [first.id, second.id]
    assert store.plans()[0].changed > second.changed > first.changed
    assert second.changed.startswith("2026-02-01T00:00:00.000")
    store.close()


def test_a_changed_plan_comes_first(tmp_path: Path) -> None:
    store = Store(tmp_path / "studio.sqlite")
    first, second = store.add_plan("a", "x"), store.add_plan("b", "y")
    store.change_plan(first.id, name="c", text="z")
    assert store.plans()[0].name == "c"
    store.remove_plan(second.id)
    assert [p.id for p in store.plans()] == [first.id]
    store.close()
