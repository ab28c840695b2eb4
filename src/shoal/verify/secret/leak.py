"""What published symbols reveal of the values behind them (QI-MHSA).

post(v|g) is the share of value v among the cells published as g, over the whole release. The risk
of a cell is its symbol's largest share; the risk of a person the largest mean share over the rows
of the person's class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.reading.encoding import Codes, Flags, Floats, Integers, dense_codes, find_starts

# Pairs of a profile and a value that are summed at once: bounds the memory of one step.
_CHUNK = 1 << 20

# The distinct combinations: symbol, value, whether flagged, and how many cells they are.
Combos = tuple[Integers, Integers, Flags, Integers]


@dataclass(frozen=True)
class Leak:
    """The worst and the mean risk of flagged cells (0 where there are none) and of people."""

    cell_worst: float
    cell_mean: float
    person_worst: float
    person_mean: float


@dataclass(frozen=True)
class Exposure:
    """Per symbol its cells, those of its commonest value and its flagged ones; per class the risk.

    `symbol_of_row` numbers the symbols that occur. `person` is the risk of a class's people, and
    `sizes` are its rows.
    """

    symbol_of_row: Codes
    total: Integers
    commonest: Integers
    n_flagged: Integers
    person: Floats
    sizes: Integers

    @cached_property
    def leak(self) -> Leak:
        """Worst and mean of both risks."""
        risk = self.commonest / self.total
        n_flagged, n_rows = int(self.n_flagged.sum()), int(self.sizes.sum())
        return Leak(
            float(risk[self.n_flagged > 0].max(initial=0.0)),
            float(risk @ self.n_flagged) / n_flagged if n_flagged else 0.0,
            float(self.person.max(initial=0.0)),
            float(self.person @ self.sizes) / n_rows if n_rows else 0.0,
        )


@dataclass(frozen=True)
class _Shares:
    """post(v|g) of every symbol, in runs: those of symbol g begin at `starts[g]`."""

    values: Integers
    shares: Floats
    starts: Integers
    lengths: Integers


def expose(symbols: Codes, values: Codes, classes: Codes, combos: Combos) -> Exposure:
    """Count what every symbol hides, and what each class's symbols reveal together."""
    of_row, known = dense_codes(symbols.astype(np.int64))
    label, value, flagged, counts = combos
    symbol = np.searchsorted(known, label)
    n_values = int(value.max(initial=0)) + 1
    # Combinations also differ in flags, but post(v|g) is over all cells that show g.
    keys, cells = _add_up(symbol * n_values + value, counts)
    starts = find_starts(keys // n_values)
    total = np.bincount(symbol, counts, len(known)).astype(np.int64)
    n_flagged = np.bincount(symbol[flagged], counts[flagged], len(known)).astype(np.int64)
    commonest = np.maximum.reduceat(cells, starts) if len(cells) else cells
    lengths = np.diff(starts, append=len(keys))
    shares = _Shares(keys % n_values, cells / np.repeat(total, lengths), starts, lengths)
    sizes = np.bincount(classes)
    person = _risks_of_people(of_row, values, classes, sizes, shares, n_values)
    return Exposure(of_row, total, commonest, n_flagged, person, sizes)


def _add_up(keys: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """The distinct keys in order, and the sum of their counts."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = find_starts(keys)
    sums = np.add.reduceat(counts[order], starts) if len(starts) else counts
    return keys[starts], sums


def _count(keys: Integers) -> tuple[Integers, Integers]:
    keys = np.sort(keys)
    starts = find_starts(keys)
    return keys[starts], np.diff(starts, append=len(keys))


def _risks_of_people(
    symbols: Codes,
    values: Codes,
    classes: Codes,
    sizes: Integers,
    shares: _Shares,
    n_values: int,
) -> Floats:
    """Per class the largest mean share.

    A symbol of one value counts only for that value. Classes that have all other symbols equally
    often are one profile, which is summed once.
    """
    if not len(symbols):
        return np.zeros(0)
    # The cells of a symbol of one value have a share of 1 of it, and need no sum over values.
    mixed = shares.lengths[symbols] > 1
    n_symbols = len(shares.starts)
    pairs, times = _count(classes[mixed].astype(np.int64) * n_symbols + symbols[mixed])
    owners, held = pairs // n_symbols, pairs % n_symbols
    profiles, samples = _profiles(sizes, owners, held, times)
    alone, n_alone = _count(classes[~mixed].astype(np.int64) * n_values + values[~mixed])
    of_alone = alone // n_values
    order = np.argsort(profiles[of_alone], kind="stable")
    alone, n_alone, of_alone = alone[order], n_alone[order], of_alone[order]
    begin = np.searchsorted(owners, samples)
    end = np.searchsorted(owners, samples, side="right")
    risks = np.zeros(len(sizes))
    most = np.empty(len(samples))
    step = max(1, _CHUNK // n_values)
    for first in range(0, len(samples), step):
        last = min(first + step, len(samples))
        part = _ranges(begin[first:last], end[first:last] - begin[first:last])
        of_part = np.repeat(np.arange(last - first), end[first:last] - begin[first:last])
        weights = times[part] / sizes[owners[part]]
        means = _mean_shares(of_part, held[part], weights, shares, (last - first, n_values))
        most[first:last] = means.max(axis=1)
        inside = slice(*np.searchsorted(profiles[of_alone], [first, last]))
        who = of_alone[inside]
        own = n_alone[inside] / sizes[who] + means[profiles[who] - first, alone[inside] % n_values]
        np.maximum.at(risks, who, own)
    # The value most often shared may be one that nobody in the class shows by itself.
    return np.maximum(risks, most[profiles])


def _ranges(starts: Integers, lengths: Integers) -> Integers:
    """The numbers from each start on, as many as its length, one run after the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 1])).tolist()
    [5, 6, 0]
    """
    before = np.cumsum(lengths) - lengths
    found: Integers = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return found


def _mean_shares(
    of_profile: Integers,
    symbols: Integers,
    weights: Floats,
    shares: _Shares,
    shape: tuple[int, int],
) -> NDArray[np.float64]:
    """Per profile and value the sum of the symbols' shares, weighted."""
    lengths = shares.lengths[symbols]
    entries = _ranges(shares.starts[symbols], lengths)
    places = np.repeat(of_profile, lengths) * shape[1] + shares.values[entries]
    parts = np.repeat(weights, lengths) * shares.shares[entries]
    summed: Floats = np.bincount(places, parts, shape[0] * shape[1]).astype(np.float64)
    return summed.reshape(shape)


