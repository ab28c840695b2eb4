"""auto beside the other methods: Adult, and an excerpt of the census with many columns."""

from __future__ import annotations

import time
from typing import Any

import polars as pl

from benchmarks import data
from benchmarks.cases import Row, name_of
from benchmarks.clock import best

# The first eleven are what neighbours know; the others make sixteen.
COLUMNS = [
    "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT", "INDP_CAT",
    "EDU", "PINCP_DECILE", "DVET", "DREM", "DPHY", "DEYE",
]  # fmt: skip
WITHOUT: list[Any] = [
    "auto",
    "mondrian",
    "k-member",
    {"weighted-graph": {"weight": "loss"}},
    {"weighted-graph": {"normalise": True}},
    {"adjacency": {"normalise": True}},
    "danonyir",
]
WITH: list[Any] = [
    *WITHOUT[:-1],
    {"danonyir": {"generalise": "hierarchy"}},
    "geneir",
    "top-down",
    {"ka": {"climb": "lattice"}},
    {"ka": {"climb": "together"}},
]


def adult(k: int) -> Row:
    """A whole run of auto on Adult, warm."""
    import shoal

    frame = data.adult()
    plan = {
        "attributes": data.adult_attributes(), "privacy": [{"k-anonymity": {"k": k}}],
        "method": "auto", "seed": 1,
    }  # fmt: skip
    release = shoal.run(plan, frame)
    return {
        "data": "adult", "quasi-identifiers": len(data.QUASI), "hierarchies": "ARX", "k": k,
        "rows": frame.height, "method": "auto", "chosen": " ".join(release.chosen),
        "glm": release.measures["glm"], "warm s": best(lambda: shoal.run(plan, frame)),
    }  # fmt: skip


def census(n_quasi: int, hierarchies: bool, method: Any) -> Row:
    """One method on the excerpt of Massachusetts, 2019, with k = 5."""
    import shoal

    path = data.data_folder() / "census-nist-acs-excerpts" / "ma2019.csv"
    frame = pl.read_csv(path, infer_schema=False).select(COLUMNS[:n_quasi])
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "kind": "categorical"}
        | ({"hierarchy": "flat"} if hierarchies else {})
        for name in frame.columns
    }
    ladder = {"hierarchy": {"width": 5, "levels": 4}} if hierarchies else {}
    attributes["AGEP"] = {"role": "quasi", "kind": "numeric", **ladder}
    plan = {
        "attributes": attributes, "privacy": [{"k-anonymity": {"k": 5}}], "method": method,
        "seed": 1,
    }  # fmt: skip
    shoal.run(plan, frame)
    start = time.perf_counter()
    release = shoal.run(plan, frame)
    return {
        "data": "ma2019", "quasi-identifiers": n_quasi,
        "hierarchies": "flat, ages by width" if hierarchies else "none", "k": 5,
        "rows": frame.height, "method": name_of(method), "chosen": " ".join(release.chosen),
        "glm": release.measures["glm"], "warm s": time.perf_counter() - start,
    }  # fmt: skip
