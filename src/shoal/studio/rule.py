"""Flag rules while somebody writes them: the values of a column with their rows and flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import PlanError, Problem, ShoalError
from shoal.schema import Kind, Role
from shoal.studio.counted import CountedColumn
from shoal.studio.draft import read_value
from shoal.table import Column, encode_column
from shoal.table.rule import LEVELS, flags_of, rule_faults

MOST = 60


@dataclass(frozen=True)
class FlaggedValue:
    """A value of a column, how many rows have it, and its flag; None where no rule is clear."""

    text: str
    rows: int
    flag: str | None


@dataclass(frozen=True)
class Rules:
    """The rules of one column: conditions on numbers and dates, a flag for each value elsewhere.

    `parts` are the rows of each flag; empty where the rules do not cover the column.
    """

    name: str
    number: int
    conditions: Mapping[str, str] | None
    values: tuple[FlaggedValue, ...]
    n_values: int
    parts: tuple[tuple[str, int], ...]
    default: str

    @property
    def total(self) -> int:
        return sum(n for _, n in self.parts)


def rules_of(
    number: int, found: CountedColumn, given: Mapping[str, Any]
) -> tuple[Rules, tuple[Problem, ...]]:
    """The rules of a column over its cells, and why they do not cover it."""
    attribute = replace(found.attribute, role=Role.SENSITIVE, flags=given)
    column = encode_column(found.cells, attribute)
    texts = column.domain.texts
    rows = np.bincount(column.codes, weights=found.counts, minlength=len(texts)).astype(np.int64)
    kind = attribute.kind or column.domain.attribute.kind
    flags: list[str | None] = [None] * len(texts)
    parts: tuple[tuple[str, int], ...] = ()
    own, problems = _flags(column, given, kind)
    if own is not None:
        n_rows = np.bincount(own, weights=found.counts, minlength=3).astype(np.int64)
        parts = tuple(zip(LEVELS, n_rows.tolist(), strict=True))
        for code, flag in zip(column.codes.tolist(), own.tolist(), strict=True):
            flags[code] = LEVELS[flag]
    order = np.argsort(-rows, kind="stable").tolist()
    listed = [code for code in order if code != column.domain.missing]
    values = [FlaggedValue(str(texts[code]), int(rows[code]), flags[code]) for code in listed]
    by_condition = kind in (Kind.NUMERIC, Kind.DATE)
    conditions = {level: _shown(given.get(level)) for level in LEVELS} if by_condition else None
    shown = () if by_condition else tuple(values[:MOST])
    default = str(given.get("default", "" if by_condition else "low"))
    rules = Rules(attribute.name, number, conditions, shown, len(values), parts, default)
    return rules, problems


def _flags(
    column: Column, given: Mapping[str, Any], kind: Kind | None
) -> tuple[NDArray[np.uint8] | None, tuple[Problem, ...]]:
    """The flag of every cell, or why there is none."""
    name = column.domain.attribute.name
    faults = rule_faults(given, kind)
    if faults:
        words = (f"The flag rule {key!r} of column {name!r} {fault}" for key, fault in faults)
        return None, tuple(map(Problem, words))
    try:
        return flags_of(column.domain, column.codes, pl.DataFrame()), ()
    except ShoalError as error:
        return None, error.problems


def _shown(rule: Any) -> str:
    if rule is None:
        return ""
    return rule if isinstance(rule, str) else "[" + ", ".join(map(str, rule)) + "]"


def rules_given(given: Mapping[str, str], before: Any) -> dict[str, Any] | None:
    """The rules that a form says, as a plan has them; None if there are to be none.

    Values that the form does not show keep the rule that they had.

    >>> rules_given({"v0": "HIV", "f0": "high", "v1": "flu", "f1": "low"}, {"middle": ["gout"]})
    {'middle': ['gout'], 'high': ['HIV'], 'default': 'low'}
    """
    if "remove" in given:
        return None
    if "begin" in given:
        return {"default": "low"}
    if any(key in given for key in LEVELS):
        found: dict[str, Any] = {}
        for level in LEVELS:
            text = given.get(level, "").strip()
            if text:
                found[level] = read_value(text) if text.startswith("[") else text
        return {**found, **({"default": given["default"]} if given.get("default") else {})}
    return _by_value(given, before if isinstance(before, Mapping) else {})


def _by_value(given: Mapping[str, str], before: Mapping[str, Any]) -> dict[str, Any]:
    default = str(before.get("default", "low"))
    chosen = {
        given[key]: given.get(f"f{key[1:]}", "")
        for key in given
        if key[:1] == "v" and key[1:].isdecimal()
    }
    if not set(chosen.values()) <= set(LEVELS):
        raise PlanError("A flag must be low, middle or high.")
    found: dict[str, Any] = {}
    for level in LEVELS:
        listed = before.get(level)
        kept = [v for v in listed if str(v) not in chosen] if isinstance(listed, list) else []
        new = [text for text, flag in chosen.items() if flag == level != default]
        if kept or new:
            found[level] = [*kept, *new]
    return {**found, "default": default}
