"""The cost model finds the costs that made up its measurements."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.cost import (
    NETWORK,
    Phase,
    Sample,
    cost_text,
    fit,
    left_out,
    phase_rows,
    samples_of,
)


def _measured(n: int) -> Sample:
    """A run on two cores: 3 s and 4 microseconds of a core a row; the driver 1 microsecond."""
    return Sample(n, {"mondrian": 3 + 2e-6 * n, "counting": 1e-6 * n}, {"mondrian": 50.0 * n})


def test_costs_that_are_lines_are_found_exactly() -> None:
    phases = {phase.name: phase for phase in fit([_measured(n) for n in (10**5, 10**6, 10**7)], 2)}
    solving, counting = phases["mondrian"], phases["counting"]
    assert (solving.fixed, solving.work, solving.sent) == pytest.approx((3, 4e-6, 50))
    assert (counting.fixed, counting.work, counting.sent) == pytest.approx((0, 1e-6, 0), abs=1e-9)


def test_the_driver_alone_is_not_shortened_by_more_cores() -> None:
    assert Phase("counting", 1, 1e-6, 0).seconds(10**9, 50, 2) == pytest.approx(1001)
    assert Phase("mondrian", 1, 1e-6, 0).seconds(10**9, 50, 2) == pytest.approx(11)


def test_what_is_sent_takes_time_only_between_executors() -> None:
    phase = Phase("sharding", 0, 0, 100)
    assert phase.seconds(10**9, 1, 2) == 0
    assert phase.seconds(10**9, 4, 2) == pytest.approx(100 * 10**9 * 0.75 / (4 * NETWORK))


def test_the_largest_run_is_predicted_by_the_others() -> None:
    predicted, measured = left_out([_measured(n) for n in (10**5, 10**6, 10**7)], 2)
    assert predicted == pytest.approx(measured)
    slower = Sample(10**7, {"mondrian": 100.0}, {})
    predicted, measured = left_out([_measured(10**5), _measured(10**6), slower], 2)
    assert (predicted, measured) == (pytest.approx(3 + 20 + 10), 100)


@pytest.mark.parametrize(
    ("seconds", "fixed", "slope"),
    [
        ([1.0, 20.0], 0.0, True),
        ([2.0, 1.0], 0.0, False),
        ([0.0, 0.0], 0.0, False),
    ],
)
def test_no_cost_is_negative(seconds: list[float], fixed: float, slope: bool) -> None:
    samples = [Sample(n, {"a": s}, {}) for n, s in zip((10, 100), seconds, strict=True)]
    [phase] = fit(samples, 1)
    assert phase.fixed >= fixed
    assert phase.work >= 0
    assert bool(phase.work) == slope


def test_measurements_are_read_from_results_and_shown_as_a_prediction() -> None:
    results: dict[str, Any] = {
        "machine": {"cores": 2},
        "shards": [
            {"rows": 10**6, "format": "csv", "whole s": 9.0},
            *(
                {"rows": n, "workers": w, "whole s": 9.0, "reading s": n * 1e-6, "writing s": 1.0}
                for n in (10**7, 10**6)
                for w in (1, 2)
            ),
        ],
        "spark": [
            *(
                {"rows": n, "method": "mondrian", "local s": 1.0, "spark s": 2.0, "session s": 1.0,
                 "reading s": n * 2e-6, "reading sent bytes": 7 * n, "written bytes": 5 * n}
                for n in (10**6, 10**7)
            ),
            {"rows": 20_000, "shoal s": 1.0, "polarfrost s": "fails"},
            {"case": "spark.growth", "failed": ["x"]},
        ],
    }  # fmt: skip
    found = samples_of(results)
    assert {name: [s.n_rows for s in own] for name, own in found.items()} == {
        "one machine, mondrian": [10**6, 10**7],
        "Spark, mondrian": [10**6, 10**7],
    }
    assert found["Spark, mondrian"][0].seconds == {"reading": 2.0}
    assert found["Spark, mondrian"][0].sent == {"reading": 7e6}
    first, table, second, clustered, assumed = cost_text(results, list)
    assert "Prediction, not a measurement: 1,000,000,000 rows on 2 cores" in first
    assert [row["phase"] for row in table] == ["reading", "writing", "all"]
    assert table[-1]["predicted s"] == pytest.approx(1 + 1e-6 * 10**9)
    assert "1,000,000,000 rows on 50 executors of 2 cores" in second
    assert "5.0 bytes a row are written" in second
    away = 7 * 10**9 * 0.98 / (50 * NETWORK)
    assert clustered[-1]["predicted s"] == pytest.approx(2e-6 * 2 * 10**9 / 100 + away)
    assert "Not in the model" in assumed
    assert cost_text({"machine": {"cores": 2}}, list) == []


def test_phases_are_shown_a_row_and_core() -> None:
    first, total = phase_rows([Phase("a", 1, 2e-6, 3)], 50, 2)
    assert first["microseconds a row and core"] == total["microseconds a row and core"] == 2
