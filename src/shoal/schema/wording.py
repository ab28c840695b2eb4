"""Requirements in few words, numbers, shares, and numbers of things."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_DEFAULTS = re.compile(r", (kind: distinct|strict: False)\b")
_WHOLE = re.compile(r"(\d)\.0\b")

# The parameters that limit from above: what is reached must be at most that.
AT_MOST = ("alpha", "beta", "t", "delta", "c", "high")

VERDICTS: dict[bool | None, str] = {True: "holds", False: "does not hold", None: "open"}


def counted(n: int, one: str, several: str = "") -> str:
    """A number of things.

    >>> counted(1, "row"), counted(1500, "row"), counted(0, "class", "classes")
    ('1 row', '1,500 rows', '0 classes')
    """
    return f"{n:,} {one if n == 1 else several or f'{one}s'}"


def number(value: Any, digits: int = 3) -> str:
    """A number as people write it, and several by name; anything else as text.

    >>> number(1234567), number(0.12345), number(1234.567), number({"k": 3, "t": 0.5})
    ('1,234,567', '0.123', '1,234.6', 'k = 3, t = 0.5')
    """
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {number(part, digits)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(number(part, digits) for part in value)
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    # From 2^53 on, a float stands for several integers, and to show all digits would claim one.
    if isinstance(value, float) and abs(value) >= 2**53:
        return f"{value:.{2 * digits}g}"
    if float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.{digits - 2}f}"
    return f"{value:.{digits}g}"


def percent(share: Any, places: int = 1) -> str:
    """A share as per cent; never 0% where there is some, never 100% where some is missing.

    >>> percent(0.1234), percent(0.00001), percent(0.99999), percent(0), percent(0.99999, 2)
    ('12.3%', '<0.1%', '>99.9%', '0%', '>99.99%')
    """
    if not isinstance(share, (int, float)):
        return "–"
    rounded, least = round(share * 100, places), 10.0**-places
    if not rounded and share:
        return f"<{least:g}%" if share > 0 else f">-{least:g}%"
    if rounded == 100 and share < 1:
        return f">{100 - least:g}%"
    return f"{rounded:g}%"


def brief(requirement: str, attribute: str | None = None) -> str:
    """A requirement without its defaults and without the attribute that stands next to it.

    >>> brief("l-diversity {l: 3.0, kind: distinct, attribute: ill}", "ill")
    'l-diversity {l: 3}'
    """
    text = _WHOLE.sub(r"\1", _DEFAULTS.sub("", requirement))
    return text if attribute is None else text.replace(f", attribute: {attribute}}}", "}")


def model_of(requirement: str) -> str:
    """The name of the model.

    >>> model_of("k-anonymity {k: 5}")
    'k-anonymity'
    """
    return requirement.partition(" {")[0]


def threshold_of(requirement: str) -> str:
    """The parameter that is the threshold of a requirement, if it has only one: the first.

    >>> threshold_of("t-closeness {t: 0.2, distance: equal}"), threshold_of("k-anonymity {k: 5}")
    ('t', 'k')
    """
    return requirement.partition("{")[2].partition(":")[0]


def brief_of(requirement: str, attribute: str | None) -> str:
    """The same on one line, with the attribute.

    >>> brief_of("l-diversity {l: 3, kind: distinct, attribute: ill}", "ill")
    'l-diversity {l: 3} of ill'
    """
    return brief(requirement, attribute) + (f" of {attribute}" if attribute else "")
