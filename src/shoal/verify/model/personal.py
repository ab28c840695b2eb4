"""Does everybody get the crowd that their sensitivity requires? (MKS3WD, Definition 10)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem, VerificationError
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Codes
from shoal.schema import LevelReach, Requirement, Role, Verdict
from shoal.schema.wording import counted
from shoal.verify.text.classes import Classes

Judge = Callable[[Classes, list[Requirement]], tuple[Verdict, ...]]


def check_multi_level_k(
    classes: Classes, requirement: Requirement, judge: Judge
) -> Iterator[Verdict]:
    """Every row's class has the k that the row requires, and what its level requires besides.

    A row requires HK_t or LK_t at the first t where f >= a_t or f <= b_t, and HK of the last level
    where none decides. Offending are rows, numbered from 0 as in the input. Where a method says
    under which k it released each row, every class must reach that in any case.
    """
    _, pairs = _levels(requirement)
    required = required_k(requirement, _sensitivities(classes))[classes.rows]
    sizes = classes.n_people[classes.of_row]
    if classes.released_k is not None:
        broken = int(np.count_nonzero(sizes < classes.released_k))
        if broken:
            raise VerificationError(
                f"{counted(broken, 'row is', 'rows are')} in a class smaller than the k that they "
                "were released under."
            )
    lacking = [v for v in _stronger(classes, requirement, pairs, judge) if v.holds is not True]
    # The method claims to have released these classes at this level, so it is at fault.
    if lacking and classes.released_k is not None:
        raise VerificationError(
            Problem(
                f"A level of multi-level-k requires {v.requirement}, but {len(v.offending)} of its "
                "classes do not satisfy it."
            )
            for v in lacking
        )
    if not len(required):
        yield Verdict(str(requirement), False, None, note="no rows")
        return
    short = sizes < required
    most = int(required.max())
    worst = int(np.argmin(sizes - required))
    yield Verdict(
        str(requirement),
        not (short.any() or lacking),
        {"k": most},
        {"k": int(sizes[required == most].min()), "rows below": int(short.sum())},
        int(classes.numbers[classes.of_row[worst]]),
        tuple(np.sort(classes.rows[short]).tolist()),
        note="; ".join(f"a level requires {v.requirement}" for v in lacking),
        levels=tuple(_by_level(classes, required, sizes)),
    )


def _by_level(
    classes: Classes, required: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Iterator[LevelReach]:
    """What those who require each k achieve, counted in published people, or rows if not known."""
    units = np.arange(len(required)) if classes.people is None else classes.people
    for k in np.unique(required)[::-1]:
        own = required == k
        below = own & (sizes < k)
        n_own, n_below = (len(np.unique(units[chosen])) for chosen in (own, below))
        yield LevelReach(int(k), n_own, int(sizes[own].min()), n_below)


def _levels(requirement: Requirement) -> tuple[list[Any], NDArray[np.int64]]:
    thresholds = requirement.parameters.get("thresholds")
    levels = requirement.parameters.get("levels")
    if not isinstance(thresholds, (list, tuple)) or not isinstance(levels, (list, tuple)):
        raise VerificationError("multi-level-k needs lists of thresholds and of levels.")
    pairs = [level.get("k") if isinstance(level, dict) else level for level in levels]
    if not pairs or len(pairs) != len(thresholds):
        raise VerificationError("multi-level-k needs as many levels as thresholds.")
    if not (all(map(_is_pair, pairs)) and all(map(_is_pair, thresholds))):
        raise VerificationError("Every level of multi-level-k needs two thresholds and two k.")
    return list(thresholds), np.array(pairs, dtype=np.int64)


def _is_pair(given: object) -> bool:
    return (
        isinstance(given, (list, tuple))
        and len(given) == 2
        and all(type(number) in (int, float) for number in given)
    )


def _sensitivities(classes: Classes) -> NDArray[np.float64]:
    """The f of every row of the table; of a person's rows, the highest."""
    attributes = classes.schema.of(Role.SENSITIVITY)
    if len(attributes) != 1 or attributes[0].name not in classes.table.columns:
        raise VerificationError("multi-level-k needs exactly one column of sensitivities.")
    numbers = read_numbers(classes.table[attributes[0].name], attributes[0].missing)
    if (numbers.missing | numbers.unreadable).any():
        raise VerificationError("multi-level-k needs a sensitivity in every row.")
    f = numbers.low
    if not ((f >= 0) & (f <= 1)).all():
        raise VerificationError("Every sensitivity must be between 0 and 1.")
    if classes.people_of_table is None:
        return f
    people: Codes = classes.people_of_table
    highest = np.zeros(int(people.max(initial=-1)) + 1)
    np.maximum.at(highest, people, f)
    return np.asarray(highest[people])


def required_k(requirement: Requirement, f: NDArray[np.float64]) -> NDArray[np.int64]:
    """The k that multi-level-k requires for each of these sensitivities (MKS3WD, Example 2)."""
    thresholds, pairs = _levels(requirement)
    # From the last level back, so that the first that decides overwrites the later ones.
    required = np.full(len(f), pairs[-1, 0])
    for t in range(len(thresholds) - 1, -1, -1):
        a, b = thresholds[t]
        required = np.where(f >= a, pairs[t, 0], np.where(f <= b, pairs[t, 1], required))
    return required


def _stronger(
    classes: Classes, requirement: Requirement, pairs: NDArray[np.int64], judge: Judge
) -> Iterator[Verdict]:
    """What a level requires besides k, judged on the classes with rows released at that level."""
    for level, pair in zip(requirement.parameters["levels"], pairs, strict=True):
        more = [
            Requirement(name, parameters or {})
            for name, parameters in (level.items() if isinstance(level, dict) else ())
            if name != "k"
        ]
        if not more:
            continue
        # Where it is not known which level released a class, it must meet what all levels require.
        concerned = np.ones(len(classes), dtype=np.bool_)
        if classes.released_k is not None:
            concerned[:] = False
            # HK falls and LK rises by level, and all HK are above all LK: a k tells its level.
            concerned[classes.of_row[np.isin(classes.released_k, pair)]] = True
        inside = concerned[classes.of_row]
        place = np.cumsum(concerned) - 1
        if inside.any():
            yield from judge(
                replace(
                    classes,
                    rows=classes.rows[inside],
                    of_row=place[classes.of_row[inside]].astype(np.int32),
                    numbers=classes.numbers[concerned],
                    people=None if classes.people is None else classes.people[inside],
                    released_k=None,
                    # What was counted in all classes is not what these contain.
                    _latest={},
                ),
                more,
            )
