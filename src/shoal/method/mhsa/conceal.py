"""Conceal what flags give away: no reader of the symbols is surer of a value than 1/l (QI-MHSA).

The paper does not consider that a flag is a clue: if only three values are flagged high, `*` says
that it is one of three. Here cells are lifted and classes merged until neither a flagged cell nor a
person is at more than 1/l (see `leak`). A lifted cell never comes down and classes only merge, so
it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError, Problem
from shoal.method.merge import Merging
from shoal.method.mhsa.leak import Posterior
from shoal.method.mhsa.symbol import Sensitive, ShownColumn, SymbolLevels
from shoal.method.omission import rank_within
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition

Draw = Callable[[str], NDArray[np.uint64]]


@dataclass
class _Work:
    """What is concealed, so far: the level that each cell has at the least, and the classes."""

    table: Table
    attributes: Mapping[str, Sensitive]
    l: Mapping[str, int]  # noqa: E741
    merging: Merging
    published: NDArray[np.bool_]
    lifted: dict[str, SymbolLevels] = field(default_factory=dict)

    @property
    def row_class(self) -> NDArray[np.int32]:
        classes = self.merging.unit_class()[self.table.unit_of_row()]
        return np.where(self.published, classes, SUPPRESSED).astype(np.int32)

    def cells(self, name: str) -> ShownColumn:
        return self.attributes[name].cells(self.row_class, self.lifted[name])


def conceal(
    table: Table,
    partition: Partition,
    requirements: Requirements,
    attributes: Mapping[str, Sensitive],
    l: Mapping[str, int],  # noqa: E741
    draw: Draw,
    published: NDArray[np.bool_] | None = None,
) -> tuple[Partition, dict[str, SymbolLevels]]:
    """Classes, and levels of cells, at which every risk is at most 1/l.

    `l` names the attributes that must be concealed. In turn, until a whole round changes nothing:
    (1) where the cells of a symbol below the root break it, its flagged cells go one level up; (2)
    where the root breaks it, further cells go there, those first for which `draw` has the least
    number, high flags before low ones, no value more often than the commonest; (3) a class whose
    people are above takes in its nearest. Raises InfeasibleError with the largest l that can be
    achieved.
    """
    everyone = np.ones(table.n_rows, dtype=np.bool_)
    work = _Work(
        table,
        {name: attributes[name] for name in l},
        l,
        Merging(table, requirements, partition),
        everyone if published is None else published,
        {name: np.zeros(table.n_rows, dtype=np.int16) for name in l},
    )
    order = {name: np.argsort(draw(name), kind="stable") for name in l}
    while True:
        # Round after round, since (2) may unbalance a node that passed (1), and (3) gives numbers
        # other symbols.
        before = (work.merging.n_classes, {n: levels.copy() for n, levels in work.lifted.items()})
        for name in l:
            _raise_nodes(work, name)
        for name in l:
            _fill_root(work, name, order[name])
        _merge_risky(work)
        lifted = all((work.lifted[n] == before[1][n]).all() for n in l)
        if lifted and work.merging.n_classes == before[0]:
            return work.merging.finished(), work.lifted


def _raise_nodes(work: _Work, name: str) -> None:
    """Step (1): from below, flagged cells of a symbol that breaks 1/l go one level up."""
    one, row_class = work.attributes[name], work.row_class
    top, root = one.tree.top, one.tree.root
    for level in range(top):
        cells = one.cells(row_class, work.lifted[name])
        posterior = Posterior.of(one, cells)
        breaks = posterior.most * work.l[name] > posterior.total
        at = one.levels(row_class, work.lifted[name])
        # The root is left to step (2). Cells without a flag are shown as their owners wish.
        up = (one.flags > 0) & (cells.symbol >= 0) & (at == level) & (cells.symbol != root)
        up &= breaks[cells.symbol]
        target = top if one.how == "one-sided" else level + 1
        work.lifted[name][up] = np.maximum(work.lifted[name][up], target)


def _fill_root(work: _Work, name: str, order: NDArray[np.int64]) -> None:
    """Step (2): further cells go to the root until its commonest value is one in l of them."""
    one, cells = work.attributes[name], work.cells(name)
    codes, l = one.column.codes, work.l[name]  # noqa: E741
    at_root = cells.symbol == one.tree.root
    if not (at_root & (one.flags > 0)).any():
        return
    held = np.bincount(codes[at_root], minlength=len(one.column.domain))
    most = int(held.max())
    wanted = l * most - int(held.sum())
    if wanted <= 0:
        return
    # Drawn from the whole table: lifting by class or shard would make symbols that reveal it.
    outside = order[(cells.symbol[order] >= 0) & ~at_root[order]]
    # Who asks for more goes first. Flag 2 is outside where one-sided symbols ignore flags.
    queue = np.concatenate([outside[one.flags[outside] == flag] for flag in (2, 1, 0)])
    chosen = queue[rank_within(codes[queue]) < (most - held)[codes[queue]]][:wanted]
    if len(chosen) < wanted:
        every = np.bincount(codes[cells.symbol >= 0], minlength=len(held))
        raise InfeasibleError(_too_much(name, l, int(np.minimum(every, most).sum()) // most))
    work.lifted[name][chosen] = one.tree.top


def _merge_risky(work: _Work) -> None:
    """Step (3): the first class above 1/l takes in its nearest, until none is above."""
    steady: dict[str, Posterior] = {}
    while True:
        row_class = work.row_class
        risky, best = np.zeros(int(row_class.max(initial=-1)) + 1, dtype=np.bool_), {}
        for name, one in work.attributes.items():
            cells = one.cells(row_class, work.lifted[name])
            # By flags a cell shows the same in whichever class it is, so merging changes nothing.
            if name not in steady or one.how != "by-flag":
                steady[name] = Posterior.of(one, cells)
            risks = steady[name].of_classes(cells, row_class)
            # A mean of shares: the tolerance is for rounding, as in the verifier. Cells, which are
            # counted, are compared in whole numbers.
            risky |= risks > 1 / work.l[name] + 1e-9
            best[name] = float(risks.max())
        if not risky.any():
            return
        if work.merging.take_in_nearest(int(np.argmax(risky))) is None:
            raise InfeasibleError(
                _too_much(name, work.l[name], int(1 / risk + 1e-9))
                for name, risk in best.items()
                if risk > 1 / work.l[name] + 1e-9
            )


def _too_much(name: str, l: int, largest: int) -> Problem:  # noqa: E741
    return Problem(
        f"The flags of {name!r} cannot be concealed to 1/{l}: its values are too uneven.",
        hint=f"The largest l for which they can is {largest}; or set 'conceal: false'.",
    )
