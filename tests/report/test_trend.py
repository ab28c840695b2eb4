from __future__ import annotations

from shoal.report.trend import Dot, trend

STYLES = {"a": "first", "b": "second"}


def test_lines_share_one_scale_and_the_level_belongs_to_it() -> None:
    dots = {"a": [Dot(1, 2.0, "")], "b": [Dot(4, 1.0, "", chosen=True), Dot(2, 4.0, "")]}
    found = trend("n", "s", dots, STYLES, level=(8.0, "KA"))
    a, b = found.series
    assert [(p.x, p.y) for p in a.points] == [(12.5, 23.0)]
    assert [(p.x, p.y, p.chosen) for p in b.points] == [(37.5, 46.0, False), (87.5, 11.5, True)]
    assert (found.level.at, found.level.label) == (92.0, "KA") if found.level else False
    assert [label for _, label in found.steps] == ["1", "2", "3", "4"]
    assert (len(a.segments), len(b.segments)) == (0, 1)


def test_nothing_to_draw() -> None:
    found = trend("n", "s", {}, STYLES)
    assert (found.series, found.level, found.steps) == ((), None, ((50.0, "1"),))
