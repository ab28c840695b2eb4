"""Graphs of tuples: Figs. 11 to 19 on a part of Adult, and the claims of section 5.2."""

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
from shoal._command.reproduce.table import adult_hierarchy, complete_adult
from shoal.errors import DataError

QUASI = ("age", "education", "marital-status", "occupation", "sex", "native-country")
METHODS: dict[str, Any] = {
    "adjacency": "adjacency",
    "weighted graph": "weighted-graph",
    "adjacency, normalised": {"adjacency": {"normalise": True}},
    "weighted graph, normalised": {"weighted-graph": {"normalise": True}},
    "k-member": "k-member",
    "Mondrian (median)": {"mondrian": {"cut": "median"}},
}
BASE = ("k-member", "Mondrian (median)")
KS = tuple(range(2, 21))
NS = (1, 2, 3, 4, 5, 6)
SIZES = (200, 400, 600, 800, 1000, 1200, 1400)
K = 10
KINDS = ("and", "or", "range")
_READINGS = ("prec", "dm", "glm", "seconds")


def losses(folder: Path, rows: int, seed: int) -> pl.DataFrame:
    """Complete rows of Adult's training part with a capital loss: all 1,427, or some by seed."""
    complete = complete_adult(folder, "adult.data")
    frame = complete.filter(pl.col("capital-loss") != "0").select(*QUASI, "capital-loss")
    return frame if rows == 0 else frame.sample(rows, seed=seed)


def grid(folder: Path, quick: bool) -> Grid:
    """k, the number of quasi-identifiers and of rows, each varied by itself; and queries."""
    seeds = (1,) if quick else (1, 2, 3)
    ks, ns, sizes = ((2, 10), (2, 6), (200, 400)) if quick else (KS, NS, SIZES)
    few = 400 if quick else 0
    settings: list[tuple[str, dict[str, int], set[int]]] = [
        *(("k", {"k": k}, {11, 14, 19} | ({16, 17, 18} if k == K else set())) for k in ks),
        *(("n", {"n": n}, {12, 15}) for n in ns),
        *(("rows", {"rows": rows}, {13}) for rows in sizes),
    ]
    try:
        trees = {name: adult_hierarchy(folder, name) for name in QUASI if name != "age"}
    except DataError:
        trees = {}
    trials = [
        _trial(varied, {"k": K, "n": len(QUASI), "rows": few, **given}, name, seed, trees, figures)
        for varied, given, figures in settings
        for name in METHODS
        for seed in seeds
    ]
    tables = {t.data: partial(losses, folder, t.place["rows"], t.place["seed"]) for t in trials}
    return Grid(tuple(trials), tables)


def _trial(
    varied: str,
    at: dict[str, int],
    name: str,
    seed: int,
    trees: dict[str, Any],
    figures: set[int],
) -> Trial:
    chosen = QUASI[: at["n"]]
    attributes: dict[str, Any] = {
        one: {"role": "quasi", "hierarchy": trees[one]} if one in trees else "quasi"
        for one in chosen
    }
    attributes["age"] = {"role": "quasi", "kind": "numeric"}
    attributes |= {one: "drop" for one in QUASI if one not in chosen}
    attributes["capital-loss"] = {"role": "sensitive", "kind": "numeric"}
    plan = {
        "attributes": attributes,
        "privacy": [{"k-anonymity": {"k": at["k"]}}],
        "method": METHODS[name],
        "seed": seed,
    }
    readings: tuple[str, ...] = _READINGS
    if 16 in figures:
        readings += tuple(f"count-{kind}-{n}" for kind in KINDS for n in NS)
    data = f"losses, {at['rows']}" + (f", {seed}" if varied == "rows" else "")
    place = {"varied": varied, **at, "method": name, "seed": seed}
    return Trial(plan, data, place, readings, figures=frozenset(figures))


_COINCIDE = "The weighted graphs and k-member nearly coincide: k-member, drawn last, hides them."


def _figure(number: int, title: str, label: str, x: str, x_label: str, reading: str) -> Figure:
    panel = Panel("", x, x_label, reading, {"varied": x})
    note = _COINCIDE if reading == "dm" else ""
    return Figure(number, title, label, (panel,), note=note, log=reading == "seconds")


def _queries(number: int, kind: str, title: str) -> Figure:
    by = {n: f"count-{kind}-{n}" for n in NS}
    where = {"varied": "k", "k": K}
    panel = Panel("", "n", "attributes in the query", "", where, by_reading=by)
    return Figure(number, f"{title}, k = 10", "relative error", (panel,))


FIGURES = (
    _figure(11, "PREC by k", "PREC", "k", "k", "prec"),
    _figure(12, "PREC by number of quasi-identifiers, k = 10", "PREC", "n", "|QI|", "prec"),
    _figure(13, "PREC by number of rows, k = 10", "PREC", "rows", "rows", "prec"),
    _figure(14, "DM by k", "DM", "k", "k", "dm"),
    _figure(15, "DM by number of quasi-identifiers, k = 10", "DM", "n", "|QI|", "dm"),
    _queries(16, "and", "Error of AND queries"),
    _queries(17, "or", "Error of OR queries"),
    _queries(18, "range", "Error of range queries"),
    _figure(19, "Time of the method by k", "CPU seconds", "k", "k", "seconds"),
)
_AXES = {"k": "k", "n": "|QI|", "rows": "the number of rows"}


