"""Errors in words that may be shown."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from shoal.cli.failure import crash, failure_of
from shoal.cli.progress import ShareColumn, Stages
from shoal.errors import PlanError, Problem
from shoal.folder.exchange import draft_for
from tests.cli.place import SECRET


def test_an_error_of_the_system_is_told_in_the_system_s_words() -> None:
    problem = failure_of(OSError(f"cannot open {SECRET} (os error 13)")).problems[0]
    assert problem.text == "Permission denied."


def test_without_a_number_the_system_has_no_words() -> None:
    assert failure_of(OSError(SECRET)).problems[0].text == "A file could not be read or written."


def test_memory_has_its_own_hint_and_the_stage_its_place() -> None:
    error = MemoryError(SECRET)
    error.add_note("while recoding")
    failure = failure_of(error, "run")
    (problem,) = failure.problems
    assert (failure.name, failure.code) == ("MemoryError", 3)
    assert (problem.text, problem.where) == ("Not enough memory.", "while recoding")
    assert "shards" in problem.hint


@pytest.mark.parametrize(("command", "splits"), [("run", True), ("audit", False), ("", False)])
def test_only_a_run_can_be_split(command: str, splits: bool) -> None:
    for failure in (failure_of(MemoryError(), command), crash(signal.SIGKILL, command)):
        assert ("shards" in failure.problems[0].hint) is splits


def test_what_an_experiment_keeps_is_said() -> None:
    with pytest.raises(OSError, match="full") as caught, ShareColumn("running plans", quiet=True):
        raise OSError(28, "full")
    assert "goes on where it stopped" in failure_of(caught.value).problems[0].hint
    assert "No half-written release" in failure_of(OSError(28, "full")).problems[0].hint


def test_the_document_has_every_problem_with_its_place() -> None:
    error = PlanError([Problem("bad", "age", "mend it", 7), Problem("worse")])
    assert failure_of(error).as_data() == {
        "error": "PlanError",
        "problems": [
            {"text": "bad", "where": "age", "hint": "mend it", "line": 7},
            {"text": "worse", "where": None, "hint": None, "line": None},
        ],
    }


def test_a_folder_that_cannot_be_written_is_named_as_typed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "release"
    with (
        pytest.raises((NotADirectoryError, FileExistsError)) as caught,
        Stages(quiet=True) as stages,
        stages("writing"),
        draft_for(folder),
    ):
        pass
    (problem,) = failure_of(caught.value).problems
    reason = os.strerror(caught.value.errno or 0)
    assert problem.text == f"The folder {str(folder)!r} cannot be written: {reason}."
    assert problem.where == ""
