"""The likeliest value, and what is left of it without one's own row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from shoal.attack import posterior
from shoal.attack.posterior import (
    Product,
    ValueWeights,
    guess,
    guess_among,
    less,
    less_own,
    weights_of,
)

VALUES = np.array([0, 1, 0], dtype=np.int32)
WEIGHTS = weights_of(csr_array(np.array([[3.0, 1.0], [1.0, 1.0], [0.0, 2.0]])))


def test_the_likeliest_value() -> None:
    found = guess(WEIGHTS, VALUES)
    assert found.posterior.tolist() == [0.75, 0.5, 1.0]
    assert found.right.tolist() == [1.0, 0.5, 0.0]
    assert found.best[[0, 2]].tolist() == [0, 1]


def test_nothing_to_guess_from() -> None:
    found = guess(weights_of(csr_array((1, 2))), VALUES[:1])
    assert (found.posterior.tolist(), found.right.tolist()) == ([0.0], [0.0])


def test_without_the_own_row() -> None:
    alone = guess(less_own(WEIGHTS, VALUES, np.ones(3)), VALUES)
    assert alone.right.tolist() == [1.0, 0.0, 0.0]
    assert alone.posterior == pytest.approx([2 / 3, 1.0, 1.0])


@pytest.mark.parametrize("seed", range(20))
def test_blocks_of_people_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(seed)
    n, n_kinds, n_units, n_values = draw.integers(1, 30, 4)

    def weights() -> ValueWeights:
        fits = csr_array(draw.integers(0, 2, (n_kinds, n_units)))
        shown = csr_array(draw.integers(0, 4, (n_units, n_values)) / 7)
        return ValueWeights(draw.integers(0, n_kinds, n), fits, shown)

    one, two = weights(), weights()
    own = csr_array(draw.random((n, n_values)) * draw.integers(0, 2, (n, n_values)))
    all_weights = (one, less(one, own), Product(one, less(two, own)))
    whole = [guess_among(w, own) for w in all_weights]
    monkeypatch.setattr(posterior, "_ENTRIES", int(draw.integers(1, 100)))
    for w, expected in zip(all_weights, whole, strict=True):
        n_blocks = sum(1 for _ in posterior.blocks(w))
        assert n_blocks <= n
        for got, wanted in zip(guess_among(w, own), expected, strict=True):
            assert np.array_equal(got, wanted)
    for got, wanted in zip(whole[1], _naive_guess(one, own), strict=False):
        assert got == pytest.approx(wanted)


def _naive_guess(
    weights: ValueWeights, own: csr_array
) -> tuple[list[int], list[float], list[float]]:
    """Everybody's guess without their own share, one by one from all weights at once."""
    every = (weights.fits.toarray() @ weights.shown.toarray())[weights.kinds]
    best, posterior, right = [], [], []
    for row, mine in zip(np.maximum(every - own.toarray(), 0), own.toarray(), strict=True):
        top = np.flatnonzero((row >= row.max() * (1 - 1e-9)) & (row > 0))
        best.append(int(top[0]) if len(top) else 0)
        posterior.append(row.max() / row.sum() if len(top) else 0.0)
        right.append(mine[top].mean() if len(top) else 0.0)
    return best, posterior, right


def test_a_block_has_a_bounded_number_of_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = csr_array(np.ones((2, 50)))
    weights = ValueWeights(np.arange(1000) % 2, csr_array(np.ones((2, 2))), everything)
    monkeypatch.setattr(posterior, "_ENTRIES", 500)
    found = list(posterior.blocks(weights))
    assert max(rows.nnz for _, rows in found) <= 500
    assert sorted(np.concatenate([people for people, _ in found])) == list(range(1000))
