"""What a trial reads from its release: measures, times, and the answers to queries, by name."""

from __future__ import annotations

import operator
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import graph, identity
from shoal._command.audit import audit
from shoal._command.compare.risk import risk_of
from shoal._command.query import open_release
from shoal._run import Release
from shoal.errors import PlanError
from shoal.measure import MEASURES
from shoal.plan import Plan
from shoal.schema import Kind, Role
from shoal.table.partition import SUPPRESSED

N_QUERIES = 1_000
_OWN = {
    "seconds": "processor time of the method itself, in seconds",
    "run-seconds": "processor time of the whole run including verification, in seconds",
    "classes": "number of classes",
    "largest-risk": "1 / the number of people in the smallest published class",
    "posterior": "largest share of one sensitive value in a class, or Lemma 2's bound for buckets",
    "bounded-sum": "mean (upper - lower)/actual of SUM queries with four conditions (LGB, 4.2)",
    "bounded-sum-median": "median of the same, which single queries with few people do not sway",
    "people-all": "the same as people-N with all quasi-identifiers",
    "attack-linked": "share of people whom the marketer's attack links correctly",
    "attack-found": "share of people whose sensitive value the best attack on values finds",
    "attack-worst": "how sure that attack is about the person of whom it is surest",
    "bounded-sum-skipped": "share of those queries whose true answer is 0",
}
# The attacks of the audit that are after a sensitive value.
_AFTER_VALUES = ("inference", "reasoning", "bucket", "definetti")
_FAMILIES = {
    "count-and-": "mean relative error of COUNT with this many equalities, joined by AND",
    "count-or-": "mean relative error of COUNT with this many equalities, joined by OR",
    "count-range-": "mean relative error of COUNT with this many ranges, joined by AND",
    "people-": "mean relative error of COUNT of people with a value and this many ranges (eq. 19)",
}


def meaning(name: str) -> str:
    """What a reading is, in words; raises PlanError for one that does not exist.

    >>> meaning("classes")
    'number of classes'
    """
    if name in MEASURES:
        return MEASURES[name].summary()
    if name in _OWN:
        return _OWN[name]
    for family, words in _FAMILIES.items():
        if name.startswith(family) and name.removeprefix(family).isdigit():
            return words
    raise PlanError(
        f"There is no measure {name!r}.",
        hint="'shoal measures' lists them; an experiment can also read "
        + ", ".join([*_OWN, *(f"{family}N" for family in _FAMILIES)])
        + ".",
    )


def read_release(
    release: Release,
    plan: Plan,
    frame: pl.DataFrame,
    names: Sequence[str],
    seconds: Mapping[str, float],
) -> dict[str, float | None]:
    """The readings of these names; None where a measure does not apply."""
    seed = plan.seed if isinstance(plan.seed, int) else 1
    found: dict[str, float | None] = {}
    for name in names:
        if name not in found:
            found |= _read(name, release, plan, frame, seconds, seed)
    return {name: found[name] for name in names}


def _read(
    name: str,
    release: Release,
    plan: Plan,
    frame: pl.DataFrame,
    seconds: Mapping[str, float],
    seed: int,
) -> dict[str, float | None]:
    if name in MEASURES:
        return {name: release.measures.get(name)}
    if name.startswith("bounded-sum"):
        return _bounded_sums(release, plan, frame, seed)
    if name.startswith("attack-"):
        return _attacks(release, plan, frame)
    if name.startswith("people-"):
        every = name == "people-all"
        n = len(release.schema.quasi) if every else int(name.removeprefix("people-"))
        return {name: identity.query_errors(release, [n], N_QUERIES, seed)["error"][0]}
    if name.startswith("count-"):
        kind = name.split("-")[1]
        errors = graph.query_errors(release, [kind], N_QUERIES, seed)  # type: ignore[list-item]
        return {f"count-{kind}-{n}": e for n, e in errors["attributes", "error"].iter_rows()}
    own: dict[str, Callable[[], float | None]] = {
        "seconds": lambda: seconds.get(release.method),
        "run-seconds": lambda: sum(seconds.values()),
        "classes": lambda: release.counts.classes,
        "largest-risk": lambda: risk_of(release).largest,
        "posterior": lambda: worst_posterior(release),
    }
    return {name: own[name]()}


