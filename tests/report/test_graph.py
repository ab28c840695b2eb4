"""The picture itself; `tests/test_graph.py` draws through the public interface."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from shoal.report.graph import draw_graph


@pytest.mark.parametrize("n", [1, 2, 5])
def test_equal_rows_do_not_lie_on_each_other(n: int) -> None:
    root = ET.fromstring(draw_graph(np.zeros((n, n)), {}))
    places = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in root.iter() if c.get("r")]
    assert len(places) == n
    gaps = [abs(complex(*a) - complex(*b)) for i, a in enumerate(places) for b in places[:i]]
    assert all(gap > 30 for gap in gaps), "twice the radius of a vertex"


def test_suppressed_rows_are_dashed_and_have_no_ground() -> None:
    matrix = np.array([[0, 1, 5], [1, 0, 5], [5, 5, 0]])
    picture = draw_graph(matrix, {1: [0, 1], None: [2]}, title="A & B")
    assert "<title>A &amp; B</title>" in picture
    assert "3 rows in 1 class." in picture
    assert picture.count('opacity="0.13"') == 1
    assert picture.count("stroke-dasharray") == 2, "the vertex, and its sign in the legend"
    assert picture == draw_graph(matrix, {1: [0, 1], None: [2]}, title="A & B")
