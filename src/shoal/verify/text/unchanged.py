"""Columns that are published unchanged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from shoal.errors import Problem
from shoal.reading.cell import find_missing, read_numbers, whole_numbers
from shoal.reading.encoding import Codes, Flags, Integers, check_pairs, encode_text, is_text
from shoal.schema import Attribute, Kind, Role
from shoal.verify.text.classes import find_absent
from shoal.verify.text.published import Published
from shoal.verify.text.structure import report_rows


def check_unchanged(
    published: Published, roles: tuple[Role, ...] = (Role.SENSITIVE, Role.INSENSITIVE)
) -> Iterator[Problem]:
    """Every cell of these roles equals its original, except in columns shown by symbols."""
    for attribute in published.schema.of(*roles):
        if attribute.name in published.symbols:
            continue
        if not published.has(attribute) or not is_text(published.data[attribute.name]):
            continue
        same = _same_cells(published, attribute)
        yield from report_rows(
            f"Column {attribute.name!r} has {{n}} cells that differ from the original", ~same
        )


def _same_cells(published: Published, attribute: Attribute) -> Flags:
    original = published.original[attribute.name]
    # Of a dictionary few pairs differ: only if one of them is wrong does every row matter.
    if isinstance(published.data[attribute.name].dtype, pl.Enum) and _same_codes(
        published, attribute
    ):
        return np.ones(len(published.origin), dtype=np.bool_)
    missing = find_missing(original, attribute.missing)[published.origin]
    cells = published.data[attribute.name].cast(pl.String)
    text = original.cast(pl.String).gather(published.origin)
    same = (cells == text).fill_null(False).to_numpy().astype(np.bool_) & ~missing
    same |= missing & cells.is_null().to_numpy()
    if attribute.kind == Kind.NUMERIC and not same.all():
        same |= _same_numbers(published, attribute, np.flatnonzero(~same))
    return same


def _same_codes(published: Published, attribute: Attribute) -> bool:
    """Whether every distinct pair of a published and an original text is equal, or both missing."""
    shown = encode_text(published.data[attribute.name])
    values = encode_text(published.original[attribute.name])
    absent = find_absent(values, attribute)

    def decide(left: Codes, right: Codes) -> Flags:
        before = values.texts.extend_constant(None, 1).gather(right)
        after = shown.texts.extend_constant(None, 1).gather(left)
        equal = (before == after).fill_null(False).to_numpy().astype(np.bool_) & ~absent[right]
        both: Flags = equal | (absent[right] & (left == shown.null))
        return both

    codes = values.codes[published.origin]
    return bool(check_pairs(shown.codes, codes, values.n_codes, decide).all())


def _same_numbers(published: Published, attribute: Attribute, rows: Integers) -> Flags:
    """Of the rows whose text differs, those with the same number."""
    original = published.original[attribute.name]
    mine = original.gather(published.origin[rows])
    theirs = published.data[attribute.name].gather(rows)
    before, after = read_numbers(mine, attribute.missing), read_numbers(theirs)
    known = ~(before.missing | before.unreadable | after.missing | after.unreadable)
    equal = before.low == after.low
    # A double does not tell large whole numbers from their neighbours, but their digits do.
    if not original.dtype.is_float():
        digits, others = (
            whole_numbers(cells.cast(pl.String).str.replace(r"\.0+$", ""))
            for cells in (mine, theirs)
        )
        equal &= (digits == others).fill_null(True).to_numpy()
    # A single-precision number may be published with the digits of a double.
    if original.dtype == pl.Float32:
        equal |= before.low.astype(np.float32) == after.low.astype(np.float32)
    same = np.zeros(len(published.origin), dtype=np.bool_)
    same[rows] = known & equal
    return same
