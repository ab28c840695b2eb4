"""Buckets of a later version: those before as far as they hold, or with everybody's signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import InfeasibleError, Problem
from shoal.method.lgb.bucket import (
    Rule,
    bucketise,
    place_of_value,
    rules_of,
    secret_rows,
    too_much,
    value_order,
)
from shoal.method.lgb.kept import keep_buckets
from shoal.method.lgb.signed import NEW, SecretCells, sign_buckets
from shoal.plan import Plan
from shoal.recode.bucket import NONE, Entries
from shoal.release.ledger import Ledger
from shoal.table import Table
from shoal.table.partition import Partition

BucketNumbers = dict[str, NDArray[np.int32]]
Draw = Callable[[str], NDArray[Any]]


class Bucketiser(Protocol):
    """What puts secrets into buckets that continue from those before."""

    def bucketise(
        self, plan: Plan, table: Table, partition: Partition, draw: Draw
    ) -> tuple[BucketNumbers, dict[str, Entries]]:
        """The bucket of every row, and the entries that belong to nobody, by attribute."""
        ...


@dataclass(frozen=True)
class Before:
    """The bucket of every row in the version before (-1: none), by attribute."""

    before: Mapping[str, NDArray[np.int64]]

    def bucketise(
        self, plan: Plan, table: Table, partition: Partition, draw: Draw
    ) -> tuple[BucketNumbers, dict[str, Entries]]:
        """Buckets that still hold stay; all are made again if their rule is about all of them."""
        rules = rules_of(plan.models, table.schema)
        found, anew = {}, {}
        for name, rule in rules.items():
            rows = secret_rows(table, partition, name)
            kept = None
            if rule.counts_values and name in self.before and len(rows):
                drawn = rows[np.argsort(draw(name)[rows], kind="stable")]
                values = place_of_value(table, name)[drawn]
                kept = keep_buckets(values, self.before[name][drawn], rule.l)
            if kept is None:
                anew[name] = rule
                continue
            of_row = np.full(table.n_rows, NONE, dtype=np.int32)
            of_row[drawn] = kept
            found[name] = of_row
        made = found | bucketise(table, partition, anew, draw)
        return {name: made[name] for name in rules if name in made}, {}


@dataclass(frozen=True)
class Versions:
    """What the buckets of a later version continue from.

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
    ) -> tuple[BucketNumbers, dict[str, Entries]]:
        """The bucket of every row, and the entries that belong to nobody, by attribute."""
        found, entries = {}, {}
        problems: list[Problem] = []
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
        secrets = SecretCells(values[rows], self._places(name)[rows], own, before[rows], len(texts))
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
            # Sets of texts are in another order in every process; these numbers must not be.
            for text in sorted(signature[name], key=lambda text: (text is None, text or "")):
                if number.setdefault(text, len(texts)) == len(texts):
                    texts.append(text)
            signatures[place] = frozenset(number[text] for text in signature[name])
        return place_of_value(table, name), signatures, texts
