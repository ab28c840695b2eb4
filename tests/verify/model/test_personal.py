"""The crowd that everybody's sensitivity asks for: the edges of its levels."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Role, Schema
from shoal.verify import check_table
from shoal.verify.model.requirement import judge
from tests.verify.small import asked, classes_of

F = Attribute("f", Role.SENSITIVITY)
THRESHOLDS = [(0.8, 0.2), (0.6, 0.4)]
LEVELS = [[4, 1], [3, 2]]


def verdict(
    sensitivities: list[Any],
    sizes: tuple[int, ...],
    levels: Any = LEVELS,
    thresholds: Any = THRESHOLDS,
    **more: Any,
) -> Any:
    """Classes 5, 6, … of these sizes; their rows have these sensitivities in turn."""
    cells = {5 + i: ["a", "b", "c", "d"][:n] for i, n in enumerate(sizes)}
    classes = classes_of(cells, attributes=[F], extra={"f": sensitivities}, **more)
    (found,) = judge(classes, [asked("multi-level-k", thresholds=thresholds, levels=levels)])
    return found


@pytest.mark.parametrize(
    ("f", "k"),
    [
        (1, 4), (0.8, 4), (0.79999, 3), (0.6, 3), (0.59999, 3), (0.5, 3), (0.40001, 3), (0.4, 2),
        (0.20001, 2), (0.2, 1), (0, 1),
    ],
)  # fmt: skip
def test_a_sensitivity_asks_for_the_k_of_its_level(f: float, k: int) -> None:
    """f >= a_t decides for HK_t, f <= b_t for LK_t; where none does, HK of the last level."""
    for size in range(1, 5):
        found = verdict([f] * size, (size,))
        assert (found.holds, found.asked) == (size >= k, {"k": k})
        assert found.reached == {"k": size, "rows below": 0 if size >= k else size}


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64, pl.String])
def test_a_sensitivity_is_the_decimal_that_was_given_whatever_its_precision(dtype: Any) -> None:
    """A single-precision 0.8 is above 0.8, and its 0.7 is below 0.7."""
    attributes = [Attribute("age", Role.QUASI), F]
    frame = pl.DataFrame({"age": [1] * 4, "f": pl.Series([0.7, 0.7, 0.2, 0.2]).cast(dtype)})
    levels = asked("multi-level-k", thresholds=[(0.7, 0.2), (0.6, 0.4)], levels=[[5, 1], [4, 2]])
    ((found,), _) = check_table(frame, Schema(tuple(attributes)), [levels])
    assert [(reach.k, reach.people) for reach in found.levels] == [(5, 2), (1, 2)]
    assert found.holds is False


def test_the_last_level_decides_where_none_does() -> None:
    levels = [[1, 1], [1, 1], [3, 1], [2, 1]]
    thresholds = [(0.9, 0.1), (0.8, 0.2), (0.7, 0.3), (0.6, 0.4)]
    assert verdict([0.5] * 2, (2,), levels, thresholds).asked == {"k": 2}
    assert verdict([0.75] * 2, (2,), levels, thresholds).asked == {"k": 3}


def test_rows_are_named_and_the_shortest_class_is_worst() -> None:
    found = verdict([0.9, 0.1, 0.9, 0.9, 0.9, 0.9, 0.9], (2, 1, 4))
    assert (found.offending, found.worst_class) == ((0, 2), 6)
    assert found.reached == {"k": 1, "rows below": 2}


def test_every_level_has_its_people_and_its_smallest_crowd() -> None:
    found = verdict([0.9, 0.1, 0.9, 0.9, 0.9, 0.9, 0.9], (2, 1, 4))
    assert found.levels == ((4, 6, 1, 2), (1, 1, 2, 0))
    people = verdict([0.1, 0.9, 0.1, 0.1], (4,), people=[0, 0, 1, 2])
    assert people.levels == ((4, 1, 3, 1), (1, 2, 3, 0))


def test_the_highest_sensitivity_of_a_person_counts() -> None:
    found = verdict([0.1, 0.9, 0.1, 0.1], (4,), people=[0, 0, 1, 2])
    assert (found.holds, found.offending) == (False, (0, 1))
    assert verdict([0.1, 0.1, 0.1, 0.1], (4,), people=[0, 0, 1, 2]).holds is True


@pytest.mark.parametrize("f", [-1e-9, 1 + 1e-9, None, "x"])
def test_a_sensitivity_is_a_number_from_0_to_1(f: Any) -> None:
    with pytest.raises(VerificationError, match="ensitivity"):
        verdict([0.5, f], (2,))


def test_levels_and_thresholds_go_together() -> None:
    for levels, thresholds in ((LEVELS, THRESHOLDS[:1]), ([], [])):
        with pytest.raises(VerificationError, match="as many levels as thresholds"):
            verdict([0.5], (1,), levels, thresholds)


@pytest.mark.parametrize(
    ("levels", "thresholds", "finding"),
    [
        (None, THRESHOLDS, "lists of thresholds and of levels"),
        (LEVELS, 0.5, "lists of thresholds and of levels"),
        ([[4, 1], 3], THRESHOLDS, "two thresholds and two k"),
        ([[4, 1], [3]], THRESHOLDS, "two thresholds and two k"),
        ([[4, 1], {"x": {}}], THRESHOLDS, "two thresholds and two k"),
        ([[4, 1], [3, "2"]], THRESHOLDS, "two thresholds and two k"),
        (LEVELS, [(0.8, 0.2), (0.6, None)], "two thresholds and two k"),
    ],
)
def test_malformed_levels_are_refused(levels: Any, thresholds: Any, finding: str) -> None:
    with pytest.raises(VerificationError, match=finding):
        verdict([0.5], (1,), levels, thresholds)


@pytest.mark.parametrize("attributes", [[], [F, Attribute("g", Role.SENSITIVITY)]])
def test_there_is_one_column_of_sensitivities(attributes: list[Attribute]) -> None:
    classes = classes_of({1: "a"}, attributes=attributes, extra={"f": [1], "g": [1]})
    with pytest.raises(VerificationError, match="one column of sensitivities"):
        judge(classes, [asked("multi-level-k", thresholds=THRESHOLDS, levels=LEVELS)])
    lacking = classes_of({1: "a"}, attributes=[F])
    with pytest.raises(VerificationError, match="one column of sensitivities"):
        judge(lacking, [asked("multi-level-k", thresholds=THRESHOLDS, levels=LEVELS)])


def test_a_class_below_the_k_of_its_release_is_refused() -> None:
    assert verdict([0.9] * 3, (3,), released_k=[3, 3, 3]).holds is False
    with pytest.raises(VerificationError, match="1 row is in a class smaller than the k"):
        verdict([0.9] * 3, (3,), released_k=[3, 4, 3])


def test_no_rows_prove_nothing() -> None:
    found = verdict([], ())
    assert (found.holds, found.asked, found.note) == (False, None, "no rows")


MORE = [{"k": [2, 1], "l-diversity": {"l": 2}}, [2, 1]]


def test_a_level_may_ask_for_more() -> None:
    low = [0.1] * 4
    assert verdict(low, (2, 2), MORE).holds is True
    assert verdict(low[:2], (2,), [{"k": [2, 1], "alpha-k": {"k": 2, "alpha": 0.5}}, [1, 1]]).holds
    found = verdict(low[:3], (2, 1), MORE)
    assert (found.holds, found.offending) == (False, ())
    assert found.note == "a level requires l-diversity {l: 2}"


def test_what_a_level_asks_for_is_asked_of_the_classes_released_at_it() -> None:
    """Released under 4 or 2 is the first level, which asks for three values."""
    levels = [{"k": [4, 2], "l-diversity": {"l": 3}}, [3, 1]]
    low = [0.3] * 6
    assert verdict(low, (4, 2), levels, released_k=[4, 4, 4, 4, 1, 1]).holds is True
    assert verdict(low, (2, 4), levels, released_k=[1, 1, 2, 3, 3, 3]).holds is True
    assert verdict(low, (4, 2), levels).holds is False
    for released in ([4, 4, 4, 4, 1, 2], [1, 1, 1, 1, 2, 2]):
        with pytest.raises(VerificationError, match=r"requires l-diversity {l: 3}, but 1 of its"):
            verdict(low, (4, 2), levels, released_k=released)


def test_people_are_those_of_the_classes_at_the_level() -> None:
    levels = [{"k": [4, 1], "alpha-k": {"k": 2, "alpha": 1}}, [3, 2]]
    released = [2, 2, 2, 1, 1]
    people = [0, 1, 2, 3, 4]
    assert verdict([0.1] * 5, (3, 2), levels, people=people, released_k=released).holds is True
    people[4] = 3
    with pytest.raises(VerificationError, match="requires alpha-k"):
        verdict([0.1] * 5, (3, 2), levels, people=people, released_k=[1, 1, 1, 1, 1])
