"""Rows that belong to one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError, Problem
from shoal.schema import Attribute, Kind, Schema
from shoal.table.cell import dictionary, dictionary_codes, rows_text, without_missing
from shoal.table.distinct import first_of


@dataclass(frozen=True)
class People:
    """Who each row belongs to: people are numbered from 0 in order of first appearance."""

    person: NDArray[np.int32]
    first_row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first_row)

    def first_by(self, rank: NDArray[Any]) -> NDArray[np.int64]:
        """For every person, the row with the lowest rank."""
        order = np.argsort(rank, kind="stable")
        _, place = np.unique(self.person[order], return_index=True)
        return np.asarray(order[place])


def find_people(series: pl.Series, missing: tuple[str, ...] = ()) -> People:
    """The people of a column whose equal values are one person; nobody may be missing."""
    names, codes = dictionary(series)
    nobody = np.array([name in (None, "", *missing) for name in names], dtype=np.bool_)
    rows = np.flatnonzero(nobody[codes])
    if len(rows):
        raise DataError(
            f"Column {series.name!r} must name a person in every row, but does not in "
            f"{rows_text(rows)}.",
            "Give every row a person, or leave 'individual' out.",
        )
    return People(codes, first_of(codes, len(names)))


def settle_conflicts(
    frame: pl.DataFrame, schema: Schema, first: NDArray[np.int64] | None = None
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Give every person one value per quasi-identifier, as `individual.conflict` says.

    `error` raises DataError with row numbers; `first` takes the person's row in `first` (None: the
    first as given), `mode` the person's most frequent value (ties: the smaller). Returns the frame,
    and how many cells of which quasi-identifier now differ from the input.
    """
    if schema.individual is None:
        return frame, {}
    people = find_people(frame[schema.individual.column], schema[schema.individual.column].missing)
    problems, replaced, changed = [], {}, []
    first = people.first_row if first is None else first
    for attribute in schema.quasi:
        values = comparable(frame[attribute.name], attribute)
        codes = dictionary_codes(values)
        differing = np.flatnonzero(codes != codes[people.first_row][people.person])
        if not len(differing):
            continue
        if schema.individual.conflict == "error":
            text = f"Column {attribute.name!r} must have one value per person, but differs in"
            hint = "Correct the rows, or write 'individual: {column: …, conflict: first | mode}'."
            problems.append(Problem(f"{text} {rows_text(differing)}.", hint=hint))
            continue
        source = first if schema.individual.conflict == "first" else most_frequent(values, people)
        source = source[people.person]
        changed.append(frame[attribute.name].gather(source))
        replaced[attribute.name] = int(np.count_nonzero(codes != codes[source]))
    if problems:
        raise DataError(problems)
    return frame.with_columns(changed) if changed else frame, replaced


def comparable(series: pl.Series, attribute: Attribute) -> pl.Series:
    """The values to compare within a person: one missing value, and numbers as numbers."""
    present = without_missing(series.cast(pl.String), attribute.missing)
    if attribute.kind is not Kind.NUMERIC:
        return present
    numbers = present.str.strip_chars().cast(pl.Float64, strict=False)
    return present if numbers.null_count() > present.null_count() else numbers


def most_frequent(values: pl.Series, people: People) -> NDArray[np.int64]:
    """For every person, the first row with their most frequent value; of as frequent, the least."""
    rows = pl.DataFrame({"person": people.person, "value": values, "row": np.arange(len(values))})
    most_frequent = (
        rows.group_by("person", "value")
        .agg(pl.len().alias("n"), pl.col("row").min())
        .sort("person", "n", "value", descending=[False, True, False], nulls_last=True)
        .group_by("person", maintain_order=True)
        .first()
    )
    return most_frequent["row"].to_numpy().astype(np.int64)


def repeated_rows(people: People, contents: Sequence[NDArray[Any]]) -> NDArray[np.int64] | None:
    """For every row, the first row of the same person with the same contents; None: no repeats.

    `contents` are the codes of each column that is published besides the quasi-identifiers.

    >>> people = People(np.array([0, 1, 0, 0]), np.array([0, 1]))
    >>> repeated_rows(people, [np.array([5, 5, 7, 5])]).tolist()
    [0, 1, 2, 0]
    """
    if len(people) == len(people.person):
        return None
    keys = {"person": people.person, **{f"{i}": codes for i, codes in enumerate(contents)}}
    rows = pl.DataFrame(keys).with_row_index("row")
    first = rows.select(pl.col("row").min().over(list(keys)))["row"].to_numpy().astype(np.int64)
    return None if (first == np.arange(len(first))).all() else first


def people_named(
    names: Sequence[str], frame: pl.DataFrame, column: str, people: People, where: str = "'first'"
) -> NDArray[np.int64]:
    """The people with these names, in this order; raises PlanError for names that nobody has.

    The error gives the place of a name in the list, never the name.
    """
    cells = frame[column].gather(people.first_row).cast(pl.String)
    number = {name: i for i, name in enumerate(cells)} if names else {}
    unknown = [place + 1 for place, name in enumerate(names) if name not in number]
    refuse_unknown(unknown, len(names), column, where)
    return np.array([number[name] for name in names], dtype=np.int64)


def refuse_unknown(
    places: Sequence[int], n_names: int, column: str, where: str = "'first'"
) -> None:
    """Raise PlanError where names at some places of a list belong to nobody; never by name."""
    if places:
        listed = ", ".join(map(str, places[:5])) + (", …" if len(places) > 5 else "")
        raise PlanError(
            f"{len(places)} of the {n_names} people in {where} are not in column {column!r} "
            f"(entries {listed}).",
            hint="Write them as in the data, and numbers with leading zeros in quotes.",
        )
