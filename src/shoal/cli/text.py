"""Words and numbers as people read them."""

from __future__ import annotations

from typing import Any

from shoal.schema import wording

_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], "\N{REPLACEMENT CHARACTER}") | {10: " "}


def plain(text: object) -> str:
    r"""Text on one line, without characters that steer a terminal.

    >>> plain("age\x1b[31m")
    'age\ufffd[31m'
    """
    return str(text).translate(_CONTROLS)


def number(value: Any) -> str:
    """A number as people read it; several of them by name.

    >>> number(30162), number(0.12345), number({"k": 5, "alpha": 0.5}), number(None)
    ('30,162', '0.1235', 'k = 5, alpha = 0.5', '–')
    """
    # A digit more than in reports: a terminal sets what is claimed beside what is recounted.
    return plain(wording.number(value, digits=4))
