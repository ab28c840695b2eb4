"""Everyone keeps their signature, whoever comes and goes; against the definition, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.kernels.box.space import lose_union
from shoal.method.invariance import NOWHERE, Kept, Roster, keep_signatures
from shoal.table import encode
from shoal.table.space import space_of


def roster(
    ages: list[int],
    values: list[int | set[int]],
    signature: list[int],
    signatures: list[set[int]],
    start: list[int],
    least: int = 2,
) -> Roster:
    return Roster(
        np.array(ages, dtype=np.int64).reshape(-1, 1),
        np.array([0.01]),
        [frozenset(v if isinstance(v, set) else {v}) for v in values],
        np.array(signature, dtype=np.int64),
        [frozenset(s) for s in signatures],
        np.array(start, dtype=np.int64),
        np.full(len(ages), least, dtype=np.int64),
    )


TREE = {"*": {"x": {"v": ["a", "b"], "w": ["c"]}, "y": ["d", "e", "f"]}}


@pytest.mark.parametrize(
    ("how", "relation"),
    [
        ({"kind": "numeric"}, "equal"),
        ({"kind": "categorical", "hierarchy": {"tree": TREE}}, "no more"),
        ({"kind": "categorical"}, "no less"),
    ],
)
def test_a_span_beside_the_metric(how: dict, relation: str) -> None:
    """What stands in for the metric is `glm` of even numbers, and a bound elsewhere."""
    values = list(range(6)) if relation == "equal" else list("abcdef")
    plan = {"attributes": {"q": {"role": "quasi", **how}}, "privacy": [{"k-anonymity": {"k": 1}}]}
    table = encode(pl.DataFrame({"q": values}), shoal.Plan.of(plan).schema)
    space, weight = space_of(table.quasi, "glm"), np.array([1 / (len(values) - 1)])
    draw = np.random.default_rng(1)
    for _ in range(60):
        codes = np.unique(draw.integers(0, len(values), draw.integers(1, 5)))
        low, high = codes[:1], codes[-1:]
        span = float(replace(roster([], [], [], [], []), weights=weight).span(low, high))
        lost = lose_union(space, 0, int(low[0]), int(high[0]), len(codes))
        if relation == "equal":
            assert span == pytest.approx(lost, abs=1e-12)
        else:
            assert (span <= lost + 1e-12) if relation == "no more" else (span >= lost - 1e-12)


def test_who_is_new_stands_in_for_who_left() -> None:
    """A class {1, 2} that lost its 2 takes in the new 2, and not a new 1 that is nearer."""
    kept = keep_signatures(roster([10, 11, 10, 60], [1, 1, 1, 2], [0, 0, -1, -1], [{1, 2}],
                                 [0, 0, -1, -1]))  # fmt: skip
    assert kept.missing == [[]]
    assert kept.unit_class.tolist() == [0, 0, 0, 0]


def test_what_nobody_has_is_missing() -> None:
    kept = keep_signatures(roster([10, 11], [1, 1], [0, 0], [{1, 2}], [0, 0]))
    assert kept.missing == [[2]]


def test_a_class_with_the_same_signature_lends() -> None:
    ages, values = [10, 11, 50, 51, 52, 53], [1, 1, 1, 2, 2, 1]
    kept = keep_signatures(roster(ages, values, [0] * 6, [{1, 2}], [0, 0, 1, 1, 1, 1]))
    assert kept.missing == [[], []]
    assert np.bincount(kept.unit_class).tolist() == [3, 3]


def test_a_class_that_is_too_small_joins_one_with_the_same_signature_or_waits() -> None:
    same = keep_signatures(roster([10, 50, 51], [1, 1, 2], [0, 0, 0], [{1, 2}], [0, 1, 1]))
    assert len(set(same.unit_class.tolist())) == 1
    other = keep_signatures(roster([10, 50, 51], [1, 1, 2], [1, 0, 0], [{1, 2}, {1, 3}], [0, 1, 1]))
    assert other.unit_class.tolist() == [NOWHERE, 0, 0]


def test_a_known_person_with_a_value_outside_their_signature_waits() -> None:
    kept = keep_signatures(roster([1, 2, 3], [1, 2, {1, 9}], [0, 0, 0], [{1, 2}], [0, 0, 0]))
    assert kept.unit_class.tolist() == [0, 0, NOWHERE]


def test_who_fits_nowhere_is_a_stranger() -> None:
    kept = keep_signatures(roster([1, 2, 3], [1, 2, 9], [0, 0, -1], [{1, 2}], [0, 0, -1]))
    assert kept.strangers.tolist() == [2]


def test_a_large_class_is_divided_into_two_with_its_signature() -> None:
    ages, values = [10, 11, 50, 51, 12], [1, 2, 1, 2, 1]
    kept = keep_signatures(roster(ages, values, [0, 0, 0, 0, -1], [{1, 2}], [0, 0, 0, 0, -1]))
    parts = {frozenset(np.flatnonzero(kept.unit_class == c).tolist()) for c in (0, 1)}
    assert parts == {frozenset({0, 1, 4}), frozenset({2, 3})}


PEOPLE = st.lists(
    st.tuples(st.integers(0, 99), st.integers(0, 4), st.sampled_from([-1, 0, 1, 2])), min_size=1,
    max_size=40,
)  # fmt: skip


@settings(max_examples=200)
@given(people=PEOPLE, least=st.integers(1, 4))
def test_every_class_has_the_signature_of_everyone_in_it(
    people: list[tuple[int, int, int]], least: int
) -> None:
    signatures = [{0, 1}, {1, 2, 3}, {0, 4}]
    # Somebody who was there has a value of their signature.
    values = [v if s < 0 else sorted(signatures[s])[v % len(signatures[s])] for _, v, s in people]
    start = [-1 if s < 0 or a % 7 == 0 else s for a, _, s in people]
    ages, signature = [a for a, _, _ in people], [s for _, _, s in people]
    kept = keep_signatures(roster(ages, list(values), signature, signatures, start, least))
    _check(kept, values, signature, signatures, least)


def _check(
    kept: Kept, values: list[int], signature: list[int], signatures: list[set[int]], least: int
) -> None:
    for number in range(len(kept.missing)):
        members = np.flatnonzero(kept.unit_class == number).tolist()
        assert len(members) >= least
        shown = {values[u] for u in members} | set(kept.missing[number])
        assert all(shown == signatures[signature[u]] for u in members if signature[u] >= 0)
        assert not {values[u] for u in members} & set(kept.missing[number])
    assert all(kept.unit_class[u] == NOWHERE for u in kept.strangers)
    placed = kept.unit_class != NOWHERE
    waiting = [u for u in np.flatnonzero(~placed).tolist() if u not in kept.strangers]
    # Only classes without enough people wait, and each waits as a whole.
    for u in waiting:
        assert signature[u] >= 0 or any(values[u] in s for s in signatures)
