"""A release in which people hold cells secret: its columns, its numbers, and who shows what.

Every class has one pattern: of each attribute its rows show a label (public), point to a bucket
(secret) or show nothing at all (withheld). What is in the buckets is checked in `bucket`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl

from shoal.errors import Problem
from shoal.reading.encoding import Coded, Codes, Flags, Integers, encode_text, is_text
from shoal.schema import Attribute, Layout, Role, Schema
from shoal.verify.text.cover import check_bounds, check_cover
from shoal.verify.text.measured import Coverage
from shoal.verify.text.published import Published
from shoal.verify.text.quasi import (
    Examined,
    check_labels,
    column_codes,
    report_cover,
    uneven_classes,
)
from shoal.verify.text.structure import name_rows, of_number, report_rows

RECORD, CLASS, BUCKET = "record", "GID", "_BID"
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")


@dataclass(frozen=True)
class SecretColumn:
    """One attribute's cells by published row: in a bucket, shown outside of buckets, or neither."""

    in_bucket: Flags
    shown: Flags

    @property
    def pattern(self) -> Codes:
        """0 where a value is shown, 1 in a bucket, 2 where there is nothing."""
        return np.where(self.in_bucket, 1, np.where(self.shown, 0, 2)).astype(np.int32)


@dataclass(frozen=True)
class Bucketed(Published):
    """What is published where buckets have tables of their own (split) or the same one (joined)."""

    @classmethod
    def of(cls, published: Published) -> Self:
        """The same, seen as a release with buckets."""
        return cls(**{f.name: getattr(published, f.name) for f in fields(Published)})

    def cells(self, attribute: Attribute) -> list[str]:
        """The columns in which an attribute's values are published."""
        if attribute.role == Role.SENSITIVE and self.layout is Layout.SPLIT:
            return []
        return super().cells(attribute)

    def points(self, attribute: Attribute) -> bool:
        """Whether an attribute has a column that points to buckets, or must have one."""
        some = f"{attribute.name}{BUCKET}" in self.data.columns
        return attribute.role == Role.SENSITIVE or (attribute.role == Role.SEMI_SENSITIVE and some)

    @property
    def bucketised(self) -> list[Attribute]:
        """The attributes with buckets that are in both tables."""
        return [a for a in self.schema.secret if self.has(a) and self.points(a)]

    def columns(self) -> list[str]:
        """The names of the columns that must be published, in order."""
        names = [RECORD, CLASS]
        for attribute in self.schema.published:
            names += self.cells(attribute)
            names += [f"{attribute.name}{BUCKET}"] if self.points(attribute) else []
        return names

    def has(self, attribute: Attribute) -> bool:
        """Whether an attribute is in both the published and the original table."""
        bucket = f"{attribute.name}{BUCKET}"
        there = not self.points(attribute) or bucket in self.data.columns
        return there and super().has(attribute)

    @cached_property
    def secrets(self) -> dict[str, SecretColumn]:
        """The cells of every attribute that can be secret."""
        return {a.name: self._find_cells(a) for a in self.schema.secret if self.has(a)}

    def _find_cells(self, attribute: Attribute) -> SecretColumn:
        shown, inside = (np.zeros(self.data.height, dtype=np.bool_) for _ in range(2))
        for name in self.cells(attribute):
            shown |= self.data[name].is_not_null().to_numpy()
        if self.points(attribute):
            inside |= self.data[f"{attribute.name}{BUCKET}"].is_not_null().to_numpy()
        # In a joined table, a row in a bucket shows one of its values, which need not be its own.
        return SecretColumn(inside, shown & ~inside if self.layout is Layout.JOINED else shown)

    @cached_property
    def bids(self) -> dict[str, Integers]:
        """The number of the bucket of every cell, by attribute; 0: none, -1: no such number."""
        return {a.name: read_counters(self.data[f"{a.name}{BUCKET}"]) for a in self.bucketised}

    @cached_property
    def secrecy(self) -> dict[str, tuple[Flags, list[Problem]]]:
        """Which cells of the input are secret, by attribute, and what is wrong with the flags."""
        known = self.schema.published
        return {a.name: read_secrecy(self.original, a) for a in known}


