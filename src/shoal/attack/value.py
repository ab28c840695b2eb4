"""Which values published rows show, and which ones people have: the ground of every guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal.attack.base import Gain, Rate, gain
from shoal.attack.posterior import Guess, ValueWeights, guess_among
from shoal.attack.target import MADE_UP, Crowd, Target
from shoal.reading.encoding import Codes, Floats, combine_codes, encode_text
from shoal.schema import Attribute
from shoal.verify.text.assignment import same_codes


@dataclass(frozen=True, eq=False)
class ValueShares:
    """Shares of values: of every known person, of every published unit, and of the whole release.

    A person or unit with several records has several values, whose shares sum to 1. In a release of
    two tables a unit shows all values of its class.
    """

    own: csr_array
    shown: csr_array
    totals: Floats


def values_of(target: Target, attributes: Sequence[Attribute]) -> ValueShares:
    """The values of an attribute, or those of several together."""
    cells, n_own = target.cells, target.known.height
    coded = [same_codes(target.known[a.name], cells[a.name], a) for a in attributes]
    both, n = combine_codes(
        [(np.append(left, right), size) for left, right, size in coded], n_own + cells.height
    )
    return ValueShares(
        spread(target.who, both[:n_own], n),
        of_units(target, both[n_own:], n),
        np.bincount(both[n_own:], minlength=n) / max(cells.height, 1),
    )


def of_units(target: Target, shown: Codes, n: int) -> csr_array:
    """The shares of values that every published unit shows; `shown` are those of its cells."""
    if target.second is None:
        return spread(target.owners, shown, n)
    gids = pl.concat([t["GID"].cast(pl.String) for t in (target.data, target.second)])
    classes = encode_text(gids).codes
    by_class = spread(classes[target.data.height :], shown, n, int(classes.max(initial=-1)) + 1)
    first = np.unique(target.owners, return_index=True)[1]
    return by_class[classes[: target.data.height][first]]


def spread(owners: Codes, values: Codes, n: int, n_owners: int = 0) -> csr_array:
    """The shares of values among the records of every owner.

    >>> spread(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).toarray().tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    size = np.bincount(owners, minlength=n_owners)
    return csr_array((1 / size[owners], (owners, values)), shape=(len(size), n))


def weigh(crowd: Crowd, shown: csr_array) -> ValueWeights:
    """Per person the sum of shares over all units that can be theirs."""
    n_units = len(crowd.of_unit)
    of_kind = csr_array(
        (np.ones(n_units), (crowd.of_unit, np.arange(n_units))),
        shape=(crowd.fits.shape[1], n_units),
    )
    return ValueWeights(crowd.of_person, crowd.fits, (of_kind @ shown).tocsr())


def infer(attack: str, about: str, target: Target, values: ValueShares) -> tuple[Gain, Guess]:
    """Guess everybody's likeliest value from the units that can be theirs; also of the made-up."""
    crowd, n = target.crowd, values.own.shape[0]
    found = guess_among(weigh(crowd, values.shown), values.own)
    others, rows = target.made_up
    believed = guess_among(weigh(others, values.shown), values.own[target.who[rows]])
    common = int(values.totals.argmax()) if len(values.totals) else 0
    reached = gain(
        attack,
        about,
        found.posterior,
        Rate.of(float(found.right.sum()), n),
        Rate.of(float(values.own[:, [common]].sum()) if n else 0.0, n),
        Rate.of(float(believed.right.sum()), len(rows)),
        crowd.rows,
    )
    return replace(reached, strangers=MADE_UP), found
