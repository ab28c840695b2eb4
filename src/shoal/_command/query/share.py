"""What part of a published cell satisfies a condition: Pro_t(A) of LGB's section 4.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal._command.query.condition import Flags, Floats
from shoal._command.query.folder import Shown
from shoal.reading.encoding import Codes


@dataclass(frozen=True, eq=False)
class Shares:
    """The share of each of several cells; lower and upper differ where the files do not tell.

    `surely` marks cells that satisfy whatever stands behind them, `maybe` those that can.
    """

    lower: Floats
    estimate: Floats
    upper: Floats
    surely: Flags
    maybe: Flags

    @staticmethod
    def exact(share: Floats) -> Shares:
        """Shares of cells all of whose values are known."""
        return Shares(share, share, share, share == 1, share > 0)

    @staticmethod
    def all_of(n: int) -> Shares:
        """Nothing is asked, so that every cell satisfies it."""
        return Shares.exact(np.ones(n))

    def take(self, places: np.ndarray) -> Shares:
        """The shares at these places."""
        parts = (self.lower, self.estimate, self.upper, self.surely, self.maybe)
        return Shares(*(part[places] for part in parts))

    def then(self, other: Shares) -> Shares:
        """These cells, and behind them others."""
        mine = (self.lower, self.estimate, self.upper, self.surely, self.maybe)
        others = (other.lower, other.estimate, other.upper, other.surely, other.maybe)
        return Shares(*(np.append(a, b) for a, b in zip(mine, others, strict=True)))

    def __and__(self, other: Shares) -> Shares:
        """Both conditions at once, taken as independent: Pro(t) is a product."""
        return Shares(
            self.lower * other.lower,
            self.estimate * other.estimate,
            self.upper * other.upper,
            self.surely & other.surely,
            self.maybe & other.maybe,
        )


@dataclass(frozen=True, eq=False)
class Amounts:
    """The least, the mean and the greatest wanted number behind each of several cells."""

    least: Floats
    mean: Floats
    greatest: Floats


@dataclass(frozen=True, eq=False)
class Bucketed:
    """Numbers in buckets: bucket by bucket, the smallest first, and which of them are wanted."""

    owners: Codes
    numbers: Floats
    wanted: Flags


@dataclass(frozen=True, eq=False)
class Weighed:
    """One attribute under its conditions.

    `labels` are the shares of its distinct labels, the empty cell last; `buckets` those of its
    buckets. `hidden` marks labels that show nothing, `unknown` those that only a plan explains;
    `loose` those among them whose numbers are guessed.
    """

    labels: Shares
    buckets: Floats
    hidden: Flags
    unknown: Flags
    loose: Flags | None = None
    amounts: Amounts | None = None
    bucketed: Bucketed | None = None

    def rows(self, shown: Shown) -> Shares:
        """The share of every row: of its bucket, else of its label."""
        return self.labels.then(Shares.exact(self.buckets)).take(shown.cells)

    def count(self, shown: Shown, which: Flags) -> int:
        """How many rows have one of these labels."""
        return int(shown.counts[which].sum())


def bucket_shares(owners: Codes, wanted: Flags) -> Floats:
    """The share of every bucket's values that is wanted.

    >>> bucket_shares(np.array([0, 0, 1]), np.array([True, False, False])).tolist()
    [0.5, 0.0]
    """
    return np.bincount(owners, weights=wanted) / np.bincount(owners)
