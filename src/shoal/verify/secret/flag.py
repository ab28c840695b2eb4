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
from shoal.reading.cell import DAY, parse_number, parse_time, read_numbers, read_times
from shoal.reading.encoding import Coded, Flags, Floats, Integers, encode_text
from shoal.schema import Attribute, Kind
from shoal.verify.text.classes import find_absent
from shoal.verify.text.structure import report_rows

Heights: TypeAlias = NDArray[np.int8]

WORDS = ("low", "middle", "high")
# Also where a flag is not known: what may be high must not be shown.
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
_DATE = r"\d{4}-\d{2}-\d{2}"
# The longer of two that begin alike comes first: <= before <, a date before its year. What fits
# nothing else is a piece of its own, so that no character is passed over.
_PIECE = re.compile(rf"<=|>=|==|!=|[<>=]|{_DATE}|{_NUMBER}|[^\W\d_]+|\S", re.ASCII)
_TERMS = {False: re.compile(_NUMBER, re.ASCII), True: re.compile(_DATE, re.ASCII)}


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
    line = _line(values, attribute.kind)
    covered = np.zeros((len(WORDS), values.n_codes), dtype=np.bool_)
    for height, word in enumerate(WORDS):
        try:
            covered[height] = _covers(rules.get(word), values, line)
        except ValueError:
            text = f"The flag rule {word!r} of column {attribute.name!r} cannot be read."
            problems.append(Problem(text))
    # A missing value is nobody's secret, whatever a list or a condition covers.
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


@dataclass(frozen=True)
class _Line:
    """The distinct values as numbers, or as days where they are dates; NaN where there is none."""

    numbers: Floats
    of_dates: bool = False

    def place(self, text: str) -> float | None:
        """Where a text is on the line."""
        if not self.of_dates:
            return parse_number(text)
        span = parse_time(text.strip()) if _TERMS[True].fullmatch(text.strip()) else None
        return None if span is None else float(span[0] // DAY)


def _line(values: Coded, kind: Kind | None) -> _Line | None:
    texts = values.texts.extend_constant(None, 1)
    if kind == Kind.NUMERIC:
        cells = read_numbers(texts)
        return _Line(np.where(cells.missing | cells.unreadable, np.nan, cells.low))
    if kind == Kind.DATE:
        times = read_times(texts.str.strip_chars())
        days = (times.low // DAY).astype(np.float64)
        return _Line(np.where(times.missing | times.unreadable, np.nan, days), of_dates=True)
    return None


def _covers(rule: Any, values: Coded, line: _Line | None) -> Flags:
    """Which distinct values a list or a condition covers; ValueError where it is neither."""
    if rule is None:
        return np.zeros(values.n_codes, dtype=np.bool_)
    if isinstance(rule, str):
        if line is None:
            raise ValueError("a condition on values that are neither numbers nor dates")
        return meets(rule, line.numbers, of_dates=line.of_dates)
    if not isinstance(rule, (list, tuple)):
        raise ValueError("neither a list nor a condition")
    listed = [str(value) for value in rule]
    found = np.append(values.texts.is_in(listed).to_numpy().astype(np.bool_), False)
    if line is not None:
        alike = [place for text in listed if (place := line.place(text)) is not None]
        found |= np.isin(line.numbers, alike)
    return found


def meets(condition: str, numbers: Floats, *, of_dates: bool = False) -> Flags:
    """Which numbers, or days since 1970, meet a condition; NaN meets none.

    ValueError where it cannot be read, or compares x with anything else.

    >>> meets("30000 < x < 50000 or x = 7", np.array([7.0, 30000.0, 40000.0])).tolist()
    [True, False, True]
    """
    met = np.zeros(len(numbers), dtype=np.bool_)
    line = _Line(numbers, of_dates)
    for alternative in _split(_PIECE.findall(condition), "or"):
        # Or else NaN would meet x != 1.
        all_met = ~np.isnan(numbers)
        for chain in _split(alternative, "and"):
            all_met &= _meets_chain(chain, line)
        met |= all_met
    return met


def _split(pieces: list[str], joint: str) -> Iterator[list[str]]:
    ends = [i for i, piece in enumerate(pieces) if piece.lower() == joint]
    for start, end in pairwise([-1, *ends, len(pieces)]):
        yield pieces[start + 1 : end]


def _meets_chain(chain: list[str], line: _Line) -> Flags:
    terms, signs = chain[::2], chain[1::2]
    if len(terms) != len(signs) + 1 or not signs or "x" not in terms:
        raise ValueError("not a chain of comparisons")
    if not set(signs) <= set(_SIGNS):
        raise ValueError("not a chain of comparisons")
    sides = [line.numbers if term == "x" else _constant(term, line) for term in terms]
    met = np.ones(len(line.numbers), dtype=np.bool_)
    for sign, (left, right) in zip(signs, pairwise(sides), strict=True):
        met &= _SIGNS[sign](left, right)
    return met


def _constant(term: str, line: _Line) -> Floats:
    if not _TERMS[line.of_dates].fullmatch(term):
        raise ValueError("not a chain of comparisons with numbers, or with dates")
    place = line.place(term) if line.of_dates else float(term)
    if place is None:
        raise ValueError("not a chain of comparisons with days of the calendar")
    return np.full(len(line.numbers), place)
