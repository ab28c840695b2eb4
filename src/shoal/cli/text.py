"""Words and numbers as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], "\N{REPLACEMENT CHARACTER}") | {10: " "}


def plain(text: object) -> str:
    r"""Text on one line, without characters that steer a terminal.

    >>> plain("age\x1b[31m")
    'age\ufffd[31m'
    """
    return str(text).translate(_CONTROLS)


def number(value: Any) -> str:
    """A number as people read it; several of them by name.

    >>> number(30162), number(0.25), number({"k": 5, "alpha": 0.5}), number(None)
    ('30,162', '0.25', 'k 5, alpha 0.5', '–')
    """
    value = value.item() if hasattr(value, "item") else value
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{plain(name)} {number(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(number, value))
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{int(value):,}"
    return plain(value)


def share(value: float | None) -> str:
    """A share in percent.

    >>> share(0.0567), share(None)
    ('5.7%', '–')
    """
    return "–" if value is None else f"{value:.1%}"
