"""Buckets of a later version that keep everybody's signature, attribute by attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.method.lgb.bucket import Rule, rules_of, secret_rows, too_much, value_order
from shoal.method.lgb.signed import NEW, Secrets, sign_buckets
from shoal.plan import Plan
from shoal.recode.bucket import NONE, Entries
from shoal.release.ledger import Ledger
from shoal.table import Table
from shoal.table.partition import Partition

Buckets = dict[str, NDArray[np.int32]]
Draw = Callable[[str], NDArray[Any]]


@dataclass(frozen=True)
class Versions:
    """What the buckets of a later version go on from.

    `people` is the name of every row, `ledger` has their signatures, and `before` the bucket of
    every row in the version before (-1: none).
    """

    people: pl.Series
    ledger: Ledger
    before: Mapping[str, NDArray[np.int64]]

    def misfits(self, plan: Plan, table: Table) -> NDArray[np.bool_]:
        """Which rows have a value that their signature has not: they are left out."""
        found = np.zeros(table.n_rows, dtype=np.bool_)
        for name in rules_of(plan.models, table.schema):
            values, signatures, _ = self._values(table, name)
            for row in np.flatnonzero((place := self._places(name)) != NEW).tolist():
                found[row] |= int(values[row]) not in signatures[int(place[row])]
        return found

    def bucketise(
        self, plan: Plan, table: Table, partition: Partition, draw: Draw
    ) -> tuple[Buckets, dict[str, Entries]]:
        """The bucket of every row, and the entries that are nobody's, by attribute."""
        found, entries, problems = {}, {}, []
        for name, rule in rules_of(plan.models, table.schema).items():
            rows = secret_rows(table, partition, name)
            if not len(rows):
                continue
            drawn = rows[np.argsort(draw(name)[rows], kind="stable")]
            try:
                found[name], entries[name] = self._sign(table, rule, drawn)
            except InfeasibleError as error:
                problems += error.problems
        if problems:
            raise InfeasibleError(problems)
        return found, entries

    def _sign(
        self, table: Table, rule: Rule, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], Entries]:
        name = rule.attribute
        values, signatures, texts = self._values(table, name)
        before = self.before.get(name, np.full(table.n_rows, NONE))
        own = [signatures.get(place, frozenset()) for place in range(len(self.ledger.signatures))]
        secrets = Secrets(values[rows], self._places(name)[rows], own, before[rows], len(texts))
        made = sign_buckets(secrets, rule.l)
        if made is None:
            raise InfeasibleError(too_much(name, rule, np.bincount(values[rows])))
        of_row = np.full(table.n_rows, NONE, dtype=np.int32)
        of_row[rows] = made.buckets
        buckets = np.array([bucket for bucket, _ in made.entries], dtype=np.int32)
        return of_row, Entries(buckets, [texts[value] for _, value in made.entries])

    def _places(self, name: str) -> NDArray[np.int64]:
        return self.ledger.signature_of(self.people, name)

    def _values(
        self, table: Table, name: str
    ) -> tuple[NDArray[np.int64], dict[int, frozenset[int]], list[str | None]]:
        """Values as numbers in their order: those of rows, those of signatures, and their texts.

        Values that nobody has any more come last.
        """
        column = table.columns[name]
        order = value_order(column.domain)
        texts: list[str | None] = [column.domain.texts[code] for code in order.tolist()]
        number = {text: i for i, text in enumerate(texts)}
        signatures = {}
        for place, signature in enumerate(self.ledger.signatures):
            if name not in signature:
                continue
            for text in sorted(signature[name], key=lambda text: (text is None, text or "")):
                if number.setdefault(text, len(texts)) == len(texts):
                    texts.append(text)
            signatures[place] = frozenset(number[text] for text in signature[name])
        place_of = np.empty(len(order), dtype=np.int64)
        place_of[order] = np.arange(len(order))
        return place_of[column.codes], signatures, texts
