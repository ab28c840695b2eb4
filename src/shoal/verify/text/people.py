"""The numbers that stand for people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from shoal.errors import Problem
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Codes, dense_codes, encode_text, is_text
from shoal.verify.text.published import ID_COLUMN, Published
from shoal.verify.text.structure import report_rows


def check_people(published: Published) -> Iterator[Problem]:
    """`Id_num` is a fresh number that stands for one person, and a person is in one class.

    Over all rows, including those not published: nobody is suppressed in part.
    """
    people = published.people
    if people is None:
        return
    of_row, _ = dense_codes(published.classes)
    text = "{n} rows are in a different class from their person's other rows"
    yield from _one_to_one(people.codes, of_row, people.n_codes, text, "original row")
    who = people.codes[published.origin]
    if ID_COLUMN not in published.data.columns:
        return
    ids = published.data[ID_COLUMN]
    if not (is_text(ids) or ids.dtype.is_integer()):
        yield Problem(f"Column {ID_COLUMN!r} is published as neither text nor whole numbers.")
        return
    coded = encode_text(ids)
    yield from _one_to_one(
        who, coded.codes, people.n_codes, f"{{n}} rows do not have the {ID_COLUMN} of their person"
    )
    yield from _one_to_one(
        coded.codes, who, coded.n_codes, f"{{n}} rows share their {ID_COLUMN} with another person"
    )
    yield from _check_numbering(ids)


def _one_to_one(
    left: Codes, right: Codes, n_left: int, text: str, what: str = "published row"
) -> Iterator[Problem]:
    """Every left code goes with one right code only."""
    partner = np.zeros(n_left, dtype=np.int32)
    partner[left[::-1]] = right[::-1]
    yield from report_rows(text, partner[left] != right, what)


def _check_numbering(ids: pl.Series) -> Iterator[Problem]:
    """People are numbered 1, 2, … as they appear, so that the number itself reveals nothing."""
    cells = read_numbers(ids)
    numbers = np.where(cells.missing | cells.unreadable, -1.0, cells.low)
    before = np.maximum.accumulate(np.append(0.0, numbers))[:-1]
    fresh = (numbers >= 1) & (numbers <= before + 1) & (numbers == np.floor(numbers))
    yield from report_rows(
        f"Column {ID_COLUMN!r} does not number people as they appear in {{n}} rows", ~fresh
    )
