"""People against classes: every class that can be theirs, however many there are."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.verify import Published
from shoal.verify.secret import match
from shoal.verify.secret.appearance import find_appearance
from shoal.verify.secret.match import Search, _positions
from shoal.verify.secret.secret import Bucketed
from tests.papers.lgb import twin
from tests.verify.secret_cases import Case, asked, publish, random_case, random_table


def search_of(case: Case | Published) -> Search:
    published = case if isinstance(case, Published) else case.published
    return Search(find_appearance(Bucketed.of(published)))


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


def test_many_classes_of_a_pattern_for_one_person_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where even one person's classes are more words than may be combined at once."""
    table = random_table(3, 400, 0.0)
    rules: dict[int, twin.Rule] = dict.fromkeys((0, 2, 3, 4), ("distinct", 2))
    search = search_of(publish(table, twin.lgb(table, 3, rules), asked(3, rules), seed=3))
    assert max(p.words.stop - p.words.start for p in search.shown.patterns) > 1
    people = np.arange(9)
    together = search.match(people)
    monkeypatch.setattr(match, "_WORDS", 1)
    alone = search.match(people)
    assert alone.n_rows.tolist() == together.n_rows.tolist()
    assert (together.n_rows >= 3).all()
