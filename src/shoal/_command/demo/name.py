"""Names of people who do not exist, made of syllables; no two are the same."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

_SYLLABLES = ["".join(pair) for pair in product("bdfgklmnprstvz", "aeiou")]
_ENDINGS = {
    "female": ["ela", "ina", "ora", "ria", "sha", "tta", "nne", "lle", "via", "dra"],
    "male": ["ard", "bor", "den", "lin", "mond", "ner", "rik", "stan", "tor", "vin"],
}
_LAST = ["berg", "dal", "feld", "holm", "kamp", "land", "moor", "ström", "wald", "wick"]
_N_FIRST = len(_SYLLABLES) * len(_ENDINGS["male"])
N_NAMES = _N_FIRST * len(_SYLLABLES) ** 2 * len(_LAST)


def draw_names(is_female: NDArray[np.bool_], rng: np.random.Generator) -> pl.Series:
    """A different name for each person; there are `N_NAMES` to draw from."""
    number = rng.choice(N_NAMES, len(is_female), replace=False)
    number, ending = np.divmod(number, len(_ENDINGS["male"]))
    number, last = np.divmod(number, len(_LAST))
    number, second = np.divmod(number, len(_SYLLABLES))
    start, first = np.divmod(number, len(_SYLLABLES))
    endings = _gather([*_ENDINGS["male"], *_ENDINGS["female"]], ending + 10 * is_female)
    given = (_gather(_SYLLABLES, start) + endings).str.to_titlecase()
    stem = _gather(_SYLLABLES, first) + _gather(_SYLLABLES, second)
    return (given + " " + (stem + _gather(_LAST, last)).str.to_titlecase()).alias("name")


def _gather(texts: list[str], places: NDArray[np.int64]) -> pl.Series:
    return pl.Series(texts).gather(places)
