"""The patients of QI-MHSA's experiment: synthetic, by seed, with a diagnosis code and a date.

The paper's 50,000 records were made with Synthea and are not published. These follow the paper's
description: DiagnoseCode is a category, DateJoined a date, and both carry flags.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl

# Code, share of the patients in thousandths, typical age: the flagged ones are rare, as in life.
DIAGNOSES: dict[str, dict[str, tuple[int, int]]] = {
    "respiratory": {
        "J06": (190, 25), "J20": (110, 45), "J18": (50, 62), "J45": (70, 28), "J32": (60, 40),
    },
    "circulatory": {"I10": (120, 62), "I25": (45, 70), "I63": (20, 72), "I50": (20, 75)},
    "metabolic": {"E11": (80, 60), "E78": (60, 55), "E03": (35, 50), "E66": (40, 42)},
    "injury": {"S52": (30, 20), "S93": (40, 30), "T14": (25, 30)},
    "infectious": {"A09": (40, 20), "B20": (6, 38), "U07": (12, 50), "A98": (2, 35)},
    "mental": {"F32": (35, 40), "F20": (8, 32), "F10": (12, 45)},
}  # fmt: skip
HIGH = ["B20", "U07", "A98", "F20"]
MIDDLE = ["E11", "I10", "F32", "F10"]
_FIRST, _DAYS = date(2010, 1, 1), 3652
_TOWNS = 60


def patients(rows: int = 50_000, seed: int = 1) -> pl.DataFrame:
    """So many patients: age, gender, zip, race, marital, DiagnoseCode and DateJoined.

    >>> patients(2).columns
    ['age', 'gender', 'zip', 'race', 'marital', 'DiagnoseCode', 'DateJoined']
    """
    draw = np.random.default_rng([20_261_116, seed])
    codes = [code for family in DIAGNOSES.values() for code in family]
    facts = [fact for family in DIAGNOSES.values() for fact in family.values()]
    weights = np.array([weight for weight, _ in facts], dtype=np.float64)
    code = draw.choice(len(codes), rows, p=weights / weights.sum())
    typical = np.array([age for _, age in facts])[code]
    age = np.clip(np.round(draw.normal(typical, 16)), 0, 99).astype(np.int64)
    town = np.minimum(draw.geometric(0.06, rows) - 1, _TOWNS - 1)
    zips = 51000 + 100 * (town // 10) + 10 * (town % 10) + draw.integers(0, 4, rows)
    # Later years have more patients.
    joined = (np.sqrt(draw.random(rows)) * _DAYS).astype(np.int64)
    return pl.DataFrame(
        {
            "age": age,
            "gender": draw.choice(["F", "M"], rows, p=[0.53, 0.47]),
            "zip": pl.Series(zips).cast(pl.String),
            "race": draw.choice(
                ["asian", "black", "other", "white"], rows, p=[0.1, 0.15, 0.05, 0.7]
            ),
            "marital": _marital(draw, age),
            "DiagnoseCode": pl.Series(codes).gather(code),
            "DateJoined": [_FIRST + timedelta(days=int(days)) for days in joined],
        }
    )


def _marital(draw: np.random.Generator, age: np.ndarray) -> list[str]:
    chance = draw.random(len(age))
    grown = np.clip((age - 17) / 20, 0, 1)
    widowed = np.clip((age - 60) / 60, 0, 0.5)
    married = chance < 0.65 * grown * (1 - widowed)
    divorced = chance > 1 - 0.12 * grown
    lost = ~married & ~divorced & (chance > 1 - 0.12 * grown - widowed)
    names = np.select([married, divorced, lost], ["married", "divorced", "widowed"], "single")
    return [str(name) for name in names]


def patient_attributes() -> dict[str, Any]:
    """Hierarchies for all quasi-identifiers, and flags on both sensitive columns."""
    tree = {"*": {family: list(codes) for family, codes in DIAGNOSES.items()}}
    return {
        "age": {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 4}},
        "gender": {"role": "quasi", "hierarchy": "flat"},
        "zip": {"role": "quasi", "kind": "categorical", "hierarchy": {"mask": 5}},
        "race": {"role": "quasi", "hierarchy": "flat"},
        "marital": {"role": "quasi", "hierarchy": "flat"},
        "DiagnoseCode": {
            "role": "sensitive",
            "hierarchy": {"tree": tree},
            "flags": {"high": HIGH, "middle": MIDDLE, "default": "low"},
        },
        "DateJoined": {
            "role": "sensitive",
            "kind": "date",
            "hierarchy": {"dates": ["day", "month", "year"]},
            "flag": "DateFlag",
        },
        "DateFlag": "flag",
    }


def with_date_flags(frame: pl.DataFrame) -> pl.DataFrame:
    """A flag for DateJoined: high in the last year, middle in the one before."""
    year = pl.col("DateJoined").dt.year()
    flag = pl.when(year >= 2019).then(2).when(year == 2018).then(1).otherwise(0)
    return frame.with_columns(DateFlag=flag)
