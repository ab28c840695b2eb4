from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal._command.compare.risk import risk_of
from shoal.report.group import GroupSizes
from tests.frozen.plans import frozen_plans
from tests.report.document import Document
from tests.report.sample import manifest, people, private_page, release


def test_shows_all_that_the_publisher_needs() -> None:
    made, _ = release()
    document = Document(private_page(made))
    words = document.words
    assert document.faults == []
    assert "must not be handed out" in words
    for section in ("Before and after", "What was left out", "What the groups publish", "The plan"):
        assert section in words
    assert "smith, retired" in words
    assert "Error of counts" in words
    assert "k-anonymity" in words


@pytest.mark.parametrize("ranges", ["tight", "snapped", "columns"])
def test_every_form_of_ranges_has_a_page(ranges: str) -> None:
    made, _ = release(ranges=ranges)
    document = Document(private_page(made))
    assert document.faults == []
    assert len(re.findall(r"\d moved|% moved", document.words)) == len(made.schema.quasi)


def test_suppressed_rows_are_told_by_who_left_them_out() -> None:
    made, _ = release()
    counts = replace(made.counts, suppressed=9, suppressed_by_repair=4)
    words = Document(private_page(replace(made, counts=counts))).words
    assert re.search(r"method 5 .*repair 4 ", words)


def test_people_with_several_rows_are_counted_once() -> None:
    frame = people(60).drop("seen", "visit").with_row_index("who")
    frame = pl.concat([frame, frame])
    plan = {
        "individual": "who",
        "attributes": {"who": "identifier", "age": "quasi", "town": "quasi", "job": "quasi",
                       "illness": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 5}}],
        "method": "mondrian",
        "seed": 1,
    }  # fmt: skip
    made = shoal.run(plan, frame)
    words = Document(private_page(made)).words
    assert "People 60 Groups" in words
    assert f"at least {made.verdicts[0].reached - 1} others" in words


def test_groups_that_share_a_secret_are_counted() -> None:
    frame = pl.DataFrame({"age": [1, 1, 1, 9, 9, 9], "ill": ["a", "a", "a", "a", "b", "b"]})
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 3}}],
        "method": "mondrian",
        "seed": 1,
    }
    words = Document(private_page(shoal.run(plan, frame))).words
    assert re.search(r"Groups that share a secret .* ill 1 3 ", words)


def test_hostile_names_and_values_stay_text() -> None:
    bad = "<script>alert(1)</script>"
    frame = people(80).drop("seen").rename({"job": bad})
    frame = frame.with_columns(
        pl.when(pl.col("age") > 50).then(pl.lit(bad)).otherwise(bad).alias(bad)
    )
    attributes = {"age": "quasi", "town": "quasi", bad: {"role": "quasi", "kind": "categorical"},
                  "illness": "sensitive", "visit": "insensitive"}  # fmt: skip
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 3}}], "seed": 1}
    document = Document(private_page(shoal.run({**plan, "method": "mondrian"}, frame)))
    assert not document.of("script")
    assert document.faults == []
    assert bad in document.words


def test_the_groups_of_a_wide_table_are_running_text() -> None:
    frame = pl.DataFrame({f"q{i}": [1, 1, 2, 2] for i in range(7)})
    plan = {"attributes": dict.fromkeys(frame.columns, "quasi"), "seed": 1,
            "privacy": [{"k-anonymity": {"k": 2}}]}  # fmt: skip
    page = private_page(shoal.run(plan, frame))
    assert '<span class="pair"><span class="soft">q6</span> 2</span>' in page
    narrow = {**plan, "attributes": {**plan["attributes"], "q6": "drop"}}
    assert '<span class="pair">' not in private_page(shoal.run(narrow, frame))


def test_groups_that_are_numbered_are_counted_by_their_numbers() -> None:
    plan, frame = frozen_plans()["lgb-mdp of rows"]
    made = shoal.run(plan, frame)
    groups = GroupSizes.of_table(made.coded["data"], manifest(made)).n_classes
    assert groups == made.counts.classes == manifest(made).counts["classes"]
    assert groups == risk_of(made).n_classes


def test_a_bound_that_prices_few_people_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made, _ = release()
    said = "no release can lose less"
    assert said in Document(private_page(made)).words
    monkeypatch.setattr("shoal.measure.price._MOST_NEAR", 399)
    assert said not in Document(private_page(made)).words
