"""Axes: their ends, ticks and places."""

from __future__ import annotations

import pytest

from shoal.report.axis import AxisScale, LogScale, Look, Spot, short


def spot(y: float, low: float, high: float) -> Spot:
    return Spot(1, y, low, high, 3)


def test_an_interval_below_zero_does_not_draw_the_axis_along() -> None:
    assert AxisScale.of([spot(1.0, -5.0, 7.0)], Look()).low == 0.0
    assert AxisScale.of([spot(-1.0, -5.0, 7.0)], Look()).low <= -5.0


def test_an_interval_above_the_limit_does_not_either() -> None:
    assert AxisScale.of([spot(0.9, 0.5, 1.3)], Look(limit=1.0)).high == 1.0
    assert AxisScale.of([spot(0.9, 0.5, 1.3)], Look()).high >= 1.3
    assert AxisScale.of([spot(1.2, 0.5, 1.3)], Look(limit=1.0)).high >= 1.3


@pytest.mark.parametrize("ys", [(0.0, 0.0), (2.0, 2.0), (1e-6, 2e-6), (-1.0, 1.0), (0.991, 1.0)])
def test_all_means_are_on_the_axis(ys: tuple[float, ...]) -> None:
    spots = [spot(y, y, y) for y in ys]
    scale = AxisScale.of(spots, Look())
    assert all(-1e-9 <= scale.place(y) <= 1 + 1e-9 for y in ys)
    assert 2 <= len(list(scale.ticks())) <= 7


def test_powers_of_ten() -> None:
    scale = LogScale.of([spot(0.02, 0.0, 0.5), spot(3.0, 1.0, 4.0)])
    assert [label for _, label in scale.ticks()] == ["0.01", "0.1", "1", "10"]
    assert scale.place(0.01) == 0.0
    assert scale.place(10.0) == 1.0
    assert scale.place(0.0) < 0
    narrow = LogScale.of([spot(1.0, 1.0, 1.0)])
    assert [label for _, label in narrow.ticks()] == ["1", "2", "5", "10"]


def test_ticks_in_few_signs() -> None:
    assert [value for value, _ in AxisScale(0.0, 1.0, 0.5).ticks()] == [0.0, 0.5, 1.0]
    assert [short(1.5e6, 5e5), short(20e3, 1e4), short(0.05, 0.05), short(0.0, 1.0)] == [
        "1.5M", "20k", "0.05", "0"
    ]  # fmt: skip
