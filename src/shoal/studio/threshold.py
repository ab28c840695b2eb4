"""The levels of multi-level-k while somebody moves them, and how many rows each decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from shoal.errors import PlanError
from shoal.model import MultiLevelK
from shoal.model.sensitivity import first_decisions
from shoal.studio.draft import Draft, named
from shoal.studio.form import FIRST


@dataclass(frozen=True)
class ThresholdLevel:
    """One level: (a, b) and (HK, LK), whether or not they fit together."""

    a: float
    b: float
    high: int
    low: int


@dataclass(frozen=True)
class Decided:
    """How many rows a level decides: the sensitive, the others, and those that it leaves open."""

    high: int
    low: int
    open: int


@dataclass(frozen=True)
class Asked:
    """Who asks for what: rows by level and by k, the highest first; or what is wrong."""

    levels: tuple[Decided, ...] = ()
    by_k: tuple[tuple[int, int], ...] = ()
    problem: str = ""


def first_levels() -> tuple[ThresholdLevel, ...]:
    """What somebody begins with who has no levels yet."""
    return _read(FIRST["thresholds"], FIRST["levels"])


def levels_of(draft: Draft) -> tuple[ThresholdLevel, ...]:
    """The levels that a plan says, as far as they are numbers; they need not fit together."""
    given = next((p for name, p in draft.requirements if name == MultiLevelK.name), {})
    try:
        return _read(given["thresholds"], given["levels"])
    except (KeyError, TypeError, ValueError):
        return ()


def _read(thresholds: Any, levels: Any) -> tuple[ThresholdLevel, ...]:
    ks = [one["k"] if isinstance(one, Mapping) else one for one in levels]
    pairs = zip(thresholds, ks, strict=True)
    return tuple(
        ThresholdLevel(float(a), float(b), int(high), int(low)) for (a, b), (high, low) in pairs
    )


def levels_given(given: Mapping[str, str]) -> tuple[ThresholdLevel, ...]:
    """The levels that a form was filled with; raises PlanError if one is not a number."""
    n = sum(1 for key in given if key[:1] == "a" and key[1:].isdecimal())
    try:
        return tuple(
            ThresholdLevel(
                float(given[f"a{i}"]),
                float(given[f"b{i}"]),
                int(given[f"h{i}"]),
                int(given[f"l{i}"]),
            )
            for i in range(n)
        )
    except (KeyError, ValueError):
        raise PlanError("Thresholds and k must be numbers, but one of them is not.") from None


def more(levels: Sequence[ThresholdLevel]) -> tuple[ThresholdLevel, ...]:
    """One level more, for those whom the last leaves open; the same if no k is left for it."""
    last = levels[-1]
    if not has_room(levels):
        return tuple(levels)
    step = (last.a - last.b) / 4
    # As exact as the handles on the page; rounded so, the two might cross.
    a, b = round(last.a - step, 2), round(last.b + step, 2)
    return (*levels, ThresholdLevel(max(a, b), b, last.high - 1, last.low + 1))


def has_room(levels: Sequence[ThresholdLevel]) -> bool:
    """Whether there are two values of k between those of the last level."""
    return bool(levels) and levels[-1].high - levels[-1].low >= 3


def with_levels(draft: Draft, levels: Sequence[ThresholdLevel]) -> str:
    """The text of a plan with these levels; what a level requires in addition to k is kept."""
    privacy, found = [], False
    for name, given in draft.requirements:
        if name == MultiLevelK.name:
            privacy.append(named(name, {**given, **_parameters(levels, given.get("levels"))}))
            found = True
        else:
            privacy.append(named(name, given))
    if not found:
        privacy.append(named(MultiLevelK.name, _parameters(levels)))
    return draft.changed(privacy=privacy)


def _parameters(levels: Sequence[ThresholdLevel], before: Any = None) -> dict[str, Any]:
    kept = before if isinstance(before, list) else []
    pairs: list[Any] = []
    for i, one in enumerate(levels):
        k = [one.high, one.low]
        is_long = i < len(kept) and isinstance(kept[i], Mapping)
        pairs.append({**kept[i], "k": k} if is_long else k)
    return {"thresholds": [[one.a, one.b] for one in levels], "levels": pairs}


def asked(
    levels: Sequence[ThresholdLevel], f: NDArray[np.float64], n_rows: NDArray[np.int64]
) -> Asked:
    """How many rows ask for what; `n_rows` says how many have each sensitivity.

    >>> found = asked(first_levels(), np.array([0.9, 0.5, 0.1]), np.array([5, 3, 7]))
    >>> found.by_k
    ((8, 5), (6, 3), (3, 0), (2, 7))
    >>> found.levels
    (Decided(high=5, low=7, open=3), Decided(high=0, low=0, open=3))
    """
    try:
        MultiLevelK(**_parameters(levels))
    except ValidationError as error:
        words = [one["msg"].removeprefix("Value error, ") for one in error.errors()]
        return Asked(problem=" ".join(words))
    level, positive, negative = first_decisions(f, [(one.a, one.b) for one in levels])
    left = int(n_rows.sum())
    ks = {k for one in levels for k in (one.high, one.low)}
    decided, by_k = [], dict.fromkeys(sorted(ks, reverse=True), 0)
    for i, one in enumerate(levels):
        high, low = (int(n_rows[(level == i) & side].sum()) for side in (positive, negative))
        left -= high + low
        decided.append(Decided(high, low, left))
        by_k[one.high] += high
        by_k[one.low] += low
    # Whom no level decides asks for the higher k of the last one.
    by_k[levels[-1].high] += left
    return Asked(tuple(decided), tuple(by_k.items()))
