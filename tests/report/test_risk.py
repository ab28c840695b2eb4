"""Attacks on a page: at a glance, then each with its plot."""

from __future__ import annotations

from dataclasses import replace

import pytest

import shoal
from shoal.attack import Gain, Rate
from shoal.report import risk
from tests.frozen.plans import frozen_plans
from tests.report.document import Document
from tests.report.sample import manifest, private_page, release

RATE = Rate.of(30, 100)
LINKAGE = Gain("linkage", "row", RATE, Rate.of(1, 100), Rate.of(5, 100), 0.5, bound=0.5)
FLAG = Gain("flag", "ill", Rate.of(60, 100), Rate.of(20, 100), None, 0.9, bound=0.5, beside=True)


def test_at_a_glance() -> None:
    found = risk.risk_of_gains([LINKAGE, FLAG])
    assert [(t.title, t.value) for t in found.tiles] == [
        ("Attacks", "2"), ("Promises", "1 of 1"), ("Highest chance", "90%"),
        ("Most gained", "+40.0"),
    ]  # fmt: skip
    assert found.tiles[-1].text.endswith("flag · ill")


def test_a_broken_promise_comes_first() -> None:
    broken = replace(LINKAGE, attack="marketer", worst=0.7)
    found = risk.risk_of_gains([LINKAGE, FLAG, broken])
    assert [row.gain.attack for row in found.rows] == ["marketer", "linkage", "flag"]
    assert found.tiles[1].value == "1 of 2"


def test_figures_in_words() -> None:
    row = risk.risk_of_gains([LINKAGE]).rows[0]
    assert row.question == "Which published row, or which number, is this person?"
    assert row.words == (
        "right for 30%, by guessing 1%, for people not in the data 5%, worst person 50%, promised "
        "at most 50%"
    )
    assert row.beyond == pytest.approx(0.25)


def test_the_page_of_the_publisher_has_them() -> None:
    made, _ = release()
    document = Document(private_page(made))
    assert document.faults == []
    assert "What an adversary gains" in document.words
    assert "inference · illness" in document.words


def test_large_tables_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(risk, "MOST", 50)
    made, _ = release()
    found = risk.risk_of_release(made, manifest(made))
    assert (found.sampled, found.n_people) == (True, 50)
    assert found.rows[0].gain.success.n == 50
    people = shoal.run(*frozen_plans()["reserved"])
    found = risk.risk_of_release(people, manifest(people))
    assert found.n_people > 50, "somebody has all their rows"
