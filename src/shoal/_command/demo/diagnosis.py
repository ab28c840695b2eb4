"""All diagnoses of the patients: people with several rows."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal._command.demo.illness import ILLNESSES, draw_illnesses, group_of
from shoal._command.demo.patient import generate

_KEPT = ("name", "sex", "birth_date", "age", "postcode", "insurance")


def diagnoses(people: int, seed: int) -> pl.DataFrame:
    """One row for each diagnosis of each patient of `generate`; two or three for a person.

    A person's own columns are the same in all of their rows. Nobody has a diagnosis twice.

    >>> table = diagnoses(100, seed=7)
    >>> table["name"].n_unique(), table.height > 150
    (100, True)
    """
    patients = generate(people, seed)
    rng = np.random.default_rng([seed, 4])
    age = patients["age"].to_numpy().astype(np.float64)
    further = np.minimum(rng.poisson(0.4 + age / 40), 12)
    person = np.repeat(np.arange(people), further)
    is_female = (patients["sex"] == "female").to_numpy()
    illness = draw_illnesses(group_of(age, is_female)[person], rng)
    names = pl.Series("diagnosis", [i.name for i in ILLNESSES])
    rows = pl.concat(
        [
            pl.DataFrame({"person": np.arange(people), "diagnosis": patients["diagnosis"]}),
            pl.DataFrame({"person": person, "diagnosis": names.gather(illness)}),
        ]
    ).unique(maintain_order=True)
    rows = rows.sort("person", maintain_order=True)
    since = 2025 - np.minimum(rng.exponential(4.0, rows.height), age[rows["person"].to_numpy()])
    return pl.DataFrame(
        [
            *(patients[name].gather(rows["person"]) for name in _KEPT),
            rows["diagnosis"],
            pl.Series("since", np.floor(since).astype(np.int64)),
        ]
    )
