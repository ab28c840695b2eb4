"""Anonymise a table by another tool; runs in that tool's environment, with what it needs alone.

peer.py TOOL JOB.json: the job names a table (CSV), its quasi-identifiers, which of them are
numbers, k, hierarchies (attribute: rows of labels, the value first) and where to write. Writes the
published quasi-identifiers with a column `count`, ranges as `[a, b]` and sets as `{a, b}`, and
prints the seconds.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pandas as pd

Job = dict[str, Any]


def by_anonypy(job: Job, table: pd.DataFrame) -> pd.DataFrame:
    """Mondrian; one sensitive column is required, which is a constant here."""
    import anonypy

    table["s"] = "x"
    for name in [*job["words"], "s"]:
        table[name] = table[name].astype("category")
    found = anonypy.Preserver(table, job["quasi"], "s").anonymize_k_anonymity(job["k"])
    rows = pd.DataFrame(found)
    for name in job["quasi"]:
        cells = rows[name].map(lambda c: c[0] if isinstance(c, list) else c)
        rows[name] = cells.map(_range if name in job["numbers"] else _set)
    return rows[[*job["quasi"], "count"]]


def by_polarfrost(job: Job, table: pd.DataFrame) -> pd.DataFrame:
    """Mondrian on polars."""
    import polarfrost
    import polars as pl

    table["s"] = "x"
    rows = polarfrost.mondrian_k_anonymity_polars(
        pl.from_pandas(table), job["quasi"], "s", job["k"], job["words"]
    ).to_pandas()
    for name in job["quasi"]:
        rows[name] = rows[name].map(_range if name in job["numbers"] else _set)
    return rows[[*job["quasi"], "count"]]


def by_anonymity_api(job: Job, table: pd.DataFrame) -> pd.DataFrame:
    """Mondrian."""
    from anonymity_api import anonymity

    rows = anonymity.k_anonymity(table, job["quasi"], job["k"])
    for name in job["quasi"]:
        known = sorted((row[0] for row in job["hierarchies"][name]), key=len, reverse=True)
        read = _span if name in job["numbers"] else lambda text, known=known: _joined(text, known)
        rows[name] = rows[name].astype(str).map(read)
    return rows[job["quasi"]].assign(count=1)


def _joined(text: str, known: list[str]) -> str:
    """Values with hyphens between them, which may have hyphens themselves."""
    found = []
    while text:
        value = next(v for v in known if text == v or text.startswith(f"{v}-"))
        found.append(value)
        text = text[len(value) + 1 :]
    return _set(",".join(found))


def by_anjana(job: Job, table: pd.DataFrame) -> pd.DataFrame:
    """Full-domain generalisation with hierarchies and suppression of at most 5 %."""
    from anjana.anonymity import k_anonymity

    levels = _levels(job, table)
    rows = k_anonymity(table, [], job["quasi"], job["k"], 5, levels)
    return rows[job["quasi"]].assign(count=1)


def by_python_anonymity(job: Job, table: pd.DataFrame) -> pd.DataFrame:
    """Datafly."""
    from anonymity import tools

    levels = _levels(job, table, whole=True)
    rows = tools.data_fly(table, [], job["quasi"], job["k"], 5, levels)
    return rows[job["quasi"]].assign(count=1)


def by_crowds(job: Job, table: pd.DataFrame) -> pd.DataFrame:
    """OLA."""
    from crowds.kanonymity import ola
    from crowds.kanonymity.generalizations import GenRule

    rules = {}
    for name in job["quasi"]:
        above = {row[0]: row for row in job["hierarchies"][name]}
        height = len(job["hierarchies"][name][0])

        def climb(level: int, above: Any = above) -> Any:
            return lambda value: above[str(value)][level]

        rules[name] = GenRule([climb(level) for level in range(1, height - 1)])
    found = ola.anonymize(table, rules, k=job["k"], max_sup=5)
    rows = found[0] if isinstance(found, tuple) else found
    return rows[job["quasi"]].fillna("*").assign(count=1)


def _levels(job: Job, table: pd.DataFrame, *, whole: bool = False) -> dict[str, Any]:
    """Hierarchies as lists parallel to the table, level by level."""
    levels = {}
    for name in job["quasi"]:
        above = {row[0]: row for row in job["hierarchies"][name]}
        cells = list(above) if whole else table[name].astype(str)
        columns = [
            [above[str(v)][i] for v in cells] for i in range(len(next(iter(above.values()))))
        ]
        if name in job["numbers"] and not whole:
            columns[0] = list(table[name])
        levels[name] = dict(enumerate(columns))
    return levels


def _range(text: str) -> str:
    low, _, high = str(text).partition("-")
    return f"[{low}, {high}]" if high else low


def _span(text: str) -> str:
    ends = [part.strip(" '") for part in text.replace(" - ", ",").replace("-", ",").split(",")]
    return f"[{ends[0]}, {ends[-1]}]" if len(ends) > 1 else ends[0]


def _set(text: str) -> str:
    members = sorted({part.strip(" '") for part in str(text).split(",")})
    return "{" + ", ".join(members) + "}" if len(members) > 1 else members[0]


TOOLS = {
    "anonypy": by_anonypy,
    "anjana": by_anjana,
    "polarfrost": by_polarfrost,
    "anonymity-api": by_anonymity_api,
    "python-anonymity": by_python_anonymity,
    "crowds": by_crowds,
}


def main() -> None:
    """Do the job."""
    with open(sys.argv[2], encoding="utf-8") as file:  # noqa: PTH123
        job = json.load(file)
    table = pd.read_csv(job["table"], keep_default_na=False)
    start = time.perf_counter()
    rows = TOOLS[sys.argv[1]](job, table)
    seconds = time.perf_counter() - start
    rows.to_csv(job["output"], index=False)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
