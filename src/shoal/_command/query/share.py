"""What part of a published cell satisfies a condition: Pro_t(A) of LGB's section 4.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from shoal._command.query.folder import AttributeView
from shoal.reading.encoding import Codes, Flags, Floats


class Shares(NamedTuple):
    """The share of each of several cells; lower and upper differ where the files leave it open.

    `surely` marks cells that satisfy whatever stands behind them, `maybe` those that can.
    """

    lower: Floats
    estimate: Floats
    upper: Floats
    surely: Flags
    maybe: Flags

    @classmethod
    def exact(cls, share: Floats) -> Self:
        """Shares of cells all of whose values are known."""
        return cls(share, share.copy(), share.copy(), share == 1, share > 0)

    def take(self, places: np.ndarray) -> Shares:
        """The shares at these places."""
        # Narrow integers would be widened again for each of the parts.
        places = np.asarray(places, dtype=np.intp)
        return Shares(*(part[places] for part in self))

    def then(self, other: Shares) -> Shares:
        """These cells, and behind them others."""
        return Shares(*(np.append(a, b) for a, b in zip(self, other, strict=True)))

    def __and__(self, other: Shares) -> Shares:
        """Both conditions at once, taken as independent: Pro(t) is a product."""
        return Shares(*map(np.multiply, self, other))


@dataclass(frozen=True, eq=False)
class Weighed:
    """One attribute under its conditions.

    `labels` are the shares of its distinct labels, the empty cell last; `buckets` those of its
    buckets. `hidden` marks labels that show nothing, `unknown` those that only a plan explains.
    """

    labels: Shares
    buckets: Floats
    hidden: Flags
    unknown: Flags

    def rows(self, view: AttributeView) -> Shares:
        """The share of every row: of its bucket, else of its label."""
        return self.labels.then(Shares.exact(self.buckets)).take(view.cells)


class Amounts(NamedTuple):
    """The least, the mean and the greatest matching number behind each of several cells."""

    least: Floats
    mean: Floats
    greatest: Floats


@dataclass(frozen=True, eq=False)
class WeighedNumbers(Weighed):
    """A numeric attribute, or one of dates, under its conditions.

    `loose` marks labels whose numbers are guessed. `amounts` are the matching numbers behind each
    label, which are integers if the release shows no others; `sure_amounts` are those whatever the
    numbers are. `values` are those of the buckets `owners`, bucket by bucket and the smallest
    first, and `matches` says which of them satisfy the conditions.
    """

    loose: Flags
    amounts: Amounts
    sure_amounts: Amounts
    owners: Codes
    values: Floats
    matches: Flags


def bucket_shares(owners: Codes, matches: Flags) -> Floats:
    """The share of every bucket's values that satisfies the conditions.

    >>> bucket_shares(np.array([0, 0, 1]), np.array([True, False, False])).tolist()
    [0.5, 0.0]
    """
    return np.bincount(owners, weights=matches) / np.bincount(owners)