def _profiles(
    sizes: Integers, owners: Integers, symbols: Integers, times: Integers
) -> tuple[Integers, Integers]:
    """Classes alike in size and in how often they have each symbol: their profile, and one of each.

    Entries are sorted by owner and symbol. Exact, as no hash is: the code takes in one entry after
    the other, and is a new one with each, so classes of fewer entries stay apart.
    """
    n_entries = np.bincount(owners, minlength=len(sizes))
    starts = np.searchsorted(owners, np.arange(len(sizes)))
    key = symbols * (int(times.max(initial=0)) + 1) + times
    keys = dense_codes(key)[0].astype(np.int64)
    n_keys = int(keys.max(initial=0)) + 1
    # Weights are counts over sizes: only classes of one size have equal ones.
    codes = dense_codes(sizes)[0].astype(np.int64)
    n_codes = int(codes.max(initial=0)) + 1
    for nth in range(int(n_entries.max(initial=0))):
        longer = np.flatnonzero(n_entries > nth)
        entry = keys[starts[longer] + nth]
        joined, distinct = dense_codes(codes[longer] * n_keys + entry)
        codes[longer] = n_codes + joined
        n_codes += len(distinct)
    dense, found = dense_codes(codes)
    samples = np.empty(len(found), dtype=np.int64)
    samples[dense] = np.arange(len(dense))
    return dense.astype(np.int64), samples
