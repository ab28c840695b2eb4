"""The stories of the papers: complete, and every example prints what it says."""

from __future__ import annotations

from typing import Any

import pytest

from shoal._command.reproduce.reproduce import REPRODUCED

PAPERS = [p for key, p in REPRODUCED.items() if key != "across"]


def examples() -> list[Any]:
    found = []
    for paper in REPRODUCED.values():
        whys = [(f"{paper.key}-{claim}", why) for claim, why in paper.story.get("why", {}).items()]
        whys += [
            (f"{paper.key}-erratum-{i}", e) for i, e in enumerate(paper.story.get("errata", []))
        ]
        found += [pytest.param(one, id=name) for name, one in whys if "code" in one]
    return found


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.key)
def test_a_story_has_all_its_parts(paper: Any) -> None:
    story = paper.story
    assert all(story[part].strip() for part in ("proposes", "plans", "plan", "data"))
    assert story["differences"]
    assert all(why["text"].strip() for why in story.get("why", {}).values())


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.key)
def test_an_example_that_is_referred_to_is_there(paper: Any) -> None:
    whys = paper.story["why"]
    assert all("code" in whys[why["see"]] for why in whys.values() if "see" in why)


@pytest.mark.parametrize("example", examples())
def test_an_example_prints_what_it_says(
    example: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(example["code"], "story", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.split() == example["prints"].split()
