"""The brute force in NumPy gives what the twin gives, and its decision is every reasoning set's."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.brute import Diversity, danonyir_brute
from tests.papers.identity.twin import Attribute, Person, danonyir, holds_for


def random_people(
    rng: random.Random, n_people: int, attributes: list[Attribute], n_secrets: int
) -> list[Person]:
    """Few distinct values, so that distances are often equal."""
    grid = rng.choice([3, 4, 10])
    people = []
    for _ in range(n_people):
        values = tuple(
            rng.randint(0, grid) / grid if a[0] == "numeric" else rng.randrange(a[1])
            for a in attributes
        )
        most = min(n_secrets, rng.choice([1, 2, 4]))
        own = tuple(rng.sample(range(n_secrets), rng.randint(1, most)))
        people.append(Person(values, len(own) + rng.choice([0, 0, 1]), (own,)))
    return people


def by_twin(
    people: list[Person], attributes: list[Attribute], fewest: int, order: list[int]
) -> list[int]:
    holds = holds_for(people, [{"eir-l": {"l": fewest}}])
    classes, _ = danonyir(people, attributes, holds, order)
    found = [-1] * len(people)
    for number, members in enumerate(classes):
        for member in members:
            found[member] = number
    return found


def by_brute(
    people: list[Person], attributes: list[Attribute], fewest: int, order: list[int]
) -> list[int]:
    def columns(kind: str, dtype: type) -> NDArray[Any]:
        chosen = [i for i, a in enumerate(attributes) if a[0] == kind]
        cells = [[p.values[i] for i in chosen] for p in people]
        return np.array(cells, dtype).reshape(len(people), len(chosen))

    n_codes = [a[1] for a in attributes if a[0] == "set"]
    sets = [p.secrets[0] for p in people]
    start = np.cumsum([0, *map(len, sets)])
    values = np.array([v for own in sets for v in own])
    rows = np.array([p.rows for p in people])
    places, codes = columns("numeric", np.float64), columns("set", np.int64)
    starters = np.array(order)
    found = danonyir_brute(places, codes, n_codes, rows, start, values, fewest, starters)
    return [int(number) for number in found]


def check(rng: random.Random, n_people: int) -> None:
    sizes = [rng.choice([1, 2, 3, 7, 64, 65, 150]) for _ in range(rng.randint(0, 3))]
    attributes: list[Attribute] = [("set", n) for n in sizes]
    attributes += [("numeric", 0, 1)] * rng.randint(not sizes, 3)
    rng.shuffle(attributes)
    people = random_people(rng, n_people, attributes, rng.choice([3, 5, 8, 70]))
    order = rng.sample(range(n_people), n_people)
    fewest = rng.randint(1, 4)
    expected = by_twin(people, attributes, fewest, order)
    assert by_brute(people, attributes, fewest, order) == expected


@pytest.mark.parametrize("seed", range(300))
def test_brute_force_is_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    check(rng, rng.randint(1, 40))


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_is_the_twin_where_its_arrays_are_made_dense_and_grow(seed: int) -> None:
    check(random.Random(seed), 150)


def test_sets_of_many_values_are_counted_whole() -> None:
    # Two secrets never make three, so the one class grows until it has all values, in vain.
    people = [Person((i, 0.0), 1, ((i % 2,),)) for i in range(300)]
    attributes: list[Attribute] = [("set", 300), ("numeric", 0, 1)]
    order = list(range(300))
    assert by_brute(people, attributes, 3, order) == [-1] * 300


@pytest.mark.parametrize("seed", range(50))
def test_diversity_is_the_least_hitting_set(seed: int) -> None:
    rng = random.Random(seed)
    sets: list[set[int]] = []
    known = [Diversity() for _ in range(7)]
    for _ in range(12):
        own = set(rng.sample(range(8), rng.choice([1, 2, 2, 3])))
        sets.append(own)
        least = next(
            size
            for size in range(1, 9)
            if any(all(s & set(few) for s in sets) for few in combinations(range(8), size))
        )
        for l, diversity in enumerate(known):  # noqa: E741
            diversity.add(sum(1 << v for v in own))
            assert diversity.at_least(l) == (least >= l)
