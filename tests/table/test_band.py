"""Bands of numbers are known where there is no doubt, and published in their order."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.table.band import order_bands


@pytest.mark.parametrize(
    "bands",
    [
        ("[0-10)", "[10-20)", "[100-110)"),
        ("(0, 10]", "(10, 20]"),
        ("0-9.5", "9.5-20"),
        ("<18", "18-64", "65+"),
        ("9 - 17", "18 – 64", ">=65"),
        ("0 to 9", "10 to 19", "> 19"),
    ],
)
def test_bands_stand_in_the_order_of_their_numbers(bands: tuple[str, ...]) -> None:
    assert order_bands(sorted(bands, key=hash)) == bands
    assert order_bands(list(reversed(bands))) == bands


@pytest.mark.parametrize(
    "texts",
    [
        ["01-02", "03-04"],
        ["1-5", "5-1"],
        ["1-5", "4-9"],
        ["1-5", "1-5 "],
        ["80+", "70+"],
        ["1-5", "unknown"],
        ["1-2-3", "4-5-6"],
        ["1", "2"],
        ["80+"],
        [],
    ],
)
def test_what_is_in_doubt_is_no_band(texts: list[str]) -> None:
    assert order_bands(texts) is None


def test_bands_are_cut_and_published_in_order(tmp_path: Path) -> None:
    """By their text 100-109 would stand between 0-9 and 20-29."""
    bands = ["0-9", "10-19", "20-29", "100-109", "110+"]
    frame = pl.DataFrame({"age": [band for band in bands for _ in range(3)] + [None] * 3})
    plan = {"attributes": {"age": "quasi"}, "privacy": [{"k-anonymity": {"k": 6}}],
            "method": "mondrian", "seed": 1}  # fmt: skip
    release = shoal.run(plan, frame)
    assert release.notes == ("age is taken as ordinal",)
    shown = set(release.frame["age"])
    assert "{20-29, 100-109}" in shown or "{0-9, 10-19, 20-29}" in shown or "{0-9, 10-19}" in shown
    assert not any("0-9, 100-109" in label for label in shown if "20-29" not in label)
    release.save(tmp_path / "r")
    assert shoal.audit(tmp_path / "r", frame).holds


def test_declared_categories_stay_categories() -> None:
    frame = pl.DataFrame({"age": ["0-9", "10-19"] * 2})
    attributes = {"age": {"role": "quasi", "kind": "categorical"}}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}],
            "method": "mondrian"}  # fmt: skip
    assert shoal.run(plan, frame).notes == ()
