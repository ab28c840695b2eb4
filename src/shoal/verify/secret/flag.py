"""How closely each sensitive cell may be shown: by a column of flags, or by rules on its value."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.reading.cell import parse_number, read_numbers
from shoal.reading.encoding import Coded, Flags, Floats, Integers, encode_text
from shoal.schema import Attribute, Kind
from shoal.verify.text.classes import find_absent
from shoal.verify.text.structure import report_rows

Heights: TypeAlias = NDArray[np.int8]

WORDS = ("low", "middle", "high")
HIGH = 2
_HEIGHTS = {text: height for height, word in enumerate(WORDS) for text in (str(height), word)}
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TERM = re.compile(rf"(?:{_NUMBER}|x)", re.ASCII)
_PIECE = re.compile(rf"<=|>=|==|!=|[<>=]|{_NUMBER}|[^\W\d_]+|\S", re.ASCII)


@dataclass(frozen=True)
class Flagged:
    """The flag of every input row (0 low, 1 middle, 2 high), and why some are not known."""

    heights: Heights
    problems: tuple[Problem, ...] = ()


def read_flags(original: pl.DataFrame, attribute: Attribute) -> Flagged:
    """The flags of an attribute's cells; 0 in all of them where it has neither column nor rules.

    A cell whose flag is not known counts as high. A missing value is low whatever rules say.
    """
    if attribute.flag is not None:
        return _by_column(original, attribute, attribute.flag)
    if attribute.flags is not None:
        return _by_rules(original[attribute.name], attribute, attribute.flags)
    return Flagged(np.zeros(original.height, dtype=np.int8))


def _by_column(original: pl.DataFrame, attribute: Attribute, name: str) -> Flagged:
    if name not in original.columns:
        lacking = Problem(
            f"The flag column {name!r} of {attribute.name!r} is not in the original table."
        )
        return Flagged(np.full(original.height, HIGH, dtype=np.int8), (lacking,))
    coded = encode_text(original[name])
    meant = [_HEIGHTS.get(text.strip().lower(), -1) for text in coded.texts]
    heights = np.array([*meant, -1], dtype=np.int8)[coded.codes]
    text = f"Column {name!r} has {{n}} cells that are not flags of {attribute.name!r}"
    problems = report_rows(text, heights < 0, "original row")
    return Flagged(np.where(heights < 0, HIGH, heights).astype(np.int8), tuple(problems))


def _by_rules(series: pl.Series, attribute: Attribute, rules: Mapping[str, Any]) -> Flagged:
    """The flags by value: each distinct value is decided once."""
    values = encode_text(series)
    absent = find_absent(values, attribute)
    problems = list(_check_rules(attribute, rules))
    numbers = _numbers(values) if attribute.kind == Kind.NUMERIC else None
    covered = np.zeros((len(WORDS), values.n_codes), dtype=np.bool_)
    for height, word in enumerate(WORDS):
        try:
            covered[height] = _covers(rules.get(word), values, numbers)
        except ValueError:
            text = f"The flag rule {word!r} of column {attribute.name!r} cannot be read."
            problems.append(Problem(text))
    covered[:, absent] = [[True], [False], [False]]
    n_covering: Integers = covered.sum(axis=0)
    several, none = n_covering > 1, n_covering == 0
    heights = np.where(several, HIGH, covered.argmax(axis=0))
    heights[none] = _HEIGHTS.get(str(rules.get("default")), HIGH)
    head = f"Column {attribute.name!r} has {{n}} cells that"
    problems += report_rows(f"{head} several flag rules cover", several[values.codes], "row")
    if "default" not in rules:
        problems += report_rows(f"{head} no flag rule covers", none[values.codes], "row")
    return Flagged(heights.astype(np.int8)[values.codes], tuple(problems))


def _check_rules(attribute: Attribute, rules: Mapping[str, Any]) -> Iterator[Problem]:
    for word in rules:
        if word not in (*WORDS, "default"):
            yield Problem(f"Column {attribute.name!r} has an unknown flag rule {word!r}.")
    if rules.get("default", "low") not in WORDS:
        yield Problem(f"The flag rule 'default' of column {attribute.name!r} cannot be read.")


def _numbers(values: Coded) -> Floats:
    """The distinct values as numbers, NaN where there is none."""
    cells = read_numbers(values.texts.extend_constant(None, 1))
    return np.where(cells.missing | cells.unreadable, np.nan, cells.low)


def _covers(rule: Any, values: Coded, numbers: Floats | None) -> Flags:
    """Which distinct values a list or a condition covers; ValueError where it is neither."""
    if rule is None:
        return np.zeros(values.n_codes, dtype=np.bool_)
    if isinstance(rule, str):
        if numbers is None:
            raise ValueError("a condition on values that are not numbers")
        return meets(rule, numbers)
    if not isinstance(rule, (list, tuple)):
        raise ValueError("neither a list nor a condition")
    listed = [str(value) for value in rule]
    found = np.append(values.texts.is_in(listed).to_numpy().astype(np.bool_), False)
    if numbers is not None:
        alike = [number for text in listed if (number := parse_number(text)) is not None]
        found |= np.isin(numbers, alike)
    return found


def meets(condition: str, numbers: Floats) -> Flags:
    """Which numbers meet a condition; NaN meets none. ValueError where it cannot be read.

    >>> meets("30000 < x < 50000 or x = 7", np.array([7.0, 30000.0, 40000.0])).tolist()
    [True, False, True]
    """
    met = np.zeros(len(numbers), dtype=np.bool_)
    for alternative in _split(_PIECE.findall(condition), "or"):
        all_met = ~np.isnan(numbers)
        for chain in _split(alternative, "and"):
            all_met &= _meets_chain(chain, numbers)
        met |= all_met
    return met


def _split(pieces: list[str], joint: str) -> Iterator[list[str]]:
    ends = [i for i, piece in enumerate(pieces) if piece.lower() == joint]
    for start, end in pairwise([-1, *ends, len(pieces)]):
        yield pieces[start + 1 : end]


def _meets_chain(chain: list[str], numbers: Floats) -> Flags:
    terms, signs = chain[::2], chain[1::2]
    if len(terms) != len(signs) + 1 or not signs or "x" not in terms:
        raise ValueError("not a chain of comparisons")
    if not (set(signs) <= set(_SIGNS) and all(_TERM.fullmatch(term) for term in terms)):
        raise ValueError("not a chain of comparisons")
    sides = [numbers if term == "x" else np.full(len(numbers), float(term)) for term in terms]
    met = np.ones(len(numbers), dtype=np.bool_)
    for sign, (left, right) in zip(signs, pairwise(sides), strict=True):
        met &= _SIGNS[sign](left, right)
    return met
