"""Polished releases beside the certified bound: Adult, and every public table with people.

Adult has the hierarchies of ARX; the other tables those that `shoal init` proposes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.firsthour import TABLES as PEOPLE
from shoal._command.init import profile, propose
from shoal._run import run
from shoal.plan import Plan

Row = dict[str, Any]
ADULT = "adult, hierarchies of ARX"
FULL = "adult, full hierarchies of ARX"
COLUMNS = (
    "age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
    "hours-per-week", "native-country", "salary-class",
)  # fmt: skip
TABLES = (ADULT, FULL, *PEOPLE)
SECONDS = 10


def polished(which: str, seconds: float = SECONDS, k: int = 5) -> Row:
    """What `auto` and polish lose, and what no release can lose less than."""
    more = {"privacy": [{"k-anonymity": {"k": k}}], "method": "auto", "seed": 1}
    more["polish"] = {"seconds": seconds}
    if which == ADULT:
        release = run({"attributes": data.adult_attributes(), **more}, data.adult())
    elif which == FULL:
        folder = data.data_folder() / "adult" / "hierarchies-arx-adult-full"
        files = {name: folder / f"adult_full_hierarchy_{name}.csv" for name in COLUMNS}
        attributes = {n: {"role": "quasi", "hierarchy": str(path)} for n, path in files.items()}
        frame = data.complete_adult("adult.data").select(COLUMNS)
        release = run({"attributes": attributes, **more}, frame)
    else:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "table.csv"
            PEOPLE[which]().write_csv(path)
            text = propose(profile(path), source="table.csv", base=place).text
            plan = {**Plan.parse(text, place).to_dict(), **more}
            release = run(Plan.parse(plan, place))
    lost, bound = release.measures["glm"], release.measures.get("bound")
    ladders = [a.hierarchy is not None for a in release.schema.quasi]
    return {
        "table": which, "rows": release.counts.rows, "quasi-identifiers": len(ladders),
        "with hierarchies": sum(ladders), "k": k, "polish s": seconds, "glm": lost, "bound": bound,
        "glm / bound": lost / bound if bound else None,
    }  # fmt: skip
