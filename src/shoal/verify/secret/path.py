"""What a sensitive value may be shown as: itself, its ancestors level by level, the root.

Written from the definition of the hierarchies. Labels are compared in one spelling: numbers, and
the ends of intervals, as the floats that they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import polars as pl

from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Coded, Codes, Flags, Floats, Integers, encode_text, rank_numbers
from shoal.reading.label import STAR, Form, read_spans
from shoal.schema import Attribute, HierarchySpec, Kind
from shoal.verify.text.classes import find_absent

Texts: TypeAlias = pl.Series

_FORMS = frozenset({Form.BARE, Form.HALF_OPEN, Form.BELOW, Form.FROM})
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}$"
# Whole numbers up to this are exact floats, and so are their sums.
_EXACT = 2**52
# Cells up to here, and those of twice the width, have numbers of 64 bits.
_FAR = 2**61


@dataclass(frozen=True)
class Paths:
    """The distinct values of a column and the labels above them.

    `of_row` is the value of every input row. `nodes[level, value]` numbers the labels: level 0 is
    the value itself, the last level the root; equal labels have equal numbers. `shown` is the label
    of each distinct published text, as far as any value has it. `numbers` are the values as
    numbers, NaN where missing, if they are numbers. `lost` are values not in the hierarchy.
    """

    of_row: Codes
    nodes: Codes
    shown: Codes
    root: int
    numbers: Floats | None
    lost: Flags

    @property
    def top(self) -> int:
        return len(self.nodes) - 1

    @property
    def n_values(self) -> int:
        return int(self.nodes.shape[1])


def find_paths(original: pl.Series, labels: Coded, attribute: Attribute) -> Paths:
    """The values of an original column, and the labels above them that its published texts are."""
    given = encode_text(original)
    absent = find_absent(given, attribute)
    texts, numbers = _spell(given.texts.extend_constant(None, 1), absent, attribute)
    merged = encode_text(texts)
    # Texts that are one value have one number, so any of them will do.
    first = np.zeros(merged.n_codes, dtype=np.int64)
    first[merged.codes] = np.arange(len(texts))
    has_missing = bool(absent[given.codes].any())
    values = merged.texts.extend_constant(None, 1)
    own = None if numbers is None else np.append(numbers[first[:-1]], np.nan)
    levels, lost = _levels(values, own, has_missing, attribute)
    # All levels and the published texts at once, so that equal labels have equal numbers.
    coded = encode_text(_one_spelling(pl.concat([*levels, labels.texts]), attribute))
    n_nodes = len(levels) * len(values)
    nodes = coded.codes[:n_nodes].reshape(len(levels), len(values))
    shown = np.append(coded.codes[n_nodes:], np.int32(coded.null))
    of_row = merged.codes[given.codes]
    return Paths(of_row, nodes, shown, int(nodes[-1, 0]), own, lost)


def _spell(texts: Texts, absent: Flags, attribute: Attribute) -> tuple[Texts, Floats | None]:
    """Distinct values with one text for each, null for missing, and their numbers."""
    texts = texts.set(pl.Series(absent), None)
    if attribute.kind == Kind.DATE:
        return texts.str.strip_chars(), None
    if attribute.kind != Kind.NUMERIC:
        return texts, None
    cells = read_numbers(texts.str.strip_chars())
    known = ~(cells.missing | cells.unreadable)
    numbers = np.where(known, cells.low, np.nan)
    return texts.zip_with(pl.Series(~known), _number_texts(numbers)), numbers


def _number_texts(numbers: Floats) -> Texts:
    """The shortest text of every number: whole numbers without a point."""
    # From 1e15 on, whole numbers are published as Python writes floats.
    whole = (np.abs(numbers) < 1e15) & (numbers == np.floor(numbers))
    texts = pl.Series(np.where(whole, numbers, 0.0)).cast(pl.Int64).cast(pl.String)
    others = np.flatnonzero(~whole)
    return texts.scatter(others, [repr(number) for number in numbers[others].tolist()])


def _one_spelling(texts: Texts, attribute: Attribute) -> Texts:
    """The labels, respelt so that equal ones have equal texts."""
    if attribute.kind != Kind.NUMERIC:
        return texts
    coded = encode_text(texts)
    spans = read_spans(coded.texts, read_numbers, _FORMS)
    # Adding 0.0 turns -0.0 into 0.0.
    low = pl.Series(spans.first + 0.0).cast(pl.String)
    high = pl.Series(spans.second + 0.0).cast(pl.String)
    spelt = coded.texts.extend_constant(None, 1)
    for form, text in (
        (Form.BARE, low),
        (Form.HALF_OPEN, "[" + low + ", " + high + "["),
        (Form.BELOW, "<" + low),
        (Form.FROM, ">=" + low),
    ):
        fits = (spans.form == form) & ~spans.malformed & ~spans.star
        fits[-1] = False
        spelt = text.zip_with(pl.Series(fits), spelt)
    return spelt.gather(coded.codes)


def _levels(
    values: Texts, numbers: Floats | None, has_missing: bool, attribute: Attribute
) -> tuple[list[Texts], Flags]:
    """Level by level the labels of distinct values, of which the last is the missing one.

    A missing value shows nothing at every level but the root, unless the hierarchy has a row for
    it. Where there are several tops, a star is above them.
    """
    n_values = len(values)
    star = pl.Series([STAR], dtype=pl.String).new_from_index(0, n_values)
    none = np.zeros(n_values, dtype=np.bool_)
    spec = attribute.hierarchy
    if spec is None or spec.form == "flat":
        return [values, star], none
    if spec.form in ("file", "tree"):
        return _row_levels(values, numbers, has_missing, attribute, spec)
    if spec.form == "mask":
        return _mask_levels(values, has_missing, attribute, spec), none
    if spec.form == "dates":
        form, own = ("%Y-%m-%d %H:%M", "minute") if spec.has_clock else ("%Y-%m-%d", "day")
        # polars also reads 2020-1-5, and 20-01-05 as a day of the year 20.
        written = values.str.contains(_MOMENT if spec.has_clock else _DAY)
        dates = values.str.to_datetime(form, time_unit="us", strict=False)
        lost = ((dates.is_null() | ~written) & values.is_not_null()).to_numpy()
        above = [_UNITS[unit](dates) for unit in spec.units if unit != own]
        return [values, *above, star], lost
    if numbers is None:
        return [values, star], values.is_not_null().to_numpy()
    lost = np.isnan(numbers) & values.is_not_null().to_numpy()
    if spec.form == "intervals":
        return [values, *_cut(numbers, spec), star], lost
    above, far = _widths(numbers, spec)
    return [values, *above, star], lost | far


def _padded(years: pl.Series) -> Texts:
    return years.cast(pl.String).str.zfill(4)


def _decade(dates: pl.Series) -> Texts:
    first = dates.dt.year() // 10 * 10
    return _padded(first) + "-" + _padded(first + 9)


_UNITS: dict[str, Callable[[pl.Series], Texts]] = {
    "hour": lambda dates: dates.dt.strftime("%Y-%m-%d %Hh"),
    "day": lambda dates: dates.dt.strftime("%Y-%m-%d"),
    "month": lambda dates: dates.dt.strftime("%Y-%m"),
    "quarter": lambda d: _padded(d.dt.year()) + "-Q" + d.dt.quarter().cast(pl.String),
    "year": lambda dates: _padded(dates.dt.year()),
    "decade": _decade,
}


def _row_levels(
    values: Texts,
    numbers: Floats | None,
    has_missing: bool,
    attribute: Attribute,
    spec: HierarchySpec,
) -> tuple[list[Texts], Flags]:
    """The labels of a hierarchy that is written out row by row; numbers also fit by number."""
    # Of rows with one leaf, the first counts.
    rows = {row[0]: row for row in reversed(spec.rows)}
    by_number: dict[float, tuple[str, ...]] = {}
    if numbers is not None:
        leaves = read_numbers(pl.Series(list(rows), dtype=pl.String).str.strip_chars())
        known = ~(leaves.missing | leaves.unreadable)
        pairs = zip(leaves.low[known].tolist(), np.flatnonzero(known).tolist(), strict=True)
        every = list(rows.values())
        by_number = {number: every[place] for number, place in pairs}
    own = [] if numbers is None else numbers.tolist()
    texts = values.to_list()
    height = len(spec.rows[0])
    found = [
        rows.get(text or "", by_number.get(own[i]) if own else None) for i, text in enumerate(texts)
    ]
    lost = np.array([row is None for row in found], dtype=np.bool_)
    nothing: tuple[str | None, ...] = (None,) * height
    above = [
        pl.Series([(row or nothing)[level] for row in found], dtype=pl.String)
        for level in range(1, height)
    ]
    # Declared values that nobody has belong to the tree as well, and so may give it another top.
    declared = [] if numbers is not None else [rows[v] for v in attribute.values or () if v in rows]
    tops = {row[-1] if row else None for row in (*found[:-1], *declared)}
    # A star covers everything, so what is missing joins it without a row of its own.
    joins = {row[-1] for row in spec.rows} == {STAR} and height > 1
    if has_missing and not (lost[-1] and joins):
        tops.add(found[-1][-1] if found[-1] else None)
    # The missing value needs no row.
    lost[-1] = False
    return _crown(values, above, tops), lost


def _crown(values: Texts, above: list[Texts], tops: set[str | None]) -> list[Texts]:
    """The levels with one root: the only top that there is, or a star above all."""
    if len(tops) == 1 and above:
        (top,) = tops
        root = pl.Series([top], dtype=pl.String).new_from_index(0, len(values))
        return [values, *above[:-1], root]
    if len(tops) <= 1 and not above:
        return [values]
    star = pl.Series([STAR], dtype=pl.String).new_from_index(0, len(values))
    return [values, *above, star]


def _mask_levels(
    values: Texts, has_missing: bool, attribute: Attribute, spec: HierarchySpec
) -> list[Texts]:
    """One more character from the right becomes a star at each level."""
    declared = [] if attribute.kind == Kind.NUMERIC else list(attribute.values or ())
    whole = pl.concat([values, pl.Series(declared, dtype=pl.String)])
    length = whole.str.len_chars()

    def mask(n_hidden: int) -> Texts:
        return (
            whole.str.head(-n_hidden)
            + pl.select(pl.lit(STAR * n_hidden).str.head(length)).to_series()
        )

    above = [mask(n_hidden) for n_hidden in range(1, spec.mask + 1)]
    tops: set[str | None] = set(above[-1].drop_nulls().unique().to_list())
    # Several stars reveal how many characters there were: only a single one covers what is missing.
    if has_missing and tops != {STAR}:
        tops.add(None)
    return _crown(values, [level.head(len(values)) for level in above], tops)


def _cut(numbers: Floats, spec: HierarchySpec) -> list[Texts]:
    """The interval between cuts; a cut belongs to the one above it."""
    cuts = np.sort(np.array(spec.cuts, dtype=np.float64))
    ends = pl.Series(cuts).cast(pl.String).to_list()
    inner = [f"[{a}, {b}[" for a, b in pairwise(ends)]
    labels = [f"<{ends[0]}", *inner, f">={ends[-1]}", None] if ends else [None]
    places = np.searchsorted(cuts, numbers, side="right")
    places[np.isnan(numbers)] = len(labels) - 1
    return [pl.Series(labels, dtype=pl.String).gather(places)]


def _widths(numbers: Floats, spec: HierarchySpec) -> tuple[list[Texts], Flags]:
    """Cells of the width, of twice the width, and so on; and which numbers are too far for any."""
    known = np.flatnonzero(~np.isnan(numbers))
    _, distinct = rank_numbers(numbers[known])
    scale, width, origin = _as_integers(spec)
    cells, far = _find_cells(distinct, scale, width, origin)
    places = np.full(len(numbers), len(distinct), dtype=np.int64)
    places[known] = np.searchsorted(distinct, numbers[known])
    levels = []
    for doubling in range(spec.levels):
        starts = (cells >> doubling) << doubling
        low = _edges(starts, scale, width, origin)
        high = _edges(starts + (1 << doubling), scale, width, origin)
        texts = "[" + pl.Series(low).cast(pl.String) + ", " + pl.Series(high).cast(pl.String) + "["
        levels.append(texts.extend_constant(None, 1).gather(places))
    return levels, np.append(far, False)[places]


def _as_integers(spec: HierarchySpec) -> tuple[int, int, int]:
    """The width and the origin as written, as whole numbers of one unit, and how many are 1."""
    width, origin = Fraction(repr(spec.width)), Fraction(repr(spec.origin))
    scale = 1
    while (width * scale).denominator > 1 or (origin * scale).denominator > 1:
        scale *= 10
    return scale, int(width * scale), int(origin * scale)


def _edges(cells: Integers, scale: int, width: int, origin: int) -> Floats:
    """The float nearest to the lower edge of every cell."""
    # At least 1, so that the width itself is small enough, also where all cells are number 0.
    most = int(np.abs(cells).max(initial=1))
    if most * width + abs(origin) < _EXACT and scale <= 10**22:
        exact: Floats = (cells * width + origin) / float(scale)
        return exact
    return np.array([_edge(cell, scale, width, origin) for cell in cells.tolist()])


def _edge(cell: int, scale: int, width: int, origin: int) -> float:
    units = cell * width + origin
    try:
        return float(Fraction(units, scale))
    except OverflowError:
        return math.inf if units > 0 else -math.inf


def _find_cells(numbers: Floats, scale: int, width: int, origin: int) -> tuple[Integers, Flags]:
    """The last cell whose lower edge, as a float, is not above the number; 0 where it is too far.

    A guess is right where the number lies between the edges; where floats lie so far apart that it
    is not, or the number is too far, the cell is searched for.
    """
    # Infinite where the quotient is too large: such a number is searched for.
    with np.errstate(over="ignore"):
        guess = np.floor((numbers - origin / scale) / (width / scale))
    cells: Integers = np.clip(guess, -float(_FAR), float(_FAR)).astype(np.int64)
    cells = cells - (_edges(cells, scale, width, origin) > numbers)
    cells = cells + (_edges(cells + 1, scale, width, origin) <= numbers)
    right = _edges(cells, scale, width, origin) <= numbers
    right &= numbers < _edges(cells + 1, scale, width, origin)
    far = np.zeros(len(numbers), dtype=np.bool_)
    for i in np.flatnonzero(~right).tolist():
        cell = _search_cell(float(numbers[i]), scale, width, origin)
        far[i] = abs(cell) >= _FAR
        cells[i] = 0 if far[i] else cell
    return cells, far


def _search_cell(number: float, scale: int, width: int, origin: int) -> int:
    """The last cell whose lower edge, as a float, is not above the number."""
    # Rounding keeps the order: the edge of the one is not above the number, that of the other is.
    exact, step = Fraction(number), Fraction(math.ulp(number))
    low = math.floor((exact * scale - origin) / width)
    high = math.floor(((exact + step) * scale - origin) / width) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _edge(middle, scale, width, origin) <= number:
            low = middle
        else:
            high = middle
    return low
