"""Rows with equal published quasi-identifiers, and what their original values are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.cell import find_missing, read_numbers, read_times
from shoal.reading.encoding import (
    Coded,
    Codes,
    Flags,
    Floats,
    Integers,
    Runs,
    count_runs,
    encode_text,
    rank_numbers,
)
from shoal.schema import Attribute, Kind, Schema
from shoal.schema.wording import counted


@dataclass(frozen=True)
class Values:
    """The distinct values of a column, in natural order with the missing one last.

    `codes` is per row of the whole table. Numbers have `numbers`, everything else has `texts`;
    neither lists the missing value. `in_order` is False where the natural order is not known for
    all of them. `counted` are the rows that count in the whole table: all, where it is None. Where
    there is `weight`, the last codes are those of the different cells of a larger table, of which
    these rows are some, and each occurs so often in it.
    """

    codes: Codes
    n_values: int
    has_missing: bool
    numbers: Floats | None = None
    texts: tuple[str, ...] = ()
    in_order: bool = True
    counted: Integers | None = None
    weight: Integers | None = None

    @cached_property
    def counts(self) -> Integers:
        """How often each value occurs in the whole table."""
        if self.weight is not None:
            counts = np.zeros(self.n_values, dtype=np.int64)
            np.add.at(counts, self.codes[len(self.codes) - len(self.weight) :], self.weight)
            return counts
        codes = self.codes if self.counted is None else self.codes[self.counted]
        return np.bincount(codes, minlength=self.n_values)


@dataclass(frozen=True)
class Classes:
    """A table cut into classes; the input of every check of a requirement.

    `table` is the whole original table, `rows` the rows of it that are in a class, `of_row` the
    class (0, 1, …) of each of those, `numbers` the number under which each class is reported, and
    `people` the person of each of those rows where rows belong to people (`people_of_table`: of all
    rows). `released_k` is the k that a method says it released each of those rows under, `counted`
    the rows of the table that count in the distribution of a value, where not all do. `shown` are,
    for each quasi-identifier, the codes of what the classes show of it; `fitting` is how many of
    the population fit each class, where there is one. Where `table` is only a part, `whole` has, by
    column, the different cells (`value`) of all of it and how often each occurs (`n`).
    """

    schema: Schema
    table: pl.DataFrame
    rows: Integers
    of_row: Codes
    numbers: Integers
    people: Codes | None = None
    people_of_table: Codes | None = None
    released_k: Integers | None = None
    counted: Integers | None = None
    shown: Sequence[Codes] = ()
    fitting: Integers | None = None
    whole: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    _latest: dict[str, tuple[Values, Runs]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def n_rows(self) -> Integers:
        """The number of rows of every class."""
        return np.bincount(self.of_row, minlength=len(self))

    @cached_property
    def n_people(self) -> Integers:
        """The number of people of every class: of rows, where a row is a person."""
        if self.people is None:
            return self.n_rows
        return count_runs(self.of_row, self.people, int(self.people.max(initial=0)) + 1).lengths

    def values(self, attribute: Attribute) -> Values:
        """The original values of an attribute in the whole table."""
        return self._look_up(attribute)[0]

    def runs(self, attribute: Attribute) -> Runs:
        """How often each original value of an attribute occurs in every class."""
        return self._look_up(attribute)[1]

    def _look_up(self, attribute: Attribute) -> tuple[Values, Runs]:
        if attribute.name not in self._latest:
            values = self._read(attribute)
            runs = count_runs(self.of_row, values.codes[self.rows], values.n_values)
            # One attribute at a time: its codes are as long as the table.
            self._latest.clear()
            self._latest[attribute.name] = (values, runs)
        return self._latest[attribute.name]

    def _read(self, attribute: Attribute) -> Values:
        own = self.table[attribute.name]
        known = self.whole.get(attribute.name)
        if known is None:
            return replace(read_values(own, attribute), counted=self.counted)
        cells = known["value"]
        # A part may have another type than the whole: their texts can be compared.
        if own.dtype != cells.dtype:
            own, cells = own.cast(pl.String), cells.cast(pl.String)
        both = pl.concat([own.alias(""), cells.alias("")]).alias(attribute.name)
        return replace(read_values(both, attribute), weight=known["n"].to_numpy())


def read_values(series: pl.Series, attribute: Attribute) -> Values:
    """The distinct values of a column: numbers as numbers, others by text, missing as one."""
    if attribute.kind == Kind.NUMERIC:
        return _read_numeric(series, attribute)
    coded = encode_text(series)
    absent = find_absent(coded, attribute)
    present = coded.texts.filter(~pl.Series(absent[:-1], dtype=pl.Boolean))
    order, in_order = _natural_order(present, attribute)
    place = np.full(coded.n_codes, len(present), dtype=np.int32)
    ranks = np.empty(len(present), dtype=np.int32)
    ranks[order] = np.arange(len(present), dtype=np.int32)
    place[np.flatnonzero(~absent)] = ranks
    codes = place[coded.codes]
    has_missing = bool(np.any(codes == len(present)))
    texts = tuple(present.gather(order))
    return Values(codes, len(texts) + has_missing, has_missing, None, texts, in_order)


def find_absent(coded: Coded, attribute: Attribute) -> Flags:
    """Which codes of an attribute's texts are missing values: empty, declared so, or null."""
    return np.append(coded.texts.is_in(["", *attribute.missing]).to_numpy(), True)


