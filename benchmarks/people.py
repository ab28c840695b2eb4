"""People with several records: INFORMS and Diabetes from the data folder, and synthetic ones."""

from __future__ import annotations

import io
from typing import Any
from zipfile import ZipFile

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.data import data_folder
from shoal._command.reproduce import table

KINDS = {
    "DOBMM": "numeric",
    "DOBYY": "numeric",
    "SEX": "categorical",
    "RACEX": "categorical",
    "EDUCYEAR": "numeric",
    "marry": "categorical",
    "poverty": "numeric",
    "HISPANX": "categorical",
}
UNKNOWN_YEARS = ["-7", "-8", "-9"]


def informs(quasi: int = 6) -> pl.DataFrame:
    """The 2005 slice of INFORMS 2008: a row for every person and condition.

    People (demographics05test) and their conditions (conditions05) are joined on DUPERSID;
    `condition` is ICD9CODX, a three-digit ICD-9 code, without -1 (inapplicable) and -9 (not
    ascertained), and equal rows of a person are one. Who has no condition left is not in the
    table. People stand in the order of their file.

    26,735 people, 96,766 rows, 599 conditions, at most 35 a person (mean 3.62); 19.1 % of the
    people have the commonest, 401 (hypertension). The first 3 to 8 quasi-identifiers have 2,062,
    5,275, 14,526, 17,016, 21,787 and 22,935 distinct vectors. (The paper has all years: 456,767
    records of 49,384 people, 619 conditions.)
    """
    return table.informs(data_folder()).select("DUPERSID", *_quasi(quasi), "condition")


def informs_plan(l: int = 6, method: Any = "danonyir", quasi: int = 6) -> dict[str, Any]:  # noqa: E741
    """EIR l-diversity of `informs(quasi)`.

    EDUCYEAR has codes below zero. -1 (2,595 people, all but 12 of them born in 1999 or later) says
    that a child is not yet at school: it stays a number, next to 0 years. -7, -8 and -9 (172
    people: refused, not known, not ascertained) are declared missing. No other column has any.
    """
    return _plan(
        "DUPERSID",
        {name: {"role": "quasi", "kind": KINDS[name], **_missing(name)} for name in _quasi(quasi)},
        "condition",
        l,
        method,
    )


def diabetes() -> pl.DataFrame:
    """Encounters of Diabetes 130-US hospitals: patient_nbr, race, gender, age, diag_1.

    The 21 encounters without a first diagnosis (`?`) are left out, repeated ones are not. No other
    column is a quasi-identifier that a patient keeps: of the patients with several encounters the
    payer differs for 21 %, the admission type for 47 %, and weight is missing in 97 % of the rows.

    71,509 patients, 101,745 rows (94,263 once equal diagnoses of a patient are one), 716 diagnoses,
    at most 40 rows (mean 1.42) and 15 diagnoses a patient; 8.4 % of the patients have the
    commonest, 414 (ischaemic heart disease). The patients' first rows have 119 distinct vectors.
    """
    columns = ["patient_nbr", "race", "gender", "age", "diag_1"]
    with ZipFile(data_folder() / "diabetes-130" / "dataset_diabetes.zip") as archive:
        text = archive.read("dataset_diabetes/diabetic_data.csv")
    encounters = pl.read_csv(io.BytesIO(text), columns=columns, infer_schema=False)
    return encounters.filter(pl.col("diag_1") != "?").select(columns)


def diabetes_plan(l: int = 6, method: Any = "danonyir") -> dict[str, Any]:  # noqa: E741
    """EIR l-diversity of `diabetes()`; where the rows of a patient differ, the first one counts.

    An unknown race (`?`) and gender (`Unknown/Invalid`, 3 rows) are missing values.
    """
    quasi: dict[str, dict[str, Any]] = {
        "race": {"role": "quasi", "kind": "categorical", "missing": ["?"]},
        "gender": {"role": "quasi", "kind": "categorical", "missing": ["Unknown/Invalid"]},
        "age": {"role": "quasi", "kind": "categorical"},
    }
    plan = _plan("patient_nbr", quasi, "diag_1", l, method)
    return {**plan, "individual": {"column": "patient_nbr", "conflict": "first"}}


def _quasi(count: int) -> list[str]:
    if not 1 <= count <= len(KINDS):
        raise ValueError(f"'quasi' must be between 1 and {len(KINDS)}, got {count} instead.")
    return list(KINDS)[:count]


def _missing(name: str) -> dict[str, Any]:
    return {"missing": UNKNOWN_YEARS} if name == "EDUCYEAR" else {}


def _plan(
    person: str,
    quasi: dict[str, dict[str, Any]],
    sensitive: str,
    l: int,  # noqa: E741
    method: Any,
) -> dict[str, Any]:
    return {
        "individual": person,
        "attributes": {
            person: "identifier",
            **quasi,
            sensitive: {"role": "sensitive", "kind": "categorical"},
        },
        "privacy": [{"eir-l": {"l": l}}],
        "method": method,
        "seed": 1,
    }


