"""The handful of columns that are quasi-identifiers by default.

Others may know much of a person, but each quasi-identifier makes all of them coarser. So a few are
chosen by how likely others know them, times how much more each tells people apart (the root of the
bits that it adds to those before it); the rest is left out until somebody decides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.init.entry import Entry
from shoal._command.init.nature import Nature
from shoal._command.init.profile import Profile
from shoal.schema import Kind, Role

# A choice, not a finding.
MOST = 6
# Unclear columns are taken only where fewer are clear.
_FEWEST = 2
_CONSIDERED = 40
_ROWS = 20_000
# The least share of rows in which a column is known.
_LEAST = 0.2
# What is published is coarse: this many groups, unless there are few values anyway.
_GROUPS = 8
_VALUES = 15
# Bits; a column that adds less to the others follows from them, or nearly so.
_LITTLE = 0.1


def choose_handful(
    profile: Profile, entries: Sequence[Entry], wanted: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """The quasi-identifiers to publish by default, the most telling first.

    Those that are `wanted` are taken in any case. Also says which columns follow from a chosen
    one, as an age group from an age, and from which.
    """
    codes = _Codes(profile)
    first = [one for one in entries if one.name in wanted]
    clear = [one for one in entries if one.role is Role.QUASI and one not in first]
    chosen = _Chosen(codes)
    # What is wanted is taken even if it adds nothing.
    chosen.take(_likely(first), len(first), least=-1.0)
    chosen.take(_likely(clear), MOST)
    if len(chosen.names) < _FEWEST:
        unclear = [o for o in entries if o.instead is Role.QUASI and not o.nature.is_clear]
        chosen.take(_likely(unclear), _FEWEST + 1)
    names = chosen.names or [one.name for one in [*first, *clear][:1]]
    return names, chosen.follows


def _likely(entries: Sequence[Entry]) -> list[Entry]:
    """The columns that may be chosen: the best by themselves, since each is compared."""
    found = [one for one in entries if one.column.n_distinct > 1 and one.column.known >= _LEAST]
    # By the bits themselves, an industry code with 20 values came before sex and race.
    return sorted(found, key=lambda one: -one.nature.known * one.column.entropy**0.5)[:_CONSIDERED]


class _Chosen:
    """The columns that are chosen, one after the other, and what they tell apart together."""

    def __init__(self, codes: _Codes) -> None:
        self.names: list[str] = []
        self.follows: dict[str, str] = {}
        self._codes = codes
        self._together = np.zeros(codes.n_rows, dtype=np.int64)
        self._entropy = 0.0
        self._natures: list[Nature] = []

    def take(self, candidates: Sequence[Entry], most: int, least: float = _LITTLE) -> None:
        """Take the best by knowledge times gain until there are this many."""
        rest = list(candidates)
        while rest and len(self.names) < most:
            joined = [_join(self._together, self._codes.of(one)) for one in rest]
            gains = [_entropy(keys) - self._entropy for keys in joined]
            worth = [i for i, gain in enumerate(gains) if gain >= least]
            if not worth:
                break
            best = max(worth, key=lambda i: self._likely(rest[i]) * max(gains[i], 0.0) ** 0.5)
            name = rest[best].name
            source = self._source(name) if least > 0 else ""
            if source:
                self.follows[name] = source
            else:
                self.names.append(name)
                self._natures.append(_alike(rest[best].nature))
                self._together = joined[best]
                self._entropy += gains[best]
            # What adds little to these columns adds no more to these and another.
            rest = [rest[i] for i in worth if i != best]

    def _likely(self, one: Entry) -> float:
        """How likely others know it; of several places, one is enough to know somebody."""
        return one.nature.known / (1 + self._natures.count(_alike(one.nature)))

    def _source(self, name: str) -> str:
        """A chosen column whose value determines that of this one."""
        return next((one for one in self.names if self._codes.determines(one, name)), "")


def _alike(nature: Nature) -> Nature:
    return {Nature.POSTAL: Nature.PLACE, Nature.BIRTH: Nature.AGE}.get(nature, nature)


class _Codes:
    """Coarse codes of columns; of a large table only every n-th row is coded."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._every = max(1, profile.n_rows // _ROWS)
        self._found: dict[str, NDArray[np.int64]] = {}
        self.n_rows = len(range(0, profile.n_rows, self._every))

    def of(self, one: Entry) -> NDArray[np.int64]:
        if one.name not in self._found:
            self._found[one.name] = self._code(one)
        return self._found[one.name]

    def determines(self, name: str, other: str) -> bool:
        """Whether rows with the same value in one column have the same in another."""
        frame = self._profile.frame
        pair = [frame.get_column(n).gather_every(self._every) for n in (name, other)]
        n_values = pair[0].n_unique()
        if n_values > 0.2 * self.n_rows:  # few rows a value prove nothing
            return False
        return pl.DataFrame(pair).hash_rows().n_unique() == n_values

    def _code(self, one: Entry) -> NDArray[np.int64]:
        series = self._profile.frame.get_column(one.name).gather_every(self._every)
        if series.dtype == pl.String:
            series = series.str.strip_chars()
        if one.column.kind is Kind.NUMERIC and series.dtype == pl.String:
            series = series.cast(pl.Float64, strict=False)
        if one.column.n_distinct <= _VALUES:
            return np.asarray(series.rank("dense").fill_null(0).to_numpy(), dtype=np.int64)
        # Codes with the same beginning, and dates as they are written, are neighbours as texts.
        rank = series.rank("average").fill_null(0).to_numpy()
        return np.asarray(rank * _GROUPS / (len(rank) + 1), dtype=np.int64)


def _join(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for each pair, without gaps."""
    pairs = first * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1], dtype=np.int64)


def _entropy(keys: NDArray[np.int64]) -> float:
    share = np.bincount(keys) / max(len(keys), 1)
    share = share[share > 0]
    return float(-(share * np.log2(share)).sum())
