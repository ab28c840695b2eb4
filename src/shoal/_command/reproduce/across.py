"""All five systems, Mondrian, k-member and the lattice on common tables, at like promises.

The papers never compare with each other. Here every method publishes the same rows with the same
quasi-identifiers and hierarchies: on Adult so that nobody is in a crowd of fewer than k = 10, on
INFORMS so that nobody is in a crowd of fewer than 6 people or with fewer than 6 conditions.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal._command.experiment.figure import Figure, Panel
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Grid, Trial
from shoal._command.reproduce.claim import Answer
from shoal._command.reproduce.identity import QUASI as INFORMS_QUASI
from shoal._command.reproduce.identity import people
from shoal._command.reproduce.paper import Paper
from shoal._command.reproduce.table import adult_hierarchy, complete_adult, with_secrets
from shoal.errors import DataError

ADULT_QUASI = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass")
SEMI = ("age", "marital-status")
K, L = 10, 3
READINGS = (
    "glm", "query-count", "largest-risk", "posterior", "attack-linked", "attack-found",
    "attack-worst", "suppression", "run-seconds",
)  # fmt: skip
ADULT: dict[str, tuple[str, Any]] = {
    # system: what it promises, and its method
    "MKS3WD (ECE)": ("personal", {"ece-mks3wd": {"climb": "together"}}),
    "MKS3WD (ECE), lattice": ("personal", {"ece-mks3wd": {"climb": "lattice"}}),
    "LGB (MDP)": ("secret", "lgb-mdp"),
    "LGB (NCP)": ("secret", "lgb-ncp"),
    "DAnonyIR": ("plain", {"danonyir": {"generalise": "hierarchy"}}),
    "DAnonyIR, sets": ("plain", "danonyir"),
    "adjacency": ("plain", {"adjacency": {"normalise": True}}),
    "weighted graph": ("plain", {"weighted-graph": {"normalise": True}}),
    "QI-MHSA": ("plain", "qi-mhsa"),
    "Mondrian": ("plain", "mondrian"),
    "k-member": ("plain", "k-member"),
    "lattice (KA)": ("plain", {"ka": {"climb": "lattice"}}),
    "Top-Down": ("plain", "top-down"),
}
INFORMS: dict[str, Any] = {
    "DAnonyIR": {"danonyir": {"generalise": "hierarchy"}},
    "DAnonyIR, sets": "danonyir",
    "GeneIR": "geneir",
    "QI-MHSA": "qi-mhsa",
    "weighted graph": {"weighted-graph": {"normalise": True}},
    "adjacency": {"adjacency": {"normalise": True}},
    "Mondrian": "mondrian",
    "k-member": "k-member",
    "lattice (KA)": {"ka": {"climb": "lattice"}},
}
TABLES = ("Adult", "INFORMS")


def adult(folder: Path, quick: bool, seed: int) -> pl.DataFrame:
    """The complete training rows of Adult, with a sensitivity and secret cells by seed."""
    frame = complete_adult(folder, "adult.data").select(*ADULT_QUASI, "occupation")
    frame = frame.gather_every(20) if quick else frame
    draw = np.random.default_rng([5, seed])
    frame = frame.with_columns(f=draw.random(frame.height))
    return with_secrets(frame, SEMI, 0.2, draw)


def grid(folder: Path, quick: bool) -> Grid:
    """Every system on every table that it can publish."""
    seeds = (1,) if quick else (1, 2, 3)
    try:
        trees = {name: adult_hierarchy(folder, name) for name in ADULT_QUASI}
    except DataError:
        trees = {name: {} for name in ADULT_QUASI}
    trials = [_adult_trial(system, trees, seed) for system in ADULT for seed in seeds]
    trials += [_informs_trial(system, seed) for system in INFORMS for seed in seeds]
    tables: dict[str, Any] = {f"Adult, {s}": partial(adult, folder, quick, s) for s in seeds}
    tables["INFORMS"] = partial(people, folder, 6, quick)
    return Grid(tuple(trials), tables)


def _adult_trial(system: str, trees: dict[str, Any], seed: int) -> Trial:
    promise, method = ADULT[system]
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": trees[name]} for name in ADULT_QUASI
    }
    attributes["occupation"] = "sensitive"
    attributes["f"] = "sensitivity" if promise == "personal" else "drop"
    secret = promise == "secret"
    attributes |= {f"{name}_secret": "flag" if secret else "drop" for name in SEMI}
    privacy: list[dict[str, Any]] = [
        {"k-anonymity": {"k": K}},
        {"l-diversity": {"l": L, "kind": "frequency", "attribute": "occupation"}},
    ]
    if secret:
        for name in SEMI:
            attributes[name] = {
                **attributes[name], "role": "semi-sensitive", "flag": f"{name}_secret"
            }  # fmt: skip
        privacy += [{"l-diversity": {"attribute": "age", "l": L}},
                    {"t-closeness": {"attribute": "marital-status", "t": 0.2}}]  # fmt: skip
    if promise == "personal":
        privacy.append({"multi-level-k": {"thresholds": [[0.5, 0.5]], "levels": [[2 * K, K]]}})
    plan = {"attributes": attributes, "privacy": privacy, "method": method, "seed": seed}
    place = {"table": "Adult", "system": system, "seed": seed}
    return Trial(plan, f"Adult, {seed}", place, READINGS, figures=frozenset({1}))


def _informs_trial(system: str, seed: int) -> Trial:
    quasi = {n: {"role": "quasi", **words} for n, words in list(INFORMS_QUASI.items())[:6]}
    plan = {
        "individual": "DUPERSID",
        "attributes": {
            "DUPERSID": "identifier",
            **quasi,
            "condition": {"role": "sensitive", "kind": "categorical"},
        },
        "privacy": [{"k-anonymity": {"k": 6}}, {"eir-l": {"l": 6}}],
        "method": INFORMS[system],
        "seed": seed,
    }
    place = {"table": "INFORMS", "system": system, "seed": seed}
    return Trial(plan, "INFORMS", place, READINGS, figures=frozenset({1}))


NAMES = {
    "glm": "loss (glm)",
    "query-count": "query error",
    "largest-risk": "largest risk of a person",
    "posterior": "worst posterior of a value",
    "attack-linked": "people linked by an attack",
    "attack-found": "values found by an attack",
    "attack-worst": "how sure of the worst-off person",
    "suppression": "rows left out",
    "run-seconds": "CPU seconds of a run",
}
FIGURES = (
    Figure(
        1,
        "What each system loses at the same promise",
        "loss (glm)",
        tuple(Panel(table, "table", "", "glm", {"table": table}, "system") for table in TABLES),
        True,
    ),
)


def table_rows(results: Results, table: str) -> list[list[str]]:
    """A row for every system: all readings with their intervals."""
    systems = list(ADULT) if table == "Adult" else list(INFORMS)
    rows = []
    for system in systems:
        at = {"table": table, "system": system}
        cells = []
        for reading in READINGS:
            found = results.estimates(at, ["system"], reading)
            cells.append(str(next(iter(found.values()))) if found else "does not apply")
        if any(results.where(at)["error"]):
            cells = ["cannot be had", *[""] * (len(READINGS) - 1)]
        rows.append([system, *cells])
    return rows


def claims(_: Results) -> list[Answer]:
    """No paper claims anything here: nobody has published this comparison."""
    return []


PAPER = Paper("across", grid, FIGURES, claims)