def _read_numeric(series: pl.Series, attribute: Attribute) -> Values:
    cells = read_numbers(series, attribute.missing)
    if cells.unreadable.any():
        n = np.count_nonzero(cells.unreadable)
        found = counted(int(n), "cell is not a finite number", "cells are not finite numbers")
        raise VerificationError(Problem(f"Column {attribute.name!r} must be numeric, but {found}."))
    known = ~cells.missing
    ranks, numbers = rank_numbers(cells.low[known])
    codes = np.full(len(series), len(numbers), dtype=np.int32)
    codes[known] = ranks
    has_missing = not bool(known.all())
    return Values(codes, len(numbers) + has_missing, has_missing, numbers)


def _natural_order(texts: pl.Series, attribute: Attribute) -> tuple[Integers, bool]:
    """The positions of the texts in natural order: declared, in time, else by text."""
    if attribute.kind == Kind.DATE:
        times = read_times(texts)
        # Texts decide between equal spans: codes of texts have no order that could be relied on.
        order = np.lexsort((texts.arg_sort().arg_sort().to_numpy(), times.high, times.low))
        return order, not bool(times.unreadable.any())
    if attribute.values is not None:
        declared = {value: place for place, value in enumerate(attribute.values)}
        places = np.array([declared.get(text, -1) for text in texts], dtype=np.int64)
        known = not bool((places < 0).any())
        if known:
            return np.argsort(places), True
        # The order of ordinals is the declared one, which does not say where these belong.
        return texts.arg_sort().to_numpy().astype(np.int64), attribute.kind != Kind.ORDINAL
    return texts.arg_sort().to_numpy().astype(np.int64), True


def encode_cells(frame: pl.DataFrame, attribute: Attribute) -> tuple[Codes, int]:
    """The codes of a column's cells as they are, and how many codes there are.

    Numbers compare as numbers where the kind is numeric; a cell that is no number (a range in a
    table that is already generalised) is its own text; missing is one value.
    """
    series = frame[attribute.name]
    if attribute.kind == Kind.NUMERIC:
        return _encode_numbers(series, attribute)
    coded = encode_text(series)
    codes = np.where(find_missing(series, attribute.missing), coded.null, coded.codes)
    return codes.astype(np.int32), coded.n_codes


def _encode_numbers(series: pl.Series, attribute: Attribute) -> tuple[Codes, int]:
    cells = read_numbers(series, attribute.missing)
    codes, numbers = rank_numbers(cells.low)
    others = np.flatnonzero(cells.unreadable)
    coded = encode_text(series.gather(others))
    codes[others] = len(numbers) + coded.codes
    codes[cells.missing] = len(numbers) + coded.n_codes
    return codes, len(numbers) + coded.n_codes + 1
