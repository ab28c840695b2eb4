"""Verdicts with the requirements that they are on."""

from __future__ import annotations

from typing import Any

import polars as pl

from shoal.reading.manifest import Manifest
from shoal.report.finding import findings_of
from tests.report.sample import by_hand


def _stated(requirement: str, attribute: str | None = None, **more: Any) -> dict[str, Any]:
    return {"requirement": requirement, "attribute": attribute, "holds": True, **more}


def test_each_verdict_finds_its_requirement() -> None:
    manifest = by_hand(
        {"a": "quasi", "ill": "sensitive"},
        requirements=[
            {"model": "k-anonymity", "parameters": {"k": 3}},
            {"model": "l-diversity", "parameters": {"l": 2, "c": None}},
        ],
        verdicts=[
            _stated("l-diversity {l: 2}", "ill", asked=2, reached=4, offending=1),
            _stated("k-anonymity {k: 3}", asked=3, reached=5),
        ],
    )
    first, second = findings_of(manifest, pl.DataFrame())
    assert (second.model, second.parameters, second.reached) == ("k-anonymity", {"k": 3}, 5)
    assert (first.model, first.attribute, first.n_offending) == ("l-diversity", "ill", 1)
    assert first.parameters == {"l": 2}


def test_a_verdict_on_something_else_keeps_its_name() -> None:
    [found] = findings_of(by_hand(verdicts=[_stated("k-map {k: 3}")]), pl.DataFrame())
    assert (found.model, found.parameters) == ("k-map", {})


def test_buckets_and_symbols_are_those_of_the_columns() -> None:
    columns = [
        {"name": "zip", "role": "semi-sensitive"},
        {"name": "ill", "role": "sensitive", "symbols": "by-flag"},
        {"name": "age", "role": "quasi"},
    ]
    verdicts = [_stated("l-diversity {l: 2}", name) for name in ("zip", "ill", "age", None)]
    for form, by_bucket in (("split", [True, True, False, False]), ("plain", [False] * 4)):
        stated = {**by_hand().model_dump(), "columns": columns, "verdicts": verdicts, "form": form}
        found = findings_of(Manifest.model_validate(stated), pl.DataFrame())
        assert [f.by_bucket for f in found] == by_bucket
        assert [f.as_symbols for f in found] == [False, True, False, False]


def test_what_is_required_of_no_bucket_is_idle() -> None:
    columns = {"zip": "semi-sensitive", "ill": "sensitive"}
    stated = by_hand(
        columns,
        form="split",
        verdicts=[_stated("l-diversity {l: 2}", name) for name in columns],
    )
    data = pl.DataFrame({"zip": ["1"], "ill_BID": ["1"]})
    assert [f.idle for f in findings_of(stated, data)] == [True, False]
    assert not any(f.idle for f in findings_of(by_hand(verdicts=stated.verdicts), data))
