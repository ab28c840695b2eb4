"""All systems side by side."""

from __future__ import annotations

from shoal._command.reproduce.across import ADULT, INFORMS, PAPER, READINGS, table_rows
from shoal.plan import Plan
from tests._command.reproduce.made import NOWHERE, made


def test_every_system_has_a_sound_plan() -> None:
    trials = PAPER.grid(NOWHERE, True).trials
    assert len(trials) == len(ADULT) + len(INFORMS)
    for trial in trials:
        if trial.place["table"] == "INFORMS":
            Plan.of(trial.plan)


def test_a_row_for_every_system() -> None:
    results = made(PAPER, lambda _, reading: float(len(reading)))
    rows = table_rows(results, "Adult")
    assert [row[0] for row in rows] == list(ADULT)
    assert all(len(row) == len(READINGS) + 1 for row in rows)
    assert rows[0][1] == "3"
    assert table_rows(results, "INFORMS")[0][-1] == str(len("run-seconds"))
