"""QI-MHSA: Figs. 3 and 4 on Adult and on 50,000 patients, and the claim against Top-Down."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from shoal._command.experiment.figure import Figure, Panel
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Grid, Trial
from shoal._command.reproduce.claim import Pairing, Reply, all_of, pair, trend
from shoal._command.reproduce.paper import ReproducedPaper
from shoal._command.reproduce.patient import patient_attributes, patients, with_date_flags
from shoal._command.reproduce.table import adult_hierarchy, complete_adult
from shoal.errors import DataError

QUASI = ("age", "native-country", "marital-status", "race", "education")
PRINTED = "k-division, input order"
TOP_DOWN = "Top-Down"
METHODS: dict[str, Any] = {
    PRINTED: {"qi-mhsa": {"division": "k-division", "order": "input"}},
    "k-division, sorted": {"qi-mhsa": {"division": "k-division", "order": "quasi"}},
    "Mondrian classes": "qi-mhsa",
    TOP_DOWN: "top-down",
}
TABLES = ("Patient", "Adult")
KS, LS = (5, 10, 15, 20, 25), (2, 3, 4, 5, 6)
K, L = 10, 3
_READINGS = ("privacy-loss", "infoloss", "infoloss-quasi", "infoloss-sensitive", "classes")


def adult(folder: Path, quick: bool) -> pl.DataFrame:
    """The 45,222 complete rows of Adult; if quick, every tenth of them."""
    names = (*QUASI, "hours-per-week", "occupation")
    frame = complete_adult(folder, "adult.data", "adult.test").select(names)
    return frame.gather_every(10) if quick else frame


def patient(quick: bool, seed: int) -> pl.DataFrame:
    """50,000 patients by seed, with a flag for their date."""
    return with_date_flags(patients(5_000 if quick else 50_000, seed))


def adult_attributes(folder: Path) -> dict[str, Any]:
    """ARX's hierarchies; hours per week and occupation are sensitive, and flagged."""
    made: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": adult_hierarchy(folder, name)} for name in QUASI
    }
    made["hours-per-week"] = {
        "role": "sensitive",
        "kind": "numeric",
        "hierarchy": {"intervals": [20, 30, 40, 50, 60]},
        "flags": {"high": "x >= 60", "middle": "x < 20", "default": "low"},
    }
    made["occupation"] = {
        "role": "sensitive",
        "hierarchy": adult_hierarchy(folder, "occupation"),
        "flags": {
            "high": ["Priv-house-serv", "Armed-Forces"],
            "middle": ["Protective-serv", "Handlers-cleaners"],
            "default": "low",
        },
    }
    return made


def grid(folder: Path, quick: bool) -> Grid:
    """k and l, each varied by itself, on both tables."""
    ks, ls = ((5, 20), (2, 4)) if quick else (KS, LS)
    seeds = {"Adult": (1,), "Patient": (1,) if quick else (1, 2, 3, 4, 5)}
    try:
        attributes = {"Adult": adult_attributes(folder), "Patient": patient_attributes()}
    except DataError:
        attributes = {"Adult": {}, "Patient": patient_attributes()}
    settings = [*(("k", k, L) for k in ks), *(("l", K, ell) for ell in ls)]
    trials = [
        _trial(table, attributes[table], varied, k, ell, method, seed)
        for table in TABLES
        for varied, k, ell in settings
        for method in METHODS
        for seed in seeds[table]
    ]
    tables: dict[str, Any] = {"Adult, 1": partial(adult, folder, quick)}
    tables |= {f"Patient, {seed}": partial(patient, quick, seed) for seed in seeds["Patient"]}
    return Grid(tuple(trials), tables)


def _trial(
    table: str,
    attributes: dict[str, Any],
    varied: str,
    k: int,
    ell: int,
    name: str,
    seed: int,
) -> Trial:
    plan = {
        "attributes": attributes,
        # The paper's test counts different values.
        "privacy": [{"k-anonymity": {"k": k}}, {"l-diversity": {"l": ell, "kind": "distinct"}}],
        "method": METHODS[name],
        "order": "input",
        "seed": seed,
    }
    place = {"table": table, "varied": varied, "k": k, "l": ell, "method": name, "seed": seed}
    return Trial(plan, f"{table}, {seed}", place, _READINGS, figures=frozenset({3, 4}))


def _figure(number: int, title: str, label: str, reading: str) -> Figure:
    panels = [
        Panel(f"{letter}) {table}, {'l = 3' if varied == 'k' else 'k = 10'}", varied, varied,
              reading, {"table": table, "varied": varied})
        for letter, (varied, table) in zip(
            "abcd", [("k", "Patient"), ("k", "Adult"), ("l", "Patient"), ("l", "Adult")],
            strict=True)
    ]  # fmt: skip
    return Figure(number, title, label, tuple(panels))


FIGURES = (
    _figure(3, "Privacy loss by k and l", "privacy loss", "privacy-loss"),
    _figure(4, "Information loss by k and l", "infoloss", "infoloss"),
)


def claims(results: Results) -> list[Reply]:
    """The paper claims both losses to be lower than Top-Down's; every way to divide is a row."""
    answers: list[Reply] = []

    def versus(reading: str, name: str, table: str) -> Pairing:
        by = ["varied", "k", "l"]
        return pair(results, reading, {"method": name}, {"method": TOP_DOWN}, by, {"table": table})

    for reading, what in (("privacy-loss", "privacy loss"), ("infoloss", "information loss")):
        for table in TABLES:
            for name in METHODS:
                if name == TOP_DOWN:
                    continue
                found = versus(reading, name, table)
                setting = f"{table}, {name}{'' if name == PRINTED else ' (not the paper’s)'}"
                text = f"The {what} is lower than Top-Down's, for every k and l."
                holds = all_of(found.less, found.n)
                answers.append(Reply.of(f"lower-{reading}", text, setting, found, holds))
        near, far = (versus(reading, PRINTED, table) for table in TABLES)
        holds = None
        if near.ratio is not None and far.ratio is not None:
            holds = far.ratio.mean < near.ratio.mean < 1
        answers.append(
            Reply.of(f"clearer-{reading}", f"The {what} is much lower on Adult, a bit on patients.",
                     PRINTED, f"ratio on Adult {far.ratio}, on patients {near.ratio}", holds)
        )  # fmt: skip
    for name in METHODS:
        up = trend(results, "infoloss", "k", ["table"], {"varied": "k", "method": name})
        answers.append(
            Reply.of("loss-k", "The information loss rises with k (as the figures are described).",
                     name, up, all_of(up.rise, up.n))
        )  # fmt: skip
    return answers


PAPER = ReproducedPaper("mhsa", grid, FIGURES, claims)
