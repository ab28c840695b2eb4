"""Tables with secrets cell by cell: the census of government employees, and Adult."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchmarks.data import adult_attributes, complete_adult, data_folder
from shoal._command.reproduce import table

SAMPLE = 31_055
CENSUS = 204_309
SHARE = 0.2
CENSUS_QUASI = ["economic_region", "marital", "race", "education_level", "hours_worked"]
CENSUS_SECRET: dict[str, dict[str, Any]] = {
    "sex": {"t": 0.2},
    "age": {"l": 5},
    "occupation": {"l": 5},
}
ADULT_QUASI = ["marital-status", "race", "education", "native-country", "workclass"]
ADULT_SECRET: dict[str, dict[str, Any]] = {
    "sex": {"t": 0.2},
    "age": {"l": 5},
    "hours-per-week": {"t": 0.2},
}


def census(rows: int = CENSUS) -> pl.DataFrame:
    """So many rows of the census, by seed: fewer are a sample, more are drawn again and again.

    A fifth of the cells of sex, age and occupation are secret, by seed and each by itself.
    """
    raw = table.census(data_folder())
    frame = raw.select(*CENSUS_QUASI, *CENSUS_SECRET, "salary")
    if rows != frame.height:
        frame = frame.sample(rows, with_replacement=rows > frame.height, shuffle=True, seed=1)
    return _with_flags(frame, list(CENSUS_SECRET))


def census_plan(method: Any, k: int) -> dict[str, Any]:
    """Buckets of 10 salaries, of 5 ages and occupations; of both sexes nearly as in the table."""
    quasi = {name: {"role": "quasi"} for name in CENSUS_QUASI}
    semi: dict[str, Any] = {name: {} for name in CENSUS_SECRET}
    rules = {**CENSUS_SECRET, "salary": {"l": 10}}
    return _plan(quasi, semi, "salary", rules, method, k)


def adult() -> pl.DataFrame:
    """The 45,222 complete rows of Adult; a fifth of sexes, ages and hours are secret, by seed."""
    complete = complete_adult("adult.data", "adult.test")
    return _with_flags(
        complete.select(*ADULT_QUASI, *ADULT_SECRET, "occupation"), list(ADULT_SECRET)
    )


def adult_plan(method: Any, k: int) -> dict[str, Any]:
    """As for the census; hours by t, since two in five people have 40 of them."""
    given = adult_attributes()
    numeric = {"kind": "numeric"}
    semi = {"sex": given["sex"], "age": numeric, "hours-per-week": numeric}
    rules = {**ADULT_SECRET, "occupation": {"l": 5}}
    return _plan({name: given[name] for name in ADULT_QUASI}, semi, "occupation", rules, method, k)


def without_secrets(plan: dict[str, Any], method: Any) -> dict[str, Any]:
    """The same plan for a method that keeps none: everybody's cells are public, and k alone."""
    attributes = {
        name: {key: value for key, value in words.items() if key != "flag"}
        | ({"role": "quasi"} if words["role"] == "semi-sensitive" else {})
        for name, words in plan["attributes"].items()
        if words["role"] != "flag"
    }
    return {**plan, "attributes": attributes, "privacy": plan["privacy"][:1], "method": method}


def _with_flags(frame: pl.DataFrame, secret: list[str]) -> pl.DataFrame:
    return table.with_secrets(frame, secret, SHARE, np.random.default_rng(20_261_117))


def _plan(
    quasi: dict[str, Any],
    semi: dict[str, Any],
    sensitive: str,
    rules: dict[str, dict[str, Any]],
    method: Any,
    k: int,
) -> dict[str, Any]:
    privacy: list[dict[str, Any]] = [{"k-anonymity": {"k": k}}]
    for name, rule in rules.items():
        model = "t-closeness" if "t" in rule else "l-diversity"
        privacy.append({model: {"attribute": name, **rule}})
    return {
        "attributes": {
            **quasi,
            **{
                name: {**words, "role": "semi-sensitive", "flag": f"{name}_secret"}
                for name, words in semi.items()
            },
            **{f"{name}_secret": {"role": "flag"} for name in semi},
            sensitive: {"role": "sensitive"},
        },
        "privacy": privacy,
        "method": method,
        "seed": 1,
    }
