"""Every measure against its definition, on random small releases."""

from __future__ import annotations

import math
from typing import Any

import pytest

import shoal
from shoal.errors import InfeasibleError
from tests.brute import check_release, records
from tests.cases import CLIMBING, Case, as_field, random_case
from tests.papers import naive


def _naive_measures(case: Case, release: Any) -> dict[str, float]:
    classes: dict[int, list[int]] = {}
    level: dict[int, int | None] = {}
    n_suppressed = 0
    told = records(case)
    for row, number, step in release.rows.select("row", "class", "level").rows():
        if told[row] in told[:row]:
            continue
        if number is None:
            n_suppressed += 1
        else:
            classes.setdefault(number, []).append(row)
            level[number] = None if step is None else step - 1
    n, quasi = len(set(told)), case.quasi
    found = {
        "dm": sum(len(rows) ** 2 for rows in classes.values()) + n_suppressed * n,
        "avg-class": (n - n_suppressed) / len(classes),
        "suppression": n_suppressed / n,
    }
    for name, loss in (("glm", naive.glm), ("ncp", naive.ncp), ("prec", naive.prec)):
        lost = sum(
            len(rows) * loss(q, {q.cells[row] for row in rows}, level[number])
            for number, rows in classes.items()
            for q in quasi
        )
        found[name] = (lost + n_suppressed * len(quasi)) / (n * len(quasi))
    return found


def _compare(case: Case, method: str) -> None:
    try:
        release = shoal.run(case.plan(method=method), case.frame)
    except InfeasibleError:
        return
    check_release(case, release)
    want = _naive_measures(case, release)
    if case.people is not None:
        want["nloss"] = want["glm"]
    for name, value in want.items():
        assert release.measures[name] == pytest.approx(value, abs=1e-12), name
    assert ("nloss" in release.measures) == (case.people is not None)


@pytest.mark.parametrize("block", range(3))
def test_measures_of_covers(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        _compare(random_case(seed, models=("k", "l")), "mondrian")


@pytest.mark.parametrize("block", range(2))
def test_measures_of_ladders(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        _compare(random_case(seed, forms=CLIMBING, models=("k", "l")), "ka")


def _one(kind: dict[str, Any], cells: list[str | None], k: int) -> Case:
    attributes = {"q": {"role": "quasi", **kind}}
    return Case({"q": as_field("q", kind, cells)}, attributes, [{"k-anonymity": {"k": k}}])


def test_a_star_over_one_number_and_missing_loses_all() -> None:
    case = _one({"kind": "numeric"}, ["5", None], 2)
    release = shoal.run(case.plan(), case.frame)
    assert release.frame["q"].to_list() == ["*", "*"]
    assert release.measures["glm"] == release.measures["ncp"] == release.measures["prec"] == 1


def test_a_star_over_tops_without_levels_loses_all() -> None:
    case = _one(
        {"kind": "categorical", "hierarchy": {"tree": {"a": None, "b": None}}}, ["a", "b"], 2
    )
    release = shoal.run(case.plan(), case.frame)
    assert release.frame["q"].to_list() == ["*", "*"]
    assert release.measures["glm"] == release.measures["prec"] == 1


@pytest.mark.parametrize("ranges", ["tight", "snapped", "columns"])
def test_losses_are_shares(ranges: str) -> None:
    """A round range can be wider than the values there are; it loses no more than a suppression."""
    case = _one({"kind": "numeric"}, ["23", "41", "41"], 2)
    release = shoal.run(case.plan(ranges=ranges), case.frame)
    for name in ("glm", "ncp", "prec", "suppression"):
        assert 0 <= release.measures[name] <= 1, name


def test_measures_are_a_mapping_computed_when_read() -> None:
    case = _one({"kind": "numeric"}, ["1", "2", "3", "4"], 2)
    measures = shoal.run(case.plan(), case.frame).measures
    assert {"glm", "ncp", "dm"} < set(measures) <= {m["name"] for m in shoal.measures()}
    assert len(measures) == len(list(measures))
    assert all(math.isfinite(value) for value in measures.values())
    with pytest.raises(KeyError):
        measures["no such measure"]
