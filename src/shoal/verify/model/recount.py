"""What can be recounted in a published table, and why some verdicts must stay open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import Problem, VerificationError
from shoal.reading.encoding import Flags
from shoal.schema import Attribute, Kind, Requirement, Role, Schema, Verdict
from shoal.verify.model.closeness import default_distance
from shoal.verify.model.identity import largest_person
from shoal.verify.model.requirement import CHECKS
from shoal.verify.model.verdict import read_parameter
from shoal.verify.text.assignment import Assignment
from shoal.verify.text.classes import Classes

ALONE = "not checkable from the release alone"
REPEATED = (
    "not checkable: it is not known which rows of the original repeat another of the same person"
)
UNORDERED = "not checkable: the manifest does not give the order or the tree of the values"
UNLIKE = "not checkable: the published values are not those of the original"
UNASSIGNED = "not checkable: it is not known which rows of the original are published"
COLUMNS = "not checkable: the published columns are not those of the manifest"
BUCKETS = "not checkable: the audit does not follow values into separate tables"
PERSONAL = "not checkable: the sensitivities of people are not published"
UNKNOWN = "not checkable: this version has no independent check of it"
NOTHING = "not checkable: the column that it covers is not published"
SYMBOLS = "not checkable: its values are shown as symbols"
LINKED = "not checkable: the release does not say whose the values of a class are"
POPULATION = "not checkable: the population is not part of the release"
COUNTERFEITS = "not checkable: the release does not say which rows are counterfeits"
INVALID = "not checkable: its parameters are not valid"

OF_SIZES = ("k-anonymity", "ir-k", "km")
OF_POPULATION = ("k-map", "delta-presence")
# What is compared with the whole table, suppressed rows included.
OF_WHOLE = ("t-closeness", "beta-likeness", "delta-disclosure")
_OF_CLASSES = (*OF_SIZES, *OF_POPULATION, "multi-level-k")
# Where enough people in every class are all that is required.
_BY_SIZE = ("k-anonymity", "ir-k", "k-map", "multi-level-k")
_THRESHOLDS = (
    "l", "alpha", "beta", "k", "t", "e", "c", "m", "p", "delta", "low", "high",
)  # fmt: skip


@dataclass(frozen=True)
class Recount:
    """What a published table reaches: verdicts, what is wrong with it, and how many classes.

    `assigned` is the assignment of original rows to published ones, where the original is given.
    """

    verdicts: tuple[Verdict, ...]
    problems: tuple[Problem, ...] = ()
    n_classes: int | None = None
    assigned: Assignment | None = None


def leave_open(
    schema: Schema, requirements: Sequence[Requirement], note: str
) -> tuple[Verdict, ...]:
    """A verdict for each requirement and attribute that says why there is none."""
    return tuple(
        v for requirement in requirements for v in open_verdicts(schema, requirement, note)
    )


def open_verdicts(schema: Schema, requirement: Requirement, note: str) -> Iterator[Verdict]:
    """A verdict for each attribute of a requirement that says why there is none."""
    of_values = requirement.model in CHECKS and requirement.model not in _OF_CLASSES
    targets = targets_of(schema, requirement) if of_values else ()
    names: list[str | None] = [a.name for a in targets]
    for name in names or [None]:
        yield open_verdict(requirement, name, note)


def open_verdict(requirement: Requirement, name: str | None, note: str) -> Verdict:
    """A verdict on one attribute, or on none, that says why there is none."""
    given = requirement.parameters.items()
    # The c of recursive l-diversity says how l is counted, and is no threshold beside it.
    names = ("l",) if requirement.model == "l-diversity" else _THRESHOLDS
    required = {k: v for k, v in given if k in names and v is not None}
    threshold = next(iter(required.values())) if len(required) == 1 else required or None
    return Verdict(str(requirement), None, threshold, attribute=name, note=note)


def targets_of(schema: Schema, requirement: Requirement) -> tuple[Attribute, ...]:
    """The published attributes that a requirement of values is about."""
    name = requirement.parameters.get("attribute")
    if name is None:
        return schema.sensitive
    return tuple(a for a in schema.of(Role.SENSITIVE, Role.INSENSITIVE) if a.name == name)


def levels_by_size(classes: Classes, requirement: Requirement) -> Verdict:
    """Multi-level k, as far as class sizes decide it, whatever the sensitivities."""
    levels = requirement.parameters.get("levels")
    given = levels if isinstance(levels, list) else []
    pairs = [x["k"] if isinstance(x, dict) and "k" in x else x for x in given]
    whole = [k for pair in pairs if isinstance(pair, list) for k in pair if type(k) is int]
    if not given or len(whole) != 2 * len(given):
        raise VerificationError("The 'levels' parameter of multi-level-k must be a list of pairs.")
    name, required = str(requirement), {"k": max(whole)}
    if not len(classes):
        return Verdict(name, False, required, note="no rows")
    sizes = classes.n_people
    small = classes.numbers[sizes < min(whole)]
    if len(small):
        note = "a class is smaller than the least k of any level"
        return Verdict(name, False, required, offending=tuple(small.tolist()), note=note)
    if sizes.min() >= max(whole) and not any(isinstance(x, dict) for x in given):
        return Verdict(name, True, required, note="every class has the greatest k of any level")
    return Verdict(name, None, required, note=PERSONAL)


def crowds_by_size(classes: Classes, requirement: Requirement) -> Verdict:
    """k-map and delta-presence without the population, as far as sizes decide.

    The population includes everybody in the data, so k of these in a class are k of its people.
    """
    verdict = open_verdict(requirement, None, POPULATION)
    if requirement.model != "k-map" or not len(classes):
        return verdict
    if classes.n_people.min() < read_parameter(requirement, "k"):
        return verdict
    return replace(verdict, holds=True, note="every class has k people of the data itself")


def without_counterfeits(
    classes: Classes, requirement: Requirement, verdict: Verdict, n_counterfeits: int
) -> Verdict:
    """The verdict, open where it may hold only because of rows that belong to nobody.

    Nobody can tell which rows these are, so all of them may be in the smallest class.
    """
    # They count towards l, as in the paper (Xiao and Tao 2007), but never towards k.
    if not n_counterfeits or not verdict.holds or requirement.model == "l-diversity":
        return verdict
    n_real = int(classes.n_people.min()) - n_counterfeits
    if requirement.model in _BY_SIZE and n_real >= _required_k(verdict):
        return verdict
    return replace(verdict, holds=None, reached=None, worst_class=None, note=COUNTERFEITS)


def _required_k(verdict: Verdict) -> float:
    asked = verdict.asked
    required = asked["k"] if isinstance(asked, Mapping) else asked
    return math.inf if required is None else required


def has_distance(attribute: Attribute, distance: str | None) -> bool:
    """Whether all is known that the distance between values needs; a manifest has no values."""
    distance = distance or default_distance(attribute)
    if attribute.kind is None or distance == "equal":
        return attribute.kind is not None
    if distance == "ordered":
        return attribute.kind in (Kind.NUMERIC, Kind.DATE) or attribute.values is not None
    return attribute.hierarchy is not None and bool(attribute.hierarchy.rows)


def lost_by_size(classes: Classes, requirement: Requirement) -> Flags:
    """Which classes fail whatever their values: a class has at most as many values as rows."""

    def limit(name: str) -> float:
        return read_parameter(requirement, name)

    people, rows = classes.n_people, classes.n_rows
    lost: dict[str, Callable[[], Flags]] = {
        "l-diversity": lambda: rows < limit("l"),
        "k-e": lambda: rows < limit("k"),
        "p-sensitive": lambda: rows < limit("p"),
        "alpha-k": lambda: people < limit("k"),
        "ir-kl": lambda: (people < limit("k")) | (rows < limit("l")),
        "eir-l": lambda: people < limit("l"),
        "ir-alpha-beta": lambda: (
            ~(largest_person(classes) <= limit("alpha")) | ~(1 / rows <= limit("beta"))
        ),
        "eir-alpha-beta": lambda: (
            ~(largest_person(classes) <= limit("alpha")) | ~(1 / people <= limit("beta"))
        ),
    }
    find = lost.get(requirement.model, lambda: np.zeros(len(classes), dtype=np.bool_))
    return find()