def read_counters(series: pl.Series) -> Integers:
    """Numbers from 1, written plainly; 0 where there is none, -1 where a cell is no such number.

    >>> read_counters(pl.Series(["2", None, "02", "x"])).tolist()
    [2, 0, -1, -1]
    """
    texts = series.cast(pl.String)
    numbers = texts.cast(pl.Int64, strict=False)
    # Only the one plain spelling: another would distinguish its rows.
    plain = ((numbers.cast(pl.String) == texts) & (numbers >= 1)).fill_null(False).to_numpy()
    known = numbers.fill_null(0).to_numpy()
    return np.where(plain, known, np.where(texts.is_null().to_numpy(), 0, -1)).astype(np.int64)


def read_secrecy(original: pl.DataFrame, attribute: Attribute) -> tuple[Flags, list[Problem]]:
    """Which cells of the input are secret, and what is wrong with the flags.

    A flag that cannot be read counts as secret.
    """
    n_rows = original.height
    if attribute.role != Role.SEMI_SENSITIVE:
        return np.full(n_rows, attribute.role == Role.SENSITIVE), []
    everything = np.ones(n_rows, dtype=np.bool_)
    if attribute.flag is None:
        text = f"The semi-sensitive attribute {attribute.name!r} needs a flag column, but has none"
        return everything, [Problem(f"{text}.")]
    if attribute.flag not in original.columns:
        return everything, [Problem(f"Column {attribute.flag!r} is not in the original table.")]
    coded = encode_text(original[attribute.flag])
    texts = coded.texts.str.strip_chars().str.to_lowercase()
    public, secret = (
        np.append(texts.is_in(list(words)).to_numpy(), False)[coded.codes] for words in (_NO, _YES)
    )
    text = f"Column {attribute.flag!r} has {{n}} cells that say neither yes nor no"
    return ~public, list(report_rows(text, ~(public | secret), "original row"))


def check_reserved(schema: Schema) -> Iterator[Problem]:
    """No attribute takes a name that the release needs; nobody has several rows."""
    for attribute in schema.published:
        if attribute.name in (RECORD, CLASS) or attribute.name.endswith(BUCKET):
            yield Problem(f"The name {attribute.name!r} is reserved in a release with buckets.")
    if schema.individual:
        yield Problem("There is no independent check of buckets where people have several rows.")
    for attribute in schema.of(Role.SEMI_SENSITIVE):
        if attribute.flag is not None and attribute.flag not in {
            a.name for a in schema.of(Role.FLAG)
        }:
            yield Problem(
                f"Column {attribute.flag!r} must have the role flag: it says what is secret."
            )


def check_numbers(published: Bucketed) -> Iterator[Problem]:
    """Records count 1, 2, …; classes have their own numbers, and are numbered as they appear."""
    data, n_rows = published.data, published.data.height
    pointers = [f"{a.name}{BUCKET}" for a in published.bucketised]
    for name in (RECORD, CLASS, *pointers):
        if name in data.columns and not is_text(data[name]):
            yield Problem(f"Column {name!r} must be published as text.")
    given = published.classes[published.origin]
    for name, expected, text in (
        (RECORD, np.arange(1, n_rows + 1), "is not the number of the row"),
        (CLASS, given, "is not the number of its class"),
    ):
        if name in data.columns:
            same = data[name].cast(pl.String).eq_missing(pl.Series(expected).cast(pl.String))
            yield from report_rows(f"Column {name!r} {text} in {{n}} rows", ~same.to_numpy())
    yield from report_rows(
        "Classes are not numbered as they appear in {n} rows", ~numbered_as_they_appear(given)
    )


def numbered_as_they_appear(numbers: Integers) -> Flags:
    """Which numbers are at least 1 and at most one more than all before.

    >>> numbered_as_they_appear(np.array([1, 1, 3, 2])).tolist()
    [True, True, False, True]
    """
    # A number from another order, such as that of the input, would say something about its rows.
    before = np.maximum.accumulate(np.append(0, numbers))[:-1]
    fine: Flags = (numbers >= 1) & (numbers <= before + 1)
    return fine


