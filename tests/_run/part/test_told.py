"""What is told of the people of shards adds up."""

from __future__ import annotations

import numpy as np

from shoal._run.headcount import Sizes
from shoal._run.part.told import PeopleNote


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
