"""Does a requirement hold in every class? One check per model, straight from its definition.

`CHECKS` maps a model's name to its check, a function of one `Classes` and one `Requirement`. A
model without a check raises; it is never said to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem, VerificationError
from shoal.reading.encoding import count_runs, dense_codes
from shoal.schema import Attribute, Kind, Requirement, Verdict
from shoal.verify.model.closeness import closeness
from shoal.verify.model.combination import check_km, check_lkc
from shoal.verify.model.diversity import DIVERSITY
from shoal.verify.model.identity import IDENTITY
from shoal.verify.model.likeness import check_beta_likeness, check_delta_disclosure
from shoal.verify.model.personal import check_multi_level_k
from shoal.verify.model.population import check_delta_presence, check_k_map
from shoal.verify.model.verdict import (
    Reach,
    find_targets,
    reach_both,
    read_parameter,
    settle,
    settle_size,
)
from shoal.verify.text.classes import Classes

Check: TypeAlias = Callable[[Classes, Requirement], Iterator[Verdict]]

# Sums of shares are rounded: a limit is only missed by more than that.
TOLERANCE = 1e-9


def judge(classes: Classes, requirements: Sequence[Requirement]) -> tuple[Verdict, ...]:
    """One verdict per requirement and attribute; raises for a model without a check."""
    unknown = [r for r in requirements if r.model not in CHECKS]
    if unknown:
        raise VerificationError(
            Problem(f"There is no independent check of the model {r.model!r}.") for r in unknown
        )
    # In step, attribute by attribute: only the counts of the latest attribute are kept.
    rounds = list(zip_longest(*(CHECKS[r.model](classes, r) for r in requirements)))
    return tuple(v for of_one in zip(*rounds, strict=True) for v in of_one if v is not None)


def check_k_anonymity(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class has at least k people (Samarati and Sweeney 1998)."""
    yield settle_size(classes, requirement)


def check_l_diversity(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class has l well-represented values (Machanavajjhala et al. 2006)."""
    least = read_parameter(requirement, "l")
    kind = requirement.parameters.get("kind") or "distinct"
    if not isinstance(kind, str) or kind not in DIVERSITY:
        raise VerificationError(f"There is no independent check of l-diversity of kind {kind!r}.")
    missing = requirement.parameters.get("missing") or "value"
    if missing not in ("value", "ignore"):
        raise VerificationError(
            f"There is no independent check of l-diversity with missing: {missing!r}."
        )
    # Classes are judged by one l for all, which is too little for whoever requires more.
    if requirement.parameters.get("personal") is not None:
        raise VerificationError("There is no independent check of a personal l outside of buckets.")
    c = read_parameter(requirement, "c") if kind == "recursive" else 0.0
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            if missing == "ignore":
                diversity = _diversity_known(classes, attribute, kind, c)
            else:
                diversity = DIVERSITY[kind](classes.runs(attribute), classes.n_rows, c)
            slack = TOLERANCE if kind == "entropy" else 0.0
            good = diversity >= least * (1 - slack)
            return Reach(good, diversity.min().item(), (diversity,))

        yield settle(classes, requirement, least, find, attribute)


def _diversity_known(classes: Classes, attribute: Attribute, kind: str, c: float) -> NDArray[Any]:
    """How diverse the values are that are known; a class without any has a diversity of 0."""
    values = classes.values(attribute)
    cells = values.codes[classes.rows]
    # The missing value is the last of those in the table.
    known = cells < values.n_values - values.has_missing
    owners, concerned = dense_codes(classes.of_row[known].astype(np.int64))
    if not len(concerned):
        return np.zeros(len(classes), dtype=np.int64)
    runs = count_runs(owners, cells[known], values.n_values)
    found = DIVERSITY[kind](runs, np.bincount(owners), c)
    diversity = np.zeros(len(classes), dtype=found.dtype)
    diversity[concerned] = found
    return diversity


def check_alpha_k(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class has k people and no value in more than a share alpha (Wong et al. 2006)."""
    required = {name: read_parameter(requirement, name) for name in ("alpha", "k")}
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            runs, sizes = classes.runs(attribute), classes.n_people
            shares = np.maximum.reduceat(runs.counts, runs.starts) / classes.n_rows
            # Not `>`: what cannot be compared misses its limit.
            small, uneven = sizes < required["k"], ~(shares <= required["alpha"])
            reached = {"alpha": float(shares.max()), "k": int(sizes.min())}
            return reach_both(small, uneven, reached, -shares, sizes)

        yield settle(classes, requirement, required, find, attribute)


def check_t_closeness(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class is within t of the whole table (Li, Li and Venkatasubramanian 2007)."""
    t = read_parameter(requirement, "t")
    distance = requirement.parameters.get("distance")
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            distances = closeness(classes, attribute, distance)
            return Reach(distances <= t + TOLERANCE, float(distances.max()), (-distances,))

        yield settle(classes, requirement, t, find, attribute)


def check_k_e(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class has k distinct numbers that spread by e (Zhang et al. 2007); a missing
    value is not a number."""
    required = {name: read_parameter(requirement, name) for name in ("k", "e")}
    for attribute in find_targets(classes, requirement):
        if attribute.kind != Kind.NUMERIC:
            raise VerificationError(
                f"k-e needs a numeric attribute, but {attribute.name!r} is not numeric."
            )

        def find(attribute: Attribute = attribute) -> Reach:
            n_distinct, spread = _spread(classes, attribute)
            few, narrow = n_distinct < required["k"], ~(spread >= required["e"])
            reached = {"k": int(n_distinct.min()), "e": float(spread.min())}
            return reach_both(few, narrow, reached, n_distinct, spread)

        yield settle(classes, requirement, required, find, attribute)


def _spread(classes: Classes, attribute: Attribute) -> tuple[NDArray[Any], NDArray[Any]]:
    """The distinct numbers of every class, and the distance from the least to the greatest."""
    values, runs = classes.values(attribute), classes.runs(attribute)
    assert values.numbers is not None
    missing = runs.values == len(values.numbers)
    numbers = np.append(values.numbers, np.nan)[runs.values]
    least = np.minimum.reduceat(np.where(missing, np.inf, numbers), runs.starts)
    greatest = np.maximum.reduceat(np.where(missing, -np.inf, numbers), runs.starts)
    n_distinct = np.add.reduceat((~missing).astype(np.int64), runs.starts)
    some = n_distinct > 0
    spread = np.subtract(greatest, least, out=np.zeros(len(classes)), where=some)
    return n_distinct, spread


def check_p_sensitive(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class has p different values (Truta and Vinay 2006)."""
    p = read_parameter(requirement, "p")
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            distinct = classes.runs(attribute).lengths
            return Reach(distinct >= p, int(distinct.min()), (distinct,))

        yield settle(classes, requirement, p, find, attribute)


CHECKS: dict[str, Check] = {
    "k-anonymity": check_k_anonymity,
    "l-diversity": check_l_diversity,
    "alpha-k": check_alpha_k,
    "t-closeness": check_t_closeness,
    "k-e": check_k_e,
    **IDENTITY,
    "beta-likeness": check_beta_likeness,
    "delta-disclosure": check_delta_disclosure,
    "delta-presence": check_delta_presence,
    "k-map": check_k_map,
    "lkc": check_lkc,
    "km": check_km,
    "p-sensitive": check_p_sensitive,
    "multi-level-k": lambda classes, r: check_multi_level_k(classes, r, judge),
}