def worst_posterior(release: Release) -> float:
    """How sure a reader can be of a sensitive value who knows everybody's class.

    The largest share of the people of a published class who have the value; for values in buckets
    the bound of Lemma 2 of LGB, for the person at the highest risk. Symbols count as the values
    behind them.
    """
    if release.risks is not None:
        found = release.risks.posteriors
        return max((found[a.name] for a in release.schema.sensitive), default=0.0)
    view = release.measures.view
    kept = np.flatnonzero(view.row_class != SUPPRESSED)
    classes = view.published_class[view.row_class[kept]]
    units = view.table.unit_of_row()[kept].astype(np.int64)
    people = np.bincount(np.unique(np.column_stack([classes, units]), axis=0)[:, 0])
    worst = 0.0
    for column in view.table.sensitive:
        each = np.unique(np.column_stack([classes, units, column.codes[kept]]), axis=0)
        pairs, counts = np.unique(each[:, [0, 2]], axis=0, return_counts=True)
        worst = max(worst, float((counts / people[pairs[:, 0]]).max(initial=0.0)))
    return worst


def _attacks(release: Release, plan: Plan, frame: pl.DataFrame) -> dict[str, float | None]:
    """What the attacks of the audit gain on the written release, given the original."""
    with tempfile.TemporaryDirectory() as folder:
        gains = audit(release.save(Path(folder) / "release"), frame, plan=plan).gains
    values = [gain for gain in gains if gain.attack in _AFTER_VALUES]
    linked = [gain.success.share for gain in gains if gain.attack == "marketer"]
    return {
        "attack-linked": max(linked, default=None),
        "attack-found": max((gain.success.share for gain in values), default=None),
        "attack-worst": max((gain.worst for gain in values), default=None),
    }


def _bounded_sums(
    release: Release, plan: Plan, frame: pl.DataFrame, seed: int
) -> dict[str, float | None]:
    """R_error of seeded SUM queries, from the written release and its plan (LGB, section 4.2)."""
    with tempfile.TemporaryDirectory() as folder:
        opened = open_release(release.save(Path(folder) / "release"), plan)
        errors, skipped = [], 0
        for text, rows in sum_queries(release, frame, N_QUERIES, seed):
            actual = float(rows)
            if actual == 0:
                skipped += 1
                continue
            answer = opened.query(text)
            errors.append(((answer.upper or 0.0) - (answer.lower or 0.0)) / actual)
    return {
        "bounded-sum": float(np.mean(errors)) if errors else None,
        "bounded-sum-median": float(np.median(errors)) if errors else None,
        "bounded-sum-skipped": skipped / N_QUERIES,
    }


def sum_queries(
    release: Release, frame: pl.DataFrame, n: int, seed: int
) -> Iterator[tuple[str, float]]:
    """Seeded queries over the first numeric sensitive column, and their true answers.

    Four conditions on different attributes: of a category one to half of its values, of a number
    one of =, !=, <, <=, >, >= and a value that occurs.
    """
    known = [a for a in release.schema.attributes if a.role in (Role.QUASI, Role.SEMI_SENSITIVE)]
    summed = next(a.name for a in release.schema.sensitive if a.kind is Kind.NUMERIC)
    domains = {a.name: frame[a.name].drop_nulls().unique().sort() for a in known}
    # A row's place in the domain of an attribute; a missing value is behind the last.
    places = {name: _places(frame[name], domain) for name, domain in domains.items()}
    numbers = frame[summed].fill_null(0).to_numpy()
    draw = np.random.default_rng(seed)
    for _ in range(n):
        chosen = np.sort(draw.choice(len(known), min(4, len(known)), replace=False))
        conditions, holds = [], np.ones(frame.height, dtype=np.bool_)
        for attribute in (known[one] for one in chosen):
            name, domain = attribute.name, domains[attribute.name]
            met = np.zeros(len(domain) + 1, dtype=np.bool_)
            if attribute.kind is Kind.NUMERIC:
                sign = str(draw.choice(["=", "!=", "<", "<=", ">", ">="]))
                at = int(draw.integers(len(domain)))
                conditions.append(f"{name} {sign} {domain[at]}")
                met[:-1] = _SIGNS[sign](np.arange(len(domain)), at)
            else:
                size = int(draw.integers(1, max(len(domain) // 2, 1) + 1))
                some = np.sort(draw.choice(len(domain), size, replace=False))
                texts = ("'" + str(domain[one]).replace("'", "''") + "'" for one in some.tolist())
                conditions.append(f"{name} IN ({', '.join(texts)})")
                met[some] = True
            holds &= met[places[name]]
        text = f"SELECT SUM({summed}) WHERE {' AND '.join(conditions)}"
        yield text, float(numbers[holds].sum())


def _places(column: pl.Series, domain: pl.Series) -> NDArray[np.int64]:
    found = pl.Series(np.arange(len(domain)))
    return column.replace_strict(
        domain, found, default=len(domain), return_dtype=pl.Int64
    ).to_numpy()


_SIGNS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
