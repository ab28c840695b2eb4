"""Plots: legible, whole, and safe."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from shoal.report.plot import Curve, Plot, Spot, draw_plots

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*plots: Plot, **options: bool) -> ET.Element:
    return ET.fromstring(draw_plots("A <title>", plots, "loss & more", **options))


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
@pytest.mark.parametrize("from_zero", [True, False])
def test_every_spot_lies_in_its_box(ys: tuple[float, ...], from_zero: bool) -> None:
    picture = drawn(Plot("p", "k", (line("one", *ys),)), from_zero=from_zero)
    (path,) = picture.iter(f"{SVG}polyline")
    places = [float(pair.split(",")[1]) for pair in path.attrib["points"].split()]
    assert all(-0.1 <= y <= 150.1 for y in places)
    ticks = [t.text for t in picture.iter(f"{SVG}text") if t.attrib.get("text-anchor") == "end"]
    assert 2 <= len(ticks) <= 7
    assert len(set(ticks)) == len(ticks)
