"""At most a handful of quasi-identifiers: what others know, and what tells people apart."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.init.handful import MOST, choose_handful
from shoal._command.init.profile import profile
from shoal._command.init.role import choose_roles


def chosen(**columns: object) -> list[str]:
    table = profile(pl.DataFrame(columns))
    return choose_handful(table, choose_roles(table))[0]


def drawn(n_values: int, seed: int) -> object:
    return np.random.default_rng(seed).integers(0, n_values, 2_000)


def test_what_others_know_comes_before_what_only_tells_apart() -> None:
    found = chosen(q1=drawn(900, 1), q2=drawn(700, 2), sex=drawn(2, 3), age=drawn(70, 4))
    assert found == ["age", "sex"]


def test_what_follows_from_others_is_not_chosen() -> None:
    """A decade adds nothing to an age, however well it is known."""
    age = drawn(70, 4)
    found = chosen(age=age, age_group=[f"{a // 10}0s" for a in age], sex=drawn(2, 3))  # type: ignore[attr-defined]
    assert found == ["age", "sex"]


def test_unclear_columns_are_taken_where_nothing_is_clear() -> None:
    found = chosen(**{f"q{i}": drawn(5 + i, i) for i in range(12)})
    assert len(found) == 3
    assert found[0] in ("q9", "q10", "q11")


def test_a_column_that_is_hardly_ever_known_is_not_chosen() -> None:
    height = [180 if i % 9 == 0 else None for i in range(2_000)]
    assert "height" not in chosen(height=height, age=drawn(70, 4), sex=drawn(2, 3))


@given(st.integers(1, 12))
def test_never_more_than_a_handful(n_columns: int) -> None:
    words = ["age", "sex", "race", "zip", "city", "job", "school", "married", "height", "rooms",
             "birth_year", "country"]  # fmt: skip
    columns = {word: drawn(4 + i, i) for i, word in enumerate(words[:n_columns])}
    found = chosen(**columns)
    assert 1 <= len(found) <= MOST
    assert len(set(found)) == len(found)


def test_codes_of_many_values_tell_people_apart() -> None:
    """No postal code is frequent, but together they say where somebody lives."""
    zips = [f"{code:05d}" for code in drawn(1_500, 9)]  # type: ignore[attr-defined]
    assert chosen(zip=zips, age=drawn(70, 4), sex=drawn(2, 3))[:2] in (
        ["age", "zip"],
        ["zip", "age"],
    )
