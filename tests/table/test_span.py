"""How much of a numeric domain a label covers."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.schema import Attribute, HierarchySpec, Kind, Role
from shoal.table import Domain, encode_column, label_shares


def _domain(cells: list[str], kind: Kind = Kind.NUMERIC, **options: object) -> Domain:
    attribute = Attribute("x", Role.QUASI, kind, **options)  # type: ignore[arg-type]
    return encode_column(pl.Series("x", cells), attribute).domain


@pytest.mark.parametrize(
    ("label", "share"),
    [
        ("*", 1.0),
        (None, 0.0),
        ("[0, 5[", 0.5),
        ("[2.5, 5]", 0.25),
        ("[-10, 5[", 0.5),
        ("[20, 30[", 0.0),
        (">=7", 0.3),
        ("<7", 0.7),
        ("<-1", 0.0),
        ("[1e0, 2e0[", 0.1),
    ],
)
def test_a_label_is_as_long_as_its_part_of_the_domain(label: str | None, share: float) -> None:
    assert label_shares(_domain(["3"], domain=(0.0, 10.0)), [label]) == pytest.approx([share])


def test_a_label_in_no_known_notation_is_as_long_as_its_values() -> None:
    rows = (("0", "low"), ("2", "low"), ("9", "high"), ("10", "high"))
    domain = _domain(["0", "2", "9", "10"], hierarchy=HierarchySpec("file", rows))
    assert label_shares(domain, ["low", "high", "9", "?"]) == pytest.approx([0.2, 0.1, 0, 1])


def test_a_domain_without_length_is_not_divided_by() -> None:
    assert label_shares(_domain(["3", "3"]), ["*", ">=3", None]).tolist() == [0, 0, 0]


def test_no_label_has_no_length() -> None:
    assert label_shares(_domain(["3"], domain=(0.0, 10.0)), []).tolist() == []


def test_dates_are_measured_in_days() -> None:
    domain = _domain(["2020-01-01", "2020-01-11"], Kind.DATE)
    assert label_shares(domain, ["[2020-01-01, 2020-01-06["]) == pytest.approx([0.5])
