"""DAnonyIR against its slow twin and the paper's own example."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, PlanError
from shoal.method.identity.danonyir import grow
from tests.cases import IDENTITY, Case, random_case, task_of
from tests.papers.identity import twin as twin
from tests.papers.identity.cases import PATIENTS, asked_by_number, twin_attribute, twin_people
from tests.papers.naive import Field

ATTRIBUTES: dict[str, Any] = {
    "name": "identifier",
    "gender": {"role": "quasi", "kind": "categorical"},
    "age": {"role": "quasi", "kind": "numeric", "domain": [30, 39]},
    "postcode": {"role": "quasi", "kind": "categorical"},
    "disease": "sensitive",
}


def _plan(*privacy: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "individual": "name",
        "attributes": ATTRIBUTES,
        "privacy": list(privacy),
        "method": {"danonyir": {"first": ["Ella", "Tim"]}},
        "seed": 7,
        **more,
    }


def _classes(release: shoal.Release) -> set[frozenset[str]]:
    rows = release.rows.drop_nulls("class")
    groups = rows.group_by("class").agg(pl.col("individual"))["individual"]
    return {frozenset(members) for members in groups}


@pytest.mark.parametrize(
    "asked",
    [{"eir-l": {"l": 3}}, {"eir-alpha-beta": {"alpha": 0.4, "beta": 0.6}}],
    ids=["eir-l", "eir-alpha-beta"],
)
@pytest.mark.parametrize("hierarchy", [None, {"mask": 5}])
def test_the_worked_example(asked: dict[str, Any], hierarchy: Any) -> None:
    attributes = {**ATTRIBUTES}
    if hierarchy is not None:
        attributes["postcode"] = {"role": "quasi", "hierarchy": hierarchy}
    release = shoal.run(_plan(asked, attributes=attributes), PATIENTS)
    first, second = {"Jane", "Ella", "Lucy"}, {"Mike", "Lily", "Tim", "Tina"}
    assert _classes(release) == {frozenset(first), frozenset(second)}
    shown = release.frame.select("gender", "age", "postcode").unique().sort("age").rows()
    assert shown == [
        ("F", "[33, 34]", "{10070, 10073, 10087}"),
        ("{F, M}", "[36, 38]", "{10076, 10077, 10085, 10086}"),
    ]
    assert release.measures["nloss"] == pytest.approx(0.361111, abs=5e-7)
    assert "name" not in release.frame.columns
    assert release.frame["Id_num"].n_unique() == 7


def test_identities_are_as_good_as_names() -> None:
    numbered = PATIENTS.with_columns(pl.col("name").rank("dense").cast(pl.Int64))
    release = shoal.run(
        _plan({"eir-l": {"l": 3}}, method={"danonyir": {"first": [1, 2]}}), numbered
    )
    assert release.holds


def _compare(case: Case, seed: int) -> tuple[int, int]:
    """Compare the classes with the twin's; returns how many classes and suppressed there are."""
    people = twin_people(case)
    rng = random.Random(seed)
    starters = rng.sample(range(len(people)), len(people))
    first = rng.choices(range(len(people)), k=rng.choice([0, 0, 2]))
    attributes = [twin_attribute(q) for q in case.quasi]
    holds = twin.holds_for(people, asked_by_number(case))
    classes, suppressed = twin.danonyir(people, attributes, holds, starters, first)
    task = task_of(case)
    numbers = grow(task, np.array([*first, *starters], dtype=np.int64))
    got = [np.flatnonzero(numbers == c).tolist() for c in np.unique(numbers[numbers >= 0])]
    assert got == [sorted(members) for members in classes]
    assert np.flatnonzero(numbers < 0).tolist() == sorted(suppressed)
    return len(classes), len(suppressed)


@pytest.mark.parametrize("model", IDENTITY)
@pytest.mark.parametrize("block", range(4))
def test_it_is_the_printed_greedy(model: str, block: int) -> None:
    found = []
    for seed in range(block * 20, block * 20 + 20):
        case = random_case(seed, models=(model,), most_rows=50, share_of_people=1.0)
        found.append(_compare(case, seed))
    assert sum(n for n, _ in found) > 4


@pytest.mark.parametrize("block", range(4))
def test_several_requirements_are_honoured_while_growing(block: int) -> None:
    for seed in range(500 + block * 15, 515 + block * 15):
        case = random_case(seed, models=(*IDENTITY, "k"), most_rows=50, share_of_people=0.8)
        if case.people is None:
            case.privacy = [
                {"k-anonymity": {"k": 3}},
                {"l-diversity": {"l": 2, "attribute": "ill"}},
            ]
        _compare(case, seed)


def test_many_people_in_a_coarse_space() -> None:
    """Deep trees of the index, many ties, and classes that take in others."""
    found = 0
    for seed in range(5):
        case = random_case(
            seed + 7, forms=("range", "set", "tree"), models=("eir-l",), most_rows=60,
            share_of_people=1.0,
        )  # fmt: skip
        n_classes, _ = _compare(_repeated(case, 8), seed)
        found += n_classes
    assert found > 20


def _repeated(case: Case, times: int) -> Case:
    assert case.people is not None
    people = [f"{p}-{i}" for i in range(times) for p in case.people]
    fields = {
        name: Field(f.name, f.kind, f.cells * times, f.declared, f.domain, f.hierarchy)
        for name, f in case.fields.items()
    }
    return Case(fields, case.attributes, case.privacy, people)


def test_nobody_is_published_in_vain() -> None:
    same = PATIENTS.with_columns(pl.lit("Heart").alias("disease"))
    with pytest.raises(InfeasibleError, match="distinct value"):
        shoal.run(_plan({"eir-l": {"l": 2}}), same)


def test_a_name_that_nobody_has_is_told_by_its_place() -> None:
    with pytest.raises(PlanError, match=r"1 of the 2 people .*entries 2") as error:
        shoal.run(
            _plan({"ir-k": {"k": 2}}, method={"danonyir": {"first": ["Tim", "Ann"]}}), PATIENTS
        )
    assert "Ann" not in str(error.value)


def test_the_seed_decides_the_starters() -> None:
    case = random_case(11, forms=("range", "set"), models=("ir-k",), share_of_people=1.0)
    plan = case.plan(method="danonyir", privacy=[{"ir-k": {"k": 3}}])
    found = {frozenset(_classes(shoal.run({**plan, "seed": s}, case.frame))) for s in range(6)}
    assert len(found) > 1
    again, once_more = (shoal.run({**plan, "seed": 3}, case.frame) for _ in range(2))
    assert again.frame.equals(once_more.frame)


def test_hierarchy_loss_is_an_option() -> None:
    attributes = {**ATTRIBUTES, "postcode": {"role": "quasi", "hierarchy": {"mask": 5}}}
    method = {"danonyir": {"first": ["Ella", "Tim"], "generalise": "hierarchy"}}
    release = shoal.run(_plan({"eir-l": {"l": 3}}, attributes=attributes, method=method), PATIENTS)
    assert set(release.frame["postcode"]) <= {"100**", "1007*", "1008*"}
