"""Notes of shards merge to what holds in all of them."""

from __future__ import annotations

import pytest

from shoal._run.part.solve import worse
from shoal.schema import Verdict


@pytest.mark.parametrize(
    ("requirement", "one", "other", "reached"),
    [
        ("k-anonymity {k: 3}", 5, 4, 4),
        ("l-diversity {l: 2}", 2.5, 3.5, 2.5),
        ("alpha-k {alpha: 0.5, k: 3}", {"alpha": 0.4, "k": 4}, {"alpha": 0.5, "k": 5},
         {"alpha": 0.5, "k": 4}),
        ("k-e {k: 2, e: 1}", {"k": 2, "e": 3.0}, {"k": 3, "e": 2.0}, {"k": 2, "e": 2.0}),
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
