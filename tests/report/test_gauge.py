from __future__ import annotations

import pytest

from shoal.report.finding import Finding
from shoal.report.gauge import Gauge, gauges


def test_gauges_know_which_side_is_good() -> None:
    finding = Finding("alpha-k", {}, True, {"alpha": 0.5, "k": 4}, {"alpha": 0.25, "k": 6})
    found = {g.name: g.margin for g in gauges(finding)}
    assert found == {"alpha": "0.25 below the limit", "k": "2 more than required"}
    assert Gauge("t", 0.2, 0.3, True).margin == "0.1 above the limit"
    assert Gauge("k", 5, 5, False).margin == "exactly as required"
    assert Gauge("t", 0, 0, True).mark == 0


def test_what_is_no_number_has_no_gauge() -> None:
    levels = {"thresholds": [[0.8, 0.2]], "levels": [[6, 1]]}
    assert gauges(Finding("multi-level-k", {}, True, levels, {})) == []
    assert gauges(Finding("k-anonymity", {}, None, None, None)) == []


def test_one_threshold_is_named_by_its_model() -> None:
    (found,) = gauges(Finding("t-closeness", {"t": 0.2}, True, 0.2, 0.1))
    assert (found.name, found.at_most) == ("t", True)
    assert gauges(Finding("k-anonymity", {}, True, 3, 4, by_bucket=True)) != []
    assert gauges(Finding("l-diversity", {}, True, 3, 4, by_bucket=True, idle=True)) == []


def test_what_cannot_be_counted_has_no_gauge() -> None:
    assert gauges(Finding("l-diversity", {}, True, 3, None)) == []
    assert gauges(Finding("alpha-k", {}, True, {"alpha": 0.5, "k": 4}, None)) == []


@pytest.mark.parametrize(("asked", "reached"), [(5, 7), (7, 5), (0, 0)])
def test_bar_and_mark_stay_in_their_box(asked: float, reached: float) -> None:
    gauge = Gauge("k", asked, reached, False)
    assert 0 <= gauge.mark < 100
    assert 0 <= gauge.fill < 100
