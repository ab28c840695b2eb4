"""The grid of MKS3WD, and its claims on results made by a rule."""

from __future__ import annotations

from typing import Any

from shoal._command.reproduce.claim import Ruling
from shoal._command.reproduce.mks3wd import FIGURES, PAPER, levels_of
from shoal.plan import Plan
from tests._command.reproduce.made import NOWHERE, made

LOSSES = {"ka": 4, "se-mks3wd": 3, "ece-mks3wd": 2, "sd-mks3wd": 1}


def as_printed(place: dict[str, Any], reading: str) -> float:
    if reading == "f1":
        return 1 / (LOSSES[place["method"]] * place["K"])
    if reading == "seconds":
        return LOSSES[place["method"]] * (1.5 if place["method"] == "sd-mks3wd" else 1.0)
    return LOSSES[place["method"]] + place["K"] + (place["levels"] - 2) ** 2 / 10


def test_levels_of_table_4() -> None:
    assert levels_of(6, 3)["levels"] == [[6, 1], [5, 2], [4, 3]]
    assert levels_of(8, 1) == {"thresholds": [[0.5, 0.5]], "levels": [[8, 1]]}


def test_the_grid_is_the_papers() -> None:
    trials = PAPER.grid(NOWHERE, False).trials
    of_five = {(t.place["table"], t.place["tree"], t.place["method"], t.place["K"])
               for t in trials if 5 in t.figures}  # fmt: skip
    assert len(of_five) == 6 * 2 * 4 * 6
    of_seven = {(t.place["method"], t.place["levels"]) for t in trials if 7 in t.figures}
    assert of_seven == {(m, n) for m in LOSSES if m != "ka" for n in (1, 2, 3, 4)}
    plan = {**trials[-1].plan, "attributes": {"f": "sensitivity", "a": {"role": "quasi",
            "hierarchy": "flat"}}}  # fmt: skip
    assert Plan.of(plan).requirements


def test_figures_have_a_panel_for_every_table_and_tree() -> None:
    results = made(PAPER, as_printed)
    assert [len(figure.plots(results)) for figure in FIGURES] == [12, 12, 24, 12]
    assert [c.name for c in FIGURES[0].plots(results)[0].curves] == ["KA", "SD", "SE", "ECE"]
    assert [c.name for c in FIGURES[2].plots(results)[0].curves] == [
        "1 level", "2 levels", "3 levels", "4 levels"
    ]  # fmt: skip


def test_claims_are_confirmed_where_results_are_as_the_paper_prints() -> None:
    verdicts = {(a.claim, a.verdict) for a in PAPER.claims(made(PAPER, as_printed))}
    right = {claim for claim, verdict in verdicts if verdict is Ruling.YES}
    assert {"less-than-ka", "sd-least", "ece-below-se", "rises-with-k", "f1-falls", "sd-f1",
            "sd-quick", "dip"} <= right  # fmt: skip
    assert ("ka-f1", Ruling.NO) in verdicts
    assert ("ece-quicker", Ruling.NO) in verdicts


def test_claims_without_results_stay_open() -> None:
    assert {a.verdict for a in PAPER.claims(made(PAPER, as_printed, True))} >= {Ruling.YES}
