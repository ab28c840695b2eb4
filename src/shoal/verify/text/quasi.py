"""The published quasi-identifiers: they cover what they stand for, and are even in a class."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import parent_process
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import (
    Coded,
    Codes,
    Flags,
    Integers,
    combine_codes,
    count_runs,
    dense_codes,
    encode_text,
    is_text,
    rank_numbers,
)
from shoal.schema import Attribute, Kind
from shoal.verify.text.cover import check_bounds, check_cover
from shoal.verify.text.measured import Coverage
from shoal.verify.text.published import Published
from shoal.verify.text.structure import EXAMPLES, name_rows, of_number, report_rows

# What is wrong with a column, and its codes by published row with their number.
Examined: TypeAlias = tuple[list[Problem], list[tuple[Codes, int]]]


def check_quasi(
    published: Published, check: Callable[[Any, Attribute], Examined] | None = None
) -> tuple[list[Problem], Codes, int]:
    """Labels cover their values and are the same throughout a class.

    Returns the problems, and for every dense class the code of its published quasi vector with
    the number of such vectors. `check` examines one attribute, `check_labels` by default.
    """
    problems: list[Problem] = []
    columns: list[tuple[NDArray[Any], int]] = []
    uneven = np.zeros(len(published.dense_classes[1]), dtype=np.bool_)
    attributes = [a for a in published.schema.quasi if published.has(a)]
    examine = partial(_examine, published, check or check_labels)
    # A cached property has no lock: these are computed before the threads share them.
    _ = published.samples, published.stands_for
    with ThreadPoolExecutor(_threads()) as pool:
        for found, broken, coded in pool.map(examine, attributes):
            problems += found
            uneven |= broken
            columns += coded
    problems += _uneven_problem(published, uneven)
    vectors, n_vectors = combine_codes(columns, len(published.samples))
    return problems, vectors, n_vectors


def _threads() -> int:
    """How many attributes are examined at a time.

    Each needs memory for several columns of its own: no more than two. The processes of a pool
    share the cores of the machine: one.
    """
    return 1 if parent_process() is not None else min(2, os.cpu_count() or 1)


def _examine(
    published: Published, check: Callable[[Any, Attribute], Examined], attribute: Attribute
) -> tuple[list[Problem], NDArray[np.bool_], list[tuple[Codes, int]]]:
    """One attribute: its problems, the classes that it divides, and the codes of every class."""
    found, coded = check(published, attribute)
    uneven = np.zeros(len(published.dense_classes[1]), dtype=np.bool_)
    columns = []
    for codes, n_codes in coded:
        uneven |= uneven_classes(published, codes)
        columns.append((codes[published.samples], n_codes))
    return found, uneven, columns


def check_labels(published: Published, attribute: Attribute) -> Examined:
    """One attribute whose cells are all labels: they cover what they stand for."""
    name, original = attribute.name, published.original[attribute.name]
    shown, rows = _pairs(published)
    if published.is_split(attribute):
        low, high = (published.data[f"{name}_{end}"] for end in ("low", "high"))
        if not (low.dtype.is_numeric() and high.dtype.is_numeric()):
            # The check of columns reports it.
            return [], []
        ends = (low, high) if shown is None else (low.gather(shown), high.gather(shown))
        coverage = check_bounds(*ends, original, rows, attribute)
        return _cover_problems(published, attribute, coverage), [
            number_codes(low),
            number_codes(high),
        ]
    if not is_text(published.data[name]):
        return [], []
    labels = encode_text(published.data[name])
    standing = labels if shown is None else Coded(labels.codes[shown], labels.texts)
    coverage = check_cover(standing, original, rows, attribute)
    return _cover_problems(published, attribute, coverage), [(labels.codes, labels.n_codes)]


def _pairs(published: Published) -> tuple[Integers | None, Integers]:
    """The published rows (None: each) and the input rows that their labels must cover."""
    return published.stands_for or (None, published.origin)


def smallest_numbers(published: Published, vectors: Codes, n_vectors: int) -> Integers:
    """The smallest class number of every quasi vector: it stands for all that look alike."""
    smallest = np.full(n_vectors, np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(smallest, vectors, published.dense_classes[1])
    return smallest


def column_codes(columns: Sequence[pl.Series]) -> list[tuple[Codes, int]]:
    """The codes of an attribute's columns: of two bounds as numbers, of one with labels by text."""
    if len(columns) == 2:
        return [number_codes(column) for column in columns]
    labels = encode_text(columns[0])
    return [(labels.codes, labels.n_codes)]


