"""Figures: the same points in the drawing and in the table."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal._command.experiment.figure import Figure, Panel
from shoal._command.experiment.pool import Finished
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Trial


def results() -> Results:
    places = [{"k": k, "method": m, "seed": 1} for m in ("a", "b") for k in (2, 5)]
    trials = tuple(Trial({}, "d", place, ("glm", "e-1", "e-2")) for place in places)
    found = tuple({"readings": {"glm": i / 10, "e-1": 1.0, "e-2": 2.0}} for i in range(4))
    return Results(Finished(trials, found, {}, 4))


def test_a_figure_is_written_twice(tmp_path: Path) -> None:
    panels = (
        Panel("by k", "k", "k", "glm", {}, names={"a": "first"}),
        Panel("nothing", "k", "k", "glm", {"k": 9}),
    )
    assert Figure(3, "Loss", "glm", panels).write(results(), tmp_path)
    table = pl.read_csv(tmp_path / "figure-3.csv")
    assert table["panel"].unique().to_list() == ["by k"]
    assert table.rows()[0] == ("by k", "first", 2, 0.0, 0.0, 0.0, 1)
    assert table["mean"].to_list() == [0.0, 0.1, 0.2, 0.3]
    assert "Figure 3. Loss" in (tmp_path / "figure-3.svg").read_text()


def test_a_figure_without_points_is_not_written(tmp_path: Path) -> None:
    assert not Figure(1, "", "", (Panel("", "k", "", "dm", {}),)).write(results(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_readings_as_places() -> None:
    panel = Panel("", "n", "n", "", {"k": 2}, by_reading={1: "e-1", 2: "e-2"})
    curves = panel.curves(results())
    assert [(c.name, [(s.x, s.y) for s in c.spots]) for c in curves] == [
        ("a", [(1, 1.0), (2, 2.0)]),
        ("b", [(1, 1.0), (2, 2.0)]),
    ]
