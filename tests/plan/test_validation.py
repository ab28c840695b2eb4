"""The keys of a plan against their types."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from shoal.plan import Plan
from shoal.plan.document import Document, Path
from shoal.plan.validation import DocumentPart, check
from tests.plan.cases import SMALL, only_problem


@pytest.mark.parametrize(
    ("changes", "where", "text"),
    [
        ({"source": []}, "source",
         "The 'source' parameter of the plan must be a path, a list of paths, or an address, "
         "got an empty list instead."),
        ({"suppression": {"limit": -0.1}}, "suppression.limit",
         "The 'limit' parameter of suppression must be a number of at least 0 and at most 1, got "
         "-0.1 instead."),
        ({"suppression": 0.1}, "suppression",
         "The 'suppression' parameter of the plan must be a mapping, got 0.1 instead."),
        ({"objective": "loss"}, "objective",
         "The 'objective' parameter of the plan must be one of 'glm', 'ncp', 'nloss', 'prec', 'dm' "
         "or 'query', got another word instead."),
        ({"polish": {}}, "polish",
         "The 'polish' parameter of the plan needs either seconds or steps."),
        ({"polish": {"seconds": 1, "steps": 5}}, "polish",
         "The 'polish' parameter of the plan needs either seconds or steps."),
        ({"polish": {"seconds": 0}}, "polish.seconds",
         "The 'seconds' parameter of polish must be a number above 0 and at most 86400, got "
         "0 instead."),
        ({"ranges": "loose"}, "ranges",
         "The 'ranges' parameter of the plan must be one of 'tight', 'snapped' or 'columns', got "
         "another word instead."),
        ({"shards": {"rows": 1}}, "shards.rows",
         "The 'rows' parameter of shards must be an integer of at least 2, got 1 instead."),
        ({"shards": {}}, "shards.rows", "The 'rows' parameter of shards is required."),
        ({"missing": [None]}, "missing[0]",
         "The 'missing[0]' parameter of the plan must be a text, got nothing instead."),
        ({"output": ""}, "output.folder",
         "The 'folder' parameter of output must be a text that is not empty, got an empty text "
         "instead."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(changes: dict[str, Any], where: str, text: str) -> None:
    problem = only_problem(**changes)
    assert (problem.where, problem.text) == (where, text)


def test_a_mapping_has_no_lines() -> None:
    problem = only_problem(seed=-1)
    assert problem.line is None
    assert problem.where == "seed"


@pytest.mark.parametrize(
    "changes",
    [
        {"suppression": {"limit": 0}},
        {"suppression": {"limit": 1}},
        {"shards": {"rows": 2}},
        {"engine": {"local": {"workers": 1}}},
        {"seed": 0},
        {"seed": 2**128 - 1},
    ],
)
def test_the_ends_of_a_range_are_allowed(changes: dict[str, Any]) -> None:
    Plan.parse({**SMALL, **changes})


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    k: int = Field(ge=1, description="how many")
    share: float = 0.5
    words: list[str] = []


PLACE = DocumentPart(Document(None), ("privacy", 0, "part"), "part")


@pytest.mark.parametrize(
    ("data", "part", "where"),
    [
        ({"k": 1}, Part(k=1), []),
        ({"k": 1, "share": "0.2"}, Part(k=1), ["privacy[0].part.share"]),
        ({"k": 1, "words": ["a", 2]}, Part(k=1), ["privacy[0].part.words[1]"]),
        ({"k": 1, "l": 2}, Part(k=1), ["privacy[0].part.l"]),
        ({"k": 0, "share": True}, None, ["privacy[0].part.k", "privacy[0].part.share"]),
        ({}, None, ["privacy[0].part.k"]),
    ],
)
def test_what_is_right_is_kept(data: dict[str, Any], part: Part | None, where: list[str]) -> None:
    checked = check(Part, data, PLACE)
    assert checked.part == part
    assert sorted(problem.where for problem in checked.problems) == where


@pytest.mark.parametrize(
    ("path", "subject", "holder"),
    [
        (("seed",), "The 'seed' parameter of the plan", "the plan"),
        (("output", "folder"), "The 'folder' parameter of output", "output"),
        (("attributes", "age"), "Attribute 'age'", "attributes"),
        (("attributes", "age", "values", 0), "The 'values[0]' parameter of attribute 'age'",
         "attribute 'age'"),
    ],
)  # fmt: skip
def test_an_entry_is_named_with_what_contains_it(path: Path, subject: str, holder: str) -> None:
    place = DocumentPart(Document(None))
    assert (place.subject(path), place.holder(path)) == (subject, holder)
    assert PLACE.holder(path) == "part"
