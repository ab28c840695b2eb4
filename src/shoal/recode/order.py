"""The order of rows, for methods and in the release: by keyed hashes, never by position."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.method.mhsa.symbol import ShownColumn
from shoal.recode.label import Generalised
from shoal.recode.thread import side_by_side
from shoal.table import Table, without_missing

KEYS = ("content", "input")
_BATCH = 1_000_000
# Any odd number would do: its multiples are all different.
_APART = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Lots:
    """What decides the order of rows and draws: hashes of their content, never their position.

    `inputs` has, for every input row, the sum of the hashes of all its cells; `digest` is an
    order-free digest of them. Keys are SHA-256 of the seed and the digest: whoever has the seed and
    guesses the input can replay them, so the seed is as secret as the data.
    """

    inputs: NDArray[np.uint64]
    digest: str
    seed: int | str

    @classmethod
    def of(cls, table: Table, frame: pl.DataFrame, seed: int | str) -> Lots:
        """The lots of a table whose input is `frame`."""
        inputs = _input_sums(table, frame)
        return cls(inputs, digest_text(*sum_digest(inputs)), seed)

    @classmethod
    def of_frame(cls, frame: pl.DataFrame, seed: int | str) -> Lots:
        """The lots of a table that is not coded yet, by its cells as text."""
        inputs = hash_columns(frame, frame.columns)
        return cls(inputs, digest_text(*sum_digest(inputs)), seed)

    def merged(self, stands_for: NDArray[np.int64] | None) -> Lots:
        """The same where `stands_for[row]` is the row that is published for a row.

        That row counts with all that it stands for, so that it does not matter which one it is.
        """
        if stands_for is None:
            return self
        inputs, rows = self.inputs.copy(), np.arange(len(stands_for))
        repeats = np.flatnonzero(stands_for != rows)
        np.add.at(inputs, stands_for[repeats], inputs[repeats])
        return replace(self, inputs=inputs)

    @property
    def key(self) -> tuple[np.uint64, np.uint64]:
        return _key(f"{self.seed}\n{self.digest}")

    def draw(self, what: str) -> NDArray[np.uint64]:
        """A number for every input row, to draw lots by.

        The lots for one purpose reveal nothing about the published order or other lots.
        """
        return _sealed(self.inputs, _key(f"{self.seed}\n{self.digest}\n{what}"))


def published_order(
    table: Table,
    frame: pl.DataFrame,
    labels: Sequence[Generalised],
    row_class: NDArray[np.int32],
    lots: Lots,
    stands_for: NDArray[np.int64] | None = None,
    hidden: Collection[str] = (),
    shown: Mapping[str, ShownColumn] | None = None,
    *,
    linked_by_number: bool = False,
) -> tuple[NDArray[np.int64], Callable[[], pl.DataFrame]]:
    """The kept rows (row_class >= 0) in the order in which they are published, and their hashes.

    They are sorted by a keyed hash of what they publish, ties by a keyed hash of the whole input
    row (KEYS). Where rows are merged, `stands_for[row]` is the row that is published for it.
    Columns in `hidden` show only numbers of buckets or classes, which are not content; columns in
    `shown` show symbols. Where sensitive values are `linked_by_number` only, rows with the same
    input do not stand together. The hashes are put in order only where they are called for: most
    runs need none.
    """
    whole, published = lots.merged(stands_for).inputs, row_class >= 0
    if stands_for is not None:
        published &= stands_for == np.arange(len(stands_for))
    kept = np.flatnonzero(published)
    content = _content_sums(table, frame, labels, row_class, kept, hidden, shown or {})
    content = _sealed(content, lots.key)
    own = whole[kept]
    if linked_by_number:
        own = _tell_apart(own)
    hashes = (content, _sealed(own, lots.key))
    order = sort_keys(*hashes)

    def keys() -> pl.DataFrame:
        return pl.DataFrame({key: own[order] for key, own in zip(KEYS, hashes, strict=True)})

    return kept[order], keys


def sort_keys(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The rows by two hashes; equal ones keep their order.

    Equal rows change places as one: whichever comes first is first in every stage. Hashes are even
    in their bits, so a few of these put nearly all rows in their places.

    >>> sort_keys(np.array([2, 1, 2], np.uint64), np.array([5, 9, 4], np.uint64)).tolist()
    [1, 2, 0]
    """
    from shoal.kernels.order import LONGEST, settle_rows, spread_rows

    n, bits = len(first), max(len(first).bit_length() - 13, 1)
    first, second = (_fixed(key) for key in (first, second))
    starts = np.empty((1 << bits) + 1, dtype=np.int64)
    keys, rows = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int32)
    spread_rows(first, bits, starts, keys, rows)
    out_keys, order, step = np.empty_like(keys), np.empty_like(rows), max((1 << bits) // 16, 1)

    def settle(begin: int) -> None:
        end = min(begin + step, 1 << bits)
        found = np.empty((int(starts[end] - starts[begin]) // LONGEST, 2), dtype=np.int64)
        n_long = settle_rows(keys, rows, second, bits, starts, begin, end, out_keys, order, found)
        for start, stop in found[:n_long].tolist():
            # By number first, so that the stable sort leaves equal rows in their order.
            run = np.sort(order[start:stop])
            order[start:stop] = run[np.lexsort((second[run], first[run]))]

    side_by_side(settle, range(0, 1 << bits, step), n)
    return order.astype(np.int64)


def _tell_apart(sums: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other sums for all but the first of equal ones, in their order.

    >>> _tell_apart(np.array([7, 5, 7], np.uint64)).tolist()[:2]
    [7, 5]
    """
    # Rows of the same input have the same secrets. Next to each other, in the buckets {A, B} and
    # {A, C}, they could only be the two with A.
    order = np.argsort(sums, kind="stable")
    ordered = sums[order]
    n_each = np.diff(np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)), prepend=-1)
    n_before = np.arange(len(sums)) - np.repeat(np.cumsum(n_each) - n_each, n_each)
    out = np.empty_like(sums)
    out[order] = ordered + n_before.astype(np.uint64) * _APART
    return out


def hash_columns(frame: pl.DataFrame, names: Sequence[str]) -> NDArray[np.uint64]:
    """For every row a hash of its cells in these columns, the same in every run."""
    sums = np.zeros(frame.height, dtype=np.uint64)
    for name in names:
        sums += hash_cells(frame[name], name)
    return sums


def hash_cells(series: pl.Series, name: str) -> NDArray[np.uint64]:
    """The hashes of the cells of a column, of which that of an input row is the sum."""
    # With the name of the column in the key: else a row in which two columns exchange their cells
    # would add up to the same hash.
    return _hash_texts(series.cast(pl.String), _key(f"column\n{name}"))


def sum_digest(sums: NDArray[np.uint64]) -> tuple[int, int, int]:
    """What the digest of all rows is made of, of some of them: these add up."""
    # Sums do not depend on the order of rows; sealed first, or cells could trade places between
    # rows unnoticed.
    halves = (_sealed(sums, _key(f"digest {half}")).sum(dtype=np.uint64) for half in (1, 2))
    first, second = (int(half) for half in halves)
    return len(sums), first, second


def add_digests(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    """The digest of the rows of both, the same however the rows were divided between the two.

    >>> add_digests((1, 2**64 - 1, 5), (1, 2, 6))
    (2, 1, 11)
    """
    return one[0] + other[0], (one[1] + other[1]) % 2**64, (one[2] + other[2]) % 2**64


def digest_text(n_rows: int, first: int, second: int) -> str:
    """The order-free digest of a multiset of rows: two sums of hashes under fixed keys."""
    return f"{n_rows}-{first:016x}{second:016x}"


def _key(text: str) -> tuple[np.uint64, np.uint64]:
    raw = hashlib.sha256(text.encode()).digest()
    return np.uint64(int.from_bytes(raw[:8], "little")), np.uint64(
        int.from_bytes(raw[8:16], "little")
    )


def _hash_texts(series: pl.Series, key: tuple[np.uint64, np.uint64]) -> NDArray[np.uint64]:
    """SipHash of every text; a missing one counts as empty text under the other half of the key."""
    from shoal.kernels.hash import hash_texts

    out = np.empty(len(series), dtype=np.uint64)
    for start in range(0, len(series), _BATCH):
        part = series[start : start + _BATCH]
        array = part.fill_null("").to_arrow()
        _, offsets, data = array.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(part) + 1]
        raw = np.frombuffer(b"\0" if data is None or not data.size else data, dtype=np.uint8)
        hash_texts(bounds, raw, key[0], key[1], out[start : start + _BATCH])
    # Missing must not hash like the empty text.
    missing = series.is_null().to_numpy()
    out[missing] = key[1]
    return out


def _add_column(
    texts: Sequence[str | None], codes: NDArray[Any], name: str, out: NDArray[np.uint64]
) -> None:
    """Add a dictionary-coded column to the sums of its rows."""
    hashes = hash_cells(pl.Series(texts, dtype=pl.String), name)
    for start in range(0, len(codes), _BATCH):
        out[start : start + _BATCH] += hashes[codes[start : start + _BATCH]]


def _input_sums(table: Table, frame: pl.DataFrame) -> NDArray[np.uint64]:
    """For every input row the sum of the hashes of all its cells."""
    sums = np.zeros(frame.height, dtype=np.uint64)
    for name in frame.columns:
        column = table.columns.get(name)
        if column is not None:
            _add_column(column.domain.texts, column.codes, name, sums)
        else:
            sums += hash_cells(frame[name], name)
    return sums


def _content_sums(
    table: Table,
    frame: pl.DataFrame,
    labels: Sequence[Generalised],
    row_class: NDArray[np.int32],
    kept: NDArray[np.int64],
    hidden: Collection[str],
    shown: Mapping[str, ShownColumn],
) -> NDArray[np.uint64]:
    """The same over what each kept row publishes."""
    classes = np.zeros(int(row_class.max(initial=-1)) + 1, dtype=np.uint64)
    for label in labels:
        _add_column(label.texts, label.of_class, label.domain.attribute.name, classes)
    sums = classes[row_class[kept]]
    quasi = {label.domain.attribute.name for label in labels}
    for attribute in table.schema.published:
        if attribute.name in quasi or attribute.name in hidden:
            continue
        column = table.columns.get(attribute.name)
        if attribute.name in shown:
            cells = shown[attribute.name]
            _add_column(cells.texts, cells.symbol[kept], attribute.name, sums)
        elif column is not None:
            _add_column(column.domain.texts, column.codes[kept], attribute.name, sums)
        else:
            # As it is published, so that it does not matter which of a person's equal rows it is.
            texts = frame[attribute.name].gather(kept).cast(pl.String)
            sums += hash_cells(without_missing(texts, attribute.missing), attribute.name)
    return sums


def _sealed(sums: NDArray[np.uint64], key: tuple[np.uint64, np.uint64]) -> NDArray[np.uint64]:
    """SipHash of every sum, under a key that nobody outside can guess."""
    from shoal.kernels.hash import hash_words

    out = np.empty_like(sums)
    hash_words(_fixed(sums), key[0], key[1], out)
    return out


def _fixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The same array, which cannot be written to, as those of frames: it is compiled for once."""
    fixed = hashes.view()
    fixed.flags.writeable = False
    return fixed
