"""A line for every name."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from shoal.report.axis import Spot
from shoal.report.plot import Curve, Plot
from shoal.report.row import draw_rows

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*plots: Plot) -> ET.Element:
    return ET.fromstring(draw_rows("Losses", plots))


def plot(title: str, **means: float) -> Plot:
    spots = tuple(Spot(name, y, y / 2, 2 * y, 3) for name, y in means.items())
    return Plot(title, "", (Curve(title, spots),))


def test_every_system_has_its_line_in_every_box() -> None:
    picture = drawn(plot("loss", a=0.1, b=0.4), plot("time", a=3.0, b=1.0))
    texts = [t.text for t in picture.iter(f"{SVG}text")]
    assert (texts.count("a"), texts.count("loss"), texts.count("time")) == (1, 1, 1)
    heights = [mark.attrib["cy"] for mark in picture.iter(f"{SVG}circle")]
    assert heights[:2] == heights[2:]
    assert len(list(picture.iter(f"{SVG}path"))) == 4


def test_what_a_box_does_not_have_is_not_drawn() -> None:
    picture = drawn(plot("loss", a=0.1, b=0.4), plot("time", b=1.0))
    assert len(list(picture.iter(f"{SVG}circle"))) == 3


def test_marks_stay_in_their_boxes() -> None:
    picture = drawn(plot("loss", a=0.1, b=40.0))
    first, second = (float(mark.attrib["cx"]) for mark in picture.iter(f"{SVG}circle"))
    assert first < second < float(picture.attrib["width"])
