"""Secrets that are too frequent for buckets, and the fewest rows to leave out for it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.errors import Problem
from shoal.method.lgb.bucket import RowNumbers, Rule, secret_rows, too_much
from shoal.method.omission import rank_within
from shoal.model.base import Bound, Reach
from shoal.model.evenness import most_even
from shoal.schema import Role
from shoal.table import Table
from shoal.table.partition import Partition


def impossible_buckets(table: Table, rules: Mapping[str, Rule]) -> list[Problem]:
    """The attributes whose values are too few for their buckets, whoever is left out.

    What some keep secret and others do not is not among them: those who do can be left out.
    """
    columns = [(name, rule) for name, rule in rules.items() if rule.diversity]
    return [
        too_much(name, rule, counts)
        for name, rule in columns
        if table.schema[name].role is Role.SENSITIVE
        and np.count_nonzero(counts := table.counts(name)) < rule.l
    ]


def rows_in_excess(table: Table, partition: Partition, rules: Mapping[str, Rule]) -> RowNumbers:
    """The fewest rows of each attribute without which its secrets fit into buckets.

    The first in table order leave, of those with the commonest values; everybody who keeps an
    attribute secret, where no bucket could hold any of them. None where they fit, or where nobody
    would be left; a personal l is not looked at.
    """
    chosen = [np.empty(0, dtype=np.int64)]
    for name, rule in rules.items():
        rows = secret_rows(table, partition, name)
        if rule.closeness or rule.personal or not len(rows):
            continue
        values = table.columns[name].codes[rows].astype(np.int64)
        counts = np.bincount(values)
        found = [most_even(counts, [Bound(Reach.FREQUENCY, rule.l)])]
        if rule.entropy_alone:
            entropy = max(m.l for m in rule.diversity)
            found.append(most_even(counts, [Bound(Reach.ENTROPY, entropy)]))
        # With entropy, one bucket of all cells may need fewer rows left out than buckets of l
        # values.
        gone = min((g for g in found if g is not None), key=lambda g: g.sum(), default=None)
        if gone is not None:
            chosen.append(rows[rank_within(values) < gone[values]])
        elif table.schema[name].role is Role.SEMI_SENSITIVE:
            chosen.append(rows)
    return np.unique(np.concatenate(chosen))
