"""The classes as an adversary sees them: their places, patterns, and what buckets give away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import Attribute, Kind, Layout, Role, Schema
from shoal.verify.secret.appearance import PUBLIC, SECRET, WITHHELD, _places, find_appearance
from shoal.verify.secret.secret import Bucketed
from shoal.verify.text.accept import WORD
from tests.verify.secret.test_match import search_of
from tests.verify.secret_cases import random_case
from tests.verify.small import release_of


@pytest.mark.parametrize("n", [1, WORD - 1, WORD, WORD + 1])
def test_each_pattern_starts_a_new_word(n: int) -> None:
    states = np.array([[PUBLIC, SECRET]] * n + [[WITHHELD, PUBLIC]] * 2, dtype=np.int32)
    patterns, class_at = _places(states)
    assert len(class_at) % WORD == 0
    seen = []
    for pattern in patterns:
        own = class_at[WORD * pattern.words.start : WORD * pattern.words.stop]
        own = own[own >= 0]
        seen += own.tolist()
        assert {tuple(states[c]) for c in own} == {pattern.states}
    assert sorted(seen) == list(range(n + 2))
    assert [p.words.stop - p.words.start for p in patterns] == [-(-n // WORD), 1]


def test_patterns_differ_where_one_attribute_is_withheld_or_another_is_secret() -> None:
    states = np.array([[PUBLIC, WITHHELD], [SECRET, PUBLIC], [PUBLIC, WITHHELD]], dtype=np.int32)
    patterns, _ = _places(states)
    assert {p.states for p in patterns} == {(PUBLIC, WITHHELD), (SECRET, PUBLIC)}


TOWNS_AND_AGES = Schema(
    (
        Attribute("town", Role.QUASI, Kind.CATEGORICAL),
        Attribute("age", Role.SEMI_SENSITIVE, Kind.NUMERIC, flag="hidden"),
        Attribute("hidden", Role.FLAG),
    )
)


def test_classes_that_look_alike_are_one() -> None:
    """Of five classes, each of a town and of ages that are shown or withheld, two look alike."""
    looks = [("Ulm", None), ("Ulm", "[1, 2]"), ("Bonn", None), ("Bonn", "[1, 2]"), ("Ulm", None)]
    rows = [look for look in looks for _ in range(2)]
    numbers = [i // 2 + 1 for i in range(len(rows))]
    towns, ages = ([row[i] for row in rows] for i in range(2))
    data = {"record": range(1, 11), "GID": numbers, "town": towns, "age": ages}
    release = release_of(
        data,
        {"town": towns, "age": ["1", "2"] * 5, "hidden": ["no"] * 10},
        TOWNS_AND_AGES,
        classes=numbers,
    )
    shown = find_appearance(Bucketed.of(replace(release, layout=Layout.SPLIT)))
    assert len(shown.samples) == 4
    assert sorted(shown.sizes.tolist()) == [2, 2, 2, 4]
    alike = shown.of_row.tolist()
    assert alike[0] == alike[1] == alike[8] == alike[9]
    assert len(set(alike[:8])) == 4
    assert [shown.states[c].tolist() for c in alike[::2]] == [
        [PUBLIC, PUBLIC if age else WITHHELD] for _, age in looks
    ]


def test_two_empty_ends_are_a_star_only_where_nobody_is_secret_and_somebody_is_missing() -> None:
    data: dict[str, Any] = {
        "record": range(1, 9),
        "GID": [1, 1, 2, 2, 3, 3, 4, 4],
        "town": ["Ulm"] * 8,
    }
    ends: Any = pl.Series([None] * 8, dtype=pl.Float64)
    release = release_of(
        {**data, "age_low": ends, "age_high": ends},
        {
            "town": ["Ulm"] * 8,
            "age": ["1", None, "1", None, "1", "2", None, None],
            "hidden": ["no", "no", "yes", "no", "no", "no", "no", "no"],
        },
        TOWNS_AND_AGES,
        classes=data["GID"],
        ranges="columns",
    )
    shown = find_appearance(Bucketed.of(replace(release, layout=Layout.SPLIT)))
    found = [shown.states[c][1] for c in shown.of_row[::2]]
    assert found == [PUBLIC, WITHHELD, WITHHELD, PUBLIC]


def test_what_no_row_shows_is_not_taken_for_another_state() -> None:
    """Of x and y no label is shown: one class hides x and withholds y, the other x alone."""
    pair = Schema(
        tuple(
            attribute
            for name in "xy"
            for attribute in (
                Attribute(name, Role.SEMI_SENSITIVE, Kind.CATEGORICAL, flag=f"hidden_{name}"),
                Attribute(f"hidden_{name}", Role.FLAG),
            )
        )
    )
    nothing = [None] * 4
    release = release_of(
        {
            "record": range(1, 5),
            "GID": [1, 1, 2, 2],
            "x": nothing,
            "x_BID": [1, 1, None, None],
            "y": nothing,
        },
        {
            "x": list("abab"),
            "hidden_x": ["yes", "yes", "no", "yes"],
            "y": ["c", "d", None, None],
            "hidden_y": ["yes", "no", "no", "no"],
        },
        pair,
        classes=[1, 1, 2, 2],
    )
    listing = pl.DataFrame({"BID": ["1", "1"], "value": ["a", "b"]})
    tables = {**release.tables, "buckets-x": listing}
    shown = find_appearance(Bucketed.of(replace(release, tables=tables, layout=Layout.SPLIT)))
    assert [shown.states[c].tolist() for c in shown.of_row[::2]] == [
        [SECRET, WITHHELD],
        [WITHHELD, PUBLIC],
    ]


def test_no_class_has_no_place() -> None:
    patterns, class_at = _places(np.zeros((0, 2), dtype=np.int32))
    assert (patterns, class_at.tolist()) == ((), [])


@pytest.mark.parametrize("form", ["split", "joined"])
def test_what_is_given_away_is_between_one_value_and_all(form: str) -> None:
    for seed in range(6):
        shown = search_of(random_case(seed, form)[2]).shown
        assert shown.sizes.sum() == len(shown.of_row)
        for attribute in shown.published.schema.secret:
            means = shown.given_away[attribute.name] / shown.sizes
            assert (means <= 1 + 1e-12).all()
            if attribute in shown.attributes:
                states = shown.states[:, shown.attributes.index(attribute)]
                assert (means[states == PUBLIC] == 0).all()
                assert (means[states == SECRET] > 0).all()
            else:
                assert (means > 0).all()
