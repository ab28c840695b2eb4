"""The best of the candidates, by rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shoal._command.suggest.suggest import suggest
from shoal._command.suggest.suggestion import Suggestions
from tests._command.suggest.people import PLAN, people


@pytest.fixture(scope="module")
def found() -> Suggestions:
    return suggest(PLAN, people(), highest_k=6)


def test_where_most_ask_for_nothing_is_recommended_last(found: Suggestions) -> None:
    bare = replace(found[0], number=1, measures={"ilr": 0.1}, people={6: 119, 1: 121})
    half = replace(found[0], number=2, measures={"ilr": 0.5}, people={6: 120, 1: 120})
    both = replace(found, rows=(bare, half))
    assert both.best == half
    assert both.passed_over == (bare,)
    alone = replace(found, rows=(bare,))
    assert alone.best == bare
    assert alone.passed_over == ()


def test_the_best_loses_least_of_those_that_hold(found: Suggestions) -> None:
    best = found.best
    assert best is not None
    assert best.holds
    covering = [row for row in found if not row.mostly_bare]
    losses = [row.ilr for row in covering if row.holds and row.ilr is not None]
    assert best.ilr == pytest.approx(min(losses), abs=0.0006)
    row = replace(found[0], people={6: 120, 1: 120})
    few = replace(row, number=1, measures={"ilr": 0.5001}, holds=True)
    many = replace(found[-1], number=2, measures={"ilr": 0.5}, holds=True)
    down = replace(row, number=3, measures={"ilr": 0.1}, holds=False, n_below=4)
    assert replace(found, rows=(many, few, down)).best == few
    assert replace(found, rows=(down,)).best == down
    lost = replace(down, measures={}, problem="no")
    assert replace(found, rows=(lost,)).best is None
    sd = next(r for r in found if r.scheme == "sd-mks3wd" and r.n_levels == 1)
    ece = next(r for r in found if r.scheme == "ece-mks3wd" and r.n_levels == 1)
    alike = [replace(r, measures={"ilr": 0.5}, holds=True) for r in (sd, ece)]
    assert replace(found, rows=tuple(alike)).best == alike[1]
    less = replace(few, number=4, measures={"ilr": 0.4})
    assert replace(found, rows=(many, few, less)).best == less


def test_the_table_has_a_row_for_each_and_marks_the_best(found: Suggestions) -> None:
    frame = found.frame
    assert frame.height == len(found) + 2
    assert found.best is not None
    assert frame.filter("best")["number"].to_list() == [found.best.number]
    assert frame["ilr"].to_list()[2:] == [row.ilr for row in found]
