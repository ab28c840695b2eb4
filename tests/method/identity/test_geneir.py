"""GeneIR against its slow twin, alone and from table to release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.shard import shard_seed
from shoal.errors import InfeasibleError, PlanError
from shoal.method import GeneIR
from shoal.method.identity.geneir import release_groups
from shoal.table.partition import COVER, SUPPRESSED
from tests.cases import CLIMBING, IDENTITY, TREE, Case, as_field, random_case, task_of
from tests.papers.identity import twin as twin
from tests.papers.identity.cases import asked_by_number, twin_attribute, twin_people


def _draws(seed: int) -> Callable[[list[int]], int]:
    rng = np.random.default_rng(seed)
    return lambda below: below[int(rng.integers(len(below)))]


def _holds(case: Case) -> twin.Holds:
    if {*IDENTITY, "k-anonymity"} >= {model for asked in case.privacy for model in asked}:
        return twin.holds_for(twin_people(case), asked_by_number(case))
    return case.holds


def _twin(case: Case, seed: int) -> tuple[list[twin.Lifted], list[int]]:
    attributes = [twin_attribute(q) for q in case.quasi]
    return twin.geneir(twin_people(case), attributes, _holds(case), _draws(seed))


def _compare(case: Case, seed: int) -> tuple[int, int]:
    """Compare with the twin; returns how many classes there are and how many joined late."""
    expected, suppressed = _twin(case, seed)
    task = replace(task_of(case), seed=seed)
    found = GeneIR().partition(task)
    members = [np.flatnonzero(found.unit_class == c).tolist() for c in range(found.n_classes)]
    assert members == [sorted(q.members) for q in expected]
    assert np.flatnonzero(found.unit_class == SUPPRESSED).tolist() == sorted(suppressed)
    levels = [[COVER if level is None else level for level in q.levels] for q in expected]
    assert found.heights is not None
    assert found.heights.tolist() == levels
    return len(expected), release_groups(task).n_suppressed - len(suppressed)


@pytest.mark.parametrize("model", [*IDENTITY, "k"])
@pytest.mark.parametrize("block", range(3))
def test_it_is_the_twin(model: str, block: int) -> None:
    found = []
    for seed in range(block * 25, block * 25 + 25):
        people = 1.0 if model in IDENTITY else 0.5
        case = random_case(
            seed, forms=CLIMBING, models=(model,), most_rows=50, share_of_people=people
        )
        found.append(_compare(case, seed))
    assert sum(n for n, _ in found) > 20
    assert sum(n for _, n in found) > 10


@pytest.mark.parametrize("block", range(3))
def test_other_requirements_are_honoured_too(block: int) -> None:
    """Also those that a further member can break, by people and by rows."""
    found = []
    for seed in range(300 + block * 30, 330 + block * 30):
        found.append(_compare(random_case(seed, forms=CLIMBING, most_rows=50), seed))
    assert sum(n for _, n in found) > 10


TOWNS = {"tree": {"north": ["a", "b"], "isle": ["f"]}}
WORDS = {
    "town": {"role": "quasi", "kind": "categorical", "hierarchy": TOWNS},
    "tree": {"role": "quasi", "kind": "categorical", "hierarchy": {"tree": TREE}},
    "ill": {"role": "sensitive", "kind": "categorical"},
}


def _skewed(seed: int, alpha: float, beta: float, most: int) -> Case:
    """People of whom most share a value; the first four, on the isle, have `most` rows each."""
    rng, n = np.random.default_rng(seed), 240
    first = np.arange(n) < 4
    person = np.repeat(np.arange(n), np.where(first, most, 1))
    cells = {
        "town": np.where(first, "f", rng.choice(list("abf"), n, p=[0.8, 0.1, 0.1]))[person],
        "tree": rng.choice(list("abcd"), n, p=[0.85, 0.05, 0.05, 0.05])[person],
        "ill": np.where(rng.random(n) < 0.6, "a", rng.choice(list("bcdef"), n))[person],
    }
    fields = {name: as_field(name, WORDS[name], cells[name].tolist()) for name in WORDS}
    asked = {"eir-alpha-beta": {"alpha": alpha, "beta": beta}}
    return Case(fields, WORDS, [asked], [f"p{i}" for i in person])


@pytest.mark.parametrize("seed", range(6))
def test_large_classes_take_in_many(seed: int) -> None:
    """Those left do not hold together, but one by one in large classes."""
    n_classes, n_joined = _compare(_skewed(seed, 0.6, [0.58, 0.6, 0.62][seed % 3], 1), seed)
    assert n_classes > 0
    assert n_joined > 0


@pytest.mark.parametrize("seed", range(4))
def test_who_is_turned_away_leaves_no_trace(seed: int) -> None:
    """People with too many rows for any class come first."""
    n_classes, n_joined = _compare(_skewed(seed, 0.03, 1, 12), seed)
    assert n_classes > 0
    assert n_joined > 0


def _settled(case: Case) -> Case:
    """Without missing secrets and rows that repeat another one of the same person."""
    known = {"ill": "a", "pay": "100"}
    cells = {n: [cell or known.get(n) for cell in f.cells] for n, f in case.fields.items()}
    keys = list(zip(case.people or range(case.n_rows), *cells.values(), strict=True))
    rows = [row for row, key in enumerate(keys) if keys.index(key) == row]
    fields = {
        name: replace(f, cells=[cells[name][row] for row in rows])
        for name, f in case.fields.items()
    }
    people = None if case.people is None else [case.people[row] for row in rows]
    return replace(case, fields=fields, people=people)


def _labels(case: Case, classes: list[twin.Lifted]) -> dict[int, tuple[str | None, ...]]:
    """What the twin publishes of every row that it publishes."""
    labels = {}
    for q in classes:
        for row in (row for unit in q.members for row in case.units[unit]):
            pairs = zip(case.quasi, q.levels, strict=True)
            labels[row] = tuple("*" if x is None else f.above(f.cells[row])[x] for f, x in pairs)
    return labels


def _check_release(case: Case) -> bool:
    """Compare a release with the twin's, cell by cell; False where nothing can be published."""
    classes, _ = _twin(case, shard_seed(3, 0))
    try:
        release = shoal.run(case.plan(method="geneir", order="input"), case.frame)
    except InfeasibleError:
        assert not classes or not _holds(case)(range(len(case.units)))
        return False
    assert release.holds
    if release.counts.singly:
        # The twin knows nothing of rows that are left out so that the rest can be kept.
        return False
    shown = release.frame.select([f.name for f in case.quasi]).rows()
    assert dict(zip(release.origin.tolist(), shown, strict=True)) == _labels(case, classes)
    people, attributes = twin_people(case), [twin_attribute(q) for q in case.quasi]
    levels = [q.levels for q in classes]
    expected = twin.nloss(people, attributes, [q.members for q in classes], levels)
    assert release.measures["nloss" if case.people else "glm"] == pytest.approx(expected, abs=1e-9)
    return True


