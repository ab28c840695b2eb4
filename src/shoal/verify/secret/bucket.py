"""The buckets: they hold exactly the values of the rows that point to them, in sorted order.

Besides these, buckets may have entries that belong to nobody, where the release says how many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.reading.cell import (
    LARGEST_WHOLE,
    find_missing,
    read_numbers,
    read_times,
    whole_numbers,
)
from shoal.reading.encoding import (
    Codes,
    Floats,
    Integers,
    dense_codes,
    encode_text,
    is_text,
    rank_numbers,
)
from shoal.schema import Attribute, Kind, Layout, Role, Schema
from shoal.verify.secret.secret import BUCKET, Bucketed, numbered_as_they_appear, read_counters
from shoal.verify.text.classes import Classes
from shoal.verify.text.measured import numbers_like
from shoal.verify.text.structure import name_rows, of_number, report_rows

TABLE = "buckets-"


@dataclass(frozen=True)
class Listing:
    """The values of buckets as they are published: one row per value, buckets by number."""

    bids: Integers
    values: pl.Series


def check_names(published: Bucketed) -> Iterator[Problem]:
    """There is a table of buckets for each attribute that has some, and nothing else."""
    wanted = {f"{TABLE}{a.name}" for a in published.schema.secret if published.points(a)}
    wanted = wanted if published.layout is Layout.SPLIT else set()
    there = set(published.tables) - {"data"}
    for name in sorted(wanted - there):
        yield Problem(f"There is no published table {name!r}.")
    for name in sorted(there - wanted):
        yield Problem(f"The table {name!r} is published, but no cell points to it.")


def check_buckets(published: Bucketed, *, alone: bool = False) -> Iterator[Problem]:
    """Per attribute: the numbers of its buckets, and what they hold.

    `alone`: without the original, and perhaps read from text.
    """
    for attribute in published.bucketised:
        name = f"{attribute.name}{BUCKET}"
        if not is_text(published.data[name]):
            continue
        numbers = published.bids[attribute.name]
        yield from report_rows(f"Column {name!r} has {{n}} cells that are not numbers", numbers < 0)
        inside = np.flatnonzero(numbers > 0)
        odd = np.zeros(len(numbers), dtype=np.bool_)
        odd[inside] = ~numbered_as_they_appear(numbers[inside])
        yield from report_rows(
            f"Column {name!r} does not number buckets as they appear in {{n}} cells", odd
        )
        found, listing = find_listing(published, attribute, alone=alone)
        yield from found
        if listing is not None:
            n_extra = published.counterfeits.get(attribute.name, 0)
            yield from compare_pointers(attribute, numbers[inside], listing, n_extra)
            yield from check_order(attribute, listing, untyped=alone)
            if not alone:
                yield from _check_contents(published, attribute, numbers, listing)


def find_listing(
    published: Bucketed, attribute: Attribute, *, alone: bool = True
) -> tuple[list[Problem], Listing | None]:
    """What an attribute's buckets hold as published, or why that cannot be read."""
    if published.layout is Layout.JOINED:
        return _shown_listing(published, attribute, published.bids[attribute.name])
    table = published.tables.get(f"{TABLE}{attribute.name}")
    if table is None:
        return [], None
    return read_listing(
        attribute, table, None if alone else published.original[attribute.name].dtype
    )


def read_listing(
    attribute: Attribute, table: pl.DataFrame, dtype: pl.DataType | None
) -> tuple[list[Problem], Listing | None]:
    """A table of buckets, where it has the right shape; `dtype` is the original's, if known."""
    name = f"{TABLE}{attribute.name}"
    if table.columns != ["BID", "value"]:
        return [Problem(f"The columns of the table {name!r} are not 'BID' and 'value'.")], None
    value = table["value"]
    problems = []
    if not is_text(table["BID"]):
        problems.append(Problem(f"The column 'BID' of the table {name!r} must be text."))
    # As text it can be compared with any original; another type must be the one given.
    if dtype is not None and value.dtype != dtype and not is_text(value):
        problems.append(
            Problem(
                f"The values of the table {name!r} must be text or of the type of the original."
            )
        )
    if problems:
        return problems, None
    absent = find_missing(value, attribute.missing) & value.is_not_null().to_numpy()
    text = f"The table {name!r} has {{n}} missing values whose cells are not empty"
    problems += report_rows(text, absent, "row")
    # Where one number cannot be read, it is not known which bucket holds what.
    bids = read_counters(table["BID"])
    text = f"The table {name!r} has {{n}} cells that are not numbers in 'BID'"
    problems += report_rows(text, bids < 1, "row")
    return problems, None if (bids < 1).any() else Listing(bids, value)


