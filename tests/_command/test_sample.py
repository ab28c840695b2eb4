"""A sample has whole people, and as many as asked for."""

from __future__ import annotations

import numpy as np

from shoal._command.sample import sample_people
from tests.model.small import table_of


def test_people_are_sampled_whole() -> None:
    people = [str(i % 10) for i in range(40)]
    rows = sample_people(table_of(["a"] * 40, people=people), 12)
    assert rows is not None
    chosen = {people[row] for row in rows.tolist()}
    assert len(chosen) == 3
    assert sorted(rows.tolist()) == [i for i in range(40) if people[i] in chosen]


def test_the_seed_decides_who_is_in_it() -> None:
    table = table_of(["a"] * 100)
    samples = [sample_people(table, 10, seed) for seed in (1, 1, 2)]
    assert all(found is not None and len(found) == 10 for found in samples)
    assert np.array_equal(samples[0], samples[1])  # type: ignore[arg-type]
    assert not np.array_equal(samples[0], samples[2])  # type: ignore[arg-type]
    assert sample_people(table, 100) is None
