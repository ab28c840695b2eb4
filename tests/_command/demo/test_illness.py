"""Illnesses are drawn as often as they are common, and every one has its place in the trees."""

from __future__ import annotations

import numpy as np

from shoal._command.demo.illness import AGES, ILLNESSES, N_GROUPS, draw_illnesses, group_of


def test_illnesses_are_as_common_as_they_are_in_the_group() -> None:
    group = np.repeat(np.arange(N_GROUPS), 4_000)
    drawn = draw_illnesses(group, np.random.default_rng(1))
    counts = np.bincount(drawn + group * len(ILLNESSES), minlength=N_GROUPS * len(ILLNESSES))
    of_old_men = counts.reshape(N_GROUPS, -1)[6]
    common = np.array([i.common[3] * (1 - i.women) for i in ILLNESSES])
    assert np.abs(of_old_men / 4_000 - common / common.sum()).max() < 0.02


def test_a_group_is_an_age_group_of_one_sex_and_begins_at_its_age() -> None:
    age = np.array([AGES[0] - 0.1, AGES[0], AGES[-1], 99.0])
    assert group_of(age, np.array([False, True, False, True])).tolist() == [0, 3, 6, 7]


def test_what_nobody_of_a_group_has_is_never_drawn() -> None:
    """Not even for numbers near the two ends of the interval that is drawn from."""

    class Ends:
        def random(self, n: int) -> np.ndarray:
            return np.where(np.arange(n) % 2, 1 - 2.0**-40, 0.0)

    group = np.repeat(np.arange(N_GROUPS), 2)
    drawn = draw_illnesses(group, Ends())  # type: ignore[arg-type]
    for one, illness in zip(group.tolist(), drawn.tolist(), strict=True):
        found = ILLNESSES[illness]
        assert found.common[one // 2] > 0
        assert found.women > 0 if one % 2 else found.women < 1


def test_nobody_falls_ill_in_an_empty_hospital() -> None:
    assert draw_illnesses(np.array([], np.int64), np.random.default_rng(1)).tolist() == []
