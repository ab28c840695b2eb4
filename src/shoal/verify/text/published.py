"""What is published, as the verifier sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from shoal.reading.encoding import (
    Coded,
    Codes,
    Integers,
    combine_codes,
    dense_codes,
    encode_text,
    first_places,
)
from shoal.schema import Attribute, Kind, Layout, Requirement, Role, Schema
from shoal.verify.text.classes import encode_cells
from shoal.verify.text.population import Population

ID_COLUMN = "Id_num"


@dataclass(frozen=True)
class Published:
    """All that is published, with the table it was made from and the requirements on it.

    `tables` are those that are published, by name, "data" with a row for each record. `origin` is
    the input row of every published row, `classes` the class number of every input row (-1:
    suppressed). Where rows belong to people, equal rows of a person are one record, which is
    published once: `origin` then has any one of them. `released_k` is the k that the method says it
    released each input row under, if it says so.
    `symbols` says how the sensitive attributes that people flag are shown: "by-flag", "interval"
    or "one-sided"; `concealed` the l that the symbols of an attribute must hide values by. `halves`
    are the two tables "data" and "sensitive" that a linked layout publishes in place of the one.
    `described_by` has the row that describes each person where their first row does, if that is not
    the first as given. `population` is the one that requirements are about, if any are. Where the
    original is only a part of the input, `whole` has, by column, the different cells (`value`) of
    all of it and how often each occurs (`n`): shares are those of the whole. `counterfeits` says
    how many entries of the buckets of each attribute belong to nobody.
    """

    tables: Mapping[str, pl.DataFrame]
    original: pl.DataFrame
    origin: Integers
    classes: Integers
    schema: Schema
    requirements: Sequence[Requirement] = ()
    ranges: str = "tight"
    layout: Layout = Layout.PLAIN
    suppression_limit: float = 1.0
    released_k: Integers | None = None
    symbols: Mapping[str, str] = field(default_factory=dict)
    concealed: Mapping[str, int] = field(default_factory=dict)
    halves: Mapping[str, pl.DataFrame] | None = None
    described_by: Integers | None = None
    population: Population | None = None
    whole: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    counterfeits: Mapping[str, int] = field(default_factory=dict)

    @property
    def data(self) -> pl.DataFrame:
        """The table with a row for each record."""
        return self.tables["data"]

    @cached_property
    def dense_classes(self) -> tuple[Codes, Integers]:
        """The class of every published row as a dense code, and the class numbers."""
        return dense_codes(self.classes[self.origin])

    @cached_property
    def samples(self) -> Integers:
        """One published row of every dense class."""
        codes, numbers = self.dense_classes
        rows = np.empty(len(numbers), dtype=np.int64)
        rows[codes] = np.arange(len(codes))
        return rows

    @cached_property
    def people(self) -> Coded | None:
        """The person of every input row; rows without a name are one person."""
        if self.schema.individual is None:
            return None
        return encode_text(self.original[self.schema.individual.column])

    @cached_property
    def records(self) -> tuple[Codes, int] | None:
        """The record of every input row, and how many there are; None: every row is its own.

        Rows of a person are equal where their published columns are: missing is one value,
        sensitive numbers compare as numbers, all else as text. A person has one description, so
        quasi-identifiers need not be compared.
        """
        if self.people is None:
            return None
        unchanged = [a for a in self.schema.published if a.role != Role.QUASI]
        columns = [
            encode_cells(self.original, a if a.role == Role.SENSITIVE else replace(a, kind=None))
            for a in unchanged
            if a.name in self._names[1]
        ]
        people = (self.people.codes, self.people.n_codes)
        return combine_codes([people, *columns], self.original.height)

    @cached_property
    def stands_for(self) -> tuple[Integers, Integers] | None:
        """Published rows and the input rows they stand for, a record's unpublished rows too.

        The published rows themselves come first. None where each stands for its own row only.
        """
        if self.records is None:
            return None
        codes, n_records = self.records
        # -1: the record is not published.
        shown_as = np.full(n_records, -1, dtype=np.int64)
        shown_as[codes[self.origin]] = np.arange(len(self.origin))
        others = (self.classes >= 1) & (shown_as[codes] >= 0)
        others[self.origin] = False
        more = np.flatnonzero(others)
        if not len(more):
            return None
        shown = np.append(np.arange(len(self.origin)), shown_as[codes[more]])
        return shown, np.append(self.origin, more)

    @cached_property
    def counted(self) -> Integers | None:
        """One row of every record, suppressed ones too; None where every row is its own."""
        if self.records is None:
            return None
        return first_places(*self.records)

    def is_split(self, attribute: Attribute) -> bool:
        """Whether an attribute is published as two columns of bounds."""
        return (
            self.ranges == "columns"
            and attribute.role in (Role.QUASI, Role.SEMI_SENSITIVE)
            and attribute.kind == Kind.NUMERIC
            and attribute.hierarchy is None
        )

    def cells(self, attribute: Attribute) -> list[str]:
        """The columns in which an attribute's values are published."""
        name = attribute.name
        return [f"{name}_low", f"{name}_high"] if self.is_split(attribute) else [name]

    def columns(self) -> list[str]:
        """The names of the columns that must be published, in order."""
        names = [ID_COLUMN] if self.schema.individual else []
        for attribute in self.schema.published:
            names += self.cells(attribute)
        return names

    def has(self, attribute: Attribute) -> bool:
        """Whether an attribute is in both the published and the original table."""
        published, original = self._names
        return attribute.name in original and published.issuperset(self.cells(attribute))

    @cached_property
    def _names(self) -> tuple[frozenset[str], frozenset[str]]:
        """The columns of the published and of the original table."""
        return frozenset(self.data.columns), frozenset(self.original.columns)
