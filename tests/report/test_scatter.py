"""Where points and their names go."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from shoal.report.scatter import Point, scatter


def point(x: float, y: float, name: str = "a", best: bool = False) -> Point:
    return Point(x, y, name, name, name, best)


def test_points_lie_by_their_shares() -> None:
    plot = scatter([point(0.2, 0.4), point(0.4, 0.1, "b")], "")
    a, b = plot.points
    assert a.x * 2 == b.x == 92
    assert 100 - a.y == 4 * (100 - b.y) == 92
    assert [mark.label for mark in plot.x_marks] == ["10%", "20%", "30%", "40%"]


def test_points_in_one_place_become_one() -> None:
    (joined,) = scatter([point(0.2, 0.4), point(0.2, 0.4, "b", best=True)], "").points
    assert (joined.number, joined.label, joined.best) == ("a, b", "a, b", True)


def test_the_front_goes_along_and_then_down() -> None:
    plot = scatter([point(0.5, 0.1, best=True), point(0.1, 0.5, best=True), point(0.5, 0.5)], "")
    drawn = [[round(v, 1) for v in (s.x1, s.y1, s.x2, s.y2)] for s in plot.front]
    assert drawn == [[18.4, 8.0, 92.0, 8.0], [92.0, 8.0, 92.0, 81.6]]


shares = st.floats(0, 1, allow_nan=False)


@given(st.lists(st.tuples(shares, shares, st.booleans()), max_size=15))
@example([(0.0, 2.2250738585072014e-308, False)])
def test_everything_stays_in_the_box(places: list[tuple[float, float, bool]]) -> None:
    plot = scatter([point(x, y, f"plan {i}", b) for i, (x, y, b) in enumerate(places)], "")
    assert sum(p.label.count("plan") for p in plot.points) == len(places)
    numbers = [v for p in plot.points for v in (p.x, p.y)]
    numbers += [v for s in plot.front for v in (s.x1, s.y1, s.x2, s.y2)]
    numbers += [mark.at for mark in (*plot.x_marks, *plot.y_marks)]
    assert all(-1e-6 <= v <= 100 + 1e-6 for v in numbers)


def test_names_do_not_lie_on_each_other() -> None:
    crowd = [point(0.5 + i / 100, 0.5, f"a rather long name {i}") for i in range(8)]
    plot = scatter([*crowd, point(0.05, 0.05, "alone")], "")
    sides = [p.side for p in plot.points]
    assert sides[-1] != "none"
    assert "none" in sides[:-1]


def test_the_front_strikes_through_no_name() -> None:
    best = [point(0.1, 0.5, "a", best=True), point(0.5, 0.1, "b", best=True)]
    # The line goes down at 92 %, through a name to the right of this point.
    named = scatter([*best, point(0.45, 0.3, "plan three")], "").points[-1]
    assert named.side == "left"
