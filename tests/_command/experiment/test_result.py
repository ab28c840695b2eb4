"""Results and intervals."""

from __future__ import annotations

import pytest

from shoal._command.experiment.pool import Finished
from shoal._command.experiment.result import Estimate, Results
from shoal._command.experiment.trial import Trial


def results() -> Results:
    places = [{"k": k, "seed": seed} for k in (2, 5) for seed in (1, 2)]
    trials = tuple(Trial({}, "d", place, ("glm", "dm")) for place in places)
    found = [{"readings": {"dm": None, "glm": float(i)}} for i in range(3)]
    return Results(Finished(trials, (*found, {"error": "no"}), {}, 4))


def test_a_row_for_every_trial() -> None:
    frame = results().frame
    assert frame.columns == ["k", "seed", "glm", "dm", "error"]
    assert frame["glm"].to_list() == [0.0, 1.0, 2.0, None]
    assert results().errors == ["no"]


def test_means_with_intervals() -> None:
    found = results().estimates({}, ["k"], "glm")
    assert found[(2,)].mean == 0.5
    # 12.706 is the 0.975 quantile of t with one degree of freedom; s = sqrt(1/2), n = 2.
    assert found[(2,)].high == pytest.approx(0.5 + 12.7062 / 2, abs=1e-3)
    assert found[(5,)] == Estimate(2.0, 2.0, 2.0, 1)
    assert str(found[(5,)]) == "2"
    assert results().estimates({"k": [5]}, ["k"], "glm").keys() == {(5,)}
    assert results().estimates({"k": 7}, ["k"], "glm") == {}
    assert results().estimates({"x": 7}, ["k"], "glm") == {}
