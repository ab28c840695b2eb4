"""Honest releases of every form: no audit, whatever it is given, says that they do not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal._command.audit import audit
from shoal._run import run

AGES = ["5-9", "10-14", "15-19", "100-104"]
FLAGGED = {"q": [1, 2, 3, 4, 5, 6], "ill": list("abcabc"), "flag": list("012010")}
HONEST: dict[str, tuple[dict[str, list[Any]], dict[str, Any], list[Any], str]] = {
    "auto in buckets": (
        {"q": [1, 2, 3, 4, 5, 6], "f": ["yes", "no", "no"] * 2, "ill": list("abcabc")},
        {"q": {"role": "semi-sensitive", "flag": "f"}, "f": "flag", "ill": "sensitive"},
        [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
        "auto",
    ),
    "auto with intervals": (
        {"q": [1, 2, 3, 4, 5, 6], "pay": [50, 150, 250, 300, 550, 700], "flag": list("012010")},
        {
            "q": "quasi",
            "pay": {
                "role": "sensitive", "flag": "flag", "hierarchy": {"intervals": [100, 200, 500]},
            },
            "flag": "flag",
        },
        [{"k-anonymity": {"k": 2}}],
        "auto",
    ),
    "sets of ordinals": (
        {"q": ["low", "high"] * 4, "s": list("aabbccdd")},
        {
            "q": {"role": "quasi", "kind": "ordinal", "values": ["low", "mid", "high"]},
            "s": "sensitive",
        },
        [{"k-anonymity": {"k": 5}}],
        "mondrian",
    ),
    "sets of bands": (
        {"q": AGES * 4, "s": list("aabbccdd") * 2},
        {"q": "quasi", "s": "sensitive"},
        [{"k-anonymity": {"k": 5}}],
        "mondrian",
    ),
    "recursive l of a flagged column": (
        FLAGGED,
        {"q": "quasi", "ill": {"role": "sensitive", "flag": "flag"}, "flag": "flag"},
        [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2, "kind": "recursive", "c": 3}}],
        "mondrian",
    ),
    "levels that nobody is on": (
        {"q": [1, 2, 3, 4, 5, 6], "f": [0.1] * 6, "ill": list("abcabc")},
        {
            "q": {"role": "quasi", "hierarchy": {"width": 2, "levels": 3}},
            "f": "sensitivity",
            "ill": "sensitive",
        },
        [{"multi-level-k": {"thresholds": [[0.8, 0.2]], "levels": [[4, 2]]}}],
        "ece-mks3wd",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_no_honest_release_is_condemned(name: str, tmp_path: Path) -> None:
    cells, attributes, privacy, method = HONEST[name]
    data = pl.DataFrame(cells)
    plan = {"attributes": attributes, "privacy": privacy, "method": method, "seed": 1}
    folder, own = tmp_path / "release", tmp_path / "own"
    run(plan, data, output=folder, private=own)
    for known in ({}, {"original": data}, {"original": data, "plan": plan}):
        found = audit(folder, **known)
        assert found.verdict is not False, (known.keys(), found.findings, found.unlike)
    assert audit(folder, original=data, private=own).verdict is True
