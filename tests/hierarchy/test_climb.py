"""From values to labels, the missing value included."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import DataError
from shoal.hierarchy import Hierarchy
from shoal.schema import Kind

CATEGORICAL, NUMERIC = Kind.CATEGORICAL, Kind.NUMERIC


def test_numeric_values_that_are_no_numbers_are_counted_not_shown() -> None:
    with pytest.raises(DataError, match="2 of 3 values are not numbers") as caught:
        Hierarchy.width(5, 2).labels(["1", "secret", "1_0"], Kind.NUMERIC)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("hierarchy", "kind", "value", "labels"),
    [
        (Hierarchy.flat(), CATEGORICAL, "1", (None, "*")),
        (Hierarchy.width(5, 1), NUMERIC, "1", (None, None, "*")),
        (Hierarchy.intervals([5]), NUMERIC, "1", (None, None, "*")),
        (Hierarchy.mask(2), CATEGORICAL, "13", (None, None, None)),
        (Hierarchy.mask(1), CATEGORICAL, "1", (None, "*")),
        (Hierarchy.dates(["year"]), Kind.DATE, "2020-01-01", (None, None, "*")),
        (Hierarchy.rows([["a", "A", "*"]]), CATEGORICAL, "a", (None, None, "*")),
        (Hierarchy.rows([["a", "A"], ["b", "B"]]), CATEGORICAL, "a", (None, None)),
        (Hierarchy.rows([["a", "A"], ["", "U"]]), CATEGORICAL, "a", (None, "U")),
        (Hierarchy.rows([["1"]]), NUMERIC, "1", (None,)),
    ],
)
def test_the_missing_value_stands_alone_but_joins_the_root(
    hierarchy: Hierarchy, kind: Kind, value: str, labels: tuple[str | None, ...]
) -> None:
    assert hierarchy.labels([None, value], kind)[0] == labels
    tree = hierarchy.bind([None, value], kind)
    assert tree.order.tolist() == [1, 0]
    assert tuple(tree.labels[node] for node in tree.node[:, 1]) == labels


def test_the_missing_value_takes_its_own_row_and_is_last_among_its_siblings() -> None:
    rows = [["", "A", "*"], ["1", "A", "*"], ["9", "B", "*"]]
    values = [None, "9", "1"]
    numbers = np.array([np.nan, 9.0, 1.0])
    tree = Hierarchy.rows(rows).bind(values, NUMERIC, numbers)
    assert tree.labels == ("1", None, "9", "A", "B", "*")


def test_masks_of_several_lengths_have_no_root_for_the_missing_value() -> None:
    tree = Hierarchy.mask(1).bind(["1", None, "22"], CATEGORICAL)
    assert tree.labels == ("1", "22", None, "*", "2*", None)


def test_a_root_stands_even_over_the_missing_value_alone() -> None:
    assert Hierarchy.flat().bind([None], CATEGORICAL).labels == (None, "*")
