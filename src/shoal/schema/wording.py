"""Requirements in few words, and numbers of things."""

from __future__ import annotations

import re

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


def brief(requirement: str, attribute: str | None = None) -> str:
    """A requirement without its defaults and without the attribute that stands next to it.

    >>> brief("l-diversity {l: 3.0, kind: distinct, attribute: ill}", "ill")
    'l-diversity {l: 3}'
    """
    text = _WHOLE.sub(r"\1", _DEFAULTS.sub("", requirement))
    return text if attribute is None else text.replace(f", attribute: {attribute}}}", "}")


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
