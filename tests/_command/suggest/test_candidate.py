"""Thresholds and pairs of k: valid, short, and every level decides somebody."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.suggest.candidate import (
    Distribution,
    candidates,
    even_thresholds,
    most_levels,
    pairs_of_k,
)
from shoal._command.suggest.suggest import people_by_k
from shoal.model import MultiLevelK
from shoal.model.sensitivity import asked_k


def test_levels_go_as_far_as_the_pairs_allow() -> None:
    for k in range(2, 15):
        n = most_levels(k)
        high, low = pairs_of_k(k, n)[-1]
        assert high > low
        assert high - 1 <= low + 1
    assert pairs_of_k(8, 4) == [(8, 1), (7, 2), (6, 3), (5, 4)]
    assert even_thresholds(4) == [(0.875, 0.125), (0.75, 0.25), (0.625, 0.375), (0.5, 0.5)]


SENSITIVITIES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])), min_size=1, max_size=60
)


@given(SENSITIVITIES, st.integers(2, 12), st.one_of(st.none(), st.floats(0.01, 0.99)))
def test_every_candidate_is_valid_and_every_level_decides_somebody(
    values: list[float], k: int, share: float | None
) -> None:
    f = np.array(values)
    made = list(candidates(f, k, most_levels(k), share))
    assert len({c.model for c in made}) == len(made)
    for candidate in made:
        model = candidate.model
        assert MultiLevelK.model_validate(model.parameters()) == model
        assert model.pairs == tuple(pairs_of_k(k, len(model.levels)))
        asked = asked_k(f, model.thresholds, model.pairs)
        assert sum(people_by_k(model, f).values()) == len(f)
        if candidate.family == "share":
            assert share is not None
            assert np.count_nonzero(asked == k) <= share * len(f) + 1e-6
        for high, low in model.pairs:
            assert np.isin(asked, (high, low)).any()


@given(st.sets(st.integers(0, 10_000), min_size=24, max_size=80), st.integers(1, 4))
def test_quantiles_split_people_evenly_where_there_are_no_ties(places: set[int], n: int) -> None:
    f = np.array(sorted(places)) / 10_000
    thresholds = Distribution(f).quantile_thresholds(n)
    assert thresholds is not None
    asked = asked_k(f, thresholds, pairs_of_k(2 * n, n))
    counts = np.bincount(asked, minlength=2 * n + 1)[1:]
    assert abs(counts - len(f) / (2 * n)).max() <= 1


def test_thresholds_are_the_shortest_that_split_the_same() -> None:
    f = np.array([0.123456, 0.25, 0.7654321, 0.9876543])
    assert Distribution(f).quantile_thresholds(1) == [(0.7, 0.7)]
    assert Distribution(f).quantile_thresholds(2) == [(0.9, 0.2), (0.7, 0.7)]
