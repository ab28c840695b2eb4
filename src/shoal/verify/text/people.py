"""The numbers that stand for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.errors import Problem
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Codes, Floats, dense_codes, encode_text, is_text
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
    yield from check_numbering(ids)


def _one_to_one(
    left: Codes, right: Codes, n_left: int, text: str, what: str = "published row"
) -> Iterator[Problem]:
    """Every left code goes with one right code only."""
    partner = np.zeros(n_left, dtype=np.int32)
    # Backwards, so that the first row of each decides, and later ones are at fault.
    partner[left[::-1]] = right[::-1]
    yield from report_rows(text, partner[left] != right, what)


def check_numbers(who: pl.Series, ids: pl.Series) -> Iterator[Problem]:
    """Every person of these rows has one number, and no two of them the same."""
    people, numbers = encode_text(who), encode_text(ids)
    text = f"{{n}} rows do not have the {ID_COLUMN} of their person"
    yield from _one_to_one(people.codes, numbers.codes, people.n_codes, text)
    text = f"{{n}} rows share their {ID_COLUMN} with another person"
    yield from _one_to_one(numbers.codes, people.codes, numbers.n_codes, text)


@dataclass(frozen=True)
class Numbering:
    """How a run of published rows numbers people: those of runs that follow each other add up.

    Numbers up to `needs` must have appeared before, `highest` is the largest here, and `n_wrong`
    cells are no whole number from 1.
    """

    needs: int = 0
    highest: int = 0
    n_wrong: int = 0

    @classmethod
    def of(cls, ids: pl.Series) -> Numbering:
        numbers = _plain_numbers(ids)
        before = np.maximum.accumulate(np.append(0.0, numbers))[:-1]
        # A number that skips some needs them, up to the one below it, in earlier rows.
        early = numbers[numbers > before + 1]
        most = int(numbers.max(initial=0))
        return cls(int(early.max(initial=1)) - 1, most, int(np.count_nonzero(numbers < 1)))

    def __add__(self, later: Numbering) -> Numbering:
        return Numbering(
            max(self.needs, later.needs if later.needs > self.highest else 0),
            max(self.highest, later.highest),
            self.n_wrong + later.n_wrong,
        )

    def problems(self) -> Iterator[Problem]:
        """What is wrong where nothing comes before."""
        if self.needs or self.n_wrong:
            yield Problem(f"Column {ID_COLUMN!r} does not number people as they appear.")


def check_numbering(ids: pl.Series) -> Iterator[Problem]:
    """People are numbered 1, 2, … as they appear, so that the number itself reveals nothing."""
    numbers = _plain_numbers(ids)
    before = np.maximum.accumulate(np.append(0.0, numbers))[:-1]
    fresh = (numbers >= 1) & (numbers <= before + 1)
    yield from report_rows(
        f"Column {ID_COLUMN!r} does not number people as they appear in {{n}} rows", ~fresh
    )


def _plain_numbers(ids: pl.Series) -> Floats:
    """The numbers of people, 0 where a cell is none or is not written plainly.

    Two people with the texts 1 and 01 have one number for whoever reads numbers.
    """
    plain = ids.cast(pl.String).fill_null("").str.contains(r"^[1-9][0-9]*$")
    return np.where(plain.to_numpy(), read_numbers(ids).low, 0.0)