def number_codes(series: pl.Series) -> tuple[Codes, int]:
    """The codes of numbers, with cells that are not numbers kept apart, and their number."""
    cells = read_numbers(series)
    codes, distinct = rank_numbers(cells.low)
    apart = (codes * 2 + (cells.missing | cells.unreadable)).astype(np.int32)
    return apart, 2 * len(distinct)


def _cover_problems(
    published: Published, attribute: Attribute, coverage: Coverage
) -> list[Problem]:
    covered = coverage.covered
    if not covered.all():
        covered = _cover_of_people(published, attribute, covered)
    missed, malformed = ~covered & ~coverage.malformed, coverage.malformed
    shown, _ = _pairs(published)
    if shown is not None:
        # Published rows come first; the others repeat their labels.
        malformed = malformed[: len(published.origin)]
        found = shown[missed]
        missed = np.zeros(len(published.origin), dtype=np.bool_)
        missed[found] = True
    return list(report_cover(attribute.name, malformed, missed))


def report_cover(name: str, malformed: Flags, missed: Flags) -> Iterator[Problem]:
    """What is wrong with the labels of a column, by published row."""
    text = f"Column {name!r} has {{n}} cells that are not labels of this attribute"
    yield from report_rows(text, malformed)
    text = f"Column {name!r} has {{n}} labels that do not cover the original value"
    yield from report_rows(text, missed)


def _cover_of_people(published: Published, attribute: Attribute, covered: Flags) -> Flags:
    """Where a person's values may differ, the label need only cover the one that stands for them.

    That is the person's first value, or any of the person's commonest values.
    """
    individual, people = published.schema.individual, published.people
    if individual is None or people is None or individual.conflict == "error":
        return covered
    if individual.conflict == "first":
        first = np.full(people.n_codes, len(people.codes), dtype=np.int64)
        np.minimum.at(first, people.codes, np.arange(len(people.codes)))
        if published.described_by is not None:
            # One row for each person, whatever is claimed.
            first[people.codes[published.described_by]] = published.described_by
        stands = first[people.codes] == np.arange(len(people.codes))
    else:
        stands = _commonest(
            people, _alike(encode_text(published.original[attribute.name]), attribute)
        )
    _, rows = _pairs(published)
    who = people.codes[rows]
    reached = np.zeros(people.n_codes, dtype=np.bool_)
    reached[who[covered & stands[rows]]] = True
    return reached[who]


def _alike(values: Coded, attribute: Attribute) -> Coded:
    """The same values with one code for all spellings of a number, or of a missing value."""
    first: dict[str | float, int] = {}
    codes = np.arange(values.n_codes, dtype=np.int32)
    for code, text in enumerate(values.texts):
        if text == "" or text in attribute.missing:
            codes[code] = values.null
            continue
        key: str | float = text
        if attribute.kind == Kind.NUMERIC:
            with suppress(ValueError):
                key = float(text)
        codes[code] = first.setdefault(key, code)
    return Coded(codes[values.codes], values.texts)


def _commonest(people: Coded, values: Coded) -> Flags:
    """Which rows hold a commonest value of their person."""
    owners, _ = dense_codes(people.codes.astype(np.int64))
    runs = count_runs(owners, values.codes, values.n_codes)
    most = np.repeat(np.maximum.reduceat(runs.counts, runs.starts), runs.lengths)
    top = runs.counts == most
    keys = runs.classes[top].astype(np.int64) * values.n_codes + runs.values[top]
    return np.isin(owners.astype(np.int64) * values.n_codes + values.codes, keys)


def uneven_classes(published: Published, codes: Codes) -> Flags:
    """The dense classes whose rows have different codes."""
    of_row, numbers = published.dense_classes
    differs = codes != codes[published.samples][of_row]
    uneven = np.zeros(len(numbers), dtype=np.bool_)
    uneven[of_row[differs]] = True
    return uneven


def _uneven_problem(published: Published, uneven: Flags) -> Iterator[Problem]:
    numbers = published.dense_classes[1][uneven]
    # Rows without a class that are published are reported as such.
    numbers = numbers[numbers >= 1]
    if len(numbers):
        yield Problem(
            of_number("{n} classes have rows with different published labels ", len(numbers))
            + f"({name_rows(numbers[: EXAMPLES + 1] - 1, 'class number')})."
        )
