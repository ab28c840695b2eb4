"""The values that satisfy the conditions on one attribute: all conditions together are one set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TypeAlias

import numpy as np

from shoal._command.query.grammar import QueryCondition, QueryError, Value, place
from shoal.errors import Problem
from shoal.reading.cell import DAY, parse_number, parse_time
from shoal.reading.encoding import Flags, Floats
from shoal.schema import Attribute, Kind

Span: TypeAlias = tuple[float, float]

_ALL: tuple[Span, ...] = ((-math.inf, math.inf),)
_ORDERED = ("<", "<=", ">", ">=", "between")


@dataclass(frozen=True)
class Numbers:
    """Numbers, or days since 1970, that match: closed spans, apart from each other and in order."""

    spans: tuple[Span, ...] = _ALL
    missing: bool = True

    @property
    def everything(self) -> bool:
        """Whether every number matches."""
        return self.spans == _ALL

    def match(self, numbers: Floats) -> Flags:
        """Which of the numbers match; nan is missing."""
        # The last span is empty, for those that match nothing at all.
        starts, ends = np.array([*self.spans, (math.inf, -math.inf)]).T
        spot = np.clip(np.searchsorted(starts, numbers, side="right") - 1, 0, None)
        found: Flags = (starts[spot] <= numbers) & (numbers <= ends[spot])
        found[np.isnan(numbers)] = self.missing
        return found

    def of_all(self, low: float, high: float) -> float | None:
        """1 if all numbers of a span match, 0 if none does, None if only some do."""
        touched = [(a, b) for a, b in self.spans if a <= high and b >= low]
        if not touched:
            return 0.0
        return 1.0 if any(a <= low and high <= b for a, b in touched) else None

    def __and__(self, other: Numbers) -> Numbers:
        met: list[Span] = []
        i = j = 0
        while i < len(self.spans) and j < len(other.spans):
            (a, b), (c, d) = self.spans[i], other.spans[j]
            if max(a, c) <= min(b, d):
                met.append((max(a, c), min(b, d)))
            i, j = (i + 1, j) if b < d else (i, j + 1)
        return Numbers(tuple(met), self.missing and other.missing)


@dataclass(frozen=True)
class Texts:
    """Texts that match: those of `allowed` (None: any) that are not `refused`.

    `named` are the texts as the query has them, whatever they stand for.
    """

    allowed: frozenset[str] | None = None
    refused: frozenset[str] = frozenset()
    missing: bool = True
    named: frozenset[str] = field(default=frozenset(), compare=False)

    def match(self, text: str) -> bool:
        """Whether a text matches; the empty text is the missing value."""
        if text == "":
            return self.missing
        return (self.allowed is None or text in self.allowed) and text not in self.refused

    def share(self, texts: Iterable[str]) -> float:
        """The share of these texts that matches; 0 of none."""
        found = [self.match(text) for text in texts]
        return sum(found) / len(found) if found else 0.0

    def __and__(self, other: Texts) -> Texts:
        both = [allowed for allowed in (self.allowed, other.allowed) if allowed is not None]
        return Texts(
            frozenset.intersection(*both) if both else None,
            self.refused | other.refused,
            self.missing and other.missing,
            self.named | other.named,
        )


ConditionValues: TypeAlias = Numbers | Texts


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What is known of the values of one attribute: its kind, and what the plan declares."""

    name: str
    kind: Kind
    declared: Attribute | None = None

    @property
    def order(self) -> tuple[str, ...] | None:
        """The declared values, which are the order of an ordinal attribute."""
        return None if self.declared is None else self.declared.values

    @property
    def domain(self) -> tuple[float, float] | None:
        """The declared least and greatest number."""
        return None if self.declared is None else self.declared.domain

    @cached_property
    def leaves(self) -> Mapping[str, frozenset[str]]:
        """The leaves under every label of the hierarchy, leaves included."""
        below: dict[str, set[str]] = {}
        if self.declared is not None and self.declared.hierarchy is not None:
            for row in self.declared.hierarchy.rows:
                for label in row:
                    below.setdefault(label, set()).add(row[0])
        return {label: frozenset(leaves) for label, leaves in below.items()}

    @cached_property
    def values(self) -> frozenset[str] | None:
        """The declared domain of categories: values, else the leaves of a hierarchy."""
        if self.order is not None:
            return frozenset(self.order)
        return frozenset().union(*self.leaves.values()) if self.leaves else None

    def meant(self, text: str) -> frozenset[str]:
        """What a text of a query stands for: the leaves of a node, else itself."""
        itself = frozenset([text])
        return itself if text in (self.values or ()) else self.leaves.get(text, itself)


