"""Rules that give the cells of a sensitive attribute their flags: low, middle or high."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, Problem
from shoal.schema import Attribute
from shoal.table.cell import rows_text
from shoal.table.condition import Condition
from shoal.table.domain import Domain
from shoal.table.flag import read_levels

LEVELS = ("low", "middle", "high")


def rule_faults(rules: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with rules as written: the key, and the sentence that continues it."""
    faults = []
    for key, given in rules.items():
        if key == "default":
            if given not in LEVELS:
                faults.append((key, "must be low, middle or high."))
        elif key not in LEVELS:
            faults.append((key, "must be one of low, middle, high and default."))
        elif isinstance(given, str):
            try:
                Condition.parse(given)
            except ValueError as error:
                faults.append((key, f"{error}."))
        elif not isinstance(given, list) or not given or any(_nested(v) for v in given):
            faults.append((key, "must be a list of values, or a condition on x."))
    return [*faults, *_contradictions(rules)]


def _nested(value: Any) -> bool:
    return value is None or isinstance(value, (list, dict, bool))


def _contradictions(rules: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Values in two lists."""
    seen: dict[str, str] = {}
    faults = []
    for key in LEVELS:
        listed = rules.get(key)
        for place, value in enumerate(listed if isinstance(listed, list) else []):
            before = seen.setdefault(str(value), key)
            if before != key:
                faults.append((key, f"must not list item {place + 1}, which {before} lists too."))
    return faults


def flags_of(domain: Domain, codes: NDArray[Any], frame: pl.DataFrame) -> NDArray[np.uint8] | None:
    """The flag of every cell: 0 low, 1 middle, 2 high; None where the attribute has none.

    A missing value is nobody's secret: it has flag 0. Raises DataError if a value has two rules,
    or has none and there is no default.
    """
    attribute = domain.attribute
    if attribute.flag is not None:
        return read_levels(frame[attribute.flag], attribute.name)
    if attribute.flags is None:
        return None
    return np.asarray(_by_rules(domain, codes, attribute)[codes])


def _by_rules(domain: Domain, codes: NDArray[Any], attribute: Attribute) -> NDArray[np.uint8]:
    rules = attribute.flags or {}
    covered = np.array([_covers(rules.get(level), domain) for level in LEVELS])
    if domain.missing >= 0:
        covered[:, domain.missing] = [True, False, False]
    several, none = covered.sum(axis=0) > 1, ~covered.any(axis=0)
    faults = [("more than one rule", several, "Give each value one flag.")]
    if "default" not in rules:
        faults.append(("no rule", none, "Add 'default: low', or a rule that covers them."))
    problems = [
        Problem(
            f"Every value of column {attribute.name!r} must have one flag, but "
            f"{np.count_nonzero(wrong)} values in {rows_text(rows)} have {found}.",
            hint=hint,
        )
        for found, wrong, hint in faults
        for rows in [np.flatnonzero(wrong[codes])]
        if len(rows)
    ]
    if problems:
        raise DataError(problems)
    default = LEVELS.index(rules.get("default", "low"))
    return np.where(none, default, covered.argmax(axis=0)).astype(np.uint8)


def _covers(rule: Any, domain: Domain) -> NDArray[np.bool_]:
    """Which codes a list or a condition covers."""
    if rule is None:
        return np.zeros(len(domain), dtype=np.bool_)
    if isinstance(rule, str):
        if domain.numbers is None:
            raise DataError(
                f"A flag rule with a condition on x needs numbers, but column "
                f"{domain.attribute.name!r} has none.",
                "List the values instead.",
            )
        return Condition.parse(rule).holds(domain.numbers) & ~np.isnan(domain.numbers)
    texts = {str(value) for value in rule}
    numbers = {float(t) for t in texts if _is_number(t)} if domain.numbers is not None else set()
    return np.array(
        [
            text in texts or (domain.numbers is not None and domain.numbers[code] in numbers)
            for code, text in enumerate(domain.texts)
        ]
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
