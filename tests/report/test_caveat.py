"""What the guarantee does not cover: each limit where it applies, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.reading.manifest import Manifest
from shoal.report.caveat import caveats
from shoal.report.finding import findings_of
from tests.report.sample import by_hand, manifest, release

# Two groups of three.
SIZES = (np.array([3]), np.array([2]))


def titles(manifest: Manifest) -> str:
    found = findings_of(manifest, pl.DataFrame())
    return " | ".join(c.title for c in caveats(manifest, found, SIZES))


def asked(model: str, **parameters: Any) -> dict[str, Any]:
    text = f"{model} {{{', '.join(f'{k}: {v}' for k, v in parameters.items())}}}"
    verdict = {"requirement": text, "holds": True, "attribute": parameters.get("attribute")}
    return {"requirements": [{"model": model, "parameters": parameters}], "verdicts": [verdict]}


def test_a_secret_that_nothing_was_asked_of_is_named() -> None:
    columns = {"a": "quasi", "ill": "sensitive"}
    assert "a whole group shares" in titles(by_hand(columns, **asked("k-anonymity", k=3)))
    guarded = asked("t-closeness", t=0.2, attribute="ill")
    assert "a whole group shares" not in titles(by_hand(columns, **guarded))


def test_limits_follow_the_form_of_the_table() -> None:
    made, _ = release()
    stated = manifest(made)
    dumped = stated.model_dump()["columns"]
    assert "Ends of ranges are real" in titles(stated)
    assert "Ends of ranges are real" not in titles(manifest(made, ranges="snapped"))
    assert "Columns that were left as they were" in titles(stated)
    assert "Likely guesses" in titles(stated)
    assert "Rows that were left out" not in titles(stated)
    assert "Rows that were left out" in titles(manifest(made, counts={"suppressed": 1}))
    people = [{"name": "Id_num", "role": "person"}, *dumped]
    assert "Each row is taken" in titles(stated)
    assert "Each row is taken" not in titles(manifest(made, columns=people))


def test_limits_that_no_release_escapes() -> None:
    found = titles(by_hand())
    for limit in ("already knows", "Several releases", "know the method"):
        assert limit in found


PEOPLE = {"Id_num": "person", "a": "quasi", "ill": "sensitive"}
BUCKETS = {"form": "split"}


@pytest.mark.parametrize(
    ("title", "applies", "does_not"),
    [
        (
            "People without a crowd",
            by_hand(**asked("multi-level-k", thresholds=[[0.8, 0.2]], levels=[[6, 1]])),
            by_hand(**asked("multi-level-k", thresholds=[[0.8, 0.2]], levels=[[6, 2]])),
        ),
        (
            "What the size of a group reveals",
            by_hand(**asked("multi-level-k", thresholds=[[0.8, 0.2]], levels=[[4, 2]])),
            by_hand(**asked("multi-level-k", thresholds=[[0.8, 0.2]], levels=[[3, 2]])),
        ),
        (
            "Sets are exact",
            by_hand({"a": "quasi"}, cells_by_attribute={"a": {"generalised": 0.1}}),
            by_hand({"a": "quasi"}, cells_by_attribute={"a": {"hidden": 0.1}}),
        ),
        (
            "Cells that may have been replaced",
            by_hand(PEOPLE, conflict="mode"),
            by_hand(PEOPLE, conflict="error"),
        ),
        (
            "Rows that stand out by themselves",
            by_hand({"note": "insensitive"}, singled_out=0.5),
            by_hand({"note": "insensitive"}, singled_out=0.05),
        ),
        (
            "Rows that belong together",
            by_hand(PEOPLE),
            by_hand({"a": "quasi", "ill": "sensitive"}),
        ),
        (
            "A value that everybody has",
            by_hand(PEOPLE, **asked("ir-kl", k=2, l=2)),
            by_hand(PEOPLE, **asked("eir-l", l=2)),
        ),
        (
            "Likely guesses",
            by_hand({"ill": "sensitive"}, **asked("l-diversity", l=2)),
            by_hand({"ill": "sensitive"}, **asked("l-diversity", l=2, kind="entropy")),
        ),
        (
            "Links between rows and buckets",
            by_hand({"ill": "sensitive"}, **BUCKETS),
            by_hand({"ill": "sensitive"}),
        ),
        (
            "What people chose to hide",
            by_hand({"zip": "semi-sensitive"}, **BUCKETS),
            by_hand({"ill": "sensitive"}, **BUCKETS),
        ),
    ],
)
def test_a_limit_is_told_where_it_applies(
    title: str, applies: Manifest, does_not: Manifest
) -> None:
    assert title in titles(applies)
    assert title not in titles(does_not)
