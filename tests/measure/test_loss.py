"""Losses and sizes against their definitions, on random small releases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.errors import InfeasibleError
from shoal.measure import CellLoss
from shoal.measure.loss import GLM, NCP, Prec
from tests.brute import check_release, records
from tests.cases import CLIMBING, Case, as_field, random_case
from tests.measure.small import view_of
from tests.papers import naive


def _naive_measures(case: Case, release: Any) -> dict[str, float]:
    classes: dict[int, list[int]] = {}
    level: dict[int, int | None] = {}
    n_suppressed = 0
    given = records(case)
    for row, number, step in release.rows.select("row", "class", "level").rows():
        if given[row] in given[:row]:
            continue
        if number is None:
            n_suppressed += 1
        else:
            classes.setdefault(number, []).append(row)
            level[number] = None if step is None else step - 1
    n, quasi = len(set(given)), case.quasi
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


def _compare(case: Case, method: Any) -> None:
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
        _compare(
            random_case(seed, forms=CLIMBING, models=("k", "l")), {"ka": {"climb": "together"}}
        )


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
    release = shoal.run(case.plan(method="mondrian"), case.frame)
    assert release.frame["q"].to_list() == ["*", "*"]
    assert release.measures["glm"] == release.measures["prec"] == 1


@pytest.mark.parametrize("ranges", ["tight", "snapped", "columns"])
def test_losses_are_shares(ranges: str) -> None:
    """A round range can be wider than the values there are; it loses no more than a suppression."""
    case = _one({"kind": "numeric"}, ["23", "41", "41"], 2)
    release = shoal.run(case.plan(ranges=ranges), case.frame)
    for name in ("glm", "ncp", "prec", "suppression"):
        assert 0 <= release.measures[name] <= 1, name


@pytest.mark.parametrize(
    ("measure", "pair", "root"), [(GLM, 1 / 2, 1), (NCP, 2 / 3, 1), (Prec, 1 / 2, 1)]
)
def test_two_of_three_values(measure: type[CellLoss], pair: float, root: float) -> None:
    tree = {"*": {"ab": ["a", "b"], "c": ["c"]}}
    attributes = {"q": {"role": "quasi", "hierarchy": {"tree": tree}}}
    columns = {"q": list("abc")}
    assert measure().value(view_of(columns, attributes, [0, 0, 1])) == pytest.approx(2 * pair / 3)
    assert measure().value(view_of(columns, attributes, [0, 0, 0])) == root
    assert measure().value(view_of(columns, attributes, [0, 1, 2])) == 0


def test_one_value_in_the_table_loses_nothing() -> None:
    view = view_of({"q": ["a", "a"]}, {"q": "quasi"}, [0, 0])
    assert [measure().value(view) for measure in (GLM, NCP, Prec)] == [0, 0, 0]


def test_a_secret_cell_counts_as_the_set_of_its_bucket() -> None:
    view = view_of({"q": list("abcc")}, {"q": "quasi"}, [0, 0, 0, 0])
    (label,) = view.labels
    buckets = {"q": np.array([0, 0, 1, -1], dtype=np.int32)}
    secret = replace(view, buckets=buckets)
    # Two cells in a bucket of 2 of 3 values, one in a bucket of one value, one in none.
    assert GLM().of_secrets(secret, label) == pytest.approx((2 * 1 / 2 + 0) / 3)
    assert GLM().of_secrets(replace(view, buckets={}), label) == 0
    assert NCP().of_secrets(secret, label) == 0
