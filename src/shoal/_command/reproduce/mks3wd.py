"""MKS3WD: Figs. 5 to 8 on six UCI tables, and the claims of sections 5.3 to 5.6."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal._command.experiment.figure import Figure, Panel
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Grid, Trial
from shoal._command.reproduce.claim import Pairing, Reply, all_of, most_of, pair, trend
from shoal._command.reproduce.paper import ReproducedPaper
from shoal._command.reproduce.table import six, six_attributes
from shoal.errors import DataError

TABLES = ("glass", "statlog", "wine", "abalone", "mushroom", "magic")
SCHEMES = ("sd-mks3wd", "se-mks3wd", "ece-mks3wd")
KS = (4, 6, 8, 10, 12, 14)
TREES = ("with a root", "without a root")
EVEN, EXAMPLES = "even thresholds", "example thresholds"
# Those of the paper's Examples 2 to 5, and a fourth level between those of the third.
_OF_EXAMPLES = ((0.8, 0.2), (0.6, 0.5), (0.55, 0.54), (0.545, 0.545))
NAMES = {"ka": "KA", "sd-mks3wd": "SD", "se-mks3wd": "SE", "ece-mks3wd": "ECE"}
_READINGS = ("ilr", "isr", "igr", "f1", "seconds")
# Everybody is suppressed: a point of the figure (ISR = IGR = 1).
_NOTHING = {"ilr": 2.0, "isr": 1.0, "igr": 1.0, "f1": 0.0}


def levels_of(k: int, n: int, thresholds: str = EVEN) -> dict[str, Any]:
    """Thresholds 1 - t/2l and t/2l, and the pairs (k, 1), (k - 1, 2) … of Table 4.

    >>> levels_of(4, 2)["levels"]
    [[4, 1], [3, 2]]
    >>> levels_of(4, 2, EXAMPLES)["thresholds"]
    [[0.8, 0.2], [0.6, 0.5]]
    """
    steps = range(1, n + 1)
    even = [[1 - t / (2 * n), t / (2 * n)] for t in steps]
    return {
        "thresholds": even if thresholds == EVEN else [list(pair) for pair in _OF_EXAMPLES[:n]],
        "levels": [[k - t + 1, t] for t in steps],
    }


def sensitive(folder: Path, name: str, seed: int) -> pl.DataFrame:
    """A table with a sensitivity for everybody, even on [0, 1], by seed."""
    frame = six(folder, name)
    return frame.with_columns(f=np.random.default_rng(seed).random(frame.height))


def grid(folder: Path, quick: bool) -> Grid:
    """Every scheme at every K, and at K = 8 every number of levels, with both kinds of trees."""
    tables = ("glass",) if quick else TABLES
    ks, seeds = ((4, 8), (1, 2)) if quick else (KS, (1, 2, 3, 4, 5))
    trials: list[Trial] = []
    for name in tables:
        try:
            binned = six(folder, name)
        except DataError:
            # The trials are there all the same, so that the page can name what is missing.
            binned = pl.DataFrame()
        for tree in TREES:
            attributes = six_attributes(binned, tree == TREES[0])
            for seed in seeds:
                trials += _trials(name, tree, attributes, ks, seed)
    data = {f"{t}, f {s}": partial(sensitive, folder, t, s) for t in tables for s in seeds}
    return Grid(tuple(trials), data)


def _trials(
    table: str, tree: str, attributes: dict[str, Any], ks: tuple[int, ...], seed: int
) -> list[Trial]:
    place = {"table": table, "tree": tree, "seed": seed}
    made = []
    settings: list[tuple[int, int, str, set[int]]] = [(8, n, EVEN, {7}) for n in (1, 2, 3)]
    settings += [(8, n, EXAMPLES, {7}) for n in (1, 2, 3, 4)]
    settings += [(k, k // 2, EVEN, {5, 6, 8} | ({7} if k == 8 else set())) for k in ks]
    for k, n, thresholds, figures in settings:
        methods = ("ka", *SCHEMES) if 5 in figures else SCHEMES
        for method in methods:
            ka = method == "ka"
            levels = {"multi-level-k": levels_of(k, n, thresholds)}
            words = {"k-anonymity": {"k": k}} if ka else levels
            plan = {
                "attributes": {**attributes, "f": "drop" if ka else "sensitivity"},
                "privacy": [words],
                "method": {method: {"climb": "together"}},
                "seed": seed,
            }
            which = "K" if 5 in figures else "levels"
            where = {**place, "method": method, "K": k, "levels": 0 if ka else n,
                     "thresholds": thresholds, "grid": which}  # fmt: skip
            used = frozenset(figures - {7} if ka else figures)
            made.append(Trial(plan, f"{table}, f {seed}", where, _READINGS, _NOTHING, used))
    return made


def _panels(reading: str) -> tuple[Panel, ...]:
    return tuple(
        Panel(f"{table}, trees {tree}", "K", "K", reading,
              {"table": table, "tree": tree, "grid": "K"}, names=NAMES)
        for tree in TREES for table in TABLES
    )  # fmt: skip


def _level_panels() -> tuple[Panel, ...]:
    return tuple(
        Panel(f"{table}, {'root' if tree == TREES[0] else 'no root'}, {thresholds}", "method",
              "scheme", "ilr", {"table": table, "tree": tree, "thresholds": thresholds, "K": 8,
              "method": SCHEMES}, series="levels", x_names=NAMES,
              names={n: f"{n} level{'s' if n > 1 else ''}" for n in (1, 2, 3, 4)})
        for thresholds in (EVEN, EXAMPLES) for tree in TREES for table in TABLES
    )  # fmt: skip


_LEVELS = (
    "The paper does not print its thresholds. Even ones are 1 - t/2l and t/2l at level t of l; "
    "those of the examples are (0.8, 0.2), (0.6, 0.5), (0.55, 0.54), then (0.545, 0.545), of "
    "which l levels take the first l."
)
_COINCIDE = (
    "With a root SD, SE and ECE coincide at every point, so that only ECE, drawn last, can be seen."
)
FIGURES = (
    Figure(5, "Information loss at different K", "ILR", _panels("ilr"), note=_COINCIDE),
    Figure(6, "Time of the method at different K", "CPU seconds", _panels("seconds"), log=True),
    Figure(7, "Information loss by number of levels, K = 8", "ILR", _level_panels(), True,
           note=_LEVELS),
    Figure(8, "F1 at different K", "F1", _panels("f1"), limit=1.0, note=_COINCIDE),
)  # fmt: skip


def claims(results: Results) -> list[Reply]:
    """The claims of the evaluation, each with both kinds of trees."""
    return [one for tree in TREES for one in _claims(results, tree)]


def _claims(results: Results, tree: str) -> list[Reply]:
    at: dict[str, Any] = {"tree": tree, "grid": "K"}
    by, setting = ["table", "K"], f"trees {tree}"
    answers: list[Reply] = []

    def answer(claim: str, text: str, ours: object, holds: bool | None, more: str = "") -> None:
        full = f"{setting}{', ' + more if more else ''}"
        answers.append(Reply.of(claim, text, full, ours, holds))

    def versus(reading: str, left: str, right: str, where: dict[str, Any] | None = None) -> Any:
        sides = {"method": left}, {"method": right}
        return pair(results, reading, *sides, by, {**at, **(where or {})})

    for scheme in SCHEMES:
        found = versus("ilr", scheme, "ka")
        answer("less-than-ka", "The three schemes lose less than KA at every K, on every table.",
               found, all_of(found.less, found.n), NAMES[scheme])  # fmt: skip
    for other in SCHEMES[1:]:
        found = versus("ilr", SCHEMES[0], other)
        answer("sd-least", "SD loses less than SE and ECE.", found, all_of(found.less, found.n),
               f"SD against {NAMES[other]}")  # fmt: skip
    found = versus("ilr", "ece-mks3wd", "se-mks3wd")
    answer("ece-below-se", "ECE loses less than SE on most tables.", found,
           most_of(found.less, found.n))  # fmt: skip
    for thresholds in (EVEN, EXAMPLES):
        where = {"tree": tree, "K": 8, "method": SCHEMES, "thresholds": thresholds}
        dips = trend(results, "ilr", "levels", ["table", "method"], where)
        answer("dip", "With more levels the loss falls first, then rises.",
               f"{dips.dip} of {dips.n} curves fall, then rise; from 1 to 4 levels {dips}",
               most_of(dips.dip, dips.n), thresholds)  # fmt: skip
    rising = trend(results, "ilr", "K", ["table", "method"], at)
    answer("rises-with-k", "The loss tends to rise with K.", rising, most_of(rising.rise, rising.n))
    falling = trend(results, "f1", "K", ["table", "method"], at)
    answer("f1-falls", "F1 tends to fall with K.", falling, most_of(falling.fall, falling.n))
    for other in SCHEMES[1:]:
        found = versus("f1", SCHEMES[0], other)
        answer("sd-f1", "SD has the highest F1 of the three.", found, _highest(found),
               f"SD against {NAMES[other]}")  # fmt: skip
    for scheme in SCHEMES:
        beaten = [t for t in TABLES if (p := versus("f1", "ka", scheme, {"table": t})).n
                  and p.more > p.n / 2]  # fmt: skip
        answer("ka-f1", "KA has a higher F1 than the schemes on some tables.",
               f"KA higher on {', '.join(beaten) or 'no table'}",
               bool(beaten) if versus("f1", "ka", scheme).n else None, NAMES[scheme])  # fmt: skip
    for one, other in (("ece-mks3wd", "se-mks3wd"), ("se-mks3wd", "ece-mks3wd")):
        beaten = [t for t in TABLES if (p := versus("f1", one, other, {"table": t})).n
                  and p.more > p.n / 2]  # fmt: skip
        answer("ece-f1", "ECE has a higher F1 than SE on some tables, and a lower one on others.",
               f"{NAMES[one]} higher on {', '.join(beaten) or 'no table'}",
               bool(beaten) if versus("f1", one, other).n else None,
               f"{NAMES[one]} above {NAMES[other]}")  # fmt: skip
    for scheme in SCHEMES:
        apart = _apart(results, scheme, at)
        answer("f1-close", "On most tables F1 is close to KA's (here: within 0.1 on average).",
               "nothing measured" if apart is None else
               f"differs by {', '.join(f'{t} {d:.2f}' for t, d in apart.items())}",
               None if apart is None else sum(d <= 0.1 for d in apart.values()) > len(apart) / 2,
               NAMES[scheme])  # fmt: skip
    for scheme in SCHEMES:
        found = versus("seconds", scheme, "ka")
        answer("slower-than-ka", "The schemes generally take more time than KA.", found,
               most_of(found.more, found.n), NAMES[scheme])  # fmt: skip
    found = versus("seconds", SCHEMES[0], "ka")
    answer("sd-quick", "SD is nearly as quick as KA (here: less than twice its time in all).",
           found, None if found.ratio is None else found.ratio.mean < 2)  # fmt: skip
    for other in SCHEMES[1:]:
        found = versus("seconds", SCHEMES[0], other)
        answer("sd-quicker", "SD is quicker than SE and ECE.", found,
               None if found.ratio is None else found.ratio.mean < 1,
               f"SD against {NAMES[other]}")  # fmt: skip
    slow = [t for t in TABLES
            if (p := versus("seconds", "ece-mks3wd", "se-mks3wd", {"table": t})).ratio
            and p.ratio.mean > 1]  # fmt: skip
    answer("ece-quicker", "ECE is quicker than SE, except on mushroom.",
           f"ECE slower on {', '.join(slow) or 'no table'}; "
           f"{versus('seconds', 'ece-mks3wd', 'se-mks3wd')}",
           slow == ["mushroom"])  # fmt: skip
    return answers


def _apart(results: Results, scheme: str, at: dict[str, Any]) -> dict[str, float] | None:
    """By how much F1 of a scheme and of KA differ on each table, on average over K."""
    found: dict[str, list[float]] = {}
    own, ka = (results.estimates({**at, "method": m}, ["table", "K"], "f1") for m in (scheme, "ka"))
    for place in own.keys() & ka.keys():
        found.setdefault(place[0], []).append(abs(own[place].mean - ka[place].mean))
    return {t: sum(found[t]) / len(found[t]) for t in TABLES if t in found} or None


def _highest(found: Pairing) -> bool | None:
    """Nowhere below, and above at most points."""
    return not found.less and found.more > found.n / 2 if found.n else None


PAPER = ReproducedPaper("mks3wd", grid, FIGURES, claims)
