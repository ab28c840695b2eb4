"""The fewest rows to leave out so that counts are even enough, against all counts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.requirement import BESIDES, Bounds, SensitiveFacts, summary_holds
from shoal.model import AlphaK
from shoal.model.base import Bound, Reach, safe_text
from shoal.model.evenness import EVEN, most_even, uneven
from tests.cases import random_case, task_of
from tests.model.small import table_of
from tests.verify.small import said

BOUNDS = st.one_of(
    st.sampled_from([0.25, 0.3, 0.34, 0.5, 0.6, 1.0]).map(lambda x: Bound(Reach.SHARE, x)),
    st.sampled_from([1.0, 1.5, 2.0, 2.9, 3.0, 4.0]).map(lambda x: Bound(Reach.FREQUENCY, x)),
    st.sampled_from([1.0, 1.5, 1.99, 2.0, 2.9, 3.0]).map(lambda x: Bound(Reach.ENTROPY, x)),
    st.tuples(st.integers(1, 4), st.sampled_from([0.4, 0.75, 1.0, 2.0])).map(
        lambda x: Bound(Reach.RECURSIVE, x[0], None, x[1])
    ),
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=4), st.lists(BOUNDS, min_size=1, max_size=3)
)
def test_no_other_counts_keep_more(numbers: list[int], bounds: list[Bound]) -> None:
    counts = np.array(numbers, dtype=np.int64)
    kept = [np.array(c) for c in product(*(range(n + 1) for n in numbers)) if sum(c)]
    ordered = [np.sort(c[c > 0])[::-1] for c in kept]
    holding = [int(c.sum()) for c in ordered if all(EVEN[b.reach](c, b) for b in bounds)]
    found = most_even(counts, bounds)
    assert (found is None) == (not holding)
    if found is not None:
        assert int((counts - found).sum()) == max(holding)
        assert (found >= 0).all()


def _kernel_holds(counts: list[int], bound: Bound) -> bool:
    """Whether the kernel lets a class with these counts pass."""
    n, nowhere = len(counts), np.zeros(1, dtype=np.int64)
    bounds = Bounds(
        np.array([int(bound.reach)]), nowhere, np.array([bound.limit], dtype=np.float64),
        np.array([bound.extra], dtype=np.float64), np.array([-1]),
    )  # fmt: skip
    facts = SensitiveFacts(
        np.array([0, n]), np.full(n, 1 / n), np.arange(n), np.arange(n, dtype=np.float64),
        np.zeros(0, dtype=np.int32), np.zeros(2, dtype=np.int64), nowhere,
    )  # fmt: skip
    summary = np.zeros(2 * n + BESIDES, dtype=np.int64)
    summary[:n] = counts
    units = np.empty(sum(counts), dtype=np.int32)
    return bool(summary_holds(bounds, sum(counts), summary, facts, None, units))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=5).filter(any), st.data())
def test_counts_are_judged_as_the_kernel_judges_a_class(
    counts: list[int], data: st.DataObject
) -> None:
    """Also at the edge: where the limit is what is reached, or the next number beside it."""
    ordered = np.sort([n for n in counts if n])[::-1]
    n, share = int(ordered.sum()), ordered / ordered.sum()
    reached = {
        Reach.SHARE: ordered[0] / n,
        Reach.FREQUENCY: n / ordered[0],
        Reach.ENTROPY: float(np.exp(-(share * np.log(share)).sum())),
    }
    for reach, value in reached.items():
        off = 1e-6 if reach is Reach.ENTROPY else 0.0
        for limit in (value * (1 + off), value * (1 - off), round(value), round(value, 1)):
            near = (limit,) if off else (np.nextafter(limit, 0), limit, np.nextafter(limit, 99))
            for own in near:
                bound = Bound(reach, float(own))
                assert EVEN[reach](ordered, bound) == _kernel_holds(counts, bound)
    place = data.draw(st.integers(1, len(ordered)))
    edge = float(ordered[0] / ordered[place - 1 :].sum())
    for c in (np.nextafter(edge, 0), edge, np.nextafter(edge, 99)):
        bound = Bound(Reach.RECURSIVE, place, None, float(c))
        assert EVEN[Reach.RECURSIVE](ordered, bound) == _kernel_holds(counts, bound)


def test_equal_counts_have_an_entropy_of_their_number_and_hardly_unequal_ones_do_not() -> None:
    """exp(entropy) of n equal counts is n up to rounding, and of 11, 10 and 9 it is 2.99."""
    for n in range(1, 60):
        assert EVEN[Reach.ENTROPY](np.full(n, 3), Bound(Reach.ENTROPY, float(n)))
    assert not EVEN[Reach.ENTROPY](np.array([11, 10, 9]), Bound(Reach.ENTROPY, 3.0))
    assert not EVEN[Reach.ENTROPY](np.array([10001, 10000]), Bound(Reach.ENTROPY, 2.0))


def test_an_entropy_is_whole_within_a_billionth_of_it() -> None:
    """exp(entropy) of n + 1 and n - 1 is 2 - 1/n², nearly: 1.6e-9 below 2, and 2.5e-9."""
    assert EVEN[Reach.ENTROPY](np.array([25_001, 24_999]), Bound(Reach.ENTROPY, 2.0))
    assert not EVEN[Reach.ENTROPY](np.array([20_001, 19_999]), Bound(Reach.ENTROPY, 2.0))


def test_no_row_is_left_out_beyond_those_that_are_needed() -> None:
    """exp(entropy) of 3, 3 and 1 is 2.730, of 2, 3 and 1 it is 2.749."""
    found = most_even(np.array([3, 3, 1]), [Bound(Reach.ENTROPY, 2.74)])
    assert found is not None
    assert found.sum() == 1


@pytest.mark.parametrize(
    ("cells", "alpha", "spare", "finding"),
    [
        ("aab", 0.5, 1, ""),
        ("aab", 0.5, None, ""),
        ("aab", 0.5, 0, "without at least 1 row, but the suppression limit allows 0"),
        ("aab", 0.4, None, "the table has 2 distinct values"),
        ("aab", 0.4, None, "The smallest possible alpha is 0.5."),
        ("aa", 0.9, None, "The smallest possible alpha is 1."),
        ("", 0.9, None, "the table has 0 distinct values"),
        ("", 0.9, None, "The smallest possible alpha is 1."),
    ],
)
def test_a_share_of_few_values(cells: str, alpha: float, spare: int | None, finding: str) -> None:
    """A value that the plan lists and no row has is none of the table's."""
    table = table_of(cells, values=["a", "b", "c"])
    found = said(uneven(AlphaK(alpha=alpha, k=1, attribute="s"), "alpha", table, spare))
    assert (found == "") == (finding == "")
    assert finding in found


def test_what_no_choice_of_rows_can_meet_names_the_least_that_could_be() -> None:
    case = random_case(3, most_rows=20)
    table = task_of(case).table
    counts = table.counts("ill")
    n_values = int((counts > 0).sum())
    model = AlphaK(alpha=1 / (2 * n_values), k=2, attribute="ill")
    found = said(uneven(model, "alpha", table, None))
    assert f"the table has {n_values} distinct values" in found
    assert f"smallest possible alpha is {safe_text(1 / n_values, least=True)}." in found
    assert uneven(AlphaK(alpha=1.0, k=2, attribute="ill"), "alpha", table, None) == []
    most = AlphaK(alpha=float(counts.max() / counts.sum()) - 0.01, k=2, attribute="ill")
    assert "without at least" in said(uneven(most, "alpha", table, 0))
