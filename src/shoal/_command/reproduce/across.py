"""All five systems, Mondrian, k-member and the lattice on common tables, at like promises.

The papers never compare with each other. Here every method publishes the same rows with the same
quasi-identifiers and hierarchies: on Adult so that nobody is in a crowd of fewer than k = 10, on
INFORMS so that nobody is in a crowd of fewer than 6 people or with fewer than 6 conditions.
LGB publishes one row for each person, so it is not run on INFORMS.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal._command.experiment.figure import Figure, Panel
from shoal._command.experiment.result import Estimate, Results
from shoal._command.experiment.trial import Grid, Trial
from shoal._command.reproduce.claim import Reply
from shoal._command.reproduce.identity import QUASI as INFORMS_QUASI
from shoal._command.reproduce.identity import people
from shoal._command.reproduce.paper import ReproducedPaper
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
    "MKS3WD (ECE)": {"ece-mks3wd": {"climb": "together"}},
    "MKS3WD (ECE), lattice": {"ece-mks3wd": {"climb": "lattice"}},
    "DAnonyIR": {"danonyir": {"generalise": "hierarchy"}},
    "DAnonyIR, sets": "danonyir",
    "GeneIR": "geneir",
    "QI-MHSA": "qi-mhsa",
    "weighted graph": {"weighted-graph": {"normalise": True}},
    "adjacency": {"adjacency": {"normalise": True}},
    "Mondrian": "mondrian",
    "k-member": "k-member",
    "lattice (KA)": {"ka": {"climb": "lattice"}},
    "Top-Down": "top-down",
}
PERSONAL = ("MKS3WD (ECE)", "MKS3WD (ECE), lattice")
UNABLE = {"INFORMS": {"LGB": "does not publish several rows of one person"}}
PEOPLE_K = 6
TABLES = ("Adult", "INFORMS")


def adult(folder: Path, quick: bool, seed: int) -> pl.DataFrame:
    """The complete training rows of Adult, with a sensitivity and secret cells by seed."""
    frame = complete_adult(folder, "adult.data").select(*ADULT_QUASI, "occupation")
    frame = frame.gather_every(20) if quick else frame
    # The first number is the table's: the same seed draws something else for another one.
    draw = np.random.default_rng([5, seed])
    frame = frame.with_columns(f=draw.random(frame.height))
    return with_secrets(frame, SEMI, 0.2, draw)


def patients(folder: Path, quick: bool, seed: int) -> pl.DataFrame:
    """INFORMS with six quasi-identifiers, and a sensitivity of every person by seed."""
    frame = people(folder, 6, quick)
    names = frame["DUPERSID"].unique(maintain_order=True)
    drawn = np.random.default_rng([6, seed]).random(len(names))
    return frame.join(pl.DataFrame({"DUPERSID": names, "f": drawn}), on="DUPERSID", how="left")


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
    tables |= {f"INFORMS, {s}": partial(patients, folder, quick, s) for s in seeds}
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
    personal = system in PERSONAL
    privacy: list[dict[str, Any]] = [{"k-anonymity": {"k": PEOPLE_K}}, {"eir-l": {"l": PEOPLE_K}}]
    if personal:
        levels = {"thresholds": [[0.5, 0.5]], "levels": [[2 * PEOPLE_K, PEOPLE_K]]}
        privacy.append({"multi-level-k": levels})
    plan = {
        "individual": "DUPERSID",
        "attributes": {
            "DUPERSID": "identifier",
            **quasi,
            "condition": {"role": "sensitive", "kind": "categorical"},
            "f": "sensitivity" if personal else "drop",
        },
        "privacy": privacy,
        "method": INFORMS[system],
        "seed": seed,
    }
    place = {"table": "INFORMS", "system": system, "seed": seed}
    return Trial(plan, f"INFORMS, {seed}", place, READINGS, figures=frozenset({2}))


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
SHARES = (
    "largest-risk", "posterior", "attack-linked", "attack-found", "attack-worst", "suppression",
)  # fmt: skip
DRAWN = ("glm", "query-count", "attack-worst", "run-seconds")
FIGURES = tuple(
    Figure(
        number,
        f"What every system loses, keeps and takes: {table}",
        "",
        tuple(Panel(NAMES[reading], "system", "", reading, {"table": table}, "")
              for reading in DRAWN),
        True,
        rows=True,
    )
    for number, table in enumerate(TABLES, 1)
)  # fmt: skip


def table_rows(results: Results, table: str) -> list[list[str]]:
    """A row for every system: all readings with their intervals."""
    systems = list(ADULT) if table == "Adult" else list(INFORMS)
    rows = []
    for system in systems:
        at = {"table": table, "system": system}
        cells = []
        for reading in READINGS:
            found = results.estimates(at, ["system"], reading)
            cells.append(_cell(reading, next(iter(found.values()))) if found else "does not apply")
        if any(results.where(at)["error"]):
            cells = ["cannot be achieved", *[""] * (len(READINGS) - 1)]
        rows.append([system, *cells])
    unable = UNABLE.get(table, {}).items()
    return rows + [[system, why, *[""] * (len(READINGS) - 1)] for system, why in unable]


def _cell(reading: str, found: Estimate) -> str:
    """A mean with its interval in few digits, shares in percent.

    >>> _cell("suppression", Estimate(0.0283, 0.0279, 0.0287, 3))
    '2.83 ± 0.04 %'
    """
    size, sign = (100, " %") if reading in SHARES else (1, "")
    half = size * (found.high - found.low) / 2
    spread = f" ± {half:.2g}" if half >= 5e-4 * size * abs(found.mean) and half else ""
    return f"{size * found.mean:.3g}{spread}{sign}"


def claims(_: Results) -> list[Reply]:
    """No paper claims anything here: nobody has published this comparison."""
    return []


PAPER = ReproducedPaper("across", grid, FIGURES, claims)
