"""What a column is by its values alone, whatever its name."""

from __future__ import annotations

import re

from shoal._command.init.column import MARKERS, ColumnProfile
from shoal._command.init.nature import Nature
from shoal.schema import Kind

_MEDICAL = re.compile(
    r"disorder|disease|syndrome|infection|fracture|injury|cancer|carcinoma|diabet|hypertens|asthma|"
    r"allerg|pregnan|anemia|anaemia|overdose|itis\b|\bmg\b|\bml\b|tablet|capsule|vaccine|tumou?r|"
    r"\bflu\b|influenza|\bgout\b|angina|migraine|pneumonia|epilep|psoriasis|\bulcer|sclerosis|"
    r"malaria|measles|tubercul|leuk(a)?emia|lymphoma|melanoma|dementia|\bcovid|\bhiv\b",
    re.IGNORECASE,
)
_SOME = 0.3
_LOOKED_AT = 400
_DECADES = 40 * 365.25
_WORDS = {
    Nature.SEX: (
        "m, f, w, d, male, female, man, woman, men, women, other, diverse, divers, non-binary, "
        "mann, frau, männlich, weiblich, homme, femme, masculin, féminin, hombre, mujer, "
        "masculino, femenino, uomo, donna, maschio, femmina, boy, girl"
    ),
    Nature.FAMILY: (
        "married, single, divorced, widowed, separated, never married, never-married, "
        "not married, unmarried, livepartner, nevermarried, partnered, cohabiting, widow, "
        "widower, verheiratet, ledig, geschieden, verwitwet, marié, célibataire, divorcé, veuf, "
        "casado, soltero, divorciado, viudo, husband, wife, own-child, spouse, child, parent"
    ),
    Nature.ORIGIN: (
        "white, black, asian, hispanic, caucasian, african american, africanamerican, latino, "
        "mexican, native american, pacific islander, mixed, other, black or african american"
    ),
    Nature.PLACE: (
        "al, ak, az, ar, ca, co, ct, de, fl, ga, hi, id, il, in, ia, ks, ky, la, me, md, ma, mi, "
        "mn, ms, mo, mt, ne, nv, nh, nj, nm, ny, nc, nd, oh, ok, or, pa, ri, sc, sd, tn, tx, ut, "
        "vt, va, wa, wv, wi, wy, dc, pr, north, south, east, west, northeast, southeast, "
        "southwest, northwest, midwest, urban, rural, suburban, "
        "germany, france, italy, spain, poland, austria, netherlands, belgium, sweden, denmark, "
        "norway, finland, ireland, portugal, greece, turkey, united states, united-states, usa, "
        "canada, mexico, brazil, india, china, japan, england, scotland, wales, uk, "
        "united kingdom, australia"
    ),
}  # fmt: skip
# How many of the words must be there, so that two letters or two shades prove nothing.
_LEAST = {Nature.SEX: 2, Nature.FAMILY: 2, Nature.ORIGIN: 3, Nature.PLACE: 4}
_MOST = 0.7
_LISTED = {nature: frozenset(text.split(", ")) for nature, text in _WORDS.items()}


def nature_by_values(column: ColumnProfile) -> Nature:
    """What a column without a telling name is, or how it is written.

    >>> import polars as pl
    >>> from shoal._command.init.column import profile_column
    >>> nature_by_values(profile_column(pl.Series("q7", ["f", "m", "m"]))).value
    'sex'
    """
    if column.kind is Kind.DATE:
        long = (column.high or 0) - (column.low or 0) > _DECADES
        return Nature.BIRTH if long else Nature.DATE
    if column.kind is Kind.NUMERIC:
        if column.n_distinct == 2:
            return Nature.YES_NO
        return Nature.CODE if column.n_distinct <= 12 and column.whole else Nature.NUMBER
    present = column.few - MARKERS
    for nature, words in _LISTED.items():
        known = len(present & words)
        if known >= _LEAST[nature] and known >= _MOST * len(present):
            return nature
    if _is_medical(column):
        return Nature.HEALTH
    if column.yes_or_no or len(present) == 2:
        return Nature.YES_NO
    return Nature.CODE if column.variety < 0.5 else Nature.TEXT


def _is_medical(column: ColumnProfile) -> bool:
    """Whether many of the texts name an illness or a medicine."""
    if column.n_distinct < 4:
        return False
    texts = column.texts.head(_LOOKED_AT)
    return sum(bool(_MEDICAL.search(text)) for text in texts) >= _SOME * len(texts)
