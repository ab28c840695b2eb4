"""Adult as a folder for the studio: one table with what the five systems need, and their plans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from shoal._command.reproduce import table

ROWS = 4_000
COLUMNS = ["age", "sex", "race", "marital-status", "education", "occupation", "salary-class"]
ATTRIBUTES = {
    "person": "identifier",
    "age": "{role: quasi, kind: numeric, hierarchy: {width: 5, levels: 3}}",
    "sex": "{role: quasi, hierarchy: flat}",
    "race": "{role: quasi, hierarchy: race.csv}",
    "marital-status": "{role: quasi, hierarchy: flat}",
    "education": "drop",
    "occupation": "{role: sensitive, kind: categorical}",
    "salary-class": "drop",
    "f": "drop",
    "secret": "drop",
}
PLANS: dict[str, tuple[dict[str, str], str]] = {
    "adult-personal": (
        {"f": "sensitivity"},
        "privacy: [multi-level-k: {thresholds: [[0.8, 0.2], [0.6, 0.4]], levels: [[8, 2], [6, 3]]}]"
        "\nmethod: ece-mks3wd\n",
    ),
    "adult-secret": (
        {
            "education": "{role: semi-sensitive, kind: categorical, flag: secret}",
            "salary-class": "identifier",
            "f": "identifier",
            "secret": "flag",
        },
        "privacy: [k-anonymity: {k: 5}, l-diversity: {l: 3, attribute: education},"
        " l-diversity: {l: 3, attribute: occupation}]\nmethod: lgb-mdp\n",
    ),
    "adult-people": (
        {},
        "individual: {column: person, conflict: mode}\n"
        "privacy: [ir-k: {k: 5}, eir-l: {l: 3, attribute: occupation}]\nmethod: danonyir\n",
    ),
    "adult-graph": (
        {},
        "privacy: [k-anonymity: {k: 5}, l-diversity: {l: 3, attribute: occupation}]\n"
        "method: weighted-graph\n",
    ),
    "adult-flags": (
        {
            "occupation": "{role: sensitive, kind: categorical, hierarchy: flat,"
            " flags: {high: [Priv-house-serv], middle: [Sales], default: low}}"
        },
        "privacy: [k-anonymity: {k: 5}, l-diversity: {l: 3, attribute: occupation}]\n"
        "method: qi-mhsa\n",
    ),
}


def write_adult(folder: Path, data: Path) -> None:
    """Write the first rows of Adult with made-up people, sensitivities and secrets, and plans."""
    draw = np.random.default_rng(4)
    frame = table.complete_adult(data, "adult.data").select(COLUMNS).head(ROWS)
    frame.select(
        pl.Series("person", [f"p{i * 3 // 4}" for i in range(ROWS)]),
        *COLUMNS,
        pl.Series("f", draw.beta(1, 3, ROWS).round(2)),
        pl.Series("secret", draw.choice(["yes", "no"], ROWS, p=[0.2, 0.8])),
    ).write_csv(folder / "adult.csv")
    races = frame["race"].unique().sort().to_list()
    rows = [f"{race};{'White' if race == 'White' else 'any other'};*" for race in races]
    (folder / "race.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for name, (own, rest) in PLANS.items():
        lines = [f"  {column}: {body}" for column, body in (ATTRIBUTES | own).items()]
        text = "\n".join(["source: adult.csv", "attributes:", *lines, rest])
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
