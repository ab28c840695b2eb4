"""Which values the conditions on one attribute ask for; all of them together are one set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal._command.query.grammar import Condition, QueryError, Value, place
from shoal.errors import Problem
from shoal.reading.cell import parse_number, parse_time
from shoal.schema import Kind

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Span: TypeAlias = tuple[float, float]

DAY = 86_400_000_000
_ALL: tuple[Span, ...] = ((-math.inf, math.inf),)
_ORDERED = ("<", "<=", ">", ">=", "between")


@dataclass(frozen=True)
class Numbers:
    """Wanted numbers, or days since 1970: closed spans, apart from each other and in order."""

    spans: tuple[Span, ...] = _ALL
    missing: bool = True

    @property
    def everything(self) -> bool:
        """Whether no number is refused."""
        return self.spans == _ALL

    def wants(self, numbers: Floats) -> Flags:
        """Which of the numbers are wanted; nan is missing."""
        starts, ends = np.array([*self.spans, (math.inf, -math.inf)]).T
        spot = np.clip(np.searchsorted(starts, numbers, side="right") - 1, 0, None)
        found: Flags = (starts[spot] <= numbers) & (numbers <= ends[spot])
        found[np.isnan(numbers)] = self.missing
        return found

    def of_all(self, low: float, high: float) -> float | None:
        """1 if all numbers of a span are wanted, 0 if none is, None if only some are."""
        touched = [(a, b) for a, b in self.spans if a <= high and b >= low]
        if not touched:
            return 0.0
        return 1.0 if any(a <= low and high <= b for a, b in touched) else None

    def both(self, other: Numbers) -> Numbers:
        """What both want."""
        met: list[Span] = []
        i = j = 0
        while i < len(self.spans) and j < len(other.spans):
            (a, b), (c, d) = self.spans[i], other.spans[j]
            if max(a, c) <= min(b, d):
                met.append((max(a, c), min(b, d)))
            i, j = (i + 1, j) if b < d else (i, j + 1)
        return Numbers(tuple(met), self.missing and other.missing)

    def present(self) -> Numbers:
        """The same without the missing value."""
        return Numbers(self.spans, False)


@dataclass(frozen=True)
class Texts:
    """Wanted texts: those of `allowed` (None: any) that are not refused."""

    allowed: frozenset[str] | None = None
    refused: frozenset[str] = frozenset()
    missing: bool = True
    named: frozenset[str] = field(default=frozenset(), compare=False)

    def wants(self, text: str) -> bool:
        """Whether a text is wanted; the empty text is the missing value."""
        if text == "":
            return self.missing
        return (self.allowed is None or text in self.allowed) and text not in self.refused

    def both(self, other: Texts) -> Texts:
        """What both want."""
        allowed = self.allowed if other.allowed is None else other.allowed
        if self.allowed is not None and other.allowed is not None:
            allowed = self.allowed & other.allowed
        return Texts(
            allowed,
            self.refused | other.refused,
            self.missing and other.missing,
            self.named | other.named,
        )


Wanted: TypeAlias = Numbers | Texts


@dataclass(frozen=True)
class Vocabulary:
    """What a value of one attribute may be compared with.

    `order` lists the values of an ordinal attribute, if the plan tells; `leaves` are those of each
    node of its hierarchy.
    """

    name: str
    kind: Kind
    order: tuple[str, ...] | None = None
    leaves: Mapping[str, frozenset[str]] = field(default_factory=dict)


def wanted(conditions: Iterable[Condition], words: Vocabulary) -> Wanted:
    """All conditions on one attribute as one set; raises QueryError with every problem."""
    problems: list[Problem] = []
    numbers = words.kind in (Kind.NUMERIC, Kind.DATE)
    found: Wanted = Numbers() if numbers else Texts()
    for condition in conditions:
        try:
            one = _numbers(condition, words) if numbers else _texts(condition, words)
            found = found.both(one)  # type: ignore[arg-type]
        except QueryError as error:
            problems += error.problems
    if problems:
        raise QueryError(problems)
    return found


def _numbers(condition: Condition, words: Vocabulary) -> Numbers:
    if condition.operator == "missing":
        return Numbers((), True)
    if condition.operator == "present":
        return Numbers(missing=False)
    read = _day if words.kind is Kind.DATE else _number
    values = _read_all(condition, words, read)
    spans = _SPANS[condition.operator](values)
    if condition.operator == "between" and not spans:
        raise _refuse(condition, f"The ends of BETWEEN for {words.name!r} are in the wrong order.",
                      "The lower end stands first.")  # fmt: skip
    return Numbers(spans, False)


def _read_all(
    condition: Condition, words: Vocabulary, read: Callable[[Value], Span | None]
) -> list[Span]:
    problems, found = [], []
    for value in condition.values:
        span = read(value)
        if span is None:
            holds = "dates" if words.kind is Kind.DATE else "numbers"
            like = "'2020-03-09'" if words.kind is Kind.DATE else "12, -0.5 or 1e6"
            text = f"{words.name!r} holds {holds}, and what it is compared with is none."
            hint = f"Write {like}; a number has at most about 300 digits."
            problems.append(Problem(text, place(value.position), hint))
        else:
            found.append(span)
    if problems:
        raise QueryError(problems)
    return found


def _number(value: Value) -> Span | None:
    number = parse_number(value.text) if value.number is None else value.number
    return (number, number) if number is not None and math.isfinite(number) else None


def _day(value: Value) -> Span | None:
    """From the first moment to the last of a day, month or year; a moment is one point."""
    span = parse_time(value.text)
    if span is None:
        return None
    moment = span[0] == span[1]
    return span[0] / DAY, span[0] / DAY if moment else _before((span[1] + 1) / DAY)


def _before(number: float) -> float:
    return math.nextafter(number, -math.inf)


def _after(number: float) -> float:
    return math.nextafter(number, math.inf)


def _apart(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The union, in order and without overlaps."""
    found: list[Span] = []
    for low, high in sorted(spans):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def _between(values: Sequence[Span]) -> tuple[Span, ...]:
    low, high = values[0][0], values[1][1]
    return ((low, high),) if low <= high else ()


