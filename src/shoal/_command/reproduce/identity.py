"""Identity-reserved anonymity: Figs. 2 to 9 on INFORMS, and the claims of section 5."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from shoal._command.experiment.figure import Figure, Panel
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Grid, Trial
from shoal._command.reproduce.claim import Pairing, Reply, all_of, mean_of, pair, trend
from shoal._command.reproduce.paper import ReproducedPaper
from shoal._command.reproduce.table import informs

# The paper's order; the first six where their number is not varied. GeneIR needs the hierarchies.
QUASI: dict[str, dict[str, Any]] = {
    "DOBMM": {"kind": "numeric", "hierarchy": {"width": 3, "levels": 2, "origin": 1}},
    "DOBYY": {"kind": "numeric", "hierarchy": {"width": 5, "levels": 4}},
    "SEX": {"kind": "categorical", "hierarchy": "flat"},
    "RACEX": {"kind": "categorical", "hierarchy": "flat"},
    "EDUCYEAR": {
        "kind": "numeric",
        "hierarchy": {"width": 4, "levels": 2},
        "missing": ["-7", "-8", "-9"],
    },
    "marry": {"kind": "categorical", "hierarchy": "flat"},
    "poverty": {"kind": "numeric", "hierarchy": {"width": 2, "levels": 1}},
    "HISPANX": {"kind": "categorical", "hierarchy": "flat"},
}
LS = (2, 4, 6, 8, 10)
NS = (3, 4, 5, 6, 7, 8)
ALPHAS = (0.4, 0.5, 0.6, 0.7, 0.8)
BETAS = (0.3, 0.35, 0.4, 0.45, 0.5)
L, N, ALPHA, BETA = 6, 6, 0.6, 0.4
GENE, WEAK, STRONG = "GeneIR", "DAnonyIR, IR", "DAnonyIR, EIR"
SERIES = {GENE: ("geneir", "ir"), WEAK: ("danonyir", "ir"), STRONG: ("danonyir", "eir")}
_VARIED = {"l": ("l", "n"), "αβ": ("alpha", "beta", "n")}
_READINGS = ("nloss", "v", "v-clusters", "seconds", "suppression")


def people(folder: Path, n_quasi: int, quick: bool = False) -> pl.DataFrame:
    """INFORMS with its first quasi-identifiers; if quick, its first 6,000 rows."""
    frame = informs(folder).select("DUPERSID", *list(QUASI)[:n_quasi], "condition")
    return frame.head(6_000) if quick else frame


def model(family: str, kind: str, l: int, alpha: float, beta: float) -> dict[str, Any]:  # noqa: E741
    """The requirement of a series; IR uses k = l.

    >>> model("l", "ir", 6, 0.6, 0.4)
    {'ir-kl': {'k': 6, 'l': 6}}
    """
    if family == "l":
        return {"ir-kl": {"k": l, "l": l}} if kind == "ir" else {"eir-l": {"l": l}}
    return {f"{kind}-alpha-beta": {"alpha": alpha, "beta": beta}}


def grid(folder: Path, quick: bool) -> Grid:
    """l, alpha, beta and the number of quasi-identifiers, each varied by itself."""
    seeds = (1,) if quick else (1, 2, 3, 4)
    ls, alphas, betas = ((4, 6), (0.6,), (0.4,)) if quick else (LS, ALPHAS, BETAS)
    ns = (3, 6) if quick else NS
    settings: list[tuple[str, str, dict[str, Any], set[int]]] = [
        *(("l", "l", {"l": value}, {2, 4, 6, 8}) for value in ls),
        *(("l", "n", {"n": value}, {2, 4, 6, 8}) for value in ns),
        *(("αβ", "alpha", {"alpha": value}, {3, 5, 7, 9}) for value in alphas),
        *(("αβ", "beta", {"beta": value}, {3, 5, 7, 9}) for value in betas),
        *(("αβ", "n", {"n": value}, {3, 5, 7, 9}) for value in ns),
    ]
    trials = [
        _trial(family, varied, given, figures, series, seed)
        for family, varied, given, figures in settings
        for series in SERIES
        for seed in seeds
    ]
    return Grid(tuple(trials), {f"informs, {n}": partial(people, folder, n, quick) for n in NS})


def _trial(
    family: str, varied: str, given: dict[str, Any], figures: set[int], series: str, seed: int
) -> Trial:
    at = {"l": L, "n": N, "alpha": ALPHA, "beta": BETA, **given}
    method, kind = SERIES[series]
    quasi = {name: {"role": "quasi", **words} for name, words in list(QUASI.items())[: at["n"]]}
    if method == "danonyir":
        quasi = {
            name: {k: v for k, v in w.items() if k != "hierarchy"} for name, w in quasi.items()
        }
    plan = {
        "individual": "DUPERSID",
        "attributes": {
            "DUPERSID": "identifier",
            **quasi,
            "condition": {"role": "sensitive", "kind": "categorical"},
        },
        "privacy": [model(family, kind, at["l"], at["alpha"], at["beta"])],
        "method": method,
        "seed": seed,
    }
    place = {"family": family, "varied": varied, **at, "series": series, "seed": seed}
    readings = (*_READINGS, "people-1", *(["people-all"] if varied == "n" else []))
    return Trial(plan, f"informs, {at['n']}", place, readings, figures=frozenset(figures))


_X = {"l": "l = k", "n": "|QI|", "alpha": "alpha", "beta": "beta"}
_FIXED = {"l": "|QI| = 6", "alpha": "beta = 0.4", "beta": "alpha = 0.6"}


def _panels(family: str, reading: str, series: tuple[str, ...] = tuple(SERIES)) -> list[Panel]:
    axes = _VARIED[family]
    fixed = {**_FIXED, "n": "l = 6" if family == "l" else "alpha = 0.6, beta = 0.4"}
    return [
        Panel(f"{letter}) {fixed[axis]}", axis, _X[axis], reading,
              {"family": family, "varied": axis, "series": series}, "series")
        for letter, axis in zip("abc", axes, strict=False)
    ]  # fmt: skip


def _query_panels(family: str) -> tuple[Panel, ...]:
    *first, last = _panels(family, "people-1")
    whole = Panel(last.title + ", λ = |QI|", "n", "|QI| = λ", "people-all", last.where, "series")
    return (*first, whole)


def _vulnerable(family: str) -> tuple[Panel, ...]:
    weak = (GENE, WEAK)
    return tuple(
        Panel(f"{p.title}, {what}", p.x, p.x_label, reading, p.where, "series")
        for reading, what in (("v", "as published"), ("v-clusters", "as formed"))
        for p in _panels(family, reading, weak)
    )


_V = (
    "As published: over classes as a reader sees them, with equal published values. As formed: "
    "over clusters as the method made them, several of which may publish the same values."
)
FIGURES = (
    Figure(2, "Vulnerable classes, IR (k, l)", "v", _vulnerable("l"), limit=1.0, note=_V),
    Figure(3, "Vulnerable classes, IR (alpha, beta)", "v", _vulnerable("αβ"), limit=1.0, note=_V),
    Figure(4, "Information loss, l models", "NLoss", tuple(_panels("l", "nloss"))),
    Figure(5, "Information loss, (alpha, beta) models", "NLoss", tuple(_panels("αβ", "nloss"))),
    Figure(6, "Query error, l models", "relative error", _query_panels("l")),
    Figure(7, "Query error, (alpha, beta) models", "relative error", _query_panels("αβ")),
    Figure(8, "Time of the method, l models", "CPU seconds", tuple(_panels("l", "seconds")),
           log=True),
    Figure(9, "Time of the method, (alpha, beta) models", "CPU seconds",
           tuple(_panels("αβ", "seconds")), log=True),
)  # fmt: skip
_PRINTED = {
    ("l", "gene"): "1.923 to 2.683 times IR, 1.863 to 2.626 times EIR",
    ("αβ", "gene"): "2.018 to 3.039 times IR, 1.976 to 2.915 times EIR",
    ("l", "eir"): "1.0148 to 1.0347",
    ("αβ", "eir"): "1.0127 to 1.0519",
}
_RANGES = {("l", "gene"): (1.863, 2.683), ("αβ", "gene"): (1.976, 3.039)}
_BY = ["varied", "l", "n", "alpha", "beta"]


def claims(results: Results) -> list[Reply]:
    """The claims of section 5, for both families of models."""
    return [answer for family in _VARIED for answer in _claims(results, family)]


def _claims(results: Results, family: str) -> list[Reply]:
    at = {"family": family}
    name = "l models" if family == "l" else "(alpha, beta) models"
    answers: list[Reply] = []

    def answer(
        claim: str, text: str, ours: object, holds: bool | None, more: str = "", paper: str = ""
    ) -> None:
        setting = f"{name}{', ' + more if more else ''}"
        answers.append(Reply.of(claim, text, setting, ours, holds, paper))

    def versus(reading: str, left: str, right: str, where: dict[str, Any] | None = None) -> Pairing:
        sides = {"series": left}, {"series": right}
        return pair(results, reading, *sides, _BY, {**at, **(where or {})})

    for other in (WEAK, STRONG):
        found = versus("nloss", GENE, other)
        answer("gene-loses-more", "GeneIR loses more than DAnonyIR at every point.", found,
               all_of(found.more, found.n), other)  # fmt: skip
        low, high = _RANGES[family, "gene"]
        answer("gene-ratio", "GeneIR loses about two to three times what DAnonyIR loses.", found,
               None if found.ratio is None else low <= found.ratio.mean <= high, other,
               _PRINTED[family, "gene"])  # fmt: skip
    found = versus("nloss", STRONG, WEAK)
    answer("eir-cheap", "EIR costs DAnonyIR at most 1.05 times what IR costs.", found,
           None if found.ratio is None else found.most <= 1.06,
           paper=_PRINTED[family, "eir"])  # fmt: skip
    for reading, counted in (
        ("v", "v over classes as published"),
        ("v-clusters", "v over clusters as formed"),
    ):
        for series in (GENE, WEAK):
            v = mean_of(results, reading, {**at, "series": series})
            answer("v-high", "Many classes that satisfy IR are vulnerable (here: above a tenth).",
                   f"mean v {v}", None if v is None else v.mean > 0.1,
                   f"{series}, {counted}")  # fmt: skip
        found = versus(reading, WEAK, GENE)
        answer("v-danonyir", "DAnonyIR makes more vulnerable classes than GeneIR.", found,
               all_of(found.more, found.n), counted)  # fmt: skip
        for axis, rises in (("l", True), ("alpha", True), ("beta", False), ("n", None)):
            if axis not in _VARIED[family]:
                continue
            _vulnerability(
                answers, results, name, reading, counted, {**at, "varied": axis}, axis, rises
            )
    errors = trend(results, "people-all", "n", ["series"], {**at, "varied": "n"})
    answer("error-falls", "With λ = |QI| the query error falls as λ grows.", errors,
           all_of(errors.fall, errors.n))  # fmt: skip
    for other in (WEAK, STRONG):
        for reading, what in (("people-1", "λ = 1"), ("people-all", "λ = |QI|")):
            found = versus(reading, other, GENE)
            answer("error-below-gene", "DAnonyIR answers queries better than GeneIR.", found,
                   all_of(found.less, found.n), f"{other}, {what}")  # fmt: skip
    found = versus("people-1", STRONG, WEAK)
    answer("error-close", "The query error under EIR is close to that under IR (here: 10 %).",
           found, None if found.ratio is None else abs(found.ratio.mean - 1) <= 0.1,
           "λ = 1")  # fmt: skip
    for axis, rises in (("l", True), ("alpha", False), ("beta", False), ("n", True)):
        if axis not in _VARIED[family]:
            continue
        for reading, claim, words in (
            ("nloss", "loss-trend", "The loss"),
            ("seconds", "time-trend", "The time"),
            ("people-1", "error-trend", "The query error, λ = 1,"),
        ):
            if reading == "people-1" and axis == "n":
                continue
            going = trend(results, reading, axis, ["series"], {**at, "varied": axis})
            right = going.rise if rises else going.fall
            text = f"{words} {'rises' if rises else 'falls'} with {_X[axis]}."
            answer(f"{claim}-{axis}", text, going, all_of(right, going.n))
    if family == "l":
        steeper = [_growth(results, s, "n") > _growth(results, s, "l") for s in SERIES]
        measured = bool(results.estimates(at, ["series"], "nloss"))
        answer("loss-sharper", "The loss rises more sharply with |QI| than with l = k.",
               f"more from |QI| = 3 to 8 than from l = 2 to 10 for {sum(steeper)} of 3 series",
               all(steeper) if measured else None)  # fmt: skip
    for other in (WEAK, STRONG):
        found = versus("seconds", GENE, other)
        answer("gene-quicker", "GeneIR is far quicker (here: half the time or less).", found,
               None if found.ratio is None else found.ratio.mean <= 0.5, other)  # fmt: skip
    found = versus("seconds", STRONG, WEAK)
    answer("time-close", "The times of DAnonyIR under EIR and IR are close (here: 1.5 times).",
           found, None if found.ratio is None else found.ratio.mean <= 1.5)  # fmt: skip
    answer("time-more", "DAnonyIR takes longer under EIR than under IR.", found,
           all_of(found.more, found.n),
           paper=f"at most {'28.5' if family == 'l' else '25.9'} s longer")  # fmt: skip
    return answers


def _growth(results: Results, series: str, axis: str) -> float:
    """By how much the loss of the l models grows from the first to the last value of an axis."""
    at = {"family": "l", "varied": axis, "series": series}
    means = [e.mean for _, e in sorted(results.estimates(at, [axis], "nloss").items())]
    return means[-1] - means[0] if means else 0.0


def _vulnerability(
    answers: list[Reply],
    results: Results,
    name: str,
    reading: str,
    counted: str,
    where: dict[str, Any],
    axis: str,
    rises: bool | None,
) -> None:
    """How v changes along an axis; along |QI| it should hardly change."""

    def answer(text: str, setting: str, ours: str, holds: bool | None) -> None:
        answers.append(Reply.of(f"v-trend-{axis}", text, setting, ours, holds))

    if rises is None:
        text = "The number of quasi-identifiers hardly affects v (here: by at most 0.1)."
        for series in (GENE, WEAK):
            found = results.estimates({**where, "series": series}, ["n"], reading).values()
            spread = max(e.mean for e in found) - min(e.mean for e in found) if found else None
            ours = "nothing measured" if spread is None else f"differs by up to {spread:.3f}"
            holds = None if spread is None else spread <= 0.1
            answer(text, f"{name}, {series}, {counted}", ours, holds)
        return
    going = trend(results, reading, axis, ["series"], {**where, "series": (GENE, WEAK)})
    right = going.rise if rises else going.fall
    answer(f"v {'rises' if rises else 'falls'} with {_X[axis]}.", f"{name}, {counted}", str(going),
           all_of(right, going.n))  # fmt: skip


PAPER = ReproducedPaper("identity", grid, FIGURES, claims)
