"""Published labels, and cells, on a line: of numbers, or of days since 1970."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from shoal.reading.cell import DAY, read_numbers, read_times
from shoal.reading.encoding import Flags, Floats
from shoal.reading.label import ANY_FORM, Form, Spans, read_spans
from shoal.schema import Kind


@dataclass(frozen=True, eq=False)
class Line:
    """What each distinct label covers: `low` to `high`, both included; the empty cell is last.

    A tail is infinite on its open side. `known` are the labels that cover a part of the line; the
    others are a `star`, `malformed` (a node of a hierarchy, say) or the empty cell, and their ends
    mean nothing. `whole` says that every written end is an integer, or the first or last moment of
    a day.
    """

    low: Floats
    high: Floats
    star: Flags
    malformed: Flags
    known: Flags
    whole: bool


def read_points(
    cells: pl.Series, kind: Kind | None, missing: tuple[str, ...] = ()
) -> tuple[Floats, Flags]:
    """Cells as points, nan where there is none; and which are neither readable nor missing.

    >>> read_points(pl.Series(["1970-01-03", "?", "x"]), Kind.DATE, ("?",))
    (array([ 2., nan, nan]), array([False, False,  True]))
    """
    dates = kind is Kind.DATE
    read = (read_times if dates else read_numbers)(cells, missing)
    points = read.low / DAY if dates else read.low
    return np.where(read.missing | read.unreadable, np.nan, points), read.unreadable


def read_line(texts: pl.Series, kind: Kind | None, allowed: frozenset[Form] = ANY_FORM) -> Line:
    """Place the distinct labels of an attribute of numbers or dates.

    >>> line = read_line(pl.Series(["[2, 5[", ">=7"]), Kind.NUMERIC)
    >>> np.round(line.low, 9)[:2], np.round(line.high, 9)[:2], line.whole
    (array([2., 7.]), array([ 5., inf]), True)
    """
    dates = kind is Kind.DATE
    spans = read_spans(texts, partial(read_times, coarse=True) if dates else read_numbers, allowed)
    known = ~(spans.star | spans.malformed)
    known[-1] = False
    low, high, whole = (_place_days if dates else _place_numbers)(spans, known)
    return Line(low, high, spans.star, spans.malformed, known, whole)


def _place_numbers(spans: Spans, known: Flags) -> tuple[Floats, Floats, bool]:
    ends = np.concatenate([spans.first[known], spans.second[known]])
    return spans.low, spans.high, bool((ends == np.floor(ends)).all())


def _place_days(spans: Spans, known: Flags) -> tuple[Floats, Floats, bool]:
    from_left = known & ~np.isin(spans.form, (Form.BELOW, Form.UP_TO))
    to_right = known & ~np.isin(spans.form, (Form.ABOVE, Form.FROM))
    # An open side is taken as 1970-01-01, so that it has no say in whether all ends are whole days.
    first = np.where(from_left, spans.low, 0)
    behind = np.where(to_right, spans.high, -1) + 1
    whole = bool((first % DAY == 0).all() and (behind % DAY == 0).all())
    # Of whole days the last one is the end; otherwise it is the last moment.
    low = np.where(from_left, first / DAY, -math.inf)
    high = np.where(to_right, behind / DAY - 1 if whole else (behind - 1) / DAY, math.inf)
    return low, high, whole