def check_secrecy(published: Bucketed) -> Iterator[Problem]:
    """No secret cell is shown, and no public one is in a bucket."""
    for attribute in published.schema.of(Role.SEMI_SENSITIVE):
        name = attribute.name
        secret, problems = published.secrecy[name]
        yield from problems
        cells = published.secrets.get(name)
        if cells is None:
            continue
        secret = secret[published.origin]
        text = f"Column {name!r} has {{n}} secret cells that are shown"
        yield from report_rows(text, secret & cells.shown)
        text = f"Column {name!r} has {{n}} public cells in a bucket"
        yield from report_rows(text, ~secret & cells.in_bucket)


def check_patterns(published: Bucketed) -> Iterator[Problem]:
    """No cell is both shown and in a bucket, sensitive ones all are in one; one pattern a class."""
    for attribute in published.schema.secret:
        name = attribute.name
        cells = published.secrets.get(name)
        if cells is None:
            continue
        # These have no pattern by class: all of their cells are in buckets.
        if attribute.role == Role.SENSITIVE:
            text = f"Column {name!r} has {{n}} sensitive cells in no bucket"
            yield from report_rows(text, ~cells.in_bucket)
            continue
        if published.points(attribute) and not cells.in_bucket.any():
            yield Problem(f"Column '{name}{BUCKET}' is published, but no cell is in a bucket.")
        text = f"Column {name!r} has {{n}} cells that are shown and in a bucket"
        yield from report_rows(text, cells.shown & cells.in_bucket)
        yield from _check_pattern(published, attribute, cells)


def _check_pattern(
    published: Bucketed, attribute: Attribute, cells: SecretColumn
) -> Iterator[Problem]:
    mixed = uneven_classes(published, cells.pattern)
    numbers = published.dense_classes[1][mixed]
    if len(numbers):
        text = f"{{n}} classes have rows of different patterns of {attribute.name!r}"
        which = name_rows(numbers - 1, "class number")
        yield Problem(f"{of_number(text, len(numbers))} ({which}).")


def check_known(published: Bucketed, attribute: Attribute) -> Examined:
    """One quasi-identifier, or the public cells of a semi-sensitive attribute."""
    if attribute.role == Role.QUASI:
        return check_labels(published, attribute)
    _, coded = encode_known(published, attribute)
    columns = [published.data[name] for name in published.cells(attribute)]
    numbers = len(columns) == 2
    if not all(column.dtype.is_numeric() if numbers else is_text(column) for column in columns):
        return [], []
    cells = published.secrets[attribute.name]
    secret = published.secrecy[attribute.name][0][published.origin]
    # Whatever else is shown is a fault of its own, which check_secrecy and check_patterns report.
    rows = np.flatnonzero(cells.shown & ~secret & ~cells.in_bucket)
    origin, original = published.origin[rows], published.original[attribute.name]
    if numbers:
        low, high = (column.gather(rows) for column in columns)
        coverage = check_bounds(low, high, original, origin, attribute)
    else:
        labels = encode_text(columns[0])
        chosen = Coded(labels.codes[rows], labels.texts)
        coverage = check_cover(chosen, original, origin, attribute)
    return list(_cover_problems(attribute.name, coverage, rows, len(published.origin))), coded


def encode_known(published: Bucketed, attribute: Attribute) -> Examined:
    """What a quasi-identifier shows, as codes; all cells in buckets have one code."""
    columns = [published.data[name] for name in published.cells(attribute)]
    coded = column_codes(columns)
    cells = published.secrets.get(attribute.name)
    if cells is None:
        return [], coded
    return [], [
        (np.where(cells.in_bucket, n_codes, codes).astype(np.int32), n_codes + 1)
        for codes, n_codes in coded
    ]


def _cover_problems(
    name: str, coverage: Coverage, rows: Integers, n_rows: int
) -> Iterator[Problem]:
    missed, malformed = (np.zeros(n_rows, dtype=np.bool_) for _ in range(2))
    missed[rows] = ~coverage.covered & ~coverage.malformed
    malformed[rows] = coverage.malformed
    return report_cover(name, malformed, missed)
