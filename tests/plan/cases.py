"""Plans that are right, and the problems of those that are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.errors import PlanError, Problem
from shoal.plan import Plan

SMALL: dict[str, Any] = {
    "attributes": {"age": "quasi", "disease": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 2}}],
}

FULL = """\
# patients of one year
source: [a.csv, b.csv]
individual: {column: name, conflict: mode}
attributes:
  name: identifier
  age: {role: quasi, domain: [30, 39.5]}
  height: {role: quasi, hierarchy: {width: 5, levels: 3}}
  born: {role: quasi, hierarchy: {dates: [month, year]}}
  zip: {role: sensitive, flag: zip_secret, missing: -9, hierarchy: {mask: 2}}
  zip_secret: flag
  grade: {role: sensitive, kind: ordinal, values: [1.50, NO, high]}
  job: {role: quasi, hierarchy: jobs.csv}
  place: {role: quasi, hierarchy: {tree: {any: {north: [1.50, b], south: }}}}
  f: sensitivity
  2005: {role: sensitive, flags: {high: [1, a], default: low}}
privacy:
  - k-anonymity: {k: 5}
  - l-diversity: {l: 3, attribute: grade}
method: {mondrian: {cut: median}}
suppression: {limit: 0.05}
objective: ncp
polish: false
ranges: snapped
shards: {rows: 1000}
engine: {local: {workers: 2}}
missing: [NA, '?']
seed: 7
output: {folder: release/, format: parquet}
"""


def problems_of(plan: Any, base: Path | None = None) -> tuple[Problem, ...]:
    with pytest.raises(PlanError) as caught:
        Plan.parse(plan, base)
    return caught.value.problems


def only_problem(**changes: Any) -> Problem:
    """The one problem of a small plan that is otherwise right."""
    plan: dict[str, Any] = {
        "attributes": {"age": "quasi", "disease": "sensitive", "name": "identifier"},
        "privacy": [{"k-anonymity": {"k": 2}}],
    }
    for name in ("age", "disease"):
        if name in changes:
            plan["attributes"][name] = changes.pop(name)
    [problem] = problems_of({**plan, **changes})
    return problem
