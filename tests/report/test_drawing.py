"""What all drawings have in common."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from shoal.report.axis import Spot
from shoal.report.drawing import COLOURS, describe, draw_mark, draw_picture


def test_a_picture_stands_alone() -> None:
    picture = ET.fromstring(draw_picture("a < b", 100, 50, "<g/>"))
    assert picture.attrib["viewBox"] == "0 0 100 50"
    assert next(picture.iter("{http://www.w3.org/2000/svg}title")).text == "a < b"


def test_neighbours_differ_in_colour_and_in_shape() -> None:
    marks = [draw_mark(place, 1.0, 1.0) for place in range(4)]
    assert len(set(marks)) == 4
    assert all(colour in mark for colour, mark in zip(COLOURS, marks, strict=False))
    assert "<title>a &lt; b</title>" in draw_mark(1, 0, 0, "a < b")


def test_a_mark_says_its_mean_and_its_interval() -> None:
    assert describe("x", Spot(1, 2.0, 1.0, 3.0, 5)) == "x: 2 (95 %: 1 to 3, n = 5)"
    assert describe("x", Spot(1, 2.0, 2.0, 2.0)) == "x: 2"
