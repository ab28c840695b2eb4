"""The grid of the graph paper, and its claims on results made by a rule."""

from __future__ import annotations

from typing import Any

from shoal._command.reproduce.claim import Ruling
from shoal._command.reproduce.graph import FIGURES, METHODS, PAPER
from shoal.plan import Plan
from tests._command.reproduce.made import NOWHERE, made


def as_printed(place: dict[str, Any], reading: str) -> float:
    scale = {"k-member": 2.0, "Mondrian (median)": 3.0}.get(place["method"], 1.0)
    if reading.startswith("count-"):
        n = int(reading[-1])
        return scale * (n if "and" in reading else 1 / n)
    if reading == "seconds":
        if place["method"] == "k-member" and place["k"] == 10:
            return 23.0
        return scale * place["k"] if scale < 3 else 1 / place["k"]
    return scale * (place["k"] + place["n"] - place["rows"] / 1e4)


def test_the_grid_is_the_papers() -> None:
    trials = PAPER.grid(NOWHERE, False).trials
    assert {t.place["k"] for t in trials if 11 in t.figures} == set(range(2, 21))
    assert {t.place["rows"] for t in trials if 13 in t.figures} == set(range(200, 1401, 200))
    for trial in trials[::40]:
        assert len(Plan.of(trial.plan).schema.quasi) == trial.place["n"]


def test_every_figure_has_a_curve_for_every_method() -> None:
    results = made(PAPER, as_printed)
    for figure in FIGURES:
        (plot,) = figure.plots(results)
        assert [curve.name for curve in plot.curves] == list(METHODS)


def test_claims_are_confirmed_where_results_are_as_the_paper_prints() -> None:
    answers = PAPER.claims(made(PAPER, as_printed))
    assert {a.claim for a in answers if a.verdict is not Ruling.YES} == set()
    worse = PAPER.claims(made(PAPER, lambda place, reading: 99 - as_printed(place, reading)))
    assert sum(a.verdict is Ruling.NO for a in worse) > len(worse) / 2