@pytest.mark.parametrize("models", [IDENTITY, ("k", "l", "alpha", "t")], ids=["people", "rows"])
def test_from_table_to_release(models: tuple[str, ...]) -> None:
    people = float(models == IDENTITY)
    cases = [
        _settled(random_case(s, forms=CLIMBING, models=models, share_of_people=people))
        for s in range(40)
    ]
    assert sum(map(_check_release, cases)) > 12


def test_the_seed_decides_what_climbs() -> None:
    towns = pl.DataFrame({"a": list("xyxyxyxy"), "b": list("uuvvuuvv"), "ill": list("abcdefgh")})
    attributes = {
        "a": {"role": "quasi", "hierarchy": "flat"},
        "b": {"role": "quasi", "hierarchy": "flat"},
        "ill": "sensitive",
    }
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 3}}], "method": "geneir"}
    found = {
        tuple(sorted(set(shoal.run({**plan, "seed": s}, towns).frame.select("a", "b").rows())))
        for s in range(12)
    }
    assert found == {(("*", "u"), ("*", "v")), (("x", "*"), ("y", "*"))}


def test_it_asks_for_hierarchies() -> None:
    plan = {
        "attributes": {"a": {"role": "quasi", "kind": "categorical"}, "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "geneir",
    }
    with pytest.raises(
        PlanError, match="geneir needs a hierarchy for every quasi-identifier, but 'a' has"
    ):
        shoal.run(plan, pl.DataFrame({"a": ["x", "y"], "ill": ["p", "q"]}))
