"""What does the shape of a sensitive cell say? Flags that show through symbols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Target
from shoal.attack.posterior import ratio
from shoal.attack.value import ValueShares, infer, of_units, spread
from shoal.reading.encoding import Flags, Floats, encode_text
from shoal.schema import Attribute
from shoal.schema.wording import percent
from shoal.verify.text.join import Axis, label_axis

_ROUNDS, _MOST = 200, 2_000_000


class Flag(Attack):
    """Flags: what does the shape of a sensitive cell say about its value?

    A person's flag decides how openly their value is shown, so a cell that is shown less openly
    must be one of the flagged ones. The adversary knows how common every value is, and sees how
    often each symbol is in the table: what is shown openly is not behind a symbol. Values are
    spread over the symbols that cover them until both totals agree, which gives the chance of a
    value behind a symbol; for a person whose quasi-identifiers are known, it is the mean over the
    rows that fit. The baseline is the commonest value, the control the same guess for made-up
    people. The bound 1/l counts values behind the symbols, not what their shape says: only
    `conceal` promises it.
    """

    name: ClassVar[str] = "flag"
    cite: ClassVar[papers.Citations] = (papers.cite("mhsa", "Definitions 7 to 9"),)
    case: ClassVar[str] = (
        "Flu and pox are shown, and only HIV is flagged high: a cell that shows `*` is HIV for "
        "certain. If everybody’s cell is `*`, the star says nothing."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        for attribute in target.schema.sensitive:
            name = attribute.name
            there = name in target.cells.columns and name in target.known.columns
            if name in target.symbols and there:
                yield from self._guess(target, attribute)

    def _guess(self, target: Target, attribute: Attribute) -> Iterator[Gain]:
        labels = encode_text(target.cells[attribute.name])
        axis = label_axis(labels, target.known[attribute.name], attribute)
        if axis.n_values * len(axis.low) > _MOST:
            return
        covered, totals = covering(axis), np.bincount(axis.values, minlength=axis.n_values)
        n_shown = np.bincount(axis.labels, minlength=len(axis.low))
        behind = spread_values(covered, totals.astype(float), n_shown.astype(float))
        shown = of_units(target, axis.labels, len(axis.low)) @ csr_array(behind)
        own = spread(target.who, axis.values, axis.n_values)
        values = ValueShares(own, shown.tocsr(), totals.astype(float))
        found, _ = infer(self.name, attribute.name, target, values)
        coarse = (n_shown > 0) & (covered.sum(axis=1) > 1)
        worst = float(behind[coarse].max(initial=0.0))
        note = f"a cell that is shown less openly gives its value away with up to {percent(worst)}"
        least = target.least("l-diversity", "l", attribute.name)
        limit = None if least is None else 1 / least
        yield replace(found, bound=limit, beside=limit is not None, note=note)


def covering(axis: Axis) -> Flags:
    """Per label and value whether the one covers the other."""
    labels, values = np.indices((len(axis.low), axis.n_values), dtype=np.int32)
    return axis.covers(values.ravel(), labels.ravel()).reshape(labels.shape)


def spread_values(covered: Flags, n_known: Floats, n_shown: Floats) -> Floats:
    """The chance of every value behind every label, by the totals of both (iterative proportions).

    Of a, a and b one a is shown, and twice a star: behind it are an a and the b.

    >>> covered = np.array([[True, False], [True, True]])
    >>> spread_values(covered, np.array([2.0, 1.0]), np.array([1.0, 2.0]))
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    wanted = n_known * (n_shown.sum() / max(float(n_known.sum()), 1.0))
    # What is shown in the open is there for certain, and only the rest behind symbols.
    alone = covered.sum(axis=1) == 1
    wanted = np.maximum(wanted - n_shown[alone] @ covered[alone], 0.0)
    n_hidden = np.where(alone, 0.0, n_shown)
    cells: Floats = np.where(alone[:, None], 0.0, covered * wanted)
    for _ in range(_ROUNDS):
        before = cells
        cells = cells * ratio(n_hidden, cells.sum(axis=1))[:, None]
        cells = cells * ratio(wanted, cells.sum(axis=0))
        if np.abs(cells - before).max(initial=0.0) < 1e-9:
            break
    cells = np.where(alone[:, None], covered, cells)
    chances: Floats = cells * ratio(np.ones(len(n_shown)), cells.sum(axis=1))[:, None]
    return chances
