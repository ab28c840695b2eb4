"""The grid of QI-MHSA, and its claims on results made by a rule."""

from __future__ import annotations

from typing import Any

import shoal
from shoal._command.reproduce.claim import Ruling
from shoal._command.reproduce.mhsa import FIGURES, METHODS, PAPER, TOP_DOWN, patient
from tests._command.reproduce.made import NOWHERE, made


def as_printed(place: dict[str, Any], reading: str) -> float:
    top = place["method"] == TOP_DOWN
    return place["k"] * (1.0 if top else 0.9 if place["table"] == "Patient" else 0.5)


def test_figures_have_the_four_panels_of_the_paper() -> None:
    results = made(PAPER, as_printed)
    for figure in FIGURES:
        plots = figure.plots(results)
        assert [plot.title for plot in plots] == [
            "a) Patient, l = 3", "b) Adult, l = 3", "c) Patient, k = 10", "d) Adult, k = 10"
        ]  # fmt: skip
        assert [curve.name for curve in plots[0].curves] == list(METHODS)


def test_claims_are_confirmed_where_results_are_as_the_paper_prints() -> None:
    answers = PAPER.claims(made(PAPER, as_printed))
    assert {a.claim for a in answers if a.verdict is not Ruling.YES} == set()
    worse = PAPER.claims(made(PAPER, lambda place, reading: 99 - as_printed(place, reading)))
    assert all(a.verdict is Ruling.NO for a in worse)


def test_the_patients_can_be_published() -> None:
    trial = next(t for t in PAPER.grid(NOWHERE, True).trials if t.place["table"] == "Patient")
    release = shoal.run(trial.plan, patient(True, 1).head(500))
    assert release.holds
    assert set(release.symbols) == {"DiagnoseCode", "DateJoined"}
