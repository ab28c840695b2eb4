"""What has a meaning in a stream is declared, and everything in the way is said at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from shoal._run.stream.support import METHODS, MODELS, check_streamable
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.registry import methods, models
from tests._run.stream.case import plan


def problems(content: dict[str, Any]) -> list[str]:
    with pytest.raises(PlanError) as caught:
        check_streamable(Plan.parse(content))
    return [str(problem) for problem in caught.value.problems]


def test_every_model_and_method_is_declared() -> None:
    assert set(MODELS) == {entry["name"] for entry in models()}
    assert set(METHODS) == {entry["name"] for entry in methods()}


def test_the_page_names_what_is_supported() -> None:
    page = (Path(__file__).parents[3] / "docs" / "stream.md").read_text(encoding="utf-8")
    for kind, declared in (("models", MODELS), ("methods", METHODS)):
        row = next(line for line in page.splitlines() if line.startswith(f"| {kind} |"))
        supported = row.split("|")[2]
        named = set(re.findall(r"`([^`]+)`", supported))
        assert named == {name for name, reason in declared.items() if not reason}


def test_a_plan_that_fits() -> None:
    check_streamable(Plan.parse(plan(50)))


def test_everything_is_said_at_once() -> None:
    content = plan(50)
    content |= {
        "attributes": {
            "name": "identifier",
            "age": "quasi",
            "height": {"role": "quasi", "kind": "numeric"},
            "born": {"role": "quasi", "kind": "date"},
            "town": {"role": "quasi", "kind": "categorical"},
            "job": {"role": "quasi", "kind": "categorical", "hierarchy": "flat"},
            "ill": "sensitive",
        },
        "privacy": [{"t-closeness": {"t": 0.3}}],
        "method": "weighted-graph",
        "suppression": {"limit": 0.1},
        "polish": {"seconds": 1},
        "individual": "name",
        "shards": {"rows": 10},
    }
    del content["delay"]
    found = problems(content)
    words = [
        "no 'delay'", "t-closeness", "weighted-graph", "individual", "suppression", "polish",
        "shards", "kind of 'age'", "domain of 'height'", "hierarchy for 'born'",
        "values of 'town'", "kind of 'ill'",
    ]  # fmt: skip
    assert len(found) == len(words)
    for word, problem in zip(words, found, strict=True):
        assert word in problem


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"ranges": "columns"}, "ranges"),
        ({"decimal": ","}, "decimal"),
        ({"encoding": "latin-1"}, "encoding"),
        ({"engine": "spark"}, "engine"),
        ({"delay": {"again": "suppress"}}, "again"),
        ({"method": "lgb-mdp"}, "lgb-mdp"),
    ],
)
def test_keys_without_a_meaning(more: dict[str, Any], word: str) -> None:
    assert any(word in problem for problem in problems(plan(50, **more)))
