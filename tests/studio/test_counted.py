from __future__ import annotations

import time
from pathlib import Path

import pytest

from shoal._command.hierarchy import hierarchy_levels, levels_over
from shoal.errors import PlanError, ShoalError
from shoal.studio.counted import ColumnCounter
from shoal.studio.draft import read_draft
from shoal.studio.place import Place
from tests.studio.sample import PLAN, people


def test_levels_over_counts_are_those_of_the_command(folder: Path) -> None:
    place = Place(folder)
    draft = read_draft(PLAN, place)
    assert draft.plan is not None
    found = ColumnCounter(place).count(draft, "age")
    for own, other in zip(
        levels_over(found.cells, found.attribute, found.counts),
        hierarchy_levels(draft.plan, "age"),
        strict=True,
    ):
        assert own.labels.equals(other.labels)


def test_rows_of_a_person_are_settled_as_in_a_run(folder: Path) -> None:
    place = Place(folder)
    text = PLAN.replace("attributes:", "individual: {column: name, conflict: mode}\nattributes:")
    table = people()
    table = table.vstack(table.with_columns(age=table["age"] + 1)).vstack(table)
    table.write_csv(folder / "people.csv")
    draft = read_draft(text, place)
    assert draft.plan is not None
    found = ColumnCounter(place).count(draft, "age")
    [own, *_] = levels_over(found.cells, found.attribute, found.counts)
    [other, *_] = hierarchy_levels(draft.plan, "age")
    assert own.labels.equals(other.labels)
    assert found.n_rows == 720


def test_a_changed_file_is_counted_anew(folder: Path) -> None:
    place = Place(folder)
    counter, draft = ColumnCounter(place), read_draft(PLAN, place)
    assert counter.count(draft, "town").n_rows == 240
    people(100).write_csv(folder / "people.csv")
    assert counter.count(draft, "town").n_rows == 100


@pytest.mark.parametrize("role", ["flag", "identifier", "sensitivity", "sensitive"])
def test_any_role_can_be_counted(folder: Path, role: str) -> None:
    place = Place(folder)
    found = ColumnCounter(place).count(read_draft(PLAN, place), "care", {"role": role})
    assert found.n_rows == 240


def test_what_the_plan_lacks_is_refused(folder: Path) -> None:
    place = Place(folder)
    with pytest.raises(PlanError):
        ColumnCounter(place).count(read_draft(PLAN, place), "height")
    with pytest.raises(ShoalError):
        ColumnCounter(place).count(read_draft(PLAN.replace("people.csv", "../x.csv"), place), "age")


def test_columns_are_counted_in_the_background(folder: Path) -> None:
    place = Place(folder)
    counter, draft = ColumnCounter(place), read_draft(PLAN, place)
    end = time.monotonic() + 60
    assert not counter.is_ready(draft, {"age": None, "town": None})
    while not counter.is_ready(draft, {"age": None, "town": None}):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert counter.count(draft, "town").n_rows == 240


def test_what_cannot_be_counted_is_ready_to_say_why(folder: Path) -> None:
    place = Place(folder)
    (folder / "people.csv").write_text("name,age\nx,1,2,3\n", encoding="utf-8")
    counter, draft = ColumnCounter(place), read_draft(PLAN, place)
    end = time.monotonic() + 60
    while not counter.is_ready(draft, {"age": None, "height": None}):
        assert time.monotonic() < end
        time.sleep(0.02)
    with pytest.raises(ShoalError):
        counter.count(draft, "age")