_SPANS: dict[str, Callable[[Sequence[Span]], tuple[Span, ...]]] = {
    "=": lambda v: (v[0],),
    "!=": lambda v: ((-math.inf, _before(v[0][0])), (_after(v[0][1]), math.inf)),
    "<": lambda v: ((-math.inf, _before(v[0][0])),),
    "<=": lambda v: ((-math.inf, v[0][1]),),
    ">": lambda v: ((_after(v[0][1]), math.inf),),
    ">=": lambda v: ((v[0][0], math.inf),),
    "in": _apart,
    "between": _between,
}


def _texts(condition: Condition, words: Vocabulary) -> Texts:
    operator = condition.operator
    if operator == "missing":
        return Texts(frozenset(), missing=True)
    if operator == "present":
        return Texts(missing=False)
    if operator in _ORDERED:
        return Texts(_in_order(condition, words), missing=False)
    named = frozenset(value.text for value in condition.values)
    below = [words.leaves.get(text, frozenset([text])) for text in named]
    meant = frozenset().union(*below)
    if operator == "!=":
        return Texts(refused=meant, missing=False, named=named)
    return Texts(meant, missing=False, named=named)


def _in_order(condition: Condition, words: Vocabulary) -> frozenset[str]:
    """The values of an ordinal attribute on one side of another one."""
    if words.kind is not Kind.ORDINAL:
        text = f"{words.name!r} is {words.kind}: its values have no order."
        raise _refuse(condition, text, "Compare it by =, != or IN (…).")
    if words.order is None:
        text = f"The release does not tell the order of the values of {words.name!r}."
        raise _refuse(condition, text, "Name the plan that does: --plan PLAN.")
    ranks = {text: rank for rank, text in enumerate(words.order)}
    if any(value.text not in ranks for value in condition.values):
        text = f"{words.name!r} is compared with a value that the plan does not list."
        raise _refuse(condition, text)
    spots = [(float(ranks[v.text]), float(ranks[v.text])) for v in condition.values]
    spans = _SPANS[condition.operator](spots)
    return frozenset(t for t, rank in ranks.items() if any(a <= rank <= b for a, b in spans))


def _refuse(condition: Condition, text: str, hint: str = "") -> QueryError:
    return QueryError(Problem(text, place(condition.position), hint))
