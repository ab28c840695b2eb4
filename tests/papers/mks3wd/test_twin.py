"""The twin against the paper's worked examples and cases that were worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.papers.mks3wd.cases import CLASSES, LEVELS, SCHEMES, THRESHOLDS, F
from tests.papers.mks3wd.twin import release_people

GROUP = {x: number for number, members in enumerate(CLASSES) for x in members}
PEOPLE = [{"v": [GROUP[x]], "f": F[x - 1]} for x in range(1, 18)]


@pytest.mark.parametrize(
    ("method", "suppressed"),
    [("sd-mks3wd", set()), ("se-mks3wd", {9, 10, 15, 16, 17}), ("ece-mks3wd", set())],
)
def test_examples_3_to_5(method: str, suppressed: set[int]) -> None:
    found = release_people(PEOPLE, method, THRESHOLDS, LEVELS, "suppress")
    assert {x for x in range(1, 18) if x - 1 not in found} == suppressed


def test_example_3_hands_people_down() -> None:
    found = release_people(PEOPLE, "sd-mks3wd", THRESHOLDS, LEVELS, "suppress")
    assert {x: found[x - 1] for x in (4, 10, 3, 8)} == {4: (1, 5), 10: (1, 4), 3: (1, 3), 8: (1, 1)}


def on_two_levels(*sensitivities: float) -> list[dict[str, Any]]:
    """People who all differ at level 1 and are alike at level 2."""
    return [{"v": [number, "*"], "f": f} for number, f in enumerate(sensitivities)]


@pytest.mark.parametrize("method", SCHEMES)
def test_a_group_is_released_at_the_first_level_where_it_is_large_enough(method: str) -> None:
    people = on_two_levels(0.9, 0.9, 0.1)
    found = release_people(people, method, [[0.8, 0.2]], [[2, 1]], "suppress")
    assert found == {0: (2, 2), 1: (2, 2), 2: (1, 1)}


@pytest.mark.parametrize("method", SCHEMES)
def test_the_undecided_of_the_last_level_are_protected_or_left_out(method: str) -> None:
    people = on_two_levels(0.9, 0.5)
    protected = release_people(people, method, [[0.8, 0.2]], [[2, 1]], "protect")
    assert protected == {0: (2, 2), 1: (2, 2)}
    assert release_people(people, method, [[0.8, 0.2]], [[2, 1]], "suppress") == {}


@pytest.mark.parametrize("method", SCHEMES)
def test_a_group_of_one_secret_is_not_enough(method: str) -> None:
    people = on_two_levels(0.9, 0.9)
    for secrets, released in ((("flu", "flu"), {}), (("flu", "pox"), {0: (2, 2), 1: (2, 2)})):
        known = [{**one, "ill": ill} for one, ill in zip(people, secrets, strict=True)]
        assert release_people(known, method, [[0.8, 0.2]], [[2, 1]], "suppress", 2) == released
