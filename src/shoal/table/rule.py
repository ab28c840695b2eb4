"""Rules that give the cells of a sensitive attribute their flags: low, middle or high."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, Problem
from shoal.schema import Attribute, Kind
from shoal.table.cell import day_number, rows_text
from shoal.table.condition import Condition
from shoal.table.domain import Domain
from shoal.table.flag import read_levels

LEVELS = ("low", "middle", "high")


def rule_faults(rules: Mapping[str, Any], kind: Kind | None = None) -> list[tuple[str, str]]:
    """What is wrong with rules as written: the key, and the sentence that continues it.

    `kind` is that of the attribute, where it is known.
    """
    faults = []
    for key, given in rules.items():
        if key == "default":
            if given not in LEVELS:
                faults.append((key, "must be low, middle or high."))
        elif key not in LEVELS:
            faults.append((key, "must be one of low, middle, high and default."))
        elif isinstance(given, str):
            faults += [(key, f"{fault}.") for fault in _condition_faults(given, kind)]
        elif not isinstance(given, list) or not given or any(_nested(v) for v in given):
            faults.append((key, "must be a list of values, or a condition on x."))
    return [*faults, *_contradictions(rules)]


def _condition_faults(text: str, kind: Kind | None) -> list[str]:
    """Why a condition cannot be read, or not be applied to values of this kind."""
    try:
        condition = Condition.parse(text)
    except ValueError as error:
        return [str(error)]
    if kind in (Kind.CATEGORICAL, Kind.ORDINAL):
        return [f"must list values, since the kind is {kind} and conditions need numbers or dates"]
    if kind is Kind.DATE and condition.on_dates is False:
        return ["must compare x with dates, as in 'x >= 2019-05-01', since the kind is date"]
    if kind is Kind.NUMERIC and condition.on_dates:
        return ["must compare x with numbers, as in 'x >= 50000', since the kind is numeric"]
    return []


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


def unfit_conditions(attribute: Attribute) -> list[Problem]:
    """The conditions in the rules of an attribute that do not fit its kind, given or guessed."""
    return [
        Problem(f"The flag rule {key!r} of column {attribute.name!r} {fault}.")
        for key, rule in (attribute.flags or {}).items()
        if key in LEVELS and isinstance(rule, str)
        for fault in _condition_faults(rule, attribute.kind)
    ]


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
        assert domain.numbers is not None, (
            "what a condition cannot be applied to is refused before this"
        )
        return Condition.parse(rule).holds(domain.numbers) & ~np.isnan(domain.numbers)
    texts = {str(value) for value in rule}
    given = [_number(text, domain.attribute.kind) for text in texts]
    numbers = {number for number in given if number is not None}
    return np.array(
        [
            text in texts or (domain.numbers is not None and domain.numbers[code] in numbers)
            for code, text in enumerate(domain.texts)
        ]
    )


def _number(text: str, kind: Kind | None) -> float | None:
    """The number of a listed value; its day, where the kind is date."""
    if kind is Kind.DATE:
        return day_number(text.strip())
    # Python takes 1_0 for 10, but nobody who reads a table does.
    if "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
