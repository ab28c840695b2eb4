from __future__ import annotations

import pytest

from shoal.report.histogram import histogram


def test_bars_stay_in_their_box_and_keep_their_proportions() -> None:
    chart = histogram("n", "s", list("abc"), [1, 0, 4], list("abc"), second=[2.0, 8.0, 0.0])
    assert [b.height for b in chart.bars] == pytest.approx([11.5, 0, 46])
    assert max(b.second or 0 for b in chart.bars) <= 100
    assert all(b.x >= 0 and b.x + b.width <= 100 for b in chart.bars)
    assert max(t.at for t in chart.ticks) <= 100


def test_labels_are_few_and_the_last_is_shown() -> None:
    labels = [str(n) for n in range(50)]
    chart = histogram("n", "s", labels, [1] * 50, labels)
    shown = [b.label for b in chart.bars if b.label]
    assert len(shown) <= 7
    assert (shown[0], shown[-1]) == ("0", "49")


def test_long_labels_are_fewer() -> None:
    labels = [f"2020-01-{n:02}" for n in range(1, 31)]
    chart = histogram("n", "s", labels, [1] * 30, labels)
    assert len([b for b in chart.bars if b.label]) <= 4


@pytest.mark.parametrize("values", [[], [0.0], [3.0]])
def test_few_columns(values: list[float]) -> None:
    labels = ["a"] * len(values)
    chart = histogram("n", "s", labels, values, labels, percent=True)
    assert [b.label for b in chart.bars] == labels
    assert all(b.height in (0, 92) for b in chart.bars)
    assert all(tick.label.endswith("%") for tick in chart.ticks)
