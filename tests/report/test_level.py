"""Reports of releases with levels."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run import Release
from shoal.report import release_report
from shoal.report.finding import Finding
from shoal.report.level import levels_of
from shoal.report.wording import sentence
from tests.report.document import Document
from tests.report.sample import manifest, private_page, release

# The worked example of MKS3WD: 17 people, f and class of each.
F = [
    0.41, 0.89, 0.54, 0.94, 0.42, 0.48, 0.61, 0.17, 0.56, 0.70, 0.53, 0.85, 0.87, 0.80, 0.62, 0.68,
    0.65,
]  # fmt: skip
CLASS = list("dacacdaebbcaaabbb")
MODEL = {"thresholds": [[0.8, 0.2], [0.6, 0.5], [0.55, 0.54]], "levels": [[6, 1], [5, 2], [4, 3]]}


def example(
    method: str,
    people: bool = False,
    table: dict[str, Any] | None = None,
    model: dict[str, Any] = MODEL,
) -> tuple[Release, pl.DataFrame]:
    frame = pl.DataFrame(table or {"place": CLASS, "f": F})
    plan = {
        "attributes": {
            "place": {"role": "quasi", "hierarchy": {"tree": {c: [c] for c in "abcde"}}},
            "f": "sensitivity",
        },
        "privacy": [{"multi-level-k": model}],
        "method": {method: {"climb": "together"}},
        "seed": 1,
    }
    if people:
        frame = pl.concat([frame.with_row_index("who")] * 2)
        plan |= {"individual": "who"}
        plan["attributes"] = {"who": "identifier", **plan["attributes"]}  # type: ignore[dict-item]
    return shoal.run(plan, frame), frame


def test_levels_count_who_asked_and_who_was_released() -> None:
    made, _ = example("se-mks3wd")
    found = levels_of(made)
    assert found is not None
    assert found.n_suppressed == made.counts.suppressed
    assert {r.k: r.n_asked for r in found.rows} == {6: 5, 5: 5, 4: 1, 3: 2, 2: 3, 1: 1}
    assert {r.k: r.crowd for r in found.rows} == {6: 6, 5: 6, 4: None, 3: 3, 2: 2, 1: 1}
    assert sum(r.n_released for r in found.rows) == made.counts.published
    assert sum(r.n_suppressed for r in found.rows) == made.counts.suppressed
    regions = {r.region: r for r in found.regions}
    assert {name: r.n_people for name, r in regions.items()} == {
        "POS1": 5, "NEG1": 1, "POS2": 5, "NEG2": 3, "POS3": 1, "NEG3": 2
    }  # fmt: skip
    assert regions["POS2"].meaning == "above the upper threshold of level 2"
    assert regions["NEG2"].k == 2


def test_the_undecided_come_after_those_above_the_threshold() -> None:
    # The last level decides nobody in the middle, so that some are undecided with its high k.
    decided = [[0.8, 0.2], [0.6, 0.5]]
    model = {"thresholds": decided, "levels": [[6, 1], [5, 2]]}
    found = levels_of(example("se-mks3wd", model=model)[0])
    assert found is not None
    assert [r.region for r in found.regions] == ["POS1", "NEG1", "POS2", "BND2", "NEG2"]
    assert found.regions[3].meaning == "undecided at the last level"


def test_people_are_counted_once() -> None:
    rows, _ = example("ece-mks3wd")
    twice, _ = example("ece-mks3wd", people=True)
    once, again = levels_of(rows), levels_of(twice)
    assert once is not None
    assert again is not None
    assert once.rows == again.rows
    assert (once.unit, again.unit) == ("rows", "people")


@pytest.mark.parametrize("method", ["sd-mks3wd", "se-mks3wd", "ece-mks3wd"])
def test_the_publisher_sees_the_levels(method: str) -> None:
    made, _ = example(method)
    document = Document(private_page(made))
    assert document.faults == []
    assert "Rows that require it" in document.words
    assert ("Nobody was left out" in document.words) == (made.counts.suppressed == 0)
    assert ("POS2" in document.words) == (made.counts.suppressed > 0)


def test_releases_without_levels_have_no_such_section() -> None:
    made, _ = release()
    assert levels_of(made) is None
    assert "that require it" not in Document(private_page(made)).words


def test_readers_are_told_what_levels_mean() -> None:
    made, _ = example("ece-mks3wd")
    words = Document(release_report(manifest(made), made.coded)).words
    assert "the most sensitive with at least 5 others" in words
    assert "the least sensitive alone with their row" in words
    assert "not met" not in words
    assert "1 row is published in a group of one" in words
    assert "the sensitivity is at most 0.2 for 1 row, at most 0.5 for 2 rows, at most" in words


def test_only_the_publisher_is_told_how_many_get_less_than_asked() -> None:
    # The two most sensitive ask for 6, and there are only five people like them.
    table = {"place": list("aaaaabb"), "f": [0.9, 0.9, 0.7, 0.7, 0.7, 0.1, 0.1]}
    made, _ = example("sd-mks3wd", table=table)
    assert not made.holds
    n = 2
    words = Document(private_page(made)).words
    assert f"not met for {n} rows: they are published in a smaller crowd" in words
    assert re.search(rf"{n} rows fail", words)
    told = Document(release_report(manifest(made), made.coded)).words
    for page in (words, told):
        assert "Some requirements are not known to hold" in page
    assert "not met" not in told
    assert "how many is not stated" in told
    one = Finding("multi-level-k", {}, False, {"k": 3}, {"k": 2, "rows below": 1})
    assert "1 row: it is" in sentence(one)
    assert "not met" not in sentence(Finding("multi-level-k", {}, None, {"k": 3}, None))
