"""Reports of releases in which secrets are kept cell by cell."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run import Release
from shoal.report import release_report
from shoal.report.cell import cell_shares
from shoal.report.comparison import compare_attributes
from shoal.report.group import GroupSizes
from shoal.report.secret import bucket_sizes, risks_of
from shoal.report.wording import odds
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS
from tests.report.document import Document
from tests.report.sample import manifest, private_page, release

FORMS = ["split", "joined"]


def made(form: str = "split", frame: pl.DataFrame = PATIENTS, **changes: Any) -> Release:
    plan = {
        "attributes": PATIENT_ATTRIBUTES,
        "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
        "method": {"lgb-mdp": {"tables": form}},
        "seed": 1,
    }
    return shoal.run({**plan, **changes}, frame)


def flagged(age: Any, town: Any) -> pl.DataFrame:
    return PATIENTS.with_columns(
        pl.Series("age_secret", [age] * 8 if isinstance(age, str) else age),
        pl.Series("zip_secret", [town] * 8 if isinstance(town, str) else town),
    )


ODD = {
    "as in the paper": PATIENTS,
    "all secret": flagged("yes", "yes"),
    "none secret": flagged("no", "no"),
    "one withheld": flagged(["no"] * 7 + ["yes"], "no"),
}


def public(of: Release) -> Document:
    return Document(release_report(manifest(of), of.coded))


@pytest.mark.parametrize("ranges", ["tight", "snapped", "columns"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("frame", ODD.values(), ids=ODD.keys())
def test_every_form_has_both_pages(frame: pl.DataFrame, form: str, ranges: str) -> None:
    of = made(form, frame, ranges=ranges)
    for page in (public(of), Document(private_page(of))):
        assert page.faults == []
        assert "Secrets, and how to read the table" in page.words
        assert "ncp counts it as 0" in page.words
        assert "published as it was" not in page.words, "nothing sensitive is"


@pytest.mark.parametrize("form", FORMS)
def test_the_public_page_tells_how_to_read_the_table(form: str) -> None:
    words = public(made(form)).words
    for word in ("record", "GID", "age_BID", "zip_BID", "disease_BID"):
        assert word in words
    assert ("it need not be the row’s own value" in words) == (form == "joined")
    assert ("buckets-age" in words) == (form == "split")
    assert "Every bucket of age holds at least 2 different values." in words
    assert re.search(r"age .*? 4 \(50%\) 2 2 2 ", words), "secret cells, buckets, least, most"
    assert "No cell is withheld" in words


def test_the_public_page_shows_no_value() -> None:
    words = public(made()).words
    for name in ("disease", "zip", "gender"):
        assert not any(re.search(rf"\b{value}\b", words) for value in PATIENTS[name])


def test_withheld_cells_are_counted_on_both_pages() -> None:
    frame = ODD["one withheld"]
    of = made(frame=frame)
    n = of.counts.withheld
    assert n
    assert f"withheld or missing, as {n} cells are, in {n} rows" in public(of).words
    assert f"{n} cells are withheld, in {n} rows" in Document(private_page(of)).words


def test_what_is_asked_of_no_secret_is_said_to_be_idle() -> None:
    words = public(made(frame=ODD["none secret"])).words
    assert "No value of age is in a bucket" in words
    assert "Secrets that go together" not in words
    assert "Every bucket of disease holds" in words
    assert re.search(r"age there are none 0 \(0%\) 0 – –", words)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"l-diversity": {"l": 2, "kind": "frequency"}}, "In no bucket do more than one in 2"),
        ({"l-diversity": {"l": 1.5, "kind": "entropy"}}, "In every bucket the values of age are"),
        ({"t-closeness": {"t": 0.5}}, "spread nearly as in all its buckets together"),
    ],
)
def test_rules_of_buckets_in_words(rule: dict[str, Any], told: str) -> None:
    asked = [{m: {**given, "attribute": name} for m, given in rule.items()}
             for name in ("age", "zip", "disease")]  # fmt: skip
    of = made(privacy=[{"k-anonymity": {"k": 2}}, *asked])
    words = public(of).words
    assert told in words
    bounded = "frequency" in str(rule)
    assert ("Guesses without a limit" in words) == (not bounded)
    private = Document(private_page(of)).words
    assert ("no bound required" in private) == (not bounded)


@pytest.mark.parametrize("form", FORMS)
def test_the_private_page_tells_what_an_adversary_can(form: str) -> None:
    document = Document(private_page(made(form)))
    assert "What an adversary can learn" in document.words
    assert "which row is theirs 1 in 2 50% 1 in 2 ✓ within" in document.words
    for name in ("age", "zip", "disease"):
        assert f"their secret in {name} 1 in 2 50% 1 in 2 ✓ within" in document.words
    assert "Groups that share a secret" not in document.words


def test_numbers_that_are_bounds_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    of = made()
    risks = of.risks
    assert risks is not None
    assert {r.reached for r in risks_of(of)} == {"1 in 2"}
    bounds = replace(risks, identity_exact=False, identity=0.75)
    monkeypatch.setattr("shoal.release.outcome.adversary_risks", lambda _: bounds)
    first = risks_of(replace(of))[0]
    assert (first.reached, first.within) == ("at most 1 in 1.3", False)


def test_other_methods_have_no_such_section() -> None:
    of, _ = release(80)
    assert risks_of(of) == []
    words = Document(private_page(of)).words
    assert "What an adversary can learn" not in words
    assert "bucket" not in words


@pytest.mark.parametrize("form", FORMS)
def test_groups_are_the_same_in_both_forms(form: str) -> None:
    of = made(form)
    stated = manifest(of)
    sizes = GroupSizes.of_table(of.coded["data"], stated)
    assert (sizes.n_classes, sizes.smallest, sizes.largest) == (4, 2, 2)
    found = {
        b.name: (b.n_buckets, b.n_values, b.least, b.most) for b in bucket_sizes(stated, of.coded)
    }
    assert found == {"age": (2, 4, 2, 2), "zip": (1, 2, 2, 2), "disease": (4, 8, 2, 2)}


@pytest.mark.parametrize("form", FORMS)
def test_shares_of_cells(form: str) -> None:
    cells = manifest(made(form)).cells_by_attribute
    assert cells["age"] == {"generalised": 0.5, "secret": 0.5}
    assert cells["zip"] == {"original": 0.25, "generalised": 0.5, "secret": 0.25}


def test_empty_cells_are_withheld_or_missing() -> None:
    table = pl.DataFrame({"a": ["1", None, None, "9"], "a_BID": [None, None, "1", "1"]})
    assert cell_shares(table, "a", "numeric", "") == {"original": 0.5, "secret": 0.5}
    assert cell_shares(table, "a", "numeric", "", withheld=True) == {
        "original": 0.25, "empty": 0.25, "secret": 0.5,
    }  # fmt: skip
    ends = table.select(a_low=pl.col("a").cast(int), a_high=pl.col("a").cast(int), a_BID="a_BID")
    assert cell_shares(ends, "a", "numeric", "", withheld=True)["empty"] == 0.25


def test_only_public_cells_are_compared() -> None:
    frame = PATIENTS.with_columns(age=pl.Series([20, 20, 40, 99, 99, 40, 99, 99]))
    frame = frame.with_columns(zip_secret=pl.lit("no"))
    of = made(frame=frame, privacy=[{"k-anonymity": {"k": 2}},
                                    {"l-diversity": {"attribute": "age", "l": 1}},
                                    {"l-diversity": {"attribute": "zip", "l": 1}},
                                    {"l-diversity": {"attribute": "disease", "l": 2}}])  # fmt: skip
    found = {c.name: c for c in compare_attributes(of.schema, of.coded["data"], frame, of.origin)}
    chart = found["age"].chart
    assert chart is not None
    assert not any("99" in bar.title for bar in chart.bars), "a secret is in the picture"


def test_what_nobody_shows_is_not_compared() -> None:
    frame = ODD["all secret"]
    of = made(frame=frame)
    names = [c.name for c in compare_attributes(of.schema, of.coded["data"], frame, of.origin)]
    assert names == ["gender"]
    assert "The table shows nothing of age and zip" in Document(private_page(of)).words


def test_the_table_of_classes_tells_secret_from_withheld() -> None:
    assert "(secret)" in made().classes["age"].to_list()
    assert "(withheld)" in made(frame=ODD["one withheld"]).classes["age"].to_list()


@pytest.mark.parametrize(
    ("risk", "exact", "words"),
    [
        (0.5, True, "1 in 2"),
        (1.0, True, "1 in 1"),
        (0.0, True, "none"),
        (0.4, False, "at most 1 in 2.5"),
    ],
)
def test_odds(risk: float, exact: bool, words: str) -> None:
    assert odds(risk, exact) == words
