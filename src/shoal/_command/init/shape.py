"""What the texts of a column look like, by patterns over its distinct values."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

_SAMPLE = 2_000
# Only the forms that a glance finds likely are tried on the whole sample.
_GLANCE = 40
_MOST = 0.9  # the share of values that must look alike
_FORMS = {
    "email address": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "UUID": r"^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$",
    "web address": r"^(https?://|www\.)\S+$",
    "IP address": r"^\d{1,3}(\.\d{1,3}){3}$",
    "telephone number": r"^(\+|00|\(0?\d)[\d ()/.-]{6,20}$",
    "IBAN": r"^[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,4})?$",
    "time stamp": r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}",
    "ICD-10 code": r"^[A-TV-Z]\d{2}(\.?[0-9A-Z]{1,4})?$",
}
_LONG = 40


@dataclass(frozen=True)
class TextShape:
    """The form that nearly all texts have, if it is a known one, and their length.

    `n_characters` is the length that all texts share, 0 where they differ; `digits` whether all
    are of digits only; `prose` whether they are long and of several words.
    """

    form: str = ""
    n_characters: int = 0
    digits: bool = False
    prose: bool = False


def shape_of(texts: pl.Series) -> TextShape:
    """The shape of these distinct texts.

    >>> shape_of(pl.Series(["04109", "27340"]))
    TextShape(form='', n_characters=5, digits=True, prose=False)
    """
    if not len(texts):
        return TextShape()
    lengths = texts.str.len_chars()
    glance = texts.head(_GLANCE).to_list()
    sample = _sample(texts)
    # Half of a glance is enough to look closer, and most forms need no closer look.
    likely = (name for name, form in _FORMS.items() if _seen(glance, form) >= 0.5)
    return TextShape(
        form=next((name for name in likely if _share(sample, _FORMS[name]) >= _MOST), ""),
        n_characters=int(lengths[0]) if lengths.min() == lengths.max() else 0,
        digits=_seen(glance, r"^\d+$") == 1 and bool(texts.str.contains(r"^\d+$").all()),
        prose=float(lengths.mean() or 0) >= _LONG and _share(sample, r"\s") > _MOST,  # type: ignore[arg-type]
    )


def _sample(texts: pl.Series) -> pl.Series:
    """A sample of the texts that does not depend on their order."""
    if len(texts) <= _SAMPLE:
        return texts
    place = texts.hash(seed=0)
    return texts.filter(place <= place.bottom_k(_SAMPLE).max())


def _seen(texts: list[str], form: str) -> float:
    return sum(bool(re.search(form, text)) for text in texts) / len(texts)


def _share(texts: pl.Series, form: str) -> float:
    return float(texts.str.contains(form).sum()) / len(texts)
