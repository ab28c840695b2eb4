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


@dataclass(frozen=True)
class People:
    """Who each row belongs to: people are numbered from 0 in order of first appearance."""

    person: NDArray[np.int32]
    first_row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first_row)


def find_people(series: pl.Series, missing: tuple[str, ...] = ()) -> People:
    """The people of a column whose equal values are one person; nobody may be missing."""
    encoded = series.to_arrow().dictionary_encode()
    names = pl.Series(encoded.dictionary).cast(pl.String)
    codes = pl.Series(encoded.indices).fill_null(-1).to_numpy()
    nobody = np.append(names.is_in(["", *missing]).to_numpy(), True)
    rows = np.flatnonzero(nobody[codes])
    if len(rows):
        raise DataError(
            Problem(
                f"column {series.name!r} names the individual, and is missing in {len(rows)} rows "
                f"(first: row {rows[0] + 1}).",
                hint="Give every row a person, or leave 'individual' out.",
            )
        )
    first = np.full(len(names), len(codes), dtype=np.int64)
    np.minimum.at(first, codes, np.arange(len(codes)))
    return People(codes, first)


def settle_conflicts(frame: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, dict[str, int]]:
    """Give every person one value per quasi-identifier, as `individual.conflict` says.

    `error` raises DataError with row numbers; `first` takes the person's first row, `mode` the
    person's commonest value (ties: the lesser). Returns the frame, and how many cells of which
    quasi-identifier now say something else than the input.
    """
    if schema.individual is None:
        return frame, {}
    people = find_people(frame[schema.individual.column], schema[schema.individual.column].missing)
    problems, replaced, changed = [], {}, []
    for attribute in schema.quasi:
        values = _comparable(frame[attribute.name], attribute)
        codes = dictionary_codes(values)
        differing = np.flatnonzero(codes != codes[people.first_row][people.person])
        if not len(differing):
            continue
        if schema.individual.conflict == "error":
            problems.append(_conflict(attribute, differing))
            continue
        source = _representative(values, people, schema.individual.conflict)[people.person]
        changed.append(frame[attribute.name].gather(source))
        replaced[attribute.name] = int(np.count_nonzero(codes != codes[source]))
    if problems:
        raise DataError(problems)
    return frame.with_columns(changed) if changed else frame, replaced


def _comparable(series: pl.Series, attribute: Attribute) -> pl.Series:
    """What is compared within a person: missing is one thing, and numbers are numbers."""
    text = series.cast(pl.String)
    present = text.zip_with(
        ~text.is_in(["", *attribute.missing]).fill_null(True), pl.Series([None], dtype=pl.String)
    )
    if attribute.kind is not Kind.NUMERIC:
        return present
    numbers = present.str.strip_chars().cast(pl.Float64, strict=False)
    return present if numbers.null_count() > present.null_count() else numbers


def dictionary_codes(series: pl.Series) -> NDArray[Any]:
    """A code for every different value, -1 where it is missing."""
    return pl.Series(series.to_arrow().dictionary_encode().indices).fill_null(-1).to_numpy()


def _conflict(attribute: Attribute, rows: NDArray[np.int64]) -> Problem:
    shown = ", ".join(str(row + 1) for row in rows[:5])
    return Problem(
        f"column {attribute.name!r} differs within a person in {len(rows)} rows "
        f"({shown}{', …' if len(rows) > 5 else ''}).",
        hint="Mend the rows, or say 'individual: {column: …, conflict: first | mode}'.",
    )


def _representative(values: pl.Series, people: People, conflict: str) -> NDArray[np.int64]:
    """For every person the row whose value stands for all of theirs."""
    if conflict == "first":
        return people.first_row
    rows = pl.DataFrame({"person": people.person, "value": values, "row": np.arange(len(values))})
    commonest = (
        rows.group_by("person", "value")
        .agg(pl.len().alias("n"), pl.col("row").min())
        .sort("person", "n", "value", descending=[False, True, False], nulls_last=True)
        .group_by("person", maintain_order=True)
        .first()
    )
    return commonest["row"].to_numpy().astype(np.int64)


def repeated_rows(people: People, contents: Sequence[NDArray[Any]]) -> NDArray[np.int64] | None:
    """For every row the first row of the same person with the same contents, or None: no repeats.

    `contents` are codes of what is published beside the quasi-identifiers, one array each.

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

    The error tells the place of a name in the list, never the name.
    """
    cells = frame[column].gather(people.first_row).cast(pl.String)
    number = {name: i for i, name in enumerate(cells)} if names else {}
    unknown = [place + 1 for place, name in enumerate(names) if name not in number]
    if unknown:
        shown = ", ".join(map(str, unknown[:5])) + (", …" if len(unknown) > 5 else "")
        raise PlanError(
            f"{len(unknown)} of the {len(names)} people in {where} are not in column {column!r} "
            f"(entries {shown}).",
            hint="Write them as they stand in the data, numbers with leading zeros in quotes.",
        )
    return np.array([number[name] for name in names], dtype=np.int64)
