"""The grid of LGB, and its claims on results made by a rule."""

from __future__ import annotations

from typing import Any

from shoal._command.reproduce.claim import Ruling
from shoal._command.reproduce.lgb import FIGURES, PAPER
from shoal.plan import Plan
from tests._command.reproduce.made import NOWHERE, made


def as_printed(place: dict[str, Any], reading: str) -> float:
    mdp = place["method"] == "MDP"
    if reading == "dm":
        return place["k"] * (1 if mdp else 3)
    if reading == "ncp":
        return place["k"] * (1.0 if mdp else 0.85)
    error = place["k"] + place["l"] / 10 - place["share"]
    return error if mdp else error + max(0.0, (12 - place["l"]) / 10)


def test_the_grid_is_the_papers() -> None:
    trials = PAPER.grid(NOWHERE, False).trials
    settings = {(t.place["method"], t.place["k"], t.place["l"], t.place["share"]) for t in trials}
    assert len(settings) == 3 * 3 * 7 + 3 * 3 * 7
    plans = [Plan.of(t.plan) for t in trials[:60:7]]
    assert all(len(plan.requirements) == 5 for plan in plans)


def test_figures_by_method_and_by_share() -> None:
    results = made(PAPER, as_printed)
    assert [len(figure.plots(results)) for figure in FIGURES] == [3, 3, 6, 8]
    assert [c.name for c in FIGURES[3].plots(results)[0].curves] == ["k = 5", "k = 8", "k = 10"]


def test_claims_are_confirmed_where_results_are_as_the_paper_prints() -> None:
    answers = PAPER.claims(made(PAPER, as_printed))
    assert {a.claim for a in answers if a.verdict is not Ruling.YES} == set()
    worse = PAPER.claims(made(PAPER, lambda place, reading: 99 - as_printed(place, reading)))
    assert sum(a.verdict is Ruling.NO for a in worse) > len(worse) / 2
