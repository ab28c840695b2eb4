"""How many people of a population fit what is published of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.errors import VerificationError
from shoal.reading.encoding import Integers, encode_text
from shoal.schema import Schema
from shoal.verify.text.join import Axis, bounds_axis, contained_pairs, label_axis


@dataclass(frozen=True)
class Population:
    """Combinations of quasi-identifiers, and how many people of the population have each."""

    people: pl.DataFrame
    counts: Integers


def count_fitting(shown: pl.DataFrame, population: Population, schema: Schema) -> Integers:
    """The people of the population who fit the labels of every class, a row of `shown` each.

    A quasi-identifier that is published as two columns of numbers has them in `shown`.

    >>> from shoal.schema import Attribute, Kind, Role
    >>> schema = Schema((Attribute("age", Role.QUASI, Kind.NUMERIC),))
    >>> population = Population(pl.DataFrame({"age": ["31", "35", "40"]}), np.array([2, 1, 5]))
    >>> count_fitting(pl.DataFrame({"age": ["[31, 35]", "*"]}), population, schema).tolist()
    [3, 8]
    """
    axes: list[Axis] = []
    for attribute in schema.quasi:
        name, people = attribute.name, population.people[attribute.name].cast(pl.String)
        if name in shown.columns:
            axes.append(label_axis(encode_text(shown[name].cast(pl.String)), people, attribute))
        else:
            ends = shown[f"{name}_low"], shown[f"{name}_high"]
            axes.append(bounds_axis(*ends, people, attribute))
        # Labels that are not understood cover everybody, which would make k-map hold too easily.
        if not axes[-1].exact:
            raise VerificationError(
                f"There is no independent check of who fits {name!r}: its hierarchy is not known."
            )
    fitting = np.zeros(shown.height, dtype=np.int64)
    for left, right in contained_pairs(axes, len(population.counts), shown.height):
        np.add.at(fitting, right, population.counts[left])
    return fitting
