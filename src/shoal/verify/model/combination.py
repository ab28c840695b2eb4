"""What adversaries find who know only some of the quasi-identifiers, in every combination.

Rows that share more values are fewer and more alike, but those that share fewer are their union:
if every combination of l attributes holds, every smaller one does too. So only combinations of
exactly l are examined.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import ceil, comb

import numpy as np

from shoal.errors import VerificationError
from shoal.reading.encoding import Codes, Floats, Integers, combine_codes, count_runs
from shoal.schema import Attribute, Requirement, Verdict
from shoal.verify.model.verdict import Reach, find_targets, reach_both, read_parameter, settle
from shoal.verify.text.classes import Classes

# At most this many combinations are examined; beyond that, only whole classes.
_MOST = 20_000


def check_km(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every combination of m values that occurs has k people (Terrovitis et al. 2008)."""
    required = {name: read_parameter(requirement, name) for name in ("k", "m")}

    def find() -> Reach:
        fewest = np.full(len(classes), np.iinfo(np.int64).max)
        for group in _groups(classes, ceil(required["m"])):
            np.minimum(fewest, _people(classes, group)[group], out=fewest)
        few = fewest < required["k"]
        return Reach(~few, {"k": int(fewest.min())}, (fewest,))

    yield settle(classes, requirement, required, find)


def check_lkc(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Rows that share l values: k people, no value beyond a share c (Mohammed et al. 2009)."""
    required = {name: read_parameter(requirement, name) for name in ("l", "k", "c")}
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            fewest = np.full(len(classes), np.iinfo(np.int64).max)
            most = np.zeros(len(classes))
            for group in _groups(classes, ceil(required["l"])):
                np.minimum(fewest, _people(classes, group)[group], out=fewest)
                np.maximum(most, _commonest(classes, attribute, group)[group], out=most)
            few, uneven = fewest < required["k"], ~(most <= required["c"])
            reached = {"k": int(fewest.min()), "c": float(most.max())}
            return reach_both(few, uneven, reached, -most, fewest)

        yield settle(classes, requirement, required, find, attribute)


def _groups(classes: Classes, n_known: int) -> Iterator[Codes]:
    """For every combination of this many quasi-identifiers, the group of every class.

    Whole classes alone where there are too many: what holds of them holds of their unions.
    """
    shown = classes.shown
    if not shown:
        raise VerificationError("The published quasi-identifiers of the classes are not known.")
    if n_known >= len(shown) or comb(len(shown), n_known) > _MOST:
        yield np.arange(len(classes), dtype=np.int32)
    else:
        for chosen in combinations(shown, n_known):
            columns = [(codes, int(codes.max()) + 1) for codes in chosen]
            yield combine_codes(columns, len(classes))[0]


def _people(classes: Classes, group: Codes) -> Integers:
    """The number of people of every group."""
    of_row = group[classes.of_row]
    if classes.people is None:
        return np.bincount(of_row)
    # Nobody is in two classes of a release; in a table as it is, somebody may be.
    return count_runs(of_row, classes.people, int(classes.people.max(initial=0)) + 1).lengths


def _commonest(classes: Classes, attribute: Attribute, group: Codes) -> Floats:
    """The largest share of one value in every group."""
    values = classes.values(attribute)
    runs = count_runs(group[classes.of_row], values.codes[classes.rows], values.n_values)
    totals = np.add.reduceat(runs.counts, runs.starts)
    share: Floats = np.maximum.reduceat(runs.counts, runs.starts) / totals
    return share