def join_conditions(conditions: Iterable[QueryCondition], words: Vocabulary) -> ConditionValues:
    """All conditions on one attribute as one set; raises QueryError with every problem."""
    problems: list[Problem] = []
    found: list[ConditionValues] = []
    numbers = words.kind in (Kind.NUMERIC, Kind.DATE)
    for condition in conditions:
        try:
            found.append(_numbers(condition, words) if numbers else _texts(condition, words))
        except QueryError as error:
            problems += error.problems
    if problems:
        raise QueryError(problems)
    return reduce(lambda a, b: a & b, found, Numbers() if numbers else Texts())


def _numbers(condition: QueryCondition, words: Vocabulary) -> Numbers:
    if condition.operator == "missing":
        return Numbers((), True)
    if condition.operator == "present":
        return Numbers(missing=False)
    spans = _SPANS[condition.operator](_read_spans(condition, words))
    if condition.operator == "between" and not spans:
        raise _refuse(condition, f"The ends of BETWEEN for {words.name!r} are in the wrong order.",
                      "Write the lower end first.")  # fmt: skip
    return Numbers(spans, False)


def _read_spans(condition: QueryCondition, words: Vocabulary) -> list[Span]:
    read, held, like = _number, "numbers", "12, -0.5 or 1e6"
    if words.kind is Kind.DATE:
        read, held, like = _day, "dates", "'2020-03-09'"
    spans = [read(value) for value in condition.values]
    text = f"{words.name!r} holds {held} and cannot be compared with anything else."
    hint = f"Write {like}; a number has at most about 300 digits."
    problems = [
        Problem(text, place(value.position), hint)
        for value, span in zip(condition.values, spans, strict=True)
        if span is None
    ]
    if problems:
        raise QueryError(problems)
    return [span for span in spans if span is not None]


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


# All spans are closed: where an end is not included, the next float is the end.
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


def _texts(condition: QueryCondition, words: Vocabulary) -> Texts:
    operator = condition.operator
    if operator == "missing":
        return Texts(frozenset(), missing=True)
    if operator == "present":
        return Texts(missing=False)
    if operator in _ORDERED:
        return Texts(_in_order(condition, words), missing=False)
    named = frozenset(value.text for value in condition.values)
    meant = frozenset().union(*map(words.meant, named))
    if operator == "!=":
        return Texts(refused=meant, missing=False, named=named)
    return Texts(meant, missing=False, named=named)


def _in_order(condition: QueryCondition, words: Vocabulary) -> frozenset[str]:
    """The values of an ordinal attribute on one side of another one."""
    if words.kind is not Kind.ORDINAL:
        text = f"{words.name!r} is {words.kind}, so its values have no order."
        raise _refuse(condition, text, "Compare it with =, != or IN (…).")
    if words.order is None:
        text = f"The release does not say how the values of {words.name!r} are ordered."
        raise _refuse(condition, text, "Give the plan that does: --plan PLAN.")
    ranks = {text: rank for rank, text in enumerate(words.order)}
    if any(value.text not in ranks for value in condition.values):
        text = f"{words.name!r} is compared with a value that is not in the plan's list."
        raise _refuse(condition, text)
    spots = [(float(ranks[v.text]), float(ranks[v.text])) for v in condition.values]
    spans = _SPANS[condition.operator](spots)
    return frozenset(t for t, rank in ranks.items() if any(a <= rank <= b for a, b in spans))


def _refuse(condition: QueryCondition, text: str, hint: str = "") -> QueryError:
    return QueryError(Problem(text, place(condition.position), hint))
