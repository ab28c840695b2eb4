"""One level over a list of values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shoal.hierarchy.level import Level, read_numbers


def test_equal_keys_and_equal_labels_share_a_node() -> None:
    by_key = Level.of_keys(np.array([7, 3, 7]), str)
    assert (by_key.codes.tolist(), by_key.labels) == ([1, 0, 1], ("3", "7"))
    by_label = Level.of_labels(["b", "a", "b"])
    assert (by_label.codes.tolist(), by_label.labels) == ([0, 1, 0], ("b", "a"))


@pytest.mark.parametrize("n_values", [0, 1, 3])
def test_all_values_share_the_root(n_values: int) -> None:
    root = Level.root(n_values)
    assert (root.codes.tolist(), root.labels) == ([0] * n_values, ("*",))


@pytest.mark.parametrize("text", ["", "x", "1_0", "0x10", "1,5", "--1", "१"])
def test_what_is_not_a_number(text: str) -> None:
    assert math.isnan(read_numbers([text])[0])


@pytest.mark.parametrize(
    ("text", "number"),
    [(" 39\t", 39), ("+1.50", 1.5), ("4e1", 40), (".5", 0.5), ("-inf", -math.inf)],
)
def test_what_is_a_number(text: str, number: float) -> None:
    assert read_numbers([text]).tolist() == [number]


def test_numbers_can_be_written_to() -> None:
    numbers = read_numbers(["1"])
    numbers[0] = 2
    assert numbers.tolist() == [2]
