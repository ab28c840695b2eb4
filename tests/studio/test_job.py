from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.studio.job import Jobs
from shoal.studio.place import Place
from shoal.studio.store import Job, Store
from tests.studio.sample import PLAN


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    place = Place(folder)
    place.prepare()
    made = Store(place.own / "studio.sqlite")
    yield made
    made.close()


@pytest.fixture
def jobs(folder: Path, store: Store) -> Iterator[Jobs]:
    made = Jobs(Place(folder), store, 1)
    yield made
    made.close()


def until(store: Store, job: Job, *states: str) -> Job:
    end = time.monotonic() + 120
    while True:
        found = store.job(job.id)
        assert found is not None
        if found.state in states:
            return found
        assert time.monotonic() < end, found
        time.sleep(0.05)


def test_one_runs_and_the_next_waits(jobs: Jobs, store: Store) -> None:
    first = jobs.start("rehearse", "1", {"text": PLAN})
    second = jobs.start("rehearse", "2", {"text": PLAN})
    assert (first.state, second.state) == ("running", "waiting")
    assert until(store, first, "done", "failed").state == "done"
    assert until(store, second, "done", "failed").state == "done"


def test_the_same_work_is_not_begun_twice(jobs: Jobs) -> None:
    first = jobs.start("rehearse", "1", {"text": PLAN})
    assert jobs.start("rehearse", "1", {"text": PLAN}).id == first.id


def test_cancelled_work_leaves_nothing(jobs: Jobs, store: Store, folder: Path) -> None:
    job = jobs.start("run", "1", {"text": PLAN, "name": "x"})
    waiting = jobs.start("run", "2", {"text": PLAN, "name": "y"})
    jobs.cancel(waiting.id)
    jobs.cancel(job.id)
    assert until(store, job, "cancelled").state == "cancelled"
    assert until(store, waiting, "cancelled").state == "cancelled"
    assert not any((folder / ".shoal-studio" / "jobs").iterdir())


def test_what_fails_says_why_and_leaves_nothing(jobs: Jobs, store: Store, folder: Path) -> None:
    text = PLAN.replace("l: 2", "l: 40")
    job = until(store, jobs.start("run", "1", {"text": text, "name": "x"}), "failed", "done")
    assert job.state == "failed"
    assert "l" in job.problems[0]["text"]
    assert not any((folder / ".shoal-studio" / "jobs").iterdir())


def test_no_cell_is_in_what_is_kept_of_a_failure(jobs: Jobs, store: Store, folder: Path) -> None:
    lines = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace(lines[3].split(",")[1], "eighteen!", 1)
    (folder / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    job = until(store, jobs.start("run", "1", {"text": PLAN, "name": "x"}), "failed", "done")
    assert job.state == "failed"
    assert "eighteen" not in str(job.problems) + str(job.log)


def test_what_a_killed_studio_left_is_swept(folder: Path, store: Store) -> None:
    place = Place(folder)
    job = store.add_job("run", "1", {"text": PLAN})
    store.change_job(job.id, state="running")
    (place.job(job.id) / "release").mkdir(parents=True)
    (place.own / "upload-abc").write_text("x", encoding="utf-8")
    Jobs(place, store)
    found = store.job(job.id)
    assert found is not None
    assert found.state == "failed"
    assert "stopped before" in found.problems[0]["text"]
    assert not any((place.own / "jobs").iterdir())
    assert not (place.own / "upload-abc").exists()
