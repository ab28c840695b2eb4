"""Who fits a label, against comparing every person with every class."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, HierarchySpec, Kind, Role, Schema
from shoal.verify.text.population import Population, count_fitting

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
TOWN = Attribute("town", Role.QUASI, Kind.CATEGORICAL)
TREE = HierarchySpec("tree", rows=tuple((v, "west" if v in "ab" else "east", "*") for v in "abcd"))
LAND = Attribute("land", Role.QUASI, Kind.CATEGORICAL, hierarchy=TREE)


def _fits(shown: dict, person: dict) -> bool:
    low, high = shown["age"]
    above = {"west": "ab", "east": "cd", "*": "abcd"}.get(shown["land"], shown["land"])
    return (
        low <= int(person["age"]) <= high
        and person["town"] in shown["town"]
        and person["land"] in above
    )


@pytest.mark.parametrize("split", [False, True])
def test_every_person_and_every_class(split: bool) -> None:
    rng = random.Random(5)
    people = [
        {"age": str(rng.randrange(9)), "town": rng.choice("uvw"), "land": rng.choice("abcd")}
        for _ in range(60)
    ]
    classes = []
    for _ in range(25):
        low = rng.randrange(9)
        land = rng.choice(["a", "c", "west", "east", "*"])
        towns = rng.sample("uvw", rng.randint(2, 3))
        classes.append({"age": (low, low + rng.randrange(1, 4)), "town": towns, "land": land})
    counts = np.array([rng.randrange(4) for _ in people])
    shown = pl.DataFrame(
        {
            "town": ["{" + ", ".join(sorted(c["town"])) + "}" for c in classes],
            "land": [c["land"] for c in classes],
        }
    )
    ends = [c["age"] for c in classes]
    if split:
        low, high = ([float(e[i]) for e in ends] for i in (0, 1))
        shown = shown.with_columns(pl.Series("age_low", low), pl.Series("age_high", high))
    else:
        shown = shown.with_columns(pl.Series("age", [f"[{a}, {b}]" for a, b in ends]))
    schema = Schema((AGE, TOWN, LAND))
    found = count_fitting(shown, Population(pl.DataFrame(people), counts), schema)
    want = [sum(n for p, n in zip(people, counts, strict=True) if _fits(c, p)) for c in classes]
    assert found.tolist() == want


def test_a_missing_value_fits_an_empty_cell() -> None:
    population = Population(pl.DataFrame({"town": ["u", None]}), np.array([3, 4]))
    shown = pl.DataFrame({"town": ["u", None, "*"]})
    assert count_fitting(shown, population, Schema((TOWN,))).tolist() == [3, 4, 7]


def test_a_hierarchy_that_is_not_known() -> None:
    hidden = Attribute("land", Role.QUASI, Kind.CATEGORICAL, hierarchy=HierarchySpec("tree"))
    population = Population(pl.DataFrame({"land": ["a"]}), np.array([1]))
    with pytest.raises(VerificationError, match="its hierarchy is not known"):
        count_fitting(pl.DataFrame({"land": ["west"]}), population, Schema((hidden,)))
    both = Population(pl.DataFrame({"town": ["u"], "land": ["a"]}), np.array([1]))
    shown = pl.DataFrame({"town": ["u"], "land": ["west"]})
    for schema in (Schema((TOWN, hidden)), Schema((hidden, TOWN))):
        with pytest.raises(VerificationError, match="who fits 'land'"):
            count_fitting(shown, both, schema)
