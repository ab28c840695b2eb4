"""Domains as the flat arrays of kernels: by hand, small enough to be counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.plan import Plan
from shoal.table import Table, encode
from shoal.table.space import (
    RANGE,
    SET,
    TREE,
    distance_matrix,
    form_of,
    infolosses,
    metric_of,
    packed_codes,
    packed_rows,
    set_distances,
    space_of,
    starts_of,
    word_starts,
)

TOPS = {"north": ["a", "b"], "south": ["c"]}
ONE = {"*": {"north": ["a", "b"], "south": ["c", "d"]}}
NUMBER = {"kind": "numeric"}


def _table(cells: dict[str, list[Any]], **kinds: dict[str, Any]) -> Table:
    plan = Plan.parse(
        {
            "attributes": {name: {"role": "quasi", **kinds.get(name, {})} for name in cells},
            "privacy": [{"k-anonymity": {"k": 2}}],
        }
    )
    return encode(pl.DataFrame(cells), plan.schema)


def _tree(spec: Any, values: str) -> Table:
    return _table({"t": list(values)}, t={"kind": "categorical", "hierarchy": {"tree": spec}})


def test_forms() -> None:
    table = _table(
        {"n": [1, 2], "s": ["x", "y"], "t": ["a", "c"]},
        n=NUMBER, s={"kind": "categorical"}, t={"kind": "categorical", "hierarchy": {"tree": TOPS}},
    )  # fmt: skip
    assert [form_of(domain) for domain in table.quasi] == [RANGE, SET, TREE]


@pytest.mark.parametrize(
    ("objective", "lost"),
    [
        ("glm", [0, 1 / 3, 2 / 3, 1]),
        ("ncp", [0, 2 / 4, 3 / 4, 1]),
        ("infoloss", [0, 1 / 4, 2 / 4, 3 / 4]),
        ("query", [0, 2 / 3, 8 / 9, 1]),
    ],
)
def test_m_of_n_values_lose_by_the_measure(objective: str, lost: list[float]) -> None:
    space = space_of(_table({"s": list("wxyz")}, s={"kind": "categorical"}).quasi, objective)
    assert space.many.tolist() == pytest.approx(lost)


def test_queries_are_unsure_of_two_words_but_only_of_the_ends_of_a_range() -> None:
    tree = {"*": {"west": ["w", "x"], "east": ["y", "z"]}}
    words = {"kind": "categorical", "hierarchy": {"tree": tree}}
    table = _table({"s": list("wxyz"), "n": [0, 1, 2, 3]}, s=words, n=NUMBER)
    space = space_of(table.quasi, "query")
    assert space.loss[:12].reshape(3, 4)[:, 0].tolist() == pytest.approx([0, 2 / 3, 1])
    assert space.place[4:].tolist() == space_of(table.quasi).place[4:].tolist()


def test_numbers_stand_at_their_share_of_the_domain_and_missing_is_last() -> None:
    table = _table({"n": [10, None, 20, 15]}, n={**NUMBER, "domain": [10, 30]})
    space = space_of(table.quasi)
    assert space.place[:3].tolist() == pytest.approx([0, 0.25, 0.5])
    assert space.missing.tolist() == [3]
    assert space.gap.tolist() == [1]


def test_one_number_has_no_length() -> None:
    space = space_of(_table({"n": [7, 7]}, n=NUMBER).quasi)
    assert space.place.tolist() == [0]
    assert metric_of(_table({"n": [7, None]}, n=NUMBER).quasi).gap.tolist() == [1]


def test_infoloss_of_categories_counts_leaves() -> None:
    """Equation 2 of QI-MHSA: (leaves - 1) by all leaves."""
    [domain] = _tree(ONE, "abcd").quasi
    assert infolosses(domain).tolist() == [[0] * 4, [0.25] * 4, [0.75] * 4]
    [plain] = _table({"s": ["x", "y"]}, s={"kind": "categorical"}).quasi
    assert infolosses(plain).shape == (0, 2)


def test_what_never_meets_is_one_level_above_the_tops() -> None:
    table = _tree(TOPS, "abc")
    assert distance_matrix(table).tolist() == [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    assert distance_matrix(table, normalise=True)[0].tolist() == [0, 0.5, 1]


def test_distances_are_whole_where_they_can_be() -> None:
    whole = distance_matrix(_table({"n": [1, 4, None]}, n=NUMBER))
    assert whole.dtype == np.int64
    assert whole.tolist() == [[0, 3, 3], [3, 0, 3], [3, 3, 0]]
    halves = distance_matrix(_table({"n": [1.0, 1.5]}, n=NUMBER))
    assert halves.dtype == np.float64
    assert halves[0, 1] == 0.5


def test_very_long_distances_are_scaled_alike_unless_not_asked_for() -> None:
    table = _table({"n": [0, 10**9], "s": ["x", "y"]}, n=NUMBER, s={"kind": "categorical"})
    space, raw = metric_of(table.quasi), metric_of(table.quasi, scaled=False)
    assert raw.place[1] == 10**9
    assert space.place[1] < 10**6
    ratio = space.place[1] / raw.place[1]
    # The set is the second attribute, and its second number is what two values lose.
    at = raw.start[1] + 1
    assert space.many[at] / raw.many[at] == pytest.approx(ratio)
    # Billionths of many distances must fit 64 bits together.
    together = metric_of(table.quasi, n_added=100_000)
    assert together.place[1] * 1e9 * 100_000 < 2**63
    assert metric_of(table.quasi, n_added=9_000).place[1] == space.place[1]


def test_a_set_is_as_far_as_its_ends() -> None:
    table = _table({"n": [1, 9, 4], "s": ["x", "x", "y"]}, n=NUMBER, s={"kind": "categorical"})
    sets = [np.array([0, 1, 2]), np.array([0, 1]), np.array([2])]
    assert set_distances(table, sets).tolist() == [9, 8, 0]
    assert set_distances(table, []).tolist() == []


def test_codes_stand_side_by_side_in_the_order_of_the_schema() -> None:
    table = _table({"n": [5, 3, 5], "s": ["y", "x", "x"]}, n=NUMBER, s={"kind": "categorical"})
    assert packed_codes(table).tolist() == [[1, 1], [0, 0], [1, 0]]
    assert packed_codes(table).dtype == np.int32
    assert packed_rows(table).dtype.itemsize == 1


def test_where_sets_begin_in_words_of_64_bits() -> None:
    """An attribute that is no set has no bits."""
    names = [f"v{i:03}" for i in range(130)]
    cells: dict[str, list[Any]] = {
        "a": names[:64] * 3, "b": list(range(192)), "c": (names[:65] * 3)[:192],
        "d": (names * 2)[:192],
    }  # fmt: skip
    assert word_starts(_table(cells).quasi).tolist() == [0, 1, 1, 3, 6]
    assert starts_of([]).tolist() == [0]
