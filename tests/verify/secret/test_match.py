"""People against classes: every class that can be theirs, however many there are."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.verify.secret import match
from shoal.verify.secret.appearance import find_appearance
from shoal.verify.secret.match import Search, _positions
from shoal.verify.secret.secret import Bucketed
from tests.verify.secret_cases import Case, random_case


def search_of(case: Case) -> Search:
    return Search(find_appearance(Bucketed.of(case.published)))


def test_positions_of_bits() -> None:
    words = np.array([[0, 1 << 63], [5, 0]], dtype=np.uint64)
    rows, places = _positions(words)
    assert (rows.tolist(), places.tolist()) == ([0, 1, 1], [127, 0, 2])


@pytest.mark.parametrize("words", [1, 1 << 20])
def test_everybody_at_once_or_one_by_one(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "_WORDS", words)
    for seed in (1, 2, 5):
        case = random_case(seed)[2]
        search = search_of(case)
        people = np.array(case.origin)
        together = search.match(people)
        assert (together.n_rows >= 2).all()
        for place, person in enumerate(people.tolist()):
            alone = search_of(case).match(np.array([person]))
            assert alone.n_rows[0] == together.n_rows[place]
            for name, sums in together.sums.items():
                assert alone.sums[name][0] == pytest.approx(sums[place])
        assert search.n_examined == len(people)
