"""What is published as it was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from shoal.errors import Problem
from shoal.reading.cell import find_missing, read_numbers
from shoal.reading.encoding import Codes, Flags, Integers, check_pairs, encode_text, is_text
from shoal.schema import Attribute, Kind, Role
from shoal.verify.text.published import Published
from shoal.verify.text.structure import report_rows


def check_unchanged(
    release: Published, roles: tuple[Role, ...] = (Role.SENSITIVE, Role.INSENSITIVE)
) -> Iterator[Problem]:
    """What is published as it was, is as it was: all but what is shown by symbols."""
    for attribute in release.schema.of(*roles):
        if attribute.name in release.symbols:
            continue
        if not release.has(attribute) or not is_text(release.data[attribute.name]):
            continue
        same = _same_cells(release, attribute)
        yield from report_rows(
            f"Column {attribute.name!r} has {{n}} cells that differ from the original", ~same
        )


def _same_cells(release: Published, attribute: Attribute) -> Flags:
    original = release.original[attribute.name]
    if isinstance(release.data[attribute.name].dtype, pl.Enum) and _same_codes(release, attribute):
        return np.ones(len(release.origin), dtype=np.bool_)
    missing = find_missing(original, attribute.missing)[release.origin]
    published = release.data[attribute.name].cast(pl.String)
    text = original.cast(pl.String).gather(release.origin)
    same = (published == text).fill_null(False).to_numpy().astype(np.bool_) & ~missing
    same |= missing & published.is_null().to_numpy()
    if attribute.kind == Kind.NUMERIC and not same.all():
        same |= _same_numbers(release, attribute, np.flatnonzero(~same))
    return same


def _same_codes(release: Published, attribute: Attribute) -> bool:
    """Whether every distinct pair of a published and an original text is equal, or both missing."""
    shown = encode_text(release.data[attribute.name])
    values = encode_text(release.original[attribute.name])
    absent = np.append(values.texts.is_in(["", *attribute.missing]).to_numpy(), True)

    def decide(left: Codes, right: Codes) -> Flags:
        before = values.texts.extend_constant(None, 1).gather(right)
        after = shown.texts.extend_constant(None, 1).gather(left)
        equal = (before == after).fill_null(False).to_numpy().astype(np.bool_) & ~absent[right]
        both: Flags = equal | (absent[right] & (left == shown.null))
        return both

    codes = values.codes[release.origin]
    return bool(check_pairs(shown.codes, codes, values.n_codes, decide).all())


def _same_numbers(release: Published, attribute: Attribute, rows: Integers) -> Flags:
    """Of the rows whose text differs, those that say the same number."""
    original = release.original[attribute.name]
    before = read_numbers(original.gather(release.origin[rows]), attribute.missing)
    after = read_numbers(release.data[attribute.name].gather(rows))
    known = ~(before.missing | before.unreadable | after.missing | after.unreadable)
    equal = before.low == after.low
    if original.dtype == pl.Float32:
        equal |= before.low.astype(np.float32) == after.low.astype(np.float32)
    same = np.zeros(len(release.origin), dtype=np.bool_)
    same[rows] = known & equal
    return same
