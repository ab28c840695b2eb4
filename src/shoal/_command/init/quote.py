"""Names and paths as YAML reads them back."""

from __future__ import annotations

import json
import re

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_PLAIN_PATH = re.compile(r"(\.\./)*[A-Za-z_][A-Za-z0-9_./-]*")
# Some mean something else only in YAML 1.1, which other tools still read.
_WORDS = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")


def quoted(text: str, path: bool = False) -> str:
    r"""A text as YAML reads it back, in quotes unless it clearly needs none.

    >>> quoted("age"), quoted("no"), quoted("a: b"), quoted("data/a.csv", path=True)
    ('age', '"no"', '"a: b"', 'data/a.csv')
    """
    plain = _PLAIN_PATH if path else _PLAIN
    if plain.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
