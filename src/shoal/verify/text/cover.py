"""Does every published label cover the value that it stands for?"""

from __future__ import annotations

import polars as pl

from shoal.reading.cell import read_times
from shoal.reading.encoding import Coded, Integers
from shoal.schema import Attribute, Kind
from shoal.verify.text.measured import Coverage, Measured, cover_measured, numbers_like, read_bounds
from shoal.verify.text.named import cover_named


def check_cover(
    labels: Coded, original: pl.Series, origin: Integers, attribute: Attribute
) -> Coverage:
    """Check one quasi-identifier's labels against the original cells they stand for."""
    read = reader_of(original, attribute)
    if read is None:
        return cover_named(labels, original, origin, attribute)
    return cover_measured(labels, original, origin, attribute, read)


def reader_of(original: pl.Series, attribute: Attribute) -> Measured | None:
    """How to read cells whose labels are spans on a line; None where the labels are names."""
    form = attribute.hierarchy.form if attribute.hierarchy else None
    # Masks, files and trees name their labels, whatever the kind is.
    line = form in (None, "flat")
    if form in ("intervals", "width") or (attribute.kind == Kind.NUMERIC and line):
        return numbers_like(original)
    if form == "dates" or (attribute.kind == Kind.DATE and line):
        return read_times
    return None


def check_bounds(
    low: pl.Series, high: pl.Series, original: pl.Series, origin: Integers, attribute: Attribute
) -> Coverage:
    """Check two numeric columns of bounds; both null is the star."""
    read = numbers_like(original)
    values = read(original, attribute.missing)
    bounds = read_bounds(low, high, read)
    malformed = bounds.malformed | (~bounds.star & (bounds.low > bounds.high))
    cells = values.low[origin]
    inside = (bounds.low <= cells) & (cells <= bounds.high)
    # What is missing reads as 0, which may well lie inside.
    usable = ~(values.missing | values.unreadable)[origin]
    return Coverage(~malformed & (bounds.star | (inside & usable)), malformed)
