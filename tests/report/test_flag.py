"""What the symbols of flagged cells give away, on releases of the paper's patients."""

from __future__ import annotations

import pytest

import shoal
from shoal.report.flag import bound_of_privacy_loss, leak_data, leaks_of
from tests.papers.mhsa.cases import PATIENTS, patients_plan
from tests.report.sample import release


def test_releases_without_flags_give_nothing_away() -> None:
    made, frame = release(60)
    assert leaks_of(made) == []
    assert leak_data(made) == {}
    assert bound_of_privacy_loss(made, frame) is None


@pytest.mark.parametrize("conceal", [False, True])
def test_only_what_is_concealed_has_a_limit(conceal: bool) -> None:
    made = shoal.run(
        patients_plan({"qi-mhsa": {"conceal": conceal, "division": "mondrian"}}), PATIENTS
    )
    leaks, numbers = leaks_of(made), leak_data(made)
    assert [leak.name for leak in leaks] == list(numbers)
    assert leaks
    for leak in leaks:
        limit = numbers[leak.name]["allowed"]
        assert (leak.allowed == "not concealed") == (limit is None) == (leak.within is None)
        assert (leak.name in made.concealed) == (limit is not None)
        after = numbers[leak.name]["after"]
        worst = max(after["cell_worst"], after["person_worst"])
        assert leak.within == (None if limit is None else worst <= limit + 1e-9)
    assert bool(made.concealed) == conceal


def test_the_bound_of_the_paper_counts_groups_above_it() -> None:
    made = shoal.run(patients_plan(), PATIENTS)
    bound = bound_of_privacy_loss(made, PATIENTS)
    assert bound is not None
    assert bound.reached == made.measures["privacy-loss"]
    assert bound.n_groups == made.classes.height
    assert 0 <= bound.n_above <= bound.n_groups
    assert 0 < bound.rpl <= 1
