"""One step less strict, and what is worth a rehearsal at all."""

from __future__ import annotations

from typing import Any

import pytest

from shoal._command.explain.change import _looser
from shoal.plan import Plan


@pytest.mark.parametrize(
    ("model", "steps"),
    [
        ({"k-anonymity": {"k": 11}}, ["k = 10"]),
        ({"k-anonymity": {"k": 3}}, ["k = 2"]),
        ({"k-anonymity": {"k": 2}}, []),
        ({"l-diversity": {"l": 2.5, "kind": "entropy"}}, ["l = 2"]),
        ({"l-diversity": {"l": 2}}, []),
        ({"t-closeness": {"t": 0.2}}, ["t = 0.3"]),
        ({"t-closeness": {"t": 0.9}}, ["t = 1"]),
        ({"alpha-k": {"alpha": 0.5, "k": 5}}, ["alpha = 0.75", "k = 3"]),
        ({"lkc": {"l": 2, "k": 2, "c": 0.5}}, ["c = 0.75"]),
        ({"delta-disclosure": {"delta": 0.8}}, ["delta = 1"]),
        ({"delta-disclosure": {"delta": 2}}, []),
        ({"multi-level-k": {"thresholds": [[0.5, 0.4]], "levels": [[6, 1]]}}, []),
    ],
)
def test_one_step_less_strict(model: dict[str, Any], steps: list[str]) -> None:
    attributes = {"a": "quasi", "s": "sensitive", "f": "sensitivity"}
    models = Plan.parse({"attributes": attributes, "privacy": [model]}).models
    found = [how for how, _ in _looser(models, 0)]
    assert sorted(found) == sorted(steps)
    twice = (*models, *models)
    assert [how for how, left in _looser(twice, 1) if len(left) == 1] == ["left out"]
