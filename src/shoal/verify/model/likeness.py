"""What an adversary gains on a sensitive value in a class beyond its share in the whole table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.errors import VerificationError
from shoal.reading.encoding import Flags, Floats
from shoal.schema import Attribute, Requirement, Verdict
from shoal.verify.model.verdict import Reach, find_targets, read_parameter, settle
from shoal.verify.text.classes import Classes

# Gains are quotients of differences: a limit is only missed by more than that.
TOLERANCE = 1e-9


def check_beta_likeness(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """(q - p)/p is at most beta for every value of every class (Cao and Karras 2012, def. 1).

    By the enhanced kind (def. 3) it is at most min(beta, -ln p).
    """
    beta = read_parameter(requirement, "beta")
    kind = requirement.parameters.get("kind") or "basic"
    if kind not in ("basic", "enhanced"):
        raise VerificationError(f"There is no independent check of beta-likeness of kind {kind!r}.")
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            p, q = _shares(classes, attribute)
            gains = (q - p) / p
            starts = classes.runs(attribute).starts
            most = np.maximum.reduceat(gains, starts)
            good: Flags = most <= beta + TOLERANCE
            if kind == "enhanced":
                good &= ~np.logical_or.reduceat(gains > TOLERANCE - np.log(p), starts)
            # A class that misses -ln p may gain less than one that holds: those that fail first.
            return Reach(good, float(most.max()), (good.astype(np.int64), -most))

        yield settle(classes, requirement, beta, find, attribute)


def check_delta_disclosure(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """|ln(q/p)| is below delta for the values of every class (Brickell and Shmatikov 2008)."""
    delta = read_parameter(requirement, "delta")
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            p, q = _shares(classes, attribute)
            most = np.maximum.reduceat(np.abs(np.log(q / p)), classes.runs(attribute).starts)
            # No tolerance, as the limit is strict: methods stay a billionth below it.
            return Reach(most < delta, float(most.max()), (-most,))

        yield settle(classes, requirement, delta, find, attribute)


def _shares(classes: Classes, attribute: Attribute) -> tuple[Floats, Floats]:
    """The share of each value of each class in the whole table and in its class."""
    runs, counts = classes.runs(attribute), classes.values(attribute).counts
    return counts[runs.values] / counts.sum(), runs.counts / classes.n_rows[runs.classes]
