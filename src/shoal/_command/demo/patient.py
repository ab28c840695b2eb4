"""The patients of one year: one row each, with columns that are correlated as in life."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.demo.illness import ILLNESSES, draw_illnesses, group_of
from shoal._command.demo.name import draw_names
from shoal.errors import PlanError, Problem

MOST_PEOPLE = 5_000_000
_YEAR = np.datetime64("2025-01-01", "D")
_DISTRICTS = ("041", "042", "043", "045", "270", "271", "273", "274", "810", "812", "815", "819")
_WEALTH = np.array([-0.3, -0.2, 0, 0.1, -0.1, 0, 0.2, 0.3, 0.4, 0.1, -0.1, 0])

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Patients:
    """The facts about people that all other columns depend on."""

    is_female: Bools
    age: Floats
    illness: Ints
    district: Ints

    def __len__(self) -> int:
        return len(self.age)


def generate(people: int, seed: int) -> pl.DataFrame:
    """The patients: name, sex, birth date, age, postcode, ward, admission, diagnosis and more.

    The same number and seed give the same table. `sensitivity` is how private a person feels, from
    0 to 1; `postcode_secret` and `income_secret` say whether that cell is secret.

    >>> generate(1000, seed=7).select("sex", "postcode", "diagnosis").columns
    ['sex', 'postcode', 'diagnosis']
    >>> generate(50, seed=7).equals(generate(50, seed=7))
    True
    """
    check_size(people, seed)
    # Separate streams: a change to one kind of column leaves the others as they are.
    who, what, when, where = (np.random.default_rng([seed, stream]) for stream in range(4))
    drawn = _draw_people(people, who)
    admission = _draw_admissions(drawn, when)
    birth = admission - np.floor(drawn.age * 365.25).astype("timedelta64[D]")
    postcode = _draw_postcodes(drawn.district, where)
    income = _draw_income(drawn, what)
    stay = _draw_stay(drawn, what)
    sensitivity = _draw_sensitivity(drawn, what)
    columns = [
        draw_names(drawn.is_female, who),
        _pick("sex", ("male", "female"), drawn.is_female),
        pl.Series("birth_date", birth),
        pl.Series("age", whole_years(birth, admission)),
        postcode,
        _ward(drawn),
        pl.Series("admission", admission),
        _pick("diagnosis", tuple(i.name for i in ILLNESSES), drawn.illness),
        pl.Series("length_of_stay", stay),
        pl.Series("income", income),
        _draw_insurance(income, what),
        pl.Series("sensitivity", sensitivity),
        _draw_flag("postcode_secret", 0.04 + 0.5 * sensitivity, what),
        _draw_flag("income_secret", 0.1 + 0.3 * (income > np.quantile(income, 0.8)), what),
    ]
    return pl.DataFrame(columns)


def check_size(people: int, seed: int) -> None:
    """Raise PlanError that names every wrong parameter."""
    problems = [
        Problem(f"The '{name}' parameter of the demo must be an integer {must}, got {got} instead.")
        for name, must, got, least, most in (
            ("people", f"from 1 to {MOST_PEOPLE:,}", people, 1, MOST_PEOPLE),
            ("seed", "of at least 0", seed, 0, 2**63),
        )
        if not least <= got <= most
    ]
    if problems:
        raise PlanError(problems)


def whole_years(birth: NDArray[np.datetime64], day: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """The age in whole years on that day."""
    born, then = birth.astype("datetime64[M]"), day.astype("datetime64[M]")
    months = (then - born).astype(np.int64)
    early = (day - then) < (birth - born)  # the day of the month is not yet reached
    return np.asarray((months - early) // 12)


def _draw_people(people: int, rng: np.random.Generator) -> Patients:
    is_female = rng.random(people) < 0.52
    part = rng.choice(3, people, p=[0.1, 0.5, 0.4])
    low, width = np.array([0.1, 15, 55])[part], np.array([15, 45, 42])[part]
    age = low + width * rng.beta(np.array([1.0, 1.2, 1.6])[part], np.array([1.2, 1.3, 1.9])[part])
    crowds = 1 / np.arange(1, len(_DISTRICTS) + 1) ** 0.5
    district = rng.choice(len(_DISTRICTS), people, p=crowds / crowds.sum())
    return Patients(is_female, age, draw_illnesses(group_of(age, is_female), rng), district)


def _draw_admissions(drawn: Patients, rng: np.random.Generator) -> NDArray[np.datetime64]:
    """Days of the year; winter illnesses are drawn towards both ends of it."""
    share = rng.random(len(drawn))
    winter = np.array([i.winter for i in ILLNESSES])[drawn.illness]
    cold = np.where(share < 0.5, share**2 * 2, 1 - (1 - share) ** 2 * 2)
    days = np.floor(np.where(winter, cold, share) * 365)
    return np.asarray(_YEAR + np.clip(days, 0, 364).astype("timedelta64[D]"))


def _draw_postcodes(district: Ints, rng: np.random.Generator) -> pl.Series:
    """Five digits: three for the district and two for a part of it, some far more crowded."""
    part = np.floor(25 * rng.random(len(district)) ** 2).astype(np.int64) * 4
    ends = pl.Series([f"{n:02d}" for n in range(100)])
    return (pl.Series(_DISTRICTS).gather(district) + ends.gather(part)).alias("postcode")


def _draw_income(drawn: Patients, rng: np.random.Generator) -> Ints:
    """A household's monthly income, by district, age and sex, in steps of 50."""
    life = -0.4 * ((drawn.age - 48) / 40) ** 2
    level = 8.0 + life + _WEALTH[drawn.district] + 0.05 * ~drawn.is_female
    amount = np.exp(level + rng.normal(0, 0.45, len(drawn)))
    return np.asarray(np.clip(np.round(amount / 50) * 50, 400, 30_000), dtype=np.int64)


def _draw_stay(drawn: Patients, rng: np.random.Generator) -> Ints:
    mean = np.array([i.stay for i in ILLNESSES])[drawn.illness] * (0.7 + drawn.age / 150)
    return np.clip(np.ceil(rng.gamma(2.0, mean / 2)), 1, 120).astype(np.int64)


def _draw_sensitivity(drawn: Patients, rng: np.random.Generator) -> Floats:
    mean = 0.12 + 0.7 * np.array([i.stigma for i in ILLNESSES])[drawn.illness]
    return np.round(rng.beta(6 * mean, 6 * (1 - mean)), 2)


def _draw_insurance(income: Ints, rng: np.random.Generator) -> pl.Series:
    luck = rng.random(len(income))
    private = 1 / (1 + np.exp(4.5 - income / 1500))
    kind = np.where(luck < private, 1, np.where(luck > 0.98, 2, 0))
    return _pick("insurance", ("statutory", "private", "self-paid"), kind)


def _ward(drawn: Patients) -> pl.Series:
    """The ward for the illness; all children are in paediatrics."""
    wards = tuple(i.ward for i in ILLNESSES)
    place = np.where(drawn.age < 16, len(wards), drawn.illness)
    return _pick("ward", (*wards, "paediatrics"), place)


def _draw_flag(name: str, chance: Floats, rng: np.random.Generator) -> pl.Series:
    return _pick(name, ("no", "yes"), rng.random(len(chance)) < chance)


def _pick(name: str, texts: tuple[str, ...], places: Ints | Bools) -> pl.Series:
    return pl.Series(name, texts).gather(places.astype(np.int64))
