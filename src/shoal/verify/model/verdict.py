"""From what the classes reach to a verdict; every check of a requirement ends here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import VerificationError
from shoal.reading.encoding import Flags
from shoal.schema import Attribute, Requirement, Role, Verdict
from shoal.verify.text.classes import Classes

UNDECIDED = "the search ran out of steps"
_AT_LEAST_1 = ("a number of at least 1", lambda x: x >= 1)
_NOT_NEGATIVE = ("a number of at least 0", lambda x: x >= 0)
_POSITIVE = ("a number above 0", lambda x: x > 0)
_SHARE = ("a number above 0 and at most 1", lambda x: 0 < x <= 1)
_BOUNDS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "k": _AT_LEAST_1,
    "l": _AT_LEAST_1,
    "m": _AT_LEAST_1,
    "p": _AT_LEAST_1,
    "c": _POSITIVE,
    "delta": _POSITIVE,
    "alpha": _SHARE,
    "beta": _SHARE,
    "t": _NOT_NEGATIVE,
    "e": _NOT_NEGATIVE,
    "low": ("a number from 0 to 1", lambda x: 0 <= x <= 1),
    "high": _SHARE,
}
# Where a model means something else by a letter.
_OWN: dict[tuple[str, str], tuple[str, Callable[[float], bool]]] = {
    ("beta-likeness", "beta"): _POSITIVE,
    ("lkc", "c"): _SHARE,
}


@dataclass(frozen=True)
class Reach:
    """What the classes reach: which are good, the extreme, and keys that are least in the worst.

    `undecided`: the classes of which it is not known, where that can be.
    """

    good: Flags
    reached: Any
    worst_first: tuple[NDArray[Any], ...]
    undecided: Flags | None = None


def reach_both(left: Flags, right: Flags, reached: Any, *keys: NDArray[Any]) -> Reach:
    """What the classes reach of two limits, given which miss each; the worst misses both."""
    n_missed = left.astype(np.int64) + right
    return Reach(~(left | right), reached, (-n_missed, *keys))


def read_parameter(requirement: Requirement, name: str) -> float:
    """A threshold of a requirement; raises if it is absent or out of range."""
    value: Any = requirement.parameters.get(name)
    what, fits = _OWN.get((requirement.model, name), _BOUNDS[name])
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # Beyond the largest double an int can be compared, but not divided by or rounded.
    if not number or not abs(value) <= sys.float_info.max or not fits(value):
        raise VerificationError(
            f"The {name!r} parameter of {requirement.model} must be {what}, got {value!r} instead."
        )
    threshold: float = value
    return threshold


def find_targets(classes: Classes, requirement: Requirement) -> tuple[Attribute, ...]:
    """The attributes that a requirement is about; never none."""
    name = requirement.parameters.get("attribute")
    schema = classes.schema
    if name is None:
        targets = schema.sensitive
    else:
        targets = tuple(a for a in schema.attributes if a.name == name)
    if not targets:
        what = "a sensitive attribute" if name is None else f"an attribute {name!r}"
        raise VerificationError(f"{requirement.model} needs {what}, but the schema has none.")
    for target in targets:
        if target.role == Role.SEMI_SENSITIVE or target.name not in classes.table.columns:
            raise VerificationError(
                f"There is no independent check of {requirement.model} for {target.name!r}."
            )
    return targets


def settle(
    classes: Classes,
    requirement: Requirement,
    required: Any,
    find: Callable[[], Reach],
    attribute: Attribute | None = None,
) -> Verdict:
    """The verdict on what the classes reach; no class at all proves nothing."""
    name = attribute.name if attribute else None
    if len(classes) == 0:
        return Verdict(str(requirement), False, required, attribute=name, note="no rows")
    reach = find()
    if reach.undecided is not None and reach.undecided.any():
        if (reach.good | reach.undecided).all():
            n_open = int(reach.undecided.sum())
            note = f"{UNDECIDED}: {n_open} of {len(classes)} classes"
            return Verdict(str(requirement), None, required, attribute=name, note=note)
        # Some class fails for certain, which settles it.
        reach = replace(reach, good=reach.good | reach.undecided, undecided=None)
    # Key by key among those still equal; the number of the class comes last, so one is left.
    worst = np.arange(len(classes))
    for key in (*reach.worst_first, classes.numbers):
        worst = worst[key[worst] == key[worst].min()]
    offending = tuple(np.sort(classes.numbers[~reach.good]).tolist())
    return Verdict(
        str(requirement),
        not offending,
        required,
        reach.reached,
        int(classes.numbers[worst[0]]),
        offending,
        name,
    )


def settle_size(classes: Classes, requirement: Requirement) -> Verdict:
    """The verdict on whether every class has at least k people."""
    k = read_parameter(requirement, "k")

    def find() -> Reach:
        sizes = classes.n_people
        return Reach(sizes >= k, int(sizes.min()), (sizes,))

    return settle(classes, requirement, k, find)
