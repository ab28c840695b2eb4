from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import polars as pl
import pytest

from shoal.report import release_report
from tests.report.document import Document
from tests.report.sample import by_hand, manifest, people, release


@pytest.fixture(scope="module")
def page() -> str:
    made, _ = release()
    return release_report(manifest(made), made.coded)


def test_says_what_was_asked_reached_and_lost(page: str) -> None:
    words = Document(page).words
    assert "shares their published description with at least 3 others" in words
    assert "Every group shows at least 2 different values of illness" in words
    assert "400 of 400 rows" in words
    assert "detail lost" in words


def test_is_one_well_formed_file_without_scripts_or_links(page: str) -> None:
    document = Document(page)
    assert document.faults == []
    assert not document.of("script")
    assert not document.of("link")
    assert not document.of("img")
    assert "http" not in page
    assert "url(" not in page
    assert "@import" not in page


def test_headings_descend_and_every_picture_has_a_name(page: str) -> None:
    document = Document(page)
    levels = [int(tag[1]) for tag, _ in document.elements if tag in ("h1", "h2", "h3")]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    pictures = [a for a in document.of("svg") if a.get("role") == "img"]
    assert len(pictures) >= 8
    assert all(a["aria-label"] for a in pictures)
    assert all(a.get("scope") in ("col", "row") for a in document.of("th"))
    assert document.of("html") == [{"lang": "en"}]


def test_shows_no_value_of_anybody(page: str) -> None:
    frame = people()
    words = Document(page).words
    for column in ("town", "job", "illness"):
        for value in frame[column].unique():
            assert value not in words
    assert "north" not in words


def test_text_and_dictionary_columns_give_the_same_page() -> None:
    made, _ = release()
    stated = manifest(made)
    assert release_report(stated, made.coded) == release_report(stated, made.tables)


def test_row_order_changes_nothing() -> None:
    made, _ = release()
    stated = manifest(made)
    shuffled = {"data": made.frame.sample(fraction=1.0, shuffle=True, seed=9)}
    assert release_report(stated, shuffled) == release_report(stated, made.tables)


HOSTILE = "<script>alert('x')</script>\"&{{ 7*7 }}"


def test_everything_is_escaped() -> None:
    table = pl.DataFrame({HOSTILE: [HOSTILE] * 4, "b": ["{% raw %}", "*", "b", "<i>"]})
    stated = by_hand(
        {HOSTILE: "quasi", "b": "insensitive"},
        method=HOSTILE,
        version=HOSTILE,
        time=HOSTILE,
        plan=HOSTILE,
        requirements=[{"model": HOSTILE, "parameters": {"attribute": HOSTILE}}],
        verdicts=[
            {"requirement": HOSTILE, "attribute": HOSTILE, "holds": True, "asked": {HOSTILE: 1}}
        ],
        measures={HOSTILE: 0.5},
        loss_by_attribute={HOSTILE: 0.5},
    )
    page = release_report(stated, {"data": table})
    document = Document(page)
    assert not document.of("script")
    assert document.faults == []
    assert HOSTILE in document.words
    assert "49" not in document.words


def test_a_release_without_rows_has_a_page() -> None:
    made, _ = release()
    stated = manifest(made, counts={"rows": 5, "published": 0, "suppressed": 5})
    document = Document(release_report(stated, {"data": made.frame.clear()}))
    assert "No rows are published." in document.words
    assert document.faults == []


def test_a_release_without_a_description_has_a_page() -> None:
    table = pl.DataFrame({"illness": ["a", "b", "c"]})
    stated = by_hand({"illness": "sensitive"}, counts={"rows": 3, "published": 3, "suppressed": 0})
    document = Document(release_report(stated, {"data": table}))
    assert "No column of this table describes people." in document.words
    assert "All 3 rows look alike" in document.words


def test_an_empty_manifest_is_no_error() -> None:
    assert "Nothing was required." in release_report(by_hand(), {"data": pl.DataFrame()})


def test_a_table_that_fails_is_not_praised() -> None:
    table = pl.DataFrame({"a": ["x", "y", "y"]})
    verdict = {"requirement": "k-anonymity {k: 2}", "holds": False, "asked": 2, "reached": 1}
    stated = by_hand(
        {"a": "quasi"},
        requirements=[{"model": "k-anonymity", "parameters": {"k": 2}}],
        verdicts=[{**verdict, "offending": 1}],
    )
    words = Document(release_report(stated, {"data": table})).words
    assert "1 person stands alone" in words
    assert "does not hold" in words
    assert "1 less than required" in words
    assert "Some requirements are not known to hold" in words


def test_importing_shoal_loads_neither_reports_nor_templates() -> None:
    code = "import sys, shoal; print({'jinja2', 'altair', 'vl_convert'} & sys.modules.keys())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_a_nearly_empty_release_says_so_first() -> None:
    told = by_hand({"age": "quasi"}, counts={"rows": 10, "published": 2, "suppressed": 8})
    page = release_report(told, {"data": pl.DataFrame({"age": ["[1, 2]", "[1, 2]"]})})
    assert 'class="claim">Nearly empty: 20% of the cells' in page
    assert "8 of 10 rows are not in the table" in page
    hidden = by_hand({"age": "quasi"}, counts={"rows": 2, "published": 2, "suppressed": 0})
    page = release_report(hidden, {"data": pl.DataFrame({"age": ["*", "*"]})})
    assert 'class="claim">Nearly empty: 0% of the cells' in page
