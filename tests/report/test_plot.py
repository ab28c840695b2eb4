"""Plots: legible, whole, and safe."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from shoal.report.axis import Look, Spot
from shoal.report.plot import Curve, Plot, draw_plots

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*plots: Plot, **options: bool) -> ET.Element:
    return ET.fromstring(draw_plots("A <title>", plots, "loss & more", Look(**options)))


def line(name: str, *ys: float) -> Curve:
    return Curve(name, tuple(Spot(x, y, y, y) for x, y in enumerate(ys, 1)))


def test_a_mark_for_every_spot_and_one_in_the_legend() -> None:
    picture = drawn(Plot("p", "k", (line("one", 1, 2, 3),)), Plot("q", "k", (line("one", 1),)))
    assert len(list(picture.iter(f"{SVG}circle"))) == 5
    assert picture.find(f"{SVG}title").text == "A <title>"  # type: ignore[union-attr]
    assert [t.text for t in picture.iter(f"{SVG}text")].count("loss & more") == 2


def test_whiskers_are_for_intervals() -> None:
    spots = (Spot(1, 2.0, 1.0, 3.0, 5), Spot(2, 2.0, 2.0, 2.0, 5))
    picture = drawn(Plot("p", "k", (Curve("one", spots),)))
    assert len(list(picture.iter(f"{SVG}path"))) == 1
    says = [t.text for t in picture.iter(f"{SVG}title")]
    assert "one, 1: 2 (95 %: 1 to 3, n = 5)" in says


def test_categories_are_not_joined() -> None:
    spots = (Spot("SD", 1.0, 1.0, 1.0), Spot("SE", 2.0, 2.0, 2.0))
    picture = drawn(Plot("p", "scheme", (Curve("one", spots),)), categories=True)
    assert not list(picture.iter(f"{SVG}polyline"))
    assert {"SD", "SE"} <= {t.text for t in picture.iter(f"{SVG}text")}


@pytest.mark.parametrize("ys", [(0.0, 0.0), (2.0, 2.0), (1e-6, 2e-6), (1e7, 3e7), (-1.0, 1.0)])
def test_every_spot_lies_in_its_box(ys: tuple[float, ...]) -> None:
    picture = drawn(Plot("p", "k", (line("one", *ys),)))
    (path,) = picture.iter(f"{SVG}polyline")
    places = [float(pair.split(",")[1]) for pair in path.attrib["points"].split()]
    assert all(-0.1 <= y <= 210.1 for y in places)
    ticks = [t.text for t in picture.iter(f"{SVG}text") if t.attrib.get("text-anchor") == "end"]
    assert 2 <= len(ticks) <= 7
    assert len(set(ticks)) == len(ticks)


def texts(picture: ET.Element) -> list[str | None]:
    return [t.text for t in picture.iter(f"{SVG}text")]


def test_labels_do_not_touch_and_are_evenly_chosen() -> None:
    xs = range(2, 21)
    curve = Curve("one", tuple(Spot(x, 1.0, 1.0, 1.0) for x in xs))
    three = [Plot("", "k", (curve,))] * 3
    shown = [int(t) for t in texts(drawn(*three)) if t and t.isdigit() and int(t) >= 2]
    assert shown == [2, 4, 6, 8, 10, 12, 14, 16, 18, 20] * 3
    assert len([t for t in texts(drawn(three[0])) if t and t.isdigit() and int(t) >= 2]) == 19


def test_four_boxes_stand_in_two_rows() -> None:
    picture = drawn(*[Plot("p", "k", (line("one", 1),))] * 4)
    places = [g.attrib["transform"].split() for g in picture.iter(f"{SVG}g")]
    assert len({across for across, _ in places}) == len({down for _, down in places}) == 2


def test_a_logarithmic_scale_shows_short_times_too() -> None:
    plot = Plot("p", "k", (line("quick", 0.01, 0.02), line("slow", 1.0, 2.0)))
    assert {"0.01", "0.1", "1", "10"} <= set(texts(drawn(plot, log=True)))
    assert "0.01" not in texts(drawn(plot))
    nothing = Plot("p", "k", (line("one", 0.0, 1.0),))
    assert "0" in texts(drawn(nothing, log=True))