def claims(results: Results) -> list[Reply]:
    """The claims of section 5.2; the normalised distance is a setting of its own."""
    answers: list[Reply] = []

    def answer(claim: str, text: str, setting: str, ours: object, holds: bool | None) -> None:
        answers.append(Reply.of(claim, text, setting, ours, holds))

    def versus(reading: str, left: str, right: str, where: dict[str, Any]) -> Pairing:
        by = ["varied", "k", "n", "rows"]
        return pair(results, reading, {"method": left}, {"method": right}, by, where)

    tested = [m for m in METHODS if m not in BASE]
    for reading, axes in (("prec", ("k", "n", "rows")), ("dm", ("k", "n"))):
        for left in tested:
            for right in BASE:
                found = versus(reading, left, right, {"varied": axes})
                answer(f"lower-{reading}", f"Both proposed methods have a lower {reading.upper()} "
                       "than k-member and Mondrian everywhere.", f"{left} against {right}", found,
                       all_of(found.less, found.n))  # fmt: skip
    found = versus("prec", "k-member", "Mondrian (median)", {"varied": "k"})
    answer("k-member-best", "k-member has a lower PREC than Mondrian.", "by k", found,
           all_of(found.less, found.n))  # fmt: skip
    for reading, axis, rises in (("prec", "k", True), ("prec", "n", True), ("prec", "rows", False),
                                 ("dm", "k", True)):  # fmt: skip
        going = trend(results, reading, axis, ["method"], {"varied": axis})
        count = going.rise if rises else going.fall
        answer(f"{reading}-{axis}", f"{reading.upper()} {'rises' if rises else 'falls'} with "
               f"{_AXES[axis]}.", "all methods", going, all_of(count, going.n))  # fmt: skip
    for reading in ("prec", "dm"):
        by_n, by_k = (_widest(results, reading, axis) for axis in ("n", "k"))
        answer(f"{reading}-n-less", f"|QI| affects {reading.upper()} less than k does (here: from "
               "the least to the largest value, on average over methods).", "all methods",
               "nothing measured" if by_n is None or by_k is None
               else f"by |QI| {by_n:.4g}, by k {by_k:.4g}",
               None if by_n is None or by_k is None else by_n < by_k)  # fmt: skip
    where = {"varied": "k", "k": K}
    for kind, rises in (("and", True), ("or", False), ("range", False)):
        up = sum(_ends(results, m, kind, where) == 1 for m in METHODS)
        down = sum(_ends(results, m, kind, where) == -1 for m in METHODS)
        measured = up + down
        answer(f"error-{kind}", f"The error of {kind.upper() if kind != 'range' else kind} queries "
               f"{'rises' if rises else 'falls'} with the number of attributes.", "k = 10",
               f"{up} of {len(METHODS)} methods rise, {down} fall",
               (up if rises else down) == len(METHODS) if measured else None)  # fmt: skip
    for kind in KINDS:
        for left in tested:
            for right in BASE:
                pairs = [versus(f"count-{kind}-{n}", left, right, where) for n in NS]
                less, n = sum(p.less for p in pairs), sum(p.n for p in pairs)
                asked = kind if kind == "range" else kind.upper()
                answer(f"better-{kind}", f"The proposed methods answer {asked} queries better "
                       "than the others.", f"{left} against {right}",
                       f"lower at {less} of {n} numbers of attributes",
                       all_of(less, n))  # fmt: skip
    for left in tested:
        found = versus("seconds", left, "k-member", {"varied": "k"})
        answer("quicker", "Both proposed methods are quicker than k-member.", left, found,
               all_of(found.less, found.n))  # fmt: skip
    peak, after = (
        results.estimates({"varied": "k", "method": "k-member", "k": k}, ["k"], "seconds")
        for k in (K, K + 1)
    )
    if peak and after:
        first, second = (next(iter(found.values())) for found in (peak, after))
        answer(
            "k-member-peak",
            "k-member takes longer at k = 10 than at k = 11.",
            "k-member",
            f"{first} s at 10, {second} s at 11",
            first.mean > second.mean,
        )
    for method in METHODS:
        going = trend(results, "seconds", "k", ["method"], {"varied": "k", "method": method})
        falls = method == "Mondrian (median)"
        answer("time-k", "With k the time rises, for Mondrian it falls.", method, going,
               all_of(going.fall if falls else going.rise, going.n))  # fmt: skip
    return answers


def _widest(results: Results, reading: str, axis: str) -> float | None:
    """How far a reading spreads along an axis, on average over methods."""
    curves: dict[str, list[float]] = {}
    for (method, _), e in results.estimates({"varied": axis}, ["method", axis], reading).items():
        curves.setdefault(method, []).append(e.mean)
    spreads = [max(ys) - min(ys) for ys in curves.values()]
    return sum(spreads) / len(spreads) if spreads else None


def _ends(results: Results, method: str, kind: str, where: dict[str, Any]) -> int:
    """1 if the error with most attributes is above that with one, -1 if below, 0 if unknown."""
    at = {**where, "method": method}
    ends = [results.estimates(at, ["method"], f"count-{kind}-{n}") for n in (NS[0], NS[-1])]
    if not all(ends):
        return 0
    first, last = (next(iter(end.values())).mean for end in ends)
    return 1 if last > first else -1


PAPER = ReproducedPaper("graph", grid, FIGURES, claims)
