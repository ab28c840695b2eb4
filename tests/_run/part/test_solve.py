"""Notes of shards merge to what holds in all of them."""

from __future__ import annotations

import numpy as np
import pytest

from shoal._run.headcount import Sizes
from shoal._run.part.solve import PeopleNote, worse
from shoal.schema import Verdict


@pytest.mark.parametrize(
    ("requirement", "one", "other", "reached"),
    [
        ("k-anonymity {k: 3}", 5, 4, 4),
        ("l-diversity {l: 2}", 2.5, 3.5, 2.5),
        ("alpha-k {alpha: 0.5, k: 3}", {"alpha": 0.4, "k": 4}, {"alpha": 0.5, "k": 5},
         {"alpha": 0.5, "k": 4}),
        ("k-e {k: 2, e: 1}", {"k": 2, "e": 3.0}, {"k": 3, "e": 2.0}, {"k": 2, "e": 2.0}),
        ("t-closeness {t: 0.2, distance: equal}", 0.1, 0.2, 0.2),
        ("beta-likeness {beta: 2.0, kind: basic}", 1.5, 1.0, 1.5),
        ("delta-disclosure {delta: 2.0}", 1.5, 1.0, 1.5),
        ("k-anonymity {k: 3}", 5, None, None),
    ],
)  # fmt: skip
def test_the_worse_of_two_counts(
    requirement: str, one: object, other: object, reached: object
) -> None:
    found = worse(
        Verdict(requirement, True, 1, one, worst_class=3),
        Verdict(requirement, True, 1, other, offending=(2,)),
    )
    assert found.reached == reached
    assert found.offending == (2,)
    assert found.worst_class is None


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [(True, True, True), (True, False, False), (None, True, None), (None, False, False)],
)
def test_all_must_hold(one: bool | None, other: bool | None, both: bool | None) -> None:
    assert worse(Verdict("k", one, 1), Verdict("k", other, 1)).holds is both


def _note(n_rows: list[int], n_telling: int) -> PeopleNote:
    return PeopleNote(sum(n_rows) + 2, 1, len(n_rows) + 1, n_telling, Sizes.of(np.array(n_rows)))


def test_notes_add_up() -> None:
    both = _note([1, 2, 2], 1).merge(_note([2, 5], 2))
    assert (both.n_rows, both.n_lost, both.n_people) == (16, 2, 7)
    assert both.sizes.rows.tolist() == [1, 2, 5]
    assert both.sizes.people.tolist() == [1, 3, 1]
    assert both.telling == 3 / 5


def test_equal_numbers_of_rows_tell_nobody_apart() -> None:
    assert _note([2, 2], 2).telling == 0.0
    assert _note([], 0).telling == 0.0
