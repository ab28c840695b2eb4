"""Editing a plan file: what is asked changes, everything else stays to the byte."""

from __future__ import annotations

import difflib
import json
from typing import Any

import pytest

from shoal.errors import PlanError
from shoal.method import ECEMKS3WD, SEMKS3WD
from shoal.model import MultiLevelK
from shoal.plan import Plan
from shoal.plan.edit import with_levels

MODEL = MultiLevelK(thresholds=[(0.75, 0.25), (0.5, 0.5)], levels=[(8, 1), (7, 2)])
HEAD = """\
# Who may see this:   nobody
source:   people.csv    # odd   spacing
attributes:
    age: { role: quasi,  hierarchy: {width: 5, levels: 3} }   # years

    town:
        role: 'quasi'
        hierarchy: flat
    f:   sensitivity   # by questionnaire
    ill: "sensitive"
"""
TAIL = """
# the end
seed:  7
"""
OWN = "multi-level-k: {thresholds: [[.8, .2]],   levels: [[6, 1]]}"


def edited(privacy: str, method: str = "method: ece-mks3wd\n", **options: Any) -> tuple[str, str]:
    text = HEAD + privacy + method + TAIL
    plan = Plan.parse(text)
    new = with_levels(plan, options.get("model", MODEL), options.get("to", ECEMKS3WD())).text
    read = Plan.parse(new)
    assert [m for m in read.models if isinstance(m, MultiLevelK)] == [options.get("model", MODEL)]
    assert read.method == options.get("to", ECEMKS3WD())
    assert [m.name for m in read.models if not isinstance(m, MultiLevelK)] == [
        m.name for m in plan.models if not isinstance(m, MultiLevelK)
    ]
    return text, new


def changed(before: str, after: str) -> tuple[list[str], list[str]]:
    """Lines that went, and lines that came."""
    found = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [x[2:] for x in found if x[:2] == "- "], [x[2:] for x in found if x[:2] == "+ "]


def test_the_own_requirement_is_changed_in_its_place() -> None:
    gone, come = changed(*edited(f"privacy:\n  - {OWN}  # levels\n"))
    assert gone == [f"  - {OWN}  # levels"]
    new = "{thresholds: [[0.75, 0.25], [0.5, 0.5]],   levels: [[8, 1], [7, 2]]}"
    assert come == [f"  - multi-level-k: {new}  # levels"]


def test_a_block_stands_beside_its_key_and_comments_around_it_stay() -> None:
    block = """\
privacy:   # what must hold
- l-diversity: {l: 2}   # also
- multi-level-k:
    strict: true   # no less
    thresholds:   # from 1 and 0
    - [0.8, 0.2]
    levels:
    # the worried first
    - k: [6, 1]
    # after it
"""
    model = MODEL.model_copy(update={"strict": True})
    gone, come = changed(*edited(block, model=model))
    assert come == [
        "    thresholds: [[0.75, 0.25], [0.5, 0.5]]   # from 1 and 0",
        "    levels: [[8, 1], [7, 2]]",
    ]
    assert gone == ["    thresholds:   # from 1 and 0", "    - [0.8, 0.2]", "    levels:",
                    "    - k: [6, 1]"]  # fmt: skip


@pytest.mark.parametrize("indent", ["", "  ", "      "])
def test_a_new_requirement_comes_last_with_the_indentation_of_the_others(indent: str) -> None:
    privacy = f"privacy:\n{indent}- k-anonymity:\n{indent}    k: 2  # pairs\n\n"
    gone, come = changed(*edited(privacy))
    assert gone == []
    assert come == [
        f"{indent}- multi-level-k:",
        f"{indent}    thresholds: [[0.75, 0.25], [0.5, 0.5]]",
        f"{indent}    levels: [[8, 1], [7, 2]]",
    ]


def test_a_list_on_one_line_stays_on_one() -> None:
    gone, come = changed(*edited("privacy: [{k-anonymity: {k: 2}}, l-diversity: {l: 2}]  # both\n"))
    assert len(gone) == len(come) == 1
    assert come[0].endswith("]  # both")


