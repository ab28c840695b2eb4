"""Conditions such as `30000 < x < 50000`: a small grammar that is read, never executed.

A condition is one or more chains of comparisons between x and numbers, or between x and dates
(YYYY-MM-DD), joined by `and` and `or`; `and` binds first. There are no brackets and no arithmetic.
Digits, letters and blanks are those of ASCII. The verifier reads the same grammar by itself.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.table.cell import day_number

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_BLANK = re.compile(r"\s*", re.ASCII)
# The longer of two that begin alike comes first: <= before <, a date before its year.
_TOKEN = re.compile(
    rf"(<=|>=|==|!=|<|>|=|[A-Za-z_]+|{_DATE.pattern}|{_NUMBER.pattern})\s*", re.ASCII
)
Chain = tuple[str, ...]


@dataclass(frozen=True)
class Condition:
    """Any of the alternatives, each of which is all of its chains.

    >>> Condition.parse("30000 < x < 50000 or x == 7").holds(np.array([7.0, 30000.0, 40000.0]))
    array([ True, False,  True])
    """

    alternatives: tuple[tuple[Chain, ...], ...]

    @property
    def on_dates(self) -> bool | None:
        """Whether x is compared with dates, not with numbers; None: with nothing but itself."""
        sides = (side for chains in self.alternatives for c in chains for side in c[::2])
        return next((day_number(side) is not None for side in sides if side != "x"), None)

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition; ValueError says what is wrong, as the rest of a sentence."""
        words = _words(text)
        alternatives = tuple(
            tuple(_check(tuple(chain)) for chain in _split(part, "and"))
            for part in _split(words, "or")
        )
        if any(map(_NUMBER.fullmatch, words)) and any(map(_DATE.fullmatch, words)):
            raise ValueError("must compare x either with numbers or with dates, not with both")
        return cls(alternatives)

    def holds(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Where the condition holds; dates are days since 1970."""
        found = np.zeros(len(numbers), dtype=np.bool_)
        for chains in self.alternatives:
            fits = np.ones(len(numbers), dtype=np.bool_)
            for chain in chains:
                fits &= _chain_holds(chain, numbers)
            found |= fits
        return found


def _words(text: str) -> list[str]:
    words: list[str] = []
    first = _BLANK.match(text)
    at = first.end() if first else 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"must be a condition, but cannot be read from character {at + 1} on")
        words.append(token[1])
        at = token.end()
    return words


def _split(words: list[str], joint: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word.lower() == joint:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _check(chain: Chain) -> Chain:
    """A chain alternates values and comparisons, and x is one of the values."""
    values, signs = chain[::2], chain[1::2]
    if len(values) < 2 or len(values) != len(signs) + 1 or not set(signs) <= set(_COMPARE):
        raise ValueError("must compare x with numbers or dates, as in 'x >= 50000'")
    if "x" not in values or not all(v == "x" or _can_be_side(v) for v in values):
        raise ValueError("must compare x with numbers or dates, as in '30000 < x < 50000'")
    return chain


def _can_be_side(word: str) -> bool:
    return bool(_NUMBER.fullmatch(word)) or day_number(word) is not None


def _side(word: str, numbers: NDArray[np.float64]) -> Any:
    if word == "x":
        return numbers
    day = day_number(word)
    return float(word) if day is None else day


def _chain_holds(chain: Chain, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    values = [_side(word, numbers) for word in chain[::2]]
    fits = np.ones(len(numbers), dtype=np.bool_)
    for (left, right), sign in zip(pairwise(values), chain[1::2], strict=True):
        fits &= np.asarray(_COMPARE[sign](left, right), dtype=np.bool_)
    return fits
