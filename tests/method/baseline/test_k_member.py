"""k-member against its slow twin, with sizes alone and with more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError
from shoal.method import Task
from shoal.method.baseline.k_member import KMember, grow
from tests.cases import IDENTITY, Case, random_case, task_of
from tests.papers.graph import twin as twin
from tests.papers.identity.cases import twin_attribute, twin_people
from tests.papers.naive import Field

Holds = Callable[[Sequence[int]], bool]


def _compare(case: Case, begins: int, k: int, holds: Holds | None) -> tuple[int, int]:
    """Compare the classes with the twin's; returns how many classes and suppressed there are."""
    rows = [person.values for person in twin_people(case)]
    columns = [twin_attribute(q) for q in case.quasi]
    begins %= len(rows)
    classes = twin.k_member(rows, columns, k, begins, holds=holds) if k <= len(rows) else []
    numbers = grow(task_of(case), begins)
    got = [np.flatnonzero(numbers == c).tolist() for c in range(numbers.max() + 1)]
    assert got == [sorted(members) for members in classes]
    suppressed = np.flatnonzero(numbers < 0).tolist()
    assert suppressed == sorted({*range(len(rows))} - {u for own in classes for u in own})
    return len(classes), len(suppressed)


def _k_of(case: Case) -> int:
    return max(int(asked["k-anonymity"]["k"]) for asked in case.privacy)


@pytest.mark.parametrize("block", range(8))
def test_with_sizes_alone(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        case = random_case(seed, models=("k",), most_rows=50)
        _, n_suppressed = _compare(case, seed, _k_of(case), None)
        assert n_suppressed == 0 or len(case.units) < _k_of(case)


@pytest.mark.parametrize("model", ["l", "alpha", "t", "ke"])
@pytest.mark.parametrize("block", range(2))
def test_classes_grow_until_everything_holds(model: str, block: int) -> None:
    n_classes = 0
    for seed in range(block * 20, block * 20 + 20):
        case = random_case(seed, models=(model, model, "k"), most_rows=50)
        n_classes += _compare(case, seed, 1, case.holds)[0]
    assert n_classes > 20


@pytest.mark.parametrize("models", [("k", "l", "t", "alpha"), IDENTITY], ids=["rows", "identity"])
def test_units_are_people(models: tuple[str, ...]) -> None:
    n_classes = 0
    for seed in range(40):
        case = random_case(seed, models=models, most_rows=70, share_of_people=1.0)
        n_classes += _compare(case, seed, 1, case.holds)[0]
    assert n_classes > 40


def test_who_no_class_can_take_is_suppressed() -> None:
    n_suppressed = 0
    for seed in range(40):
        case = random_case(seed, models=("alpha",), share_of_people=0.0)
        case.privacy = [{"alpha-k": {"alpha": 0.4, "k": 3, "attribute": "ill"}}]
        n_classes, n_lost = _compare(case, seed, 1, case.holds)
        n_suppressed += n_lost if n_classes else 0
    assert n_suppressed > 5


@pytest.mark.parametrize(
    "forms", [("range", "set", "tree"), ("tops", "halves"), ("ragged", "date", "set")]
)
def test_many_units_in_a_coarse_space(forms: tuple[str, ...]) -> None:
    """Deep trees of the index, crowded leaves and many ties."""
    case = _repeated(random_case(12, forms=forms, most_rows=40, share_of_people=0.0), 10)
    case.privacy = [{"k-anonymity": {"k": 7}}]
    n_classes, _ = _compare(case, 5, 7, None)
    assert n_classes == case.n_rows // 7 > 10


def _repeated(case: Case, times: int) -> Case:
    fields = {
        name: Field(f.name, f.kind, f.cells * times, f.declared, f.domain, f.hierarchy)
        for name, f in case.fields.items()
    }
    return Case(fields, case.attributes, case.privacy)


def test_the_seed_draws_the_first_unit() -> None:
    case = random_case(11, forms=("range", "set"), models=("k",), share_of_people=0.0)
    case.privacy = [{"k-anonymity": {"k": 3}}]
    task = task_of(case)
    for seed in range(5):
        drawn = int(np.random.default_rng(seed).integers(case.n_rows))
        partition = KMember().partition(Task(task.table, task.requirements, seed))
        assert partition.unit_class[drawn] == 0
        assert partition.unit_class.tolist() == grow(task, drawn).tolist()


def test_rows_of_a_person_do_not_weigh() -> None:
    """Ann's neighbour is Ben, near by with many rows, and not Cid with one."""
    people = ["Ann", *["Ben"] * 9, "Cid", "Dan"]
    age = {"Ann": 20, "Ben": 22, "Cid": 25, "Dan": 40}
    frame = pl.DataFrame({"name": people, "age": [age[p] for p in people]})
    plan = {
        "individual": "name",
        "attributes": {"name": "identifier", "age": {"role": "quasi", "kind": "numeric"}},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "k-member",
    }
    releases = (shoal.run({**plan, "seed": seed}, frame) for seed in range(6))
    found = {frozenset(release.frame["age"]) for release in releases}
    assert found == {frozenset(("[20, 22]", "[25, 40]")), frozenset(("[20, 40]", "[22, 25]"))}


def test_nobody_is_published_in_vain() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["flu"] * 4})
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive"},
        "privacy": [{"l-diversity": {"l": 2}}],
        "method": "k-member",
    }
    with pytest.raises(InfeasibleError):
        shoal.run(plan, frame)