@pytest.mark.parametrize(
    ("old", "line"),
    [
        ("method: mondrian   # quick\n", "method: se-mks3wd   # quick"),
        ("method: {ka: {}}   # slow\n", "method: se-mks3wd   # slow"),
        ("method:  # which\n  mondrian:\n    {}\n", "method: se-mks3wd  # which"),
    ],
)
def test_the_method_is_changed(old: str, line: str) -> None:
    gone, come = changed(*edited(f"privacy:\n  - {OWN}\n", old, to=SEMKS3WD()))
    assert line in come
    assert len(gone) == 1 + len(old.splitlines())


def test_a_method_that_was_left_out_is_added() -> None:
    _, come = changed(*edited("privacy:\n  - k-anonymity: {k: 2}   # two\n", "", to=SEMKS3WD()))
    assert come[-1] == "method: se-mks3wd"
    assert len(come) == 4


def test_options_of_a_method_stay() -> None:
    method = "method: {ece-mks3wd: {boundary: suppress}}\n"
    before, after = edited(f"privacy:\n  - {OWN}\n", method, to=ECEMKS3WD(boundary="suppress"))
    assert method in after
    _, come = changed(before, after)
    assert len(come) == 1


def test_json_stays_json() -> None:
    plan = {
        "attributes": {"age": {"role": "quasi", "hierarchy": "flat"}, "f": "sensitivity"},
        "privacy": [{"k-anonymity": {"k": 2}}],
    }
    new = with_levels(Plan.parse(json.dumps(plan, indent="\t")), MODEL, ECEMKS3WD()).text
    read = json.loads(new)
    assert read["method"] == "ece-mks3wd"
    assert read["privacy"][0] == plan["privacy"][0]
    assert read["privacy"][1]["multi-level-k"]["levels"] == [[8, 1], [7, 2]]
    again = with_levels(Plan.parse(new), MODEL, SEMKS3WD()).text
    assert json.loads(again)["method"] == "se-mks3wd"


def test_line_ends_and_a_missing_last_one_are_kept() -> None:
    text = (HEAD + "privacy:\n  - k-anonymity: {k: 2}").replace("\n", "\r\n")
    new = with_levels(Plan.parse(text), MODEL, ECEMKS3WD()).text
    assert new.startswith(text)
    assert new.count("\n") == new.count("\r\n")
    assert Plan.parse(new).method == ECEMKS3WD()


def test_what_a_level_asks_beside_k_is_written() -> None:
    model = MultiLevelK.model_validate(
        {"thresholds": [(0.5, 0.5)], "levels": [{"k": (4, 1), "l-diversity": {"l": 2}}]}
    )
    edited(f"privacy:\n  - {OWN}\n", model=model)


def test_a_file_that_cannot_be_edited_safely_is_refused() -> None:
    privacy = """\
privacy:
  - multi-level-k: {thresholds: &own [[.8, .2]], levels: [[6, 1]]}
  - multi-level-k: {thresholds: *own, levels: [[5, 1]]}
"""
    with pytest.raises(PlanError, match="cannot be edited safely"):
        with_levels(Plan.parse(HEAD + privacy), MODEL, ECEMKS3WD())


def test_a_plan_that_was_no_text_is_refused() -> None:
    plan = {"attributes": {"age": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}]}
    with pytest.raises(PlanError, match="read from text"):
        with_levels(Plan.parse(plan), MODEL, ECEMKS3WD())


def test_a_comment_that_repeats_the_old_numbers_goes() -> None:
    block = """\
privacy:
- multi-level-k:
    thresholds: [[0.8, 0.2]]   # level 1: f >= 0.8 or f <= 0.2
    levels:   # level 1 is the worried
    - k: [6, 1]
"""
    _, come = changed(*edited(block))
    assert come == [
        "    thresholds: [[0.75, 0.25], [0.5, 0.5]]",
        "    levels: [[8, 1], [7, 2]]",
    ]


def test_a_stale_comment_behind_a_list_on_one_line_goes() -> None:
    _, come = changed(*edited(f"privacy:\n  - {OWN}  # f >= .8\n"))
    assert come == [
        "  - multi-level-k: {thresholds: [[0.75, 0.25], [0.5, 0.5]],   levels: [[8, 1], [7, 2]]}"
    ]
