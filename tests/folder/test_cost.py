"""The measures of a manifest: those that a reader can compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.folder.cost import class_sizes, cost_of
from shoal.folder.public import Public
from tests.folder.test_public import FRAME, PLAN, SECRETS
from tests.papers.lgb.cases import PATIENTS
from tests.papers.mhsa.cases import PATIENTS as FLAGGED
from tests.papers.mhsa.cases import patients_plan

DECLARED: dict[str, Any] = {
    **PLAN,
    "attributes": {
        "age": {"role": "quasi", "kind": "numeric", "domain": [0, 10]},
        "town": {"role": "quasi", "kind": "categorical", "values": list("abc")},
        "ill": "sensitive",
    },
}
TOWNS = pl.DataFrame({"age": [0, 4, 9, 10], "town": list("abcc"), "ill": list("xyxx")})


def test_losses_over_declared_domains_are_those_of_the_run() -> None:
    release = shoal.run(DECLARED, TOWNS)
    cost = cost_of(Public.of(release))
    assert cost.measures == pytest.approx({m: release.measures[m] for m in cost.measures})
    assert list(cost.measures) == [
        "glm", "ncp", "prec", "dm", "avg-class", "suppression", "infoloss", "privacy-loss",
    ]  # fmt: skip
    assert cost.by_attribute == pytest.approx(release.measures.by_attribute)


def test_suppressed_rows_lose_everything() -> None:
    frame = pl.DataFrame({"town": [*"aaab"], "ill": list("xyxx")})
    plan = {**PLAN, "method": "ka", "attributes": {
        "town": {"role": "quasi", "hierarchy": {"tree": {"n": ["a"], "s": ["b"]}}},
        "ill": "sensitive"}}  # fmt: skip
    cost = cost_of(Public.of(shoal.run(plan, frame)))
    assert cost.by_attribute == {"town": 0.25}
    assert cost.measures["suppression"] == 0.25
    assert cost.measures["dm"] == 9 + 4
    assert cost.measures["infoloss"] == 0.5


def test_people_have_nloss() -> None:
    frame = TOWNS.with_columns(pl.Series("who", list("pqrs")))
    plan = {**DECLARED, "individual": "who",
            "attributes": {**DECLARED["attributes"], "who": "identifier"}}  # fmt: skip
    release = shoal.run(plan, pl.concat([frame, frame[:1]]))
    cost = cost_of(Public.of(release))
    assert cost.measures["nloss"] == cost.measures["glm"] == pytest.approx(release.measures["glm"])
    assert cost.measures["privacy-loss"] == pytest.approx(release.measures["privacy-loss"])


@pytest.mark.parametrize("tables", ["split", "joined"])
def test_secrets_count_as_the_set_of_their_bucket(tables: str) -> None:
    plan = {**SECRETS, "method": {"lgb-mdp": {"tables": tables}}}
    cost = cost_of(Public.of(shoal.run(plan, PATIENTS)))
    assert list(cost.measures) == ["glm", "ncp", "dm", "avg-class", "suppression"]
    assert 0 < cost.measures["ncp"] < cost.measures["glm"] < 1


def test_both_forms_of_buckets_cost_the_same() -> None:
    plans = [{**SECRETS, "method": {"lgb-mdp": {"tables": form}}} for form in ("split", "joined")]
    split, joined = (cost_of(Public.of(shoal.run(plan, PATIENTS))) for plan in plans)
    assert (split.measures, split.by_attribute) == (joined.measures, joined.by_attribute)


def test_symbols_leave_no_privacy_loss() -> None:
    for tables in ("joined", "split"):
        public = Public.of(shoal.run(patients_plan({"qi-mhsa": {"tables": tables}}), FLAGGED))
        cost = cost_of(public)
        assert "privacy-loss" not in cost.measures
        quasi = sum(cost.by_attribute.values())
        assert quasi < cost.measures["infoloss"] < 5


def test_classes_are_rows_that_look_alike() -> None:
    sizes, n_classes = class_sizes(Public.of(shoal.run(PLAN, FRAME)))
    assert (sizes.tolist(), n_classes.tolist()) == ([2], [2])
    for form in ("split", "joined"):
        release = shoal.run({**SECRETS, "method": {"lgb-mdp": {"tables": form}}}, PATIENTS)
        sizes = release.frame["GID"].value_counts()["count"].sort().to_list()
        assert np.repeat(*class_sizes(Public.of(release))).tolist() == sizes
