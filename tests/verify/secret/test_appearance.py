"""The classes as an adversary sees them: their places, patterns, and what buckets give away."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.verify.secret.appearance import PUBLIC, SECRET, WITHHELD, _places
from shoal.verify.text.accept import WORD
from tests.verify.secret.test_match import search_of
from tests.verify.secret_cases import random_case


@pytest.mark.parametrize("n", [1, WORD - 1, WORD, WORD + 1])
def test_each_pattern_starts_a_new_word(n: int) -> None:
    states = np.array([[PUBLIC, SECRET]] * n + [[WITHHELD, PUBLIC]] * 2, dtype=np.int32)
    patterns, class_at = _places(states)
    assert len(class_at) % WORD == 0
    seen = []
    for pattern in patterns:
        own = class_at[WORD * pattern.words.start : WORD * pattern.words.stop]
        own = own[own >= 0]
        seen += own.tolist()
        assert {tuple(states[c]) for c in own} == {pattern.states}
    assert sorted(seen) == list(range(n + 2))
    assert [p.words.stop - p.words.start for p in patterns] == [-(-n // WORD), 1]


def test_no_class_has_no_place() -> None:
    patterns, class_at = _places(np.zeros((0, 2), dtype=np.int32))
    assert (patterns, class_at.tolist()) == ((), [])


@pytest.mark.parametrize("form", ["split", "joined"])
def test_what_is_given_away_is_between_one_value_and_all(form: str) -> None:
    for seed in range(6):
        shown = search_of(random_case(seed, form)[2]).shown
        assert shown.sizes.sum() == len(shown.of_row)
        for attribute in shown.published.schema.secret:
            means = shown.given_away[attribute.name] / shown.sizes
            assert (means <= 1 + 1e-12).all()
            if attribute in shown.attributes:
                states = shown.states[:, shown.attributes.index(attribute)]
                assert (means[states == PUBLIC] == 0).all()
                assert (means[states == SECRET] > 0).all()
            else:
                assert (means > 0).all()
