"""`v` by going through all reasoning sets, and `nloss` cell by cell, on random releases."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import polars as pl
import pytest

import shoal

Group = list[list[str]]
"""A class: the values of each of its people, row by row."""

LIMITS = {"alpha": 0.5, "beta": 0.6}
ATTRIBUTES: dict[str, Any] = {
    "who": "identifier",
    "age": {"role": "quasi", "kind": "numeric", "domain": [20, 40]},
    "town": {"role": "quasi", "kind": "categorical"},
    "ill": "sensitive",
}


def visits(seed: int, n: int = 18) -> pl.DataFrame:
    """People of one to three rows, some of them repeated."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        known = f"p{i}", draw.randint(20, 40), draw.choice("uvwx")
        rows += [(*known, draw.choice("abcdefg")) for _ in range(draw.randint(1, 3))]
    draw.shuffle(rows)
    return pl.DataFrame(rows, schema=["who", "age", "town", "ill"], orient="row")


def released(seed: int, privacy: Sequence[dict[str, Any]], **more: Any) -> shoal.Release:
    plan = {
        "individual": "who",
        "attributes": ATTRIBUTES,
        "privacy": privacy,
        "method": "mondrian" if seed % 2 else "danonyir",
        "seed": seed,
    }
    return shoal.run({**plan, **more}, visits(seed))


def groups(release: shoal.Release) -> list[Group]:
    """The classes as a reader of the table finds them."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for number, age, town, ill in release.frame.iter_rows():
        found.setdefault((age, town), {}).setdefault(number, []).append(ill)
    return [list(people.values()) for people in found.values()]


def least_shown(group: Group) -> int:
    """The fewest values in any reasoning set: one row of each person."""
    return min(len(set(picked)) for picked in product(*map(set, group)))


def commonest(group: Group) -> int:
    """The most people in any reasoning set who show the same value."""
    values = {value for person in group for value in person}
    return max(sum(value in person for person in group) for value in values)


def is_open(group: Group, model: str) -> bool:
    """Whether a class satisfies the IR model, but not all its reasoning sets what EIR requires."""
    rows = sum(map(len, group))
    if model.endswith("-l") or model == "ir-kl":
        values = {value for person in group for value in person}
        return len(group) >= 2 and len(values) >= 2 and least_shown(group) < 2
    if max(map(len, group)) / rows > LIMITS["alpha"]:
        return False
    return commonest(group) / rows <= LIMITS["beta"] < commonest(group) / len(group)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("model", ["ir-kl", "ir-alpha-beta", "eir-l", "eir-alpha-beta"])
def test_v_is_the_share_of_classes_open_to_reasoning(seed: int, model: str) -> None:
    given = {"ir-kl": {"k": 2, "l": 2}, "eir-l": {"l": 2}}.get(model, LIMITS)
    release = released(seed, [{model: given}])
    found = groups(release)
    want = sum(is_open(group, model) for group in found) / len(found)
    assert release.measures["v"] == pytest.approx(want)
    assert want == 0 or not model.startswith("eir")


def test_some_of_these_classes_are_open_and_some_are_not() -> None:
    shares = {released(seed, [{"ir-kl": {"k": 2, "l": 2}}]).measures["v"] for seed in range(4)}
    assert any(0 < share < 1 for share in shares)


def test_a_class_counts_once_for_several_models() -> None:
    asked: list[dict[str, Any]] = [{"ir-kl": {"k": 2, "l": 2}}, {"ir-alpha-beta": LIMITS}]
    release = released(3, asked)
    found = groups(release)
    either = [any(is_open(group, model) for asks in asked for model in asks) for group in found]
    assert release.measures["v"] == pytest.approx(sum(either) / len(found))


def width(age: str, town: str, n_towns: int) -> float:
    """What a published description loses, by the domain [20, 40] and the towns that there are."""
    low, _, high = age.strip("[]").partition(", ")
    return (float(high or low) - float(low)) / 20 + town.count(",") / (n_towns - 1)


@pytest.mark.parametrize("seed", range(12))
def test_nloss_is_the_mean_loss_of_a_cell_of_rows_that_differ(seed: int) -> None:
    # Few may be alike and nobody may have many rows, so that some people are left out.
    release = released(seed, [{"eir-alpha-beta": {"alpha": 0.3, "beta": 0.6}}])
    frame = visits(seed)
    n_towns = frame["town"].n_unique()
    n_rows = frame.unique().height
    lost = [width(age, town, n_towns) for _, age, town, _ in release.frame.iter_rows()]
    n_missing = n_rows - len(lost)
    assert release.counts.suppressed == n_missing
    assert release.counts.repeated == frame.height - n_rows
    assert release.measures["nloss"] == pytest.approx((sum(lost) + 2 * n_missing) / (2 * n_rows))


def test_without_people_there_is_neither() -> None:
    plan = {"attributes": ATTRIBUTES, "privacy": [{"l-diversity": {"l": 2}}], "seed": 1}
    measures = shoal.run(plan, visits(1)).measures
    assert "glm" in measures
    assert "nloss" not in measures
    assert "v" not in measures
    assert "v" not in released(1, [{"ir-k": {"k": 2}}]).measures


def test_v_of_clusters_counts_classes_that_look_alike_one_by_one() -> None:
    """Two clusters with the same values: one is open, and both together are not."""
    frame = pl.DataFrame(
        {
            "who": ["a", "b", "b", "c", "d", "d"],
            "age": [30] * 6,
            "ill": ["x", "x", "y", "y", "y", "x"],
        }
    )
    plan = {
        "individual": "who",
        "attributes": {"who": "identifier", "age": "quasi", "ill": "sensitive"},
        "privacy": [{"ir-kl": {"k": 2, "l": 2}}],
        "method": {"danonyir": {"first": ["a", "c"]}},
        "seed": 1,
        "order": "input",
    }
    release = shoal.run(plan, frame)
    assert (release.measures["v"], release.measures["v-clusters"]) == (0.0, 1.0)
    assert "v-clusters" not in release.measures.quick
