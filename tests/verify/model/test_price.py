"""The check of prices finds what is wrong with them, and passes those that the search finds."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measure.price import price_units
from shoal.table import encode
from shoal.verify.model.price import check_prices
from tests.measure.optimum import Small, least_loss, random_small

# The quasi-identifiers of Adult with ARX hierarchies, and their places in a line of the file.
ADULT = {
    "sex": 9, "age": 0, "race": 8, "marital-status": 5, "education": 3, "native-country": 13,
    "workclass": 1, "occupation": 6, "salary-class": 14,
}  # fmt: skip


def labels_of(small: Small) -> list[list[tuple[str, ...]]]:
    first = [rows[0] for rows in small.units]
    return [[small.paths[a][cells[row]] for row in first] for a, cells in small.columns.items()]


def _case(seed: int) -> tuple[Small, np.ndarray, np.ndarray]:
    small = random_small(seed, people=seed % 2 == 0)
    n = len(small.units)
    k = np.random.default_rng(seed).integers(1, 5, n) if seed % 3 else np.full(n, 2)
    return small, k, np.array([len(rows) for rows in small.units])


def _with_trees(seed: int) -> bool:
    small = random_small(seed, people=seed % 2 == 0)
    return set(small.paths) == set(small.columns)


SEEDS = [seed for seed in range(120) if _with_trees(seed)]


def test_the_prices_that_are_found_are_valid() -> None:
    for seed in SEEDS:
        small, k, rows = _case(seed)
        prices = price_units(small.table(), k)
        assert check_prices(labels_of(small), prices, k, rows) == [], seed


def test_whatever_passes_is_not_above_the_optimum() -> None:
    passed = 0
    for seed in SEEDS:
        small, k, rows = _case(seed)
        draw = np.random.default_rng(seed)
        prices = price_units(small.table(), k) * draw.uniform(0.9, 1.2, len(k))
        if not check_prices(labels_of(small), prices, k, rows):
            passed += 1
            assert prices.sum() <= least_loss(small, k.tolist()) + 1e-9, seed
    assert 0 < passed < len(SEEDS)


def test_each_price_a_little_higher_is_noticed() -> None:
    """Two alike and one apart: the pair is free with k = 2, and the third pays for them."""
    labels = [[("a", "*"), ("a", "*"), ("b", "*")]]
    k = np.full(3, 2)
    assert check_prices(labels, np.array([0, 0, 1.0]), k) == []
    assert check_prices(labels, np.array([1e-6, 0, 1.0]), k) != []
    [problem] = check_prices(labels, np.array([0, 0, 1.0 + 1e-6]), k)
    assert "left out" in problem.text
    assert check_prices(labels, np.array([0, -1e-6, 1.0]), k) != []


def test_only_cells_of_k_people_count() -> None:
    labels = [[("a", "*"), ("a", "*"), ("b", "*"), ("b", "*")]]
    assert check_prices(labels, np.ones(4), np.full(4, 3)) == []
    assert check_prices(labels, np.ones(4), np.array([3, 2, 3, 3])) == []
    assert check_prices(labels, np.ones(4), np.array([2, 2, 3, 3])) != []


def test_what_is_wrong_is_counted_among_all_that_was_looked_at() -> None:
    """The two a pay too much at the bottom and in the middle; c pays as well, but is alone."""
    labels = [[("a", "A", "*"), ("a", "A", "*"), ("b", "A", "*"), ("b", "A", "*"), ("c", "C", "*")]]
    [problem] = check_prices(labels, np.array([0.6, 0.6, 0, 0, 1]), np.full(5, 2))
    assert problem.text == (
        "Prices are too high in 2 of 4 cells that lose less than somebody pays (level vector 0; 1)."
    )


def test_a_star_is_one_level_of_two_attributes() -> None:
    """a and b pay for a star in the first column, and a little more."""
    labels = [[("a", "*"), ("b", "*"), ("c", "*")], [("x", "*"), ("x", "*"), ("y", "*")]]
    [problem] = check_prices(labels, np.array([1.1, 1.1, 0]), np.full(3, 2))
    assert "in 1 of 5 cells" in problem.text
    assert "(level vector 1 0)" in problem.text
    assert check_prices(labels, np.array([1.0, 1.0, 0]), np.full(3, 2)) == []


def test_five_level_vectors_are_named() -> None:
    """Nobody else is under the labels of a, so that all six below the star lose nothing."""
    a, b = ((*(f"{x}{level}" for level in range(6)), "*") for x in "ab")
    [problem] = check_prices([[a, a, b]], np.array([0.5, 0.5, 0]), np.full(3, 2))
    assert "in 6 of 6 cells" in problem.text
    assert "(level vector 0; 1; 2; 3; 4)" in problem.text


def test_a_level_vector_is_named_once() -> None:
    """Two pairs pay too much, at the bottom and in the middle."""
    labels = [[("a", "A", "*"), ("a", "A", "*"), ("b", "B", "*"), ("b", "B", "*")]]
    [problem] = check_prices(labels, np.full(4, 0.5), np.full(4, 2))
    assert "in 4 of 4 cells" in problem.text
    assert "(level vector 0; 1)" in problem.text


def test_a_billionth_is_rounding_and_more_is_not() -> None:
    labels = [[("a", "*"), ("a", "*"), ("b", "*")]]
    k, least = np.full(3, 2), 1e-9
    assert check_prices(labels, np.array([least, 0, 1.0]), k) == []
    assert check_prices(labels, np.array([np.nextafter(least, 1), 0, 1.0]), k) != []
    assert check_prices(labels, np.array([0, 0, 1.0 + least]), k) == []
    assert check_prices(labels, np.array([0, 0, np.nextafter(1.0 + least, 2)]), k) != []


def test_somebody_alone_pays_only_where_a_crowd_is_asked_for() -> None:
    labels = [[("a", "*")]]
    assert check_prices(labels, np.array([1.0]), np.array([2])) == []
    assert check_prices(labels, np.array([0.0]), np.array([1])) == []
    assert check_prices(labels, np.array([0.1]), np.array([1])) != []


def test_rows_of_people_are_counted() -> None:
    labels = [[("a", "*"), ("b", "*")]]
    assert check_prices(labels, np.array([3.0, 1.0]), np.full(2, 2), np.array([3, 1])) == []
    assert check_prices(labels, np.array([3.1, 0.9]), np.full(2, 2), np.array([3, 1])) != []


@pytest.mark.parametrize("height", [1, 2])
def test_several_tops_meet_in_a_star(height: int) -> None:
    labels = [[("a", "A")[:height], ("b", "B")[:height]]]
    assert check_prices(labels, np.ones(2), np.full(2, 2)) == []


@pytest.mark.data
@pytest.mark.slow
def test_the_prices_of_adult_are_valid_and_high(data_folder: Path) -> None:
    """12,960 level vectors, each by its definition."""
    folder = data_folder / "adult"
    lines = (folder / "adult.data").read_text().splitlines()
    rows = [cells for line in lines if len(cells := line.split(", ")) == 15 and "?" not in cells]
    files = {a: folder / "hierarchies-arx" / f"adult_hierarchy_{a}.csv" for a in ADULT}
    frame = pl.DataFrame({a: [row[place] for row in rows] for a, place in ADULT.items()})
    attributes = {
        a: {"role": "quasi", "kind": "categorical", "hierarchy": str(path)}
        for a, path in files.items()
    }
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 5}}]}
    k = np.full(frame.height, 5)
    prices = price_units(encode(frame, shoal.Plan.of(plan).schema), k)
    assert prices.sum() / (len(prices) * len(ADULT)) >= 0.0473
    labels = []
    for a, path in files.items():
        ladder = {
            row[0]: tuple(row) for row in csv.reader(path.read_text().splitlines(), delimiter=";")
        }
        labels.append([ladder[value] for value in frame[a].to_list()])
    assert check_prices(labels, prices, k) == []
