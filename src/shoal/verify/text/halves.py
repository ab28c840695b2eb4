"""A table published as two that only the class links: what is sensitive, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.errors import Problem
from shoal.reading.encoding import Codes, Flags, encode_text, has_text_form, is_text
from shoal.schema.wording import counted
from shoal.verify.text.published import Published
from shoal.verify.text.structure import report_rows

CLASS_COLUMN = "GID"
DATA, SENSITIVE = "data", "sensitive"


def check_halves(published: Published, split: Mapping[str, pl.DataFrame]) -> Iterator[Problem]:
    """The two tables are the one that was checked; positions in the second reveal nobody's row.

    The rows of "data" stand as in the whole; those of "sensitive" are sorted by class and text.
    """
    sensitive = [attribute.name for attribute in published.schema.sensitive]
    rest = [name for name in published.data.columns if name not in sensitive]
    required = {DATA: [CLASS_COLUMN, *rest], SENSITIVE: [CLASS_COLUMN, *sensitive]}
    problems = [
        Problem(f"The published table {name!r} does not have the required columns.")
        for name in sorted({*required, *split})
        if name not in split or split[name].columns != required.get(name)
    ]
    if CLASS_COLUMN in published.data.columns:
        problems.append(Problem(f"The name {CLASS_COLUMN!r} is reserved, but an attribute has it."))
    if problems or any(name not in published.data.columns for name in sensitive):
        yield from problems
        return
    yield from _check_shapes(published, split)
    for table in split.values():
        if table.height != published.data.height or not all(map(has_text_form, table)):
            return
    yield from _check_data(published, split[DATA], rest)
    yield from _check_sensitive(published, split[SENSITIVE], sensitive)


@dataclass(frozen=True)
class Joined:
    """Two halves as one table in the order of "data", each class's sensitive rows in any order.

    `table` is None where the two do not fit; `gids` is the class of every row as it is numbered.
    """

    table: pl.DataFrame | None
    gids: Codes
    problems: tuple[Problem, ...] = ()


def join_halves(data: pl.DataFrame, sensitive: pl.DataFrame, names: Sequence[str]) -> Joined:
    """Put two published tables together by class; `names` are the sensitive columns."""
    none = np.empty(0, dtype=np.int32)
    required = [CLASS_COLUMN, *names]
    problems = [Problem(f"Column {name!r} is in 'data'.") for name in names if name in data.columns]
    if CLASS_COLUMN not in data.columns:
        problems.append(Problem(f"Column {CLASS_COLUMN!r} is not in the table 'data'."))
    if sensitive.columns != required:
        problems.append(Problem("The table 'sensitive' does not have the columns of the manifest."))
    problems += _check_texts("data", data)
    problems += _check_texts("sensitive", sensitive)
    if problems:
        return Joined(None, none, tuple(problems))
    gids = [table[CLASS_COLUMN].cast(pl.String) for table in (data, sensitive)]
    coded = encode_text(pl.concat(gids))
    left, right = coded.codes[: data.height], coded.codes[data.height :]
    n_left, n_right = (np.bincount(half, minlength=coded.n_codes) for half in (left, right))
    n_unlike = int(np.count_nonzero(n_left != n_right))
    if n_unlike or n_left[coded.null]:
        text = counted(n_unlike, "class does", "classes do")
        text += " not have as many rows in 'sensitive' as in 'data'."
        if not n_unlike:
            text = f"{counted(int(n_left[coded.null]), 'row has', 'rows have')} no {CLASS_COLUMN}."
        return Joined(None, none, (Problem(text),))
    # Nobody knows which rows of a class belong together: the first goes with the first.
    places = np.empty(data.height, dtype=np.int64)
    places[np.argsort(left, kind="stable")] = np.argsort(right, kind="stable")
    columns = [sensitive[name].gather(places) for name in names]
    table = data.drop(CLASS_COLUMN).with_columns(columns)
    return Joined(table, left, tuple(_check_sorted(sensitive, names)))


def check_gids(gids: Codes, vectors: Codes) -> Iterator[Problem]:
    """The rows of a class look alike."""
    first = np.zeros(int(gids.max(initial=0)) + 1, dtype=np.int32)
    first[gids] = vectors
    n_split = len(np.unique(gids[first[gids] != vectors]))
    if n_split:
        yield Problem(
            f"Rows of one {CLASS_COLUMN} have different published labels in "
            f"{counted(n_split, 'class', 'classes')}."
        )


def _check_sorted(sensitive: pl.DataFrame, names: Sequence[str]) -> Iterator[Problem]:
    numbers = sensitive[CLASS_COLUMN].cast(pl.String).cast(pl.Int64, strict=False)
    if numbers.null_count():
        cells = counted(numbers.null_count(), "cell", "cells")
        yield Problem(f"Column {CLASS_COLUMN!r} has {cells} without a number.")
        return
    if not are_sorted(numbers, [sensitive[name] for name in names]):
        yield Problem(
            "The rows of 'sensitive' are not sorted by class and then by the values shown: their "
            "order may reveal whose they are."
        )


def are_sorted(numbers: pl.Series, columns: Sequence[pl.Series]) -> bool:
    """Whether rows are sorted by class number, then by the text of each column, null last."""
    # Which rows equal the one before them so far: only there the next column decides.
    alike = np.ones(len(numbers[1:]), dtype=np.bool_)
    for texts in ([numbers], *map(_spellings, columns)):
        ranks = (each.rank("dense").cast(pl.Int64).fill_null(len(each)) for each in texts)
        steps = (np.diff(each.to_numpy()) for each in ranks)
        found = next((each for each in steps if not (each[alike] < 0).any()), None)
        if found is None:
            return False
        alike &= found == 0
    return True


def _spellings(column: pl.Series) -> Iterator[pl.Series]:
    """The texts by which a column may be sorted: of numbers with a type, 1e-07 as well as 1e-7."""
    texts = column.cast(pl.String)
    yield texts
    if column.dtype.is_float():
        yield pl.Series([text and repr(float(text)) for text in texts], dtype=pl.String)


def _check_shapes(published: Published, split: Mapping[str, pl.DataFrame]) -> Iterator[Problem]:
    for name, table in split.items():
        if table.height != published.data.height:
            rows = counted(published.data.height, "row")
            text = f"The published table {name!r} must have {rows}, but it has {table.height:,}."
            yield Problem(text)
        if not is_text(table[CLASS_COLUMN]):
            yield Problem(f"Column {CLASS_COLUMN!r} of the table {name!r} is not text.")
        yield from _check_texts(name, table)


def _check_texts(name: str, table: pl.DataFrame) -> Iterator[Problem]:
    """Lists and bytes have no text by which they could be compared."""
    if not all(map(has_text_form, table)):
        yield Problem(f"The table {name!r} has cells that have no text form.")


def _gids(published: Published) -> pl.Series:
    """The class number of every published row, as text."""
    return pl.Series(published.classes[published.origin]).cast(pl.String)


def _unlike(left: pl.Series, right: pl.Series) -> Flags:
    if left.dtype != right.dtype:
        left, right = left.cast(pl.String), right.cast(pl.String)
    same: Flags = left.eq_missing(right).to_numpy().astype(np.bool_)
    return ~same


def _check_data(published: Published, data: pl.DataFrame, rest: list[str]) -> Iterator[Problem]:
    wrong = _unlike(data[CLASS_COLUMN], _gids(published))
    yield from report_rows(f"{{n}} rows have the {CLASS_COLUMN} of another class in 'data'", wrong)
    for name in rest:
        text = (
            f"Column {name!r} of the table 'data' has {{n}} cells that differ from what was checked"
        )
        yield from report_rows(text, _unlike(data[name], published.data[name]))


def _check_sensitive(
    published: Published, sensitive: pl.DataFrame, names: list[str]
) -> Iterator[Problem]:
    numbers = published.classes[published.origin]
    texts = [published.data[name].cast(pl.String) for name in names]
    keys = [pl.Series(CLASS_COLUMN, numbers), *texts]
    sorted_rows = pl.DataFrame(keys).sort([CLASS_COLUMN, *names], nulls_last=True)
    wrong = _unlike(sensitive[CLASS_COLUMN], sorted_rows[CLASS_COLUMN].cast(pl.String))
    for name in names:
        wrong |= _unlike(sensitive[name].cast(pl.String), sorted_rows[name])
    text = "{n} rows are not those of their class in 'sensitive', sorted by what is shown"
    yield from report_rows(text, wrong, "row")
