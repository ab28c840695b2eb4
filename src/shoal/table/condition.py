"""Conditions on numbers, such as `30000 < x < 50000`: a small grammar that is read, never executed.

A condition is one or more chains of comparisons between x and numbers, joined by `and` and `or`;
`and` binds first. There are no brackets and no arithmetic.
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

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(rf"\s*(<=|>=|==|!=|<|>|=|[A-Za-z_]+|{_NUMBER})")
Chain = tuple[str, ...]


@dataclass(frozen=True)
class Condition:
    """Any of the alternatives, each of which is all of its chains.

    >>> Condition.parse("30000 < x < 50000 or x == 7").holds(np.array([7.0, 30000.0, 40000.0]))
    array([ True, False,  True])
    """

    alternatives: tuple[tuple[Chain, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition; ValueError says what is wrong, as the rest of a sentence."""
        words = _words(text)
        alternatives = tuple(
            tuple(_check(tuple(chain)) for chain in _split(part, "and"))
            for part in _split(words, "or")
        )
        return cls(alternatives)

    def holds(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Where the condition holds."""
        found = np.zeros(len(numbers), dtype=np.bool_)
        for chains in self.alternatives:
            fits = np.ones(len(numbers), dtype=np.bool_)
            for chain in chains:
                fits &= _chain_holds(chain, numbers)
            found |= fits
        return found


def _words(text: str) -> list[str]:
    words, at = [], 0
    while at < len(text.rstrip()):
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
        raise ValueError("must compare x with numbers, as in 'x >= 50000'")
    if any(v != "x" and not re.fullmatch(_NUMBER, v) for v in values) or "x" not in values:
        raise ValueError("must compare x with numbers, as in '30000 < x < 50000'")
    return chain


def _chain_holds(chain: Chain, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    values = [numbers if word == "x" else float(word) for word in chain[::2]]
    fits = np.ones(len(numbers), dtype=np.bool_)
    for (left, right), sign in zip(pairwise(values), chain[1::2], strict=True):
        fits &= np.asarray(_COMPARE[sign](left, right), dtype=np.bool_)
    return fits
