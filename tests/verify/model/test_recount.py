"""What counting again can tell from sizes alone, at its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, HierarchySpec, Kind, Requirement, Role, Schema, Verdict
from shoal.verify.model.recount import (
    COUNTERFEITS,
    PERSONAL,
    POPULATION,
    crowds_by_size,
    has_distance,
    leave_open,
    levels_by_size,
    lost_by_size,
    open_verdict,
    targets_of,
    without_counterfeits,
)
from shoal.verify.release.tables import check_table
from tests.verify.small import asked, classes_of

SIZES = {1: "aa", 2: "bbb"}


@pytest.mark.parametrize(
    ("levels", "holds"),
    [
        ([[2, 1]], True), ([[2, 2]], True), ([[3, 2]], None), ([[4, 3]], False),
        ([[9, 3], [4, 2]], None), ([{"k": [2, 1]}], None), ([[2, 1], {"k": [2, 1], "x": {}}], None),
    ],
)  # fmt: skip
def test_levels_by_size(levels: Any, holds: bool | None) -> None:
    verdict = levels_by_size(classes_of(SIZES), asked("multi-level-k", levels=levels))
    assert verdict.holds is holds
    assert verdict.offending == ((1,) if holds is False else ())
    assert (verdict.note == PERSONAL) is (holds is None)


def test_the_greatest_k_of_any_level_is_what_is_asked() -> None:
    verdict = levels_by_size(classes_of(SIZES), asked("multi-level-k", levels=[[9, 3], [4, 5]]))
    assert verdict.asked == {"k": 9}


def test_levels_that_make_no_sense() -> None:
    for levels in (None, 5, [], [2], [[2]], [[2, "1"]], [[2, True]], {"k": [2, 1]}):
        with pytest.raises(VerificationError, match="must be a list of pairs"):
            levels_by_size(classes_of(SIZES), asked("multi-level-k", levels=levels))
    empty = levels_by_size(classes_of({}), asked("multi-level-k", levels=[[2, 1]]))
    assert (empty.holds, empty.note) == (False, "no rows")


@pytest.mark.parametrize(("k", "n", "holds"), [(1, 1, True), (2, 0, True), (2, 1, None)])
def test_all_counterfeits_may_be_in_the_smallest_class(k: int, n: int, holds: bool | None) -> None:
    verdict = Verdict(f"k-anonymity {{k: {k}}}", True, k, 2, 1)
    found = without_counterfeits(classes_of(SIZES), asked("k-anonymity", k=k), verdict, n)
    assert found.holds is holds
    assert (found.note == COUNTERFEITS) is (holds is None)


@pytest.mark.parametrize(
    ("model", "holds", "n"), [("km", True, 0), ("km", False, 1), ("l-diversity", True, 1)]
)
def test_what_counterfeits_cannot_have_made_to_hold(model: str, holds: bool, n: int) -> None:
    verdict = Verdict(model, holds, 2, 2, 1)
    assert without_counterfeits(classes_of(SIZES), asked(model, k=2), verdict, n) is verdict


PEOPLE = [0, 1, 2, 2, 3]  # class 1: two people; class 2: two people, one with two of three rows


@pytest.mark.parametrize(
    ("model", "parameters", "lost"),
    [
        ("l-diversity", {"l": 2}, []), ("l-diversity", {"l": 2.5}, [1]),
        ("l-diversity", {"l": 4}, [1, 2]), ("k-e", {"k": 3}, [1]), ("k-e", {"k": 2}, []),
        ("alpha-k", {"k": 2}, []), ("alpha-k", {"k": 3}, [1, 2]), ("eir-l", {"l": 2}, []),
        ("eir-l", {"l": 3}, [1, 2]), ("ir-kl", {"k": 2, "l": 2}, []),
        ("ir-kl", {"k": 2, "l": 3}, [1]), ("ir-kl", {"k": 3, "l": 2}, [1, 2]),
        ("ir-alpha-beta", {"alpha": 2 / 3, "beta": 0.5}, []),
        ("ir-alpha-beta", {"alpha": np.nextafter(2 / 3, 0), "beta": 0.5}, [2]),
        ("ir-alpha-beta", {"alpha": 1, "beta": np.nextafter(0.5, 0)}, [1]),
        ("eir-alpha-beta", {"alpha": 2 / 3, "beta": 0.5}, []),
        ("eir-alpha-beta", {"alpha": np.nextafter(2 / 3, 0), "beta": 0.5}, [2]),
        ("eir-alpha-beta", {"alpha": 1, "beta": np.nextafter(0.5, 0)}, [1, 2]),
        ("t-closeness", {"t": 0}, []),
        ("p-sensitive", {"p": 2}, []), ("p-sensitive", {"p": 3}, [1]),
    ],
)  # fmt: skip
def test_classes_that_fail_whatever_their_values(
    model: str, parameters: dict[str, Any], lost: list[int]
) -> None:
    classes = classes_of(SIZES, people=PEOPLE)
    found = classes.numbers[lost_by_size(classes, asked(model, **parameters))]
    assert found.tolist() == lost


@pytest.mark.parametrize(
    ("kind", "hierarchy", "distance", "known"),
    [
        (Kind.NUMERIC, None, None, True), (Kind.DATE, None, None, True),
        (Kind.ORDINAL, None, None, False), (Kind.ORDINAL, None, "equal", True),
        (Kind.CATEGORICAL, None, None, True), (Kind.CATEGORICAL, None, "ordered", False),
        (Kind.CATEGORICAL, HierarchySpec("tree"), None, False), (None, None, "equal", False),
        (Kind.CATEGORICAL, HierarchySpec("tree"), "equal", True),
        (Kind.CATEGORICAL, HierarchySpec("tree", rows=(("a", "*"),)), None, True),
        (Kind.CATEGORICAL, None, "hierarchical", False),
    ],
)  # fmt: skip
def test_what_the_manifest_has_of_a_distance(
    kind: Any, hierarchy: Any, distance: Any, known: bool
) -> None:
    attribute = Attribute("s", Role.SENSITIVE, kind, hierarchy=hierarchy)
    assert has_distance(attribute, distance) is known


def test_open_verdicts_are_one_for_each_attribute() -> None:
    schema = Schema(
        (
            Attribute("s", Role.SENSITIVE),
            Attribute("t", Role.SENSITIVE),
            Attribute("o", Role.INSENSITIVE),
        )
    )
    found = leave_open(
        schema,
        [
            asked("l-diversity", l=2, kind="distinct"),
            asked("alpha-k", k=2, alpha=0.5, attribute="o"),
            asked("k-anonymity", k=3),
            asked("other", x=1),
            asked("l-diversity", l=2, attribute="gone"),
        ],
        "why",
    )
    assert [(v.attribute, v.asked) for v in found] == [
        ("s", 2), ("t", 2), ("o", {"k": 2, "alpha": 0.5}), (None, 3), (None, None), (None, 2),
    ]  # fmt: skip
    assert {(v.holds, v.note) for v in found} == {(None, "why")}
    assert targets_of(schema, asked("m", attribute="gone")) == ()


def test_crowds_without_their_population() -> None:
    """k people of the data are k of the population; fewer say nothing."""
    assert crowds_by_size(classes_of(SIZES), asked("k-map", k=2)).holds is True
    for open_ in (
        crowds_by_size(classes_of(SIZES), asked("k-map", k=3)),
        crowds_by_size(classes_of(SIZES), asked("delta-presence", low=0, high=0.5)),
        crowds_by_size(classes_of({}), asked("k-map", k=1)),
    ):
        assert (open_.holds, open_.note) == (None, POPULATION)


def test_an_open_verdict_requires_what_a_counted_one_does() -> None:
    frame = pl.DataFrame({"q": ["a"] * 4, "ill": ["x", "y", "z", "x"]})
    schema = Schema((Attribute("q", Role.QUASI), Attribute("ill", Role.SENSITIVE)))
    recursive = Requirement("l-diversity", {"l": 2, "kind": "recursive", "c": 3.0})
    for requirement in (recursive, Requirement("alpha-k", {"alpha": 0.5, "k": 2})):
        counted = check_table(frame, schema, [requirement])[0][0]
        assert open_verdict(requirement, "ill", "").asked == counted.asked
