"""The greedy search for whom to leave out, against one that tries everybody each time."""

from __future__ import annotations

import random

import numpy as np
import pytest

from shoal.kernels.omission import omit_greedily
from shoal.model import MODELS
from shoal.model.requirement import Requirements
from tests.model.small import table_of


def naive(cells: list[str], whole: list[str], t: float) -> list[int] | None:
    """Leave out who brings the ordered distance down most, the first of equals."""
    values = sorted(set(whole))

    def away(kept: list[int]) -> float:
        total = moved = 0.0
        for value in values[:-1]:
            moved += sum(cells[u] == value for u in kept) / len(kept)
            moved -= whole.count(value) / len(whole)
            total += abs(moved)
        return total / (len(values) - 1)

    kept = list(range(len(cells)))
    while away(kept) > t + 1e-9:
        if len(kept) == 1:
            return None
        left = [[u for u in kept if u != gone] for gone in kept]
        kept = min(left, key=lambda rest: round(away(rest), 11))
    return [u for u in range(len(cells)) if u not in kept]


@pytest.mark.parametrize("t", [0.05, 0.1, 0.2])
def test_the_search_takes_who_helps_most(t: float) -> None:
    compared = 0
    for seed in range(40):
        rng = random.Random(seed)
        cells = rng.choices("aaabc", k=rng.randint(2, 10))
        whole = [*cells, *rng.choices("abc", k=8), "a", "b", "c"]
        asked = Requirements.of([MODELS["t-closeness"](t=t, distance="ordered")], table_of(whole))
        units = np.arange(len(cells), dtype=np.int32)
        profile, n_profiles = asked.profiles(units)
        out = np.zeros(len(units), dtype=np.bool_)
        n_out = omit_greedily(
            units, profile, n_profiles, 1, 10**9, asked.bounds, asked.members, asked.facts,
            asked.people, out,
        )  # fmt: skip
        want = naive(cells, whole, t)
        if want is None:
            assert n_out == -1
            continue
        compared += 1
        assert (n_out, np.flatnonzero(out).tolist()) == (len(want), want), seed
    assert compared > 10
