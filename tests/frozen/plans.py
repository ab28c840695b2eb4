"""Some twenty plans over all methods, whose releases must stay what they are byte for byte."""

from __future__ import annotations

from typing import Any

import polars as pl

from shoal.method import METHODS
from tests.cases import Case
from tests.contract.standard import PERSONAL, plan_for, standard_case
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS
from tests.papers.mhsa.cases import PATIENTS as HETEROGENEOUS
from tests.papers.mhsa.cases import patients_plan

Frozen = tuple[dict[str, Any], pl.DataFrame]

CLIMBERS = ("ka", "sd-mks3wd", "se-mks3wd", "ece-mks3wd")
_SECRETS = [
    {"k-anonymity": {"k": 2}},
    {"l-diversity": {"l": 2, "attribute": "disease"}},
    {"l-diversity": {"l": 2, "attribute": "age"}},
    {"l-diversity": {"l": 2, "attribute": "zip"}},
]

# Plans without `order: input`: methods see rows in the order of keyed hashes.
_BY_CONTENT = (
    "k-member of people",
    "danonyir of rows",
    "weighted-graph of rows",
    "se-mks3wd of rows",
    "lgb-ncp of rows",
    "shards of people",
    "flags concealed",
)


def _with(case: Case, method: Any, privacy: list[dict[str, Any]], **more: Any) -> Frozen:
    return {**case.plan(method=method, **more), "privacy": privacy}, case.frame


def _as_the_paper(case: Case, name: str) -> dict[str, Any]:
    """The standard plan; methods that climb do so as the paper does."""
    plan = plan_for(case, name)
    return {**plan, "method": {name: {"climb": "together"}}} if name in CLIMBERS else plan


def frozen_plans() -> dict[str, Frozen]:
    """Plan and data by name; what only some methods can do has a plan of its own."""
    rows = standard_case(n=200)
    people = standard_case(n=200, people=True, complete=True)
    k = [{"k-anonymity": {"k": 3}}]
    diverse = [*k, {"l-diversity": {"l": 2, "attribute": "ill"}}]
    plans = {f"{name} of rows": (_as_the_paper(rows, name), rows.frame) for name in METHODS}
    plans |= {
        f"{name} of people": (_as_the_paper(people, name), people.frame)
        for name in METHODS
        if not name.startswith("lgb-")
    }
    plans |= {
        "lattice": _with(rows, {"ka": {"climb": "lattice"}}, diverse),
        "personal lattice": _with(
            rows, {"ece-mks3wd": {"climb": "lattice"}}, [{"multi-level-k": PERSONAL}]
        ),
        "shards": _with(rows, "mondrian", diverse, shards={"rows": 70}),
        "shards of people": _with(people, "k-member", k, shards={"rows": 70}),
        "snapped ranges": _with(rows, "mondrian", diverse, ranges="snapped"),
        "ranges in columns": _with(rows, "mondrian", diverse, ranges="columns"),
        "close": _with(rows, "mondrian", [*k, {"t-closeness": {"t": 0.4, "attribute": "pay"}}]),
        "reserved": _with(people, "danonyir", [{"eir-l": {"l": 2, "attribute": "ill"}}]),
        "the paper's secrets": (
            {"attributes": PATIENT_ATTRIBUTES, "privacy": _SECRETS, "method": "lgb-ncp", "seed": 3},
            PATIENTS,
        ),
        "the paper's flags": (patients_plan(), HETEROGENEOUS),
        "flags concealed": (
            patients_plan({"qi-mhsa": {"conceal": True, "division": "mondrian"}}),
            HETEROGENEOUS,
        ),
        "flags in two tables": (patients_plan({"qi-mhsa": {"tables": "split"}}), HETEROGENEOUS),
    }
    as_given = {name: ({**plan, "order": "input"}, frame) for name, (plan, frame) in plans.items()}
    by_content = {f"{name} by content": plans[name] for name in _BY_CONTENT}
    return as_given | by_content
