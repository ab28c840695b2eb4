"""The people of the data among those of a population who fit each class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.errors import VerificationError
from shoal.reading.encoding import Integers
from shoal.schema import Requirement, Verdict
from shoal.verify.model.verdict import Reach, reach_both, read_parameter, settle
from shoal.verify.text.classes import Classes


def check_k_map(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class fits at least k people of the population (Sweeney 2002)."""
    k = read_parameter(requirement, "k")

    def find() -> Reach:
        fitting = _fitting(classes, requirement)
        return Reach(fitting >= k, int(fitting.min()), (fitting,))

    yield settle(classes, requirement, k, find)


def check_delta_presence(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Of those who fit a class, a share from low to high is in the data (Nergiz et al. 2007)."""
    required = {name: read_parameter(requirement, name) for name in ("low", "high")}

    def find() -> Reach:
        fitting = _fitting(classes, requirement)
        # Nobody of the population fits a class whose people it lacks: they are there for certain.
        share = classes.n_people / np.maximum(fitting, classes.n_people)
        rare, common = ~(share >= required["low"]), ~(share <= required["high"])
        reached = {"low": float(share.min()), "high": float(share.max())}
        return reach_both(rare, common, reached, -share)

    yield settle(classes, requirement, required, find)


def _fitting(classes: Classes, requirement: Requirement) -> Integers:
    if classes.fitting is None:
        raise VerificationError(
            f"{requirement.model} can only be checked with the population that it is about."
        )
    return classes.fitting
