"""What the shard plan knows of cells that people keep secret, and what their buckets need.

Where a plan has shards, the buckets of an attribute are made within each of them, so that a shard
needs nothing but its own rows. Which shard a row is in must not reveal its secrets: a secret cell
counts as a code of its own, behind all values. A shard is cut off only if its secrets still fit
into buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.method import Task
from shoal.method.lgb.bucket import Rule, fits
from shoal.method.lgb.excess import rows_in_excess
from shoal.method.repair import Repair
from shoal.schema import Role
from shoal.table import Table
from shoal.table.partition import join

Codes = NDArray[Any]


@dataclass(frozen=True)
class Secrets:
    """The attributes with secrets: quasi-identifiers that people flag, and those with buckets.

    `hidden` says of every quasi-identifier whether some of its cells are secret. `rules` are those
    of attributes whose buckets are made in shards, `n_codes` how many values each of them has.
    """

    hidden: tuple[bool, ...]
    rules: tuple[Rule, ...]
    n_codes: tuple[int, ...]

    @classmethod
    def of(cls, table: Table, rules: Mapping[str, Rule]) -> Secrets:
        """Those of a table, or of a sketch of it: only schema and domains count."""
        schema = table.schema
        own = tuple(rule for rule in rules.values() if rule.within_shards)
        sizes = (len(table.columns[rule.attribute].domain) for rule in own)
        semi = (Role.SEMI_SENSITIVE,)
        return cls(tuple(a.role in semi for a in schema.quasi), own, tuple(sizes))

    @property
    def counted(self) -> list[int]:
        """How many codes are counted of every attribute with buckets: one more, for no secret."""
        return [n + 1 for n in self.n_codes]

    def columns(
        self,
        quasi: Sequence[tuple[Codes, int, Codes | None]],
        secret: Sequence[tuple[Codes, int, Codes | None]],
    ) -> list[Codes]:
        """The codes by which shards are cut, then those that are counted for buckets.

        Both are given as codes, how many different ones there can be, and flags of secrets; None
        where nothing is flagged: all of a quasi-identifier is public, all else secret.
        """
        open_cells = [_without(codes, n, flags, 1) for codes, n, flags in quasi]
        return [*open_cells, *(_without(codes, n, flags, 0) for codes, n, flags in secret)]

    def fit(self, counts: Sequence[NDArray[np.int64]]) -> bool:
        """Whether secrets with these counts, one array an attribute, fit into buckets."""
        own = zip(self.rules, self.n_codes, counts, strict=True)
        return all(fits(rule, found[:n]) for rule, n, found in own)


def table_columns(table: Table, secrets: Secrets) -> list[Codes]:
    """The columns of a coded table by which it is cut, and those that are counted."""

    def cells(name: str) -> tuple[Codes, int, Codes | None]:
        column = table.columns[name]
        return column.codes, len(column.domain), table.flags.get(name)

    quasi = [cells(a.name) for a in table.schema.quasi]
    return secrets.columns(quasi, [cells(rule.attribute) for rule in secrets.rules])


def _without(codes: Codes, n: int, flags: Codes | None, left_out: int) -> Codes:
    """Codes with that of no value, behind all others, in cells with this flag."""
    if flags is None:
        return codes
    width = np.promote_types(codes.dtype, np.min_scalar_type(n))
    return np.where(flags == left_out, n, codes.astype(width)).astype(width)


def without_excess(
    task: Task,
    rules: Mapping[str, Rule],
    suppression_limit: float,
    solve: Callable[[Task, float], Repair],
) -> Repair:
    """The classes of a shard whose secrets fit into its buckets.

    Where secrets are too frequent, the fewest rows are left out, and the rest is solved again:
    without them, other classes are made. `solve` is also given the share of rows that it may
    suppress.
    """
    table, n = task.table, task.table.n_units
    repaired = solve(task, suppression_limit)
    kept = np.ones(n, dtype=np.bool_)
    while len(gone := rows_in_excess(table, repaired.partition, rules)):
        if len(gone) == np.count_nonzero(kept):
            break
        kept[gone] = False
        units = np.flatnonzero(kept)
        part = table.take(units)
        # Whoever is left out already counts towards the limit.
        spare = max((suppression_limit * n - (n - len(units))) / len(units), 0.0)
        own = replace(task, table=part, requirements=task.requirements.on(part))
        found = solve(own, spare)
        repaired = replace(found, partition=join([found.partition], [units], n))
    n_gone = n - int(np.count_nonzero(kept))
    return replace(
        repaired,
        n_suppressed=repaired.n_suppressed + n_gone,
        n_single=repaired.n_single + n_gone,
    )
