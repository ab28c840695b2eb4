"""Why a run must hold its table."""

from __future__ import annotations

from typing import Any

import pytest

from shoal._run.part.obstacle import held_whole, obstacle
from shoal.plan import Plan
from tests._run.part.table import plan_of

_BOTH = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}]
_LEVELS = {"multi-level-k": {"thresholds": [[0.8, 0.2]], "levels": [[3, 2]]}}
_STRONGER = {
    "multi-level-k": {
        "thresholds": [[0.8, 0.2]],
        "levels": [{"k": [3, 2], "l-diversity": {"l": 2}}],
    }
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"individual": "name", "privacy": [{"eir-l": {"l": 2}}], "method": "danonyir"}, ""),
        ({"ranges": "columns"}, "ranges: columns"),
        ({"order": "input"}, "order: input"),
        ({"privacy": [{"t-closeness": {"t": 0.3}}]}, ""),
        ({"privacy": [{"k-anonymity": {"k": 2}}, {"t-closeness": {"t": 0.3}}],
          "method": "lgb-mdp"}, "t-closeness"),
        ({"privacy": [{"delta-disclosure": {"delta": 1}}]}, "delta-disclosure"),
        ({"privacy": [{"k-anonymity": {"k": 2}}, {"k-e": {"k": 2, "e": 1}}],
          "attributes": {"age": "quasi", "ill": {"role": "sensitive", "kind": "numeric"}}}, ""),
        ({"method": "qi-mhsa", "privacy": _BOTH}, ""),
        ({"method": {"qi-mhsa": {"conceal": True}}, "privacy": _BOTH}, "'conceal' draws"),
        ({"method": {"qi-mhsa": {"tables": "split"}}, "privacy": _BOTH}, "more than one table"),
        ({"method": {"lgb-mdp": {}}}, ""),
        ({"method": "ka", "privacy": [_LEVELS], "attributes": {
            "age": {"role": "quasi", "hierarchy": "flat"}, "f": "sensitivity"}}, ""),
        ({"method": "ka", "privacy": [_LEVELS], "individual": "name", "attributes": {
            "name": "identifier", "age": {"role": "quasi", "hierarchy": "flat"},
            "f": "sensitivity"}}, "of their own"),
        ({"method": "sd-mks3wd", "privacy": [_STRONGER], "attributes": {
            "age": {"role": "quasi", "hierarchy": "flat"}, "f": "sensitivity",
            "ill": "sensitive"}}, "multi-level-k is judged"),
    ],
)  # fmt: skip
def test_the_first_reason_is_named(change: dict[str, Any], said: str) -> None:
    found = obstacle(Plan.of(plan_of(**change)), private=False, database=False)
    assert said in found
    assert bool(found) == bool(said)


def test_a_row_map_and_a_database_need_all_rows() -> None:
    plan = Plan.of(plan_of())
    assert "private" in obstacle(plan, private=True, database=False)
    assert "database" in obstacle(plan, private=False, database=True)
    assert held_whole("x").code == "held-whole"
