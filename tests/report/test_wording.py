from __future__ import annotations

import pytest

import shoal
from shoal.report.finding import Finding
from shoal.report.wording import MEASURES, sentence


@pytest.mark.parametrize("name", sorted(m["name"] for m in shoal.models()))
def test_every_model_has_a_sentence_of_its_own(name: str) -> None:
    assert "What the model" not in sentence(Finding(name, {}, True))


def test_every_measure_has_a_title() -> None:
    assert {m["name"] for m in shoal.measures()} <= set(MEASURES)
