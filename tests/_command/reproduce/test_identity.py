"""The grid of the identity paper, and its claims on results made by a rule."""

from __future__ import annotations

from typing import Any

from shoal._command.reproduce.claim import Ruling
from shoal._command.reproduce.identity import FIGURES, GENE, PAPER, STRONG, WEAK, model
from shoal.plan import Plan
from tests._command.reproduce.made import NOWHERE, made


def as_printed(place: dict[str, Any], reading: str) -> float:
    scale = {GENE: 2.3, WEAK: 1.0, STRONG: 1.02}[place["series"]]
    hard = place["l"] / 2 + place["n"] - place["alpha"] - place["beta"]
    match reading:
        case "nloss" | "people-1":
            return scale * hard
        case "people-all":
            return scale / place["n"]
        case "v" | "v-clusters":
            rising = place["l"] + place["alpha"] - place["beta"]
            return rising * {GENE: 0.1, WEAK: 0.2, STRONG: 0}[place["series"]]
        case _:
            return hard * {GENE: 0.1, WEAK: 1.0, STRONG: 1.1}[place["series"]]


def test_requirements_of_the_series() -> None:
    assert model("l", "eir", 4, 0.6, 0.4) == {"eir-l": {"l": 4}}
    assert model("αβ", "eir", 4, 0.6, 0.4) == {"eir-alpha-beta": {"alpha": 0.6, "beta": 0.4}}


def test_the_grid_is_the_papers() -> None:
    trials = PAPER.grid(NOWHERE, False).trials
    assert {t.place["n"] for t in trials if t.place["varied"] == "n"} == {3, 4, 5, 6, 7, 8}
    fixed = {(t.place["n"], t.place["alpha"], t.place["beta"])
             for t in trials if t.place["varied"] == "l"}  # fmt: skip
    assert fixed == {(6, 0.6, 0.4)}
    for trial in trials[::17]:
        assert len(Plan.of(trial.plan).schema.quasi) == trial.place["n"]


def test_every_figure_has_its_panels() -> None:
    results = made(PAPER, as_printed)
    assert {f.number: len(f.plots(results)) for f in FIGURES} == {
        2: 4, 3: 6, 4: 2, 5: 3, 6: 2, 7: 3, 8: 2, 9: 3
    }  # fmt: skip
    assert [c.name for c in FIGURES[0].plots(results)[0].curves] == [GENE, WEAK]


def test_claims_are_confirmed_where_results_are_as_the_paper_prints() -> None:
    answers = PAPER.claims(made(PAPER, as_printed))
    assert {a.claim for a in answers if a.verdict is not Ruling.YES} <= {"time-trend-n"}
    worse = PAPER.claims(made(PAPER, lambda place, reading: 9 - as_printed(place, reading)))
    assert sum(a.verdict is Ruling.NO for a in worse) > len(worse) / 2
