from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.studio.draft import Draft, named, read_draft
from shoal.studio.place import Place
from tests.studio.sample import PLAN


@pytest.fixture
def draft(folder: Path) -> Draft:
    return read_draft(PLAN, Place(folder))


def test_reads_what_is_there(draft: Draft) -> None:
    assert draft.plan is not None
    assert draft.source == "people.csv"
    assert draft.requirements[0] == ("k-anonymity", {"k": 4})
    assert draft.method == ("mondrian", {})
    assert draft.of_role("quasi") == ["age", "town"]  # type: ignore[arg-type]


def test_a_role_leaves_out_what_does_not_belong_to_it(draft: Draft, folder: Path) -> None:
    text = draft.with_attribute("age", role="insensitive")
    assert read_draft(text, Place(folder)).attributes["age"] == {
        "role": "insensitive", "kind": "numeric",
    }  # fmt: skip


def test_a_draft_may_be_no_plan_yet(folder: Path) -> None:
    draft = read_draft("source: people.csv\nattributes: {age: quasi}\n", Place(folder))
    assert draft.plan is None
    assert any("privacy" in str(problem) for problem in draft.problems)


@pytest.mark.parametrize("text", ["", "- a\n", "a: [1\n", "just words"])
def test_what_is_no_mapping_is_refused(text: str, folder: Path) -> None:
    with pytest.raises(PlanError):
        read_draft(text, Place(folder))


def test_a_changed_text_means_what_was_changed_and_no_more(draft: Draft, folder: Path) -> None:
    changed = read_draft(draft.changed(seed=7), Place(folder))
    assert changed.content == {**draft.content, "seed": 7}
    assert read_draft(changed.changed(seed=None), Place(folder)).content == draft.content


def test_named_is_short_without_parameters() -> None:
    assert named("auto", {}) == "auto"
    assert named("k-anonymity", {"k": 2}) == {"k-anonymity": {"k": 2}}


def test_a_changed_hierarchy_file_is_read_again(folder: Path) -> None:
    text = PLAN.replace("{width: 10, levels: 2}", "ages.csv")
    assert read_draft(text, Place(folder)).plan is None
    (folder / "ages.csv").write_text("18;*\n", encoding="utf-8")
    assert read_draft(text, Place(folder)).plan is not None
