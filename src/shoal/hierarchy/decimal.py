"""Numbers as exact decimals, so that an edge is printed as it was written."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import polars as pl
from numpy.typing import NDArray

MOST_PLACES = 18  # 10**18 is an int64


def decimal_of(number: float) -> Decimal:
    """The shortest decimal that reads back as this number.

    >>> decimal_of(0.1)
    Decimal('0.1')
    """
    return Decimal(repr(float(number)))


def places_of(number: float) -> int:
    """The number of digits after the decimal point."""
    exponent = decimal_of(number).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def scaled(number: float, places: int) -> int:
    """The number times 10**places, exactly; `places` is at least `places_of(number)`.

    >>> scaled(0.25, 3)
    250
    """
    return int(decimal_of(number).scaleb(places))


def plain(units: int, places: int) -> str:
    """The text of units / 10**places, without exponent and without trailing zeros.

    >>> plain(30, 2), plain(-5, 0), plain(400, 2)
    ('0.3', '-5', '4')
    """
    if not places:
        return str(units)
    whole, part = divmod(abs(units), 10**places)
    digits = f"{part:0{places}d}".rstrip("0")
    return f"{'-' if units < 0 else ''}{whole}{'.' if digits else ''}{digits}"


def plain_all(units: NDArray[np.int64], places: int) -> pl.Series:
    """The result of `plain` for each of these.

    >>> plain_all(np.array([30, -5, 400]), 2).to_list()
    ['0.3', '-0.05', '4']
    """
    if not places or places > MOST_PLACES:
        return pl.Series([plain(unit, places) for unit in units.tolist()], dtype=pl.String)
    whole, part = np.divmod(np.abs(units), 10**places)
    signs = pl.Series(np.where(units < 0, "-", ""), dtype=pl.String)
    digits = pl.Series(part).cast(pl.String).str.zfill(places)
    text = signs + pl.Series(whole).cast(pl.String) + "." + digits
    return text.str.strip_chars_end("0").str.strip_chars_end(".")


def plain_number(number: float) -> str:
    """The text of a number, without exponent.

    >>> plain_number(30.0), plain_number(-0.0), plain_number(1e-7)
    ('30', '0', '0.0000001')
    """
    places = places_of(number)
    return plain(scaled(number, places), places)
