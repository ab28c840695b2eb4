"""Do the identity-reserved models hold, where a person may have several rows?

R(p) are the rows of a person in a class Q, S(p) the different sensitive values among them, P(s) the
people who have a value; a class has n_Q people, |Q| rows and m_Q different values. A missing value
is a value of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.errors import VerificationError
from shoal.reading.encoding import Codes, Floats, Integers, Runs, count_runs, dense_codes
from shoal.schema import Attribute, Requirement, Verdict
from shoal.verify.model.hitting import UNDECIDED, fewest_values
from shoal.verify.model.verdict import (
    Reach,
    find_targets,
    reach_both,
    read_parameter,
    settle,
    settle_size,
)
from shoal.verify.text.classes import Classes


@dataclass(frozen=True)
class _ClassPeople:
    """The people of every class: the person of each row, and the class and row count of each.

    Somebody with rows in two classes is two people here, as the classes are judged one by one.
    """

    of_row: Codes
    classes: Codes
    n_rows: Integers


def demand_people(classes: Classes, requirement: Requirement) -> None:
    """Raise where the schema does not say which rows belong to one person."""
    if classes.people is None:
        raise VerificationError(
            f"{requirement.model} must know which rows belong to the same person, but the schema "
            "names no individual."
        )


def largest_person(classes: Classes) -> Floats:
    """The greatest |R(p)|/|Q| of every class."""
    most = np.zeros(len(classes), dtype=np.int64)
    people = _find_people(classes)
    np.maximum.at(most, people.classes, people.n_rows)
    share: Floats = most / classes.n_rows
    return share


def commonest_value(classes: Classes, attribute: Attribute) -> Integers:
    """The greatest |P(s)| of every class: somebody who has a value in two rows counts once."""
    people = _find_people(classes)
    held = _holdings(classes, attribute, people)
    owners = people.classes[held.classes]
    runs = count_runs(owners, held.values, classes.values(attribute).n_values)
    return np.maximum.reduceat(runs.counts, runs.starts).astype(np.int64)


def _find_people(classes: Classes) -> _ClassPeople:
    assert classes.people is not None
    n_people = int(classes.people.max(initial=0)) + 1
    of_row, keys = dense_codes(classes.of_row.astype(np.int64) * n_people + classes.people)
    return _ClassPeople(of_row, (keys // n_people).astype(np.int32), np.bincount(of_row))


def _holdings(classes: Classes, attribute: Attribute, people: _ClassPeople) -> Runs:
    """S(p) of everybody, as runs."""
    values = classes.values(attribute)
    return count_runs(people.of_row, values.codes[classes.rows], values.n_values)


def check_ir_k(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class has n_Q >= k people (Definition 2.3 (1))."""
    demand_people(classes, requirement)
    yield settle_size(classes, requirement)


def check_ir_kl(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """Every class has n_Q >= k people and m_Q >= l values (Definition 2.3 (2))."""
    required = {name: read_parameter(requirement, name) for name in ("k", "l")}
    demand_people(classes, requirement)
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            sizes, n_values = classes.n_people, classes.runs(attribute).lengths
            small, poor = sizes < required["k"], n_values < required["l"]
            reached = {"k": int(sizes.min()), "l": int(n_values.min())}
            return reach_both(small, poor, reached, sizes, n_values)

        yield settle(classes, requirement, required, find, attribute)


def check_alpha_beta(
    classes: Classes, requirement: Requirement, whole: Callable[[Classes], Integers]
) -> Iterator[Verdict]:
    """In every class |R(p)|/|Q| <= alpha for all people and |P(s)|/whole <= beta for all values.

    The whole is |Q| for IR (Definition 2.3 (3)) and n_Q for EIR (Definition 3.4).
    """
    required = {name: read_parameter(requirement, name) for name in ("alpha", "beta")}
    demand_people(classes, requirement)
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            of_people = largest_person(classes)
            of_values = commonest_value(classes, attribute) / whole(classes)
            large, common = ~(of_people <= required["alpha"]), ~(of_values <= required["beta"])
            reached = {"alpha": float(of_people.max()), "beta": float(of_values.max())}
            return reach_both(large, common, reached, -of_people, -of_values)

        yield settle(classes, requirement, required, find, attribute)


def check_eir_l(classes: Classes, requirement: Requirement) -> Iterator[Verdict]:
    """One row of each person shows l values, whichever rows they are (Definition 3.3).

    That is, a minimum hitting set of the S(p) of a class has at least l elements (Theorem 3.1).
    What is reached is counted up to l: where it is l, a class may well have more. It is not known
    whether it holds where a search ran out of steps and no class fails.
    """
    least = read_parameter(requirement, "l")
    demand_people(classes, requirement)
    for attribute in find_targets(classes, requirement):

        def find(attribute: Attribute = attribute) -> Reach:
            people = _find_people(classes)
            held = _holdings(classes, attribute, people)
            # More values than there are hit no set better: one more than these is enough to fail.
            most = min(math.ceil(least), classes.values(attribute).n_values + 1)
            fewest = fewest_values(held, people.classes, len(classes), most)
            unknown = fewest == UNDECIDED
            fewest[unknown] = most
            return Reach((fewest >= least) & ~unknown, int(fewest.min()), (fewest,), unknown)

        yield settle(classes, requirement, least, find, attribute)


IDENTITY: dict[str, Callable[[Classes, Requirement], Iterator[Verdict]]] = {
    "ir-k": check_ir_k,
    "ir-kl": check_ir_kl,
    "ir-alpha-beta": partial(check_alpha_beta, whole=lambda classes: classes.n_rows),
    "eir-l": check_eir_l,
    "eir-alpha-beta": partial(check_alpha_beta, whole=lambda classes: classes.n_people),
}