def _shown_listing(
    published: Bucketed, attribute: Attribute, numbers: Integers
) -> tuple[list[Problem], Listing]:
    """What the rows of each bucket show, in published order."""
    rows = np.flatnonzero(numbers > 0)
    # Stable: the order of a bucket's rows must be that of its values, and is checked as such.
    rows = rows[np.argsort(numbers[rows], kind="stable")]
    first, last = (published.data[published.cells(attribute)[i]].gather(rows) for i in (0, -1))
    # Where one of two columns is text, some of its cells are no numbers.
    mixed = is_text(first) != is_text(last)
    low, high = (cells.cast(pl.String) if mixed else cells for cells in (first, last))
    odd = np.zeros(len(numbers), dtype=np.bool_)
    odd[rows] = ~low.eq_missing(high).to_numpy()
    text = f"Column {attribute.name!r} has {{n}} cells in a bucket that show a range"
    return list(report_rows(text, odd)), Listing(numbers[rows], first)


def _check_contents(
    published: Bucketed, attribute: Attribute, numbers: Integers, listing: Listing
) -> Iterator[Problem]:
    """Each bucket holds the original values of its rows, as often as they do or, by entries that
    belong to nobody, more often.
    """
    rows = np.flatnonzero(numbers > 0)
    own = published.original[attribute.name].gather(published.origin[rows])
    before, after, n_codes = common_codes(own, listing.values, attribute)
    of_all, bids = dense_codes(np.concatenate([numbers[rows], listing.bids]))
    keys, distinct = dense_codes(of_all.astype(np.int64) * n_codes + np.append(before, after))
    counts = np.bincount(keys[: len(rows)], minlength=len(distinct)) - np.bincount(
        keys[len(rows) :], minlength=len(distinct)
    )
    may_exceed = published.counterfeits.get(attribute.name, 0) > 0
    # How many entries belong to nobody is checked with the pointers.
    odd = counts > 0 if may_exceed else counts != 0
    wrong = bids[np.unique(distinct[odd] // n_codes)]
    if len(wrong):
        text = f"{{n}} buckets of {attribute.name!r} do not hold the values of their rows"
        yield Problem(f"{of_number(text, len(wrong))} ({_name_buckets(wrong)}).")


def compare_pointers(
    attribute: Attribute, pointing: Integers, listing: Listing, n_extra: int = 0
) -> list[Problem]:
    """Every bucket has rows and values, and the same number of each.

    `n_extra` values are said to belong to nobody: there must be this many more in all.
    """
    of_all, bids = dense_codes(np.append(pointing, listing.bids))
    n_rows, n_values = (
        np.bincount(part, minlength=len(bids))
        for part in (of_all[: len(pointing)], of_all[len(pointing) :])
    )
    unlike = n_rows > n_values if n_extra else n_rows != n_values
    found = (
        ("have values but no rows", n_rows == 0),
        ("have rows but no values", n_values == 0),
        ("do not have as many values as rows", unlike & (n_rows > 0) & (n_values > 0)),
    )
    found_extra = int((n_values - n_rows).sum())
    said = (
        [
            Problem(
                f"There must be {n_extra} counterfeit entries in the buckets of "
                f"{attribute.name!r}, but there are {found_extra}."
            )
        ]
        if n_extra and found_extra != n_extra
        else []
    )
    return said + [
        Problem(
            of_number(f"{{n}} buckets of {attribute.name!r} {text} ", int(flags.sum()))
            + f"({_name_buckets(bids[flags])})."
        )
        for text, flags in found
        if flags.any()
    ]


def _name_buckets(bids: Integers) -> str:
    return name_rows(bids - 1, "bucket")


def common_codes(
    before: pl.Series, after: pl.Series, attribute: Attribute
) -> tuple[Codes, Codes, int]:
    """The codes of two columns, equal where their cells are: numbers as numbers, else by text."""
    absent = np.concatenate([find_missing(before, attribute.missing), after.is_null().to_numpy()])
    texts = pl.concat([before.cast(pl.String), after.cast(pl.String)])
    if attribute.kind != Kind.NUMERIC:
        coded = encode_text(texts)
        codes, n_codes = coded.codes.astype(np.int32), coded.n_codes
    else:
        read = numbers_like(before)
        cells = [read(before, attribute.missing), read(after, ())]
        numbers = np.concatenate([c.low for c in cells])
        # An empty text that is not null is read as 0, but is published as no number.
        apart = np.concatenate([c.unreadable | c.missing for c in cells])
        if not before.dtype.is_float():
            large = ~apart & (np.abs(numbers) >= LARGEST_WHOLE)
            texts = _with_digits(texts, numbers, np.flatnonzero(large))
            apart |= large
        coded = encode_text(texts)
        ranks, distinct = rank_numbers(numbers)
        codes = np.where(apart, len(distinct) + coded.codes, ranks).astype(np.int32)
        n_codes = coded.n_codes + len(distinct)
    codes[absent] = n_codes
    return codes[: before.len()], codes[before.len() :], n_codes + 1


def _with_digits(texts: pl.Series, numbers: Floats, rows: Integers) -> pl.Series:
    """The texts with all digits of the numbers in these rows: a float does not have them all."""
    digits = whole_numbers(texts.gather(rows)).to_list()
    exact = [
        str(int(number)) if text is None else text
        for text, number in zip(digits, numbers[rows].tolist(), strict=True)
    ]
    return texts.scatter(rows, exact)


def check_order(
    attribute: Attribute, listing: Listing, *, untyped: bool = False
) -> Iterator[Problem]:
    """Values are sorted by bucket, then value, so that their places reveal nothing.

    Values read from text (`untyped`) may have been sorted as numbers.
    """
    values, bids = listing.values, listing.bids
    missing = find_missing(values, attribute.missing)
    same = bids[1:] == bids[:-1]
    texts = values.cast(pl.String).fill_null("")
    rising = (texts[:-1] <= texts[1:]).to_numpy().astype(np.bool_)
    found = []
    for keys in _keys(values, attribute, untyped):
        fine = keys[:-1] < keys[1:]
        # Equal numbers may differ in their texts, whose order would otherwise be free.
        fine |= (keys[:-1] == keys[1:]) & rising
        fine = (fine & ~missing[:-1]) | missing[1:]
        found.append((bids[1:] < bids[:-1]) | (same & ~fine))
    # An attribute has one order in all its buckets: one of the possible ones must explain them all.
    wrong = min(found, key=np.count_nonzero)
    if wrong.any():
        unsorted = np.unique(bids[1:][wrong])
        text = f"{{n}} buckets of {attribute.name!r} are not sorted"
        yield Problem(f"{of_number(text, len(unsorted))} ({_name_buckets(unsorted)}).")


def _keys(values: pl.Series, attribute: Attribute, untyped: bool) -> Iterator[NDArray[Any]]:
    """What values may be sorted by before their text: numbers and times first."""
    if attribute.kind == Kind.NUMERIC:
        yield numbers_like(values)(values, attribute.missing).low
    elif attribute.kind == Kind.DATE:
        yield read_times(values, attribute.missing).low
    else:
        yield np.zeros(values.len(), dtype=np.int64)
        if not is_text(values):
            yield values.rank("dense").fill_null(0).to_numpy()
        elif untyped:
            numbers = read_numbers(values, attribute.missing)
            if not numbers.unreadable.any():
                yield numbers.low


def bucket_classes(published: Bucketed, attribute: Attribute) -> tuple[Integers, Classes]:
    """The published rows that point to buckets, and the buckets as classes of original values."""
    numbers = published.bids[attribute.name]
    rows = np.flatnonzero(numbers > 0)
    # An adversary sees entries of nobody among the others, so they count like these.
    if published.counterfeits.get(attribute.name):
        _, listing = find_listing(published, attribute)
        if listing is not None:
            return rows, classes_of_values(attribute, listing.bids, listing.values)
    values = published.original[attribute.name].gather(published.origin[rows])
    return rows, classes_of_values(attribute, numbers[rows], values)


def classes_of_values(attribute: Attribute, bids: Integers, values: pl.Series) -> Classes:
    """Buckets as classes; the whole table is what is in buckets."""
    of_row, distinct = dense_codes(bids)
    # Checks of requirements refuse semi-sensitive attributes, but what is in buckets is secret.
    schema = Schema((replace(attribute, role=Role.SENSITIVE),))
    table = pl.DataFrame({attribute.name: values})
    return Classes(schema, table, np.arange(len(bids)), of_row, distinct)