def with_many_values(n: int, seed: int, own: int = 8, n_values: int = 60) -> pl.DataFrame:
    """n people with so many of the values each, all sets of values alike likely.

    >>> with_many_values(3, seed=1).shape
    (24, 5)
    """
    draw = np.random.default_rng(seed)
    illness = np.concatenate([draw.permutation(n_values)[:own] for _ in range(n)])
    columns = {
        "person": np.arange(n),
        "age": draw.integers(18, 90, n),
        "district": draw.integers(0, 1000, n),
        "sex": draw.integers(0, 2, n),
    }
    people = pl.DataFrame({name: np.repeat(cells, own) for name, cells in columns.items()})
    return people.with_columns(pl.Series("illness", [f"i{value:02d}" for value in illness]))


def many_values_plan(l: int) -> dict[str, Any]:  # noqa: E741
    """EIR l-diversity of `with_many_values`."""
    kinds = {"age": "numeric", "district": "numeric", "sex": "categorical"}
    quasi = {name: {"role": "quasi", "kind": kind} for name, kind in kinds.items()}
    return _plan("person", quasi, "illness", l, "danonyir")


SEXES = (0.46, 0.54)
RACES = (0.76, 0.17, 0.01, 0.04, 0.005, 0.015)
# Years of education that adults end with: 0 … 17.
YEARS = (4, 1, 1, 2, 2, 2, 5, 2, 5, 5, 5, 6, 30, 6, 10, 3, 11, 7)
# Marital statuses 1 … 10 (6: too young) by age: below 16, 25, 40, 65, and older.
STATUSES = (
    (0, 0, 0, 0, 0, 100, 0, 0, 0, 0),
    (12, 0.1, 1, 1, 80, 0, 4, 1, 0.5, 0.4),
    (52, 0.5, 9, 3, 27, 0, 6, 1.5, 0.6, 0.4),
    (63, 4, 17, 3, 8, 0, 3, 1, 0.6, 0.4),
    (55, 30, 9, 1, 3, 0, 1, 0.5, 0.3, 0.2),
)
AGES = (16, 25, 40, 65)
N_CONDITIONS = 300
MOST_CONDITIONS = 30


def people_like(n: int, seed: int) -> pl.DataFrame:
    """n synthetic people of the shape of `informs(6)`, from fixed distributions.

    Birth months are even, birth years 1921 to 2005 slightly more often late, sex and race skewed;
    education follows age up to its end, and marital status age. A person draws 1 + geometric
    conditions (mean 4, at most 30) of 300, the r-th of them with a chance that goes with 1/(r+3),
    of which equal ones are one. Conditions do not depend on the quasi-identifiers.

    >>> people_like(3, seed=1).columns
    ['DUPERSID', 'DOBMM', 'DOBYY', 'SEX', 'RACEX', 'EDUCYEAR', 'marry', 'condition']
    """
    draw = np.random.default_rng(seed)
    age = _draw(draw, np.linspace(1.4, 0.4, 85), n)
    columns = {
        "DOBMM": draw.integers(1, 13, n),
        "DOBYY": 2005 - age,
        "SEX": 1 + _draw(draw, SEXES, n),
        "RACEX": 1 + _draw(draw, RACES, n),
        "EDUCYEAR": np.minimum(_draw(draw, YEARS, n), np.maximum(age - 6, 0)),
        "marry": _statuses(draw, age),
    }
    person, condition = _conditions(draw, n)
    names = pl.Series("DUPERSID", 10_000_000 + np.arange(n)).cast(pl.String)
    codes = pl.Series("condition", [f"{code:03d}" for code in range(1, N_CONDITIONS + 1)])
    people = pl.DataFrame([names, *(pl.Series(name, of) for name, of in columns.items())])
    return people[person].with_columns(codes.gather(condition))


def people_plan(l: int = 6, method: Any = "danonyir") -> dict[str, Any]:  # noqa: E741
    """EIR l-diversity of `people_like`."""
    return informs_plan(l, method)


def _draw(draw: np.random.Generator, weights: Any, n: int) -> NDArray[np.int64]:
    share = np.asarray(weights, dtype=np.float64)
    return draw.choice(len(share), size=n, p=share / share.sum())


def _statuses(draw: np.random.Generator, age: NDArray[np.int64]) -> NDArray[np.int64]:
    """A marital status for everyone, by the shares of their age."""
    bounds = np.cumsum(STATUSES, axis=1)
    bounds /= bounds[:, -1:]
    of_age = bounds[np.searchsorted(AGES, age, side="right")]
    passed: NDArray[np.int64] = (draw.random((len(age), 1)) >= of_age).sum(axis=1)
    return 1 + passed


def _conditions(draw: np.random.Generator, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Person and condition of every row, both from 0, people in order and no pair twice."""
    counts = np.minimum(draw.geometric(0.25, n), MOST_CONDITIONS)
    drawn = _draw(draw, 1 / np.arange(4, N_CONDITIONS + 4), int(counts.sum()))
    pairs = np.unique(np.repeat(np.arange(n), counts) * N_CONDITIONS + drawn)
    return pairs // N_CONDITIONS, pairs % N_CONDITIONS
