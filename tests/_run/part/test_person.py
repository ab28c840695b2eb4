"""Names become digests that nobody can look up; both halves tell people apart."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal._run.part.person import PERSON, PersonKey, find_digests, names_nobody, people_of
from shoal.plan import Plan
from tests._run.part.table import people_plan


def _rows(who: list[tuple[int, int]]) -> pl.DataFrame:
    halves = {
        half: pl.Series([w[i] for w in who], dtype=pl.UInt64) for i, half in enumerate(PERSON)
    }
    return pl.DataFrame(halves)


def test_equal_names_have_equal_digests_under_one_key_only() -> None:
    names = pl.Series(["Ella", "Tim", "Ella", "Élla", "ella"])
    one, other = PersonKey.fresh(), PersonKey.fresh()
    pairs = [*zip(*(half.to_list() for half in one.digests(names)), strict=True)]
    assert pairs[0] == pairs[2]
    assert len(set(pairs)) == 4
    assert all(a != b for a, b in pairs)
    again = [*zip(*(half.to_list() for half in other.digests(names)), strict=True)]
    assert not {half for pair in pairs for half in pair} & {half for pair in again for half in pair}
    numbers = pl.Series([7, 8])
    assert [h.to_list() for h in one.digests(numbers)] == [
        h.to_list() for h in one.digests(numbers.cast(pl.String))
    ]


def test_people_with_one_half_in_common_are_two() -> None:
    people = people_of(_rows([(5, 1), (3, 9), (5, 2), (5, 1), (4, 1)]))
    assert people.person.tolist() == [0, 1, 2, 0, 3]
    assert people.first_row.tolist() == [0, 1, 2, 4]


def test_people_are_numbered_as_they_appear() -> None:
    draw = np.random.default_rng(2)
    who = [(int(a), int(b)) for a, b in draw.integers(0, 4, (60, 2))]
    seen = list(dict.fromkeys(who))
    people = people_of(_rows(who))
    assert people.person.tolist() == [seen.index(w) for w in who]
    assert people.first_row.tolist() == [who.index(w) for w in seen]


def test_the_named_are_found_in_their_order() -> None:
    rows = _rows([(5, 1), (3, 9), (5, 1), (7, 7)])
    assert find_digests(rows, people_of(rows), [(7, 7), (1, 5), (5, 1)]).tolist() == [2, 0]
    assert find_digests(rows, people_of(rows), []).tolist() == []


def test_cells_that_name_nobody() -> None:
    plan = people_plan()
    plan["attributes"] = {**plan["attributes"], "name": {"role": "identifier", "missing": ["-"]}}
    names = pl.Series(["a", "", None, "-", "?"])
    assert names_nobody(names, Plan.of(plan)).to_list() == [False, True, True, True, False]
