"""Names of people who do not exist, each only once."""

from __future__ import annotations

import numpy as np

from shoal._command.demo.name import draw_names


def test_names_are_of_the_sex_and_given_once() -> None:
    is_female = np.arange(3_000) % 3 == 0
    names = draw_names(is_female, np.random.default_rng(1))
    assert names.name == "name"
    assert names.n_unique() == 3_000
    first = names.str.split(" ").list.first()
    female, male = set(first.filter(is_female)), set(first.filter(~is_female))
    assert female & male == set()
    assert names.str.contains(r"^[A-Z][a-z]+ [A-Z][a-zö]+$").all()


def test_nobody_has_no_name() -> None:
    assert len(draw_names(np.array([], np.bool_), np.random.default_rng(1))) == 0
