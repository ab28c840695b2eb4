"""Verdicts, counts and shares that a reader of the tables can count."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.folder.manifest import manifest_of
from shoal.folder.public import Public
from shoal.folder.statement import cells_by_attribute, counts_of, singled_out
from tests.folder.test_public import FRAME, PLAN, SECRETS
from tests.papers.lgb.cases import PATIENTS
from tests.report.sample import release as sample


def test_what_is_shown_is_stated_as_the_run_found_it() -> None:
    privacy = [
        {"k-anonymity": {"k": 2}},
        {"l-diversity": {"l": 2}},
        {"alpha-k": {"alpha": 1, "k": 2}},
        {"t-closeness": {"t": 0.9}},
        {"k-e": {"k": 1, "e": 0, "attribute": "pay"}},
    ]
    release = shoal.run({**PLAN, "privacy": privacy}, FRAME)
    stated = manifest_of(release).verdicts
    assert [(v.requirement, v.attribute, v.holds, v.asked, v.reached) for v in stated] == [
        (v.requirement, v.attribute, v.holds, v.asked, v.reached) for v in release.verdicts
    ]


@pytest.mark.parametrize("distance", ["equal", "ordered", None])
def test_distances_to_the_whole_are_open_where_rows_are_left_out(distance: str | None) -> None:
    towns = {"role": "quasi", "hierarchy": {"tree": {"n": ["a"], "s": ["b"]}}}
    attributes = {"town": towns, "ill": {"role": "sensitive", "kind": "numeric"}}
    asked = {"t-closeness": {"t": 1, **({"distance": distance} if distance else {})}}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}, asked],
            "method": "ka", "seed": 1}  # fmt: skip
    for towns, reached in (("aabb", True), ("aab", False)):
        frame = pl.DataFrame({"town": list(towns), "ill": range(len(towns))})
        verdict = manifest_of(shoal.run(plan, frame)).verdicts[1]
        assert verdict.holds is True
        assert (verdict.reached is not None) is reached


def test_people_are_those_who_are_published() -> None:
    towns = {"role": "quasi", "hierarchy": {"tree": {"n": ["a"], "s": ["b"]}}}
    plan = {"attributes": {"who": "identifier", "town": towns}, "individual": "who",
            "privacy": [{"ir-k": {"k": 2}}], "method": "ka", "seed": 1}  # fmt: skip
    frame = pl.DataFrame({"who": list("pqr"), "town": list("aab")})
    release = shoal.run(plan, frame)
    assert release.counts.people == 3
    assert counts_of(Public.of(release)) == {
        "rows": 3, "published": 2, "suppressed": 1, "repeated": 0, "classes": 1, "people": 2,
    }  # fmt: skip


@pytest.mark.parametrize("tables", ["split", "joined"])
@pytest.mark.parametrize("ranges", ["tight", "columns"])
def test_withheld_and_missing_cells_are_counted_alike(tables: str, ranges: str) -> None:
    # The zip codes of a class in which only some keep theirs secret are withheld.
    frame = PATIENTS.with_columns(
        age_secret=pl.lit("no"), zip_secret=pl.Series(["yes"] + ["no"] * 7)
    )
    plan = {**SECRETS, "method": {"lgb-mdp": {"tables": tables}}, "ranges": ranges}
    release = shoal.run(plan, frame)
    withheld = release.counts.withheld
    assert withheld
    counts = counts_of(Public.of(release))
    assert (counts["empty"], counts["empty_rows"]) == (withheld, release.counts.withheld_rows)
    assert "withheld" not in counts
    missing = shoal.run(plan, frame.with_columns(zip=pl.lit(None, dtype=pl.String)))
    assert counts_of(Public.of(missing))["empty"] >= 7


def test_every_quasi_identifier_is_accounted_for() -> None:
    made, _ = sample()
    shares = cells_by_attribute(Public.of(made))
    assert list(shares) == ["age", "town", "job", "seen"]
    assert all(sum(s.values()) == pytest.approx(1) for s in shares.values())
    assert "either" not in shares["town"]


@pytest.mark.parametrize(
    ("notes", "share"), [(list("uvwx"), 1.0), (list("uuvw"), 0.5), (list("uuvv"), 0.0)]
)
def test_rows_are_singled_out_among_those_published(notes: list[str], share: float) -> None:
    attributes: dict[str, Any] = {"age": "quasi", "note": "insensitive", "ill": "sensitive"}
    frame = pl.DataFrame({"age": [1, 1, 1, 1], "note": notes, "ill": ["x"] * 4})
    release = shoal.run({**PLAN, "attributes": attributes}, frame)
    assert singled_out(Public.of(release)) == share
    nothing = shoal.run({**PLAN, "attributes": {"age": "quasi"}}, frame.select("age"))
    assert singled_out(Public.of(nothing)) == 0
