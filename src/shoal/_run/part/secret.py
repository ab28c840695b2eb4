"""From a shard with secrets to what is published of it: classes, buckets, and their verification.

Everything but numbers is settled here. Records, classes and buckets are numbered within the shard,
as if it were a release of its own, and verified so; their numbers in the release follow the order
of all rows, which `number` finds.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.part.fact import SHARD, Facts
from shoal._run.part.solve import (
    Note,
    Solved,
    Solver,
    column_texts,
    sums_of,
    without_classes,
    worse,
)
from shoal._run.publish import refuse_failing
from shoal._run.secret import Secrets
from shoal._run.solve import Work
from shoal.folder.counted_secret import CountedSecrets
from shoal.measure import View
from shoal.method.lgb.bucket import Rule, bucketise
from shoal.model import KAnonymity
from shoal.recode import KEYS, Publication, class_numbers, published_order
from shoal.release.value import count_short
from shoal.schema import Attribute, Layout, Role, Schema, Verdict
from shoal.schema.wording import model_of
from shoal.table import Table
from shoal.table.partition import SUPPRESSED
from shoal.table.space import stack_columns
from shoal.verify import Published, Risks, RowDigest, adversary_risks, verify_release

# The row's place in the published order of its shard, by which rows of equal keys are ordered.
PLACE = "place"
ORDER = (*KEYS, PLACE)
SUMMED = ("glm", "ncp", "suppression")


def shown_names(schema: Schema, layout: Layout) -> list[str]:
    """The attributes whose cells are in the table; of others it has only buckets."""
    alone = (Role.SENSITIVE,) if layout is Layout.SPLIT else ()
    return [a.name for a in schema.published if a.role not in alone]


def shard_codes(facts: Facts, secrets: Secrets, rows: pl.DataFrame) -> NDArray[Any]:
    """The codes of coded rows by which they are cut, and those that are counted for buckets."""

    def cells(a: Attribute) -> tuple[NDArray[Any], int, NDArray[np.uint8] | None]:
        flags = facts.secret(rows, a.name) if a.role is Role.SEMI_SENSITIVE else None
        return facts.codes(rows, a.name), len(facts.codings[a.name].domain), flags

    quasi = [cells(a) for a in facts.schema.quasi]
    own = [cells(facts.schema[rule.attribute]) for rule in secrets.rules]
    return stack_columns(secrets.columns(quasi, own))


def count_secrets(facts: Facts, secrets: Secrets, rows: pl.DataFrame) -> list[NDArray[np.int64]]:
    """How often each value is secret, for every attribute with buckets."""
    codes = shard_codes(facts, secrets, rows)[:, len(secrets.hidden) :]
    return [np.bincount(own, minlength=n) for own, n in zip(codes.T, secrets.counted, strict=True)]


@dataclass(frozen=True)
class SecretNote(Note):
    """The note on a shard with secrets; `counted` is a CountedSecrets.

    `n_buckets` are those of every attribute with secrets. `risks` are found where a requirement
    sets them no limit.
    """

    n_buckets: tuple[int, ...] = ()
    withheld: int = 0
    withheld_rows: int = 0
    risks: Risks | None = None

    def merge(self, other: Note) -> SecretNote:
        """The note of both, this one first."""
        assert isinstance(other, SecretNote)
        plain = super().merge(other)
        own = {f.name: getattr(plain, f.name) for f in fields(Note)}
        if self.n_classes and other.n_classes:
            own["verdicts"] = tuple(map(_worse, self.verdicts, other.verdicts))
        return SecretNote(
            **own,
            n_buckets=tuple(a + b for a, b in zip(self.n_buckets, other.n_buckets, strict=True)),
            withheld=self.withheld + other.withheld,
            withheld_rows=self.withheld_rows + other.withheld_rows,
            risks=_both_risks(self.risks, other.risks),
        )

    def stated(self) -> tuple[Verdict, ...]:
        """The verdicts on the whole: rows that look alike may be in several shards."""
        assert isinstance(self.counted, CountedSecrets)
        least = self.counted.least_alike
        return tuple(
            replace(v, reached=least) if model_of(v.requirement) == KAnonymity.name else v
            for v in self.verdicts
        )


def _worse(one: Verdict, other: Verdict) -> Verdict:
    """The verdict on the classes or buckets of both; a shard without any has nothing to say."""
    if one.reached is None or other.reached is None:
        return other if one.reached is None else one
    shares = [v.posterior for v in (one, other) if v.posterior is not None]
    return replace(worse(one, other), posterior=max(shares, default=None))


def _both_risks(one: Risks | None, other: Risks | None) -> Risks | None:
    if one is None or other is None:
        return one or other
    names = {**one.posteriors, **other.posteriors}
    found = {n: max(r.posteriors.get(n, 0.0) for r in (one, other)) for n in names}
    exact = {n: all(r.posteriors_exact.get(n, True) for r in (one, other)) for n in names}
    return replace(
        one,
        identity=max(one.identity, other.identity),
        identity_exact=one.identity_exact and other.identity_exact,
        posteriors=found,
        posteriors_exact=exact,
        examined=one.examined + other.examined,
    )


@dataclass(frozen=True)
class SecretSolver(Solver):
    """The method, the repair, the buckets, the labels and the verification of one shard.

    Its rows are in published order, with their place in it, the numbers `g` of their classes and
    `b<i>` of their buckets (0: none) within the shard, and the places `v<i>` of the cells that
    are in buckets among all different ones.
    """

    rules: Mapping[str, Rule] | None = None

    def __call__(self, shard: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        facts, plan, own = self.facts, self.facts.plan, self.solved(shard)
        table, partition, labels, given = own.table, own.partition, own.labels, own.given
        buckets = bucketise(
            table, partition, self.rules or {}, lambda name: own.lots.draw(f"buckets {name}")
        )
        classes, hidden = partition.unit_class, [a.name for a in table.schema.sensitive]
        rows, keys = published_order(
            table, given, labels, classes, own.lots, hidden=hidden, linked_by_number=True
        )
        gid = class_numbers(classes, rows, partition.n_classes)
        layout = plan.method.layout
        made = Publication(table, given, labels, classes[rows], gid[classes[rows]], rows,
                           plan.ranges, layout, buckets)  # fmt: skip
        tables = made.tables()
        # SUPPRESSED is -1, and so points at the end, where it stands itself.
        row_class = np.append(gid, SUPPRESSED)[classes]
        published = Published(
            tables,
            given,
            rows,
            row_class.astype(np.int64),
            facts.schema,
            plan.requirements,
            ranges=plan.ranges,
            layout=layout,
        )
        # A shard that leaves everybody out has no buckets to verify, and proves nothing.
        verdicts = verify_release(published) if partition.n_classes else ()
        refuse_failing(plan, verdicts)
        view = View(table, partition, labels, buckets=buckets)
        withheld, withheld_rows = partition.withheld()
        note = SecretNote(
            table.n_rows,
            len(rows),
            partition.n_classes,
            without_classes(own.repaired),
            verdicts,
            *sums_of(view, SUMMED),
            CountedSecrets.of_tables(tables, facts.schema, layout),
            RowDigest(),
            short=count_short(plan.models, table, partition, tables),
            advice=tuple(plan.method.advice(table)),
            n_buckets=tuple(
                int(_bids(tables["data"], a.name).max(initial=0)) for a in facts.schema.secret
            ),
            withheld=withheld,
            withheld_rows=withheld_rows,
            risks=adversary_risks(published) if self._unlimited and partition.n_classes else None,
        )
        return self._rows(own, keys(), rows, tables["data"]), pickle.dumps(note)

    @property
    def _unlimited(self) -> bool:
        """Whether the requirements on some buckets set the posterior of a secret no limit."""
        return any(rule.entropy_alone for rule in (self.rules or {}).values())

    def _work(self, table: Table, number: int) -> Work:
        return replace(super()._work(table, number), rules=self.rules or {})

    def _rows(
        self, own: Solved, keys: pl.DataFrame, rows: NDArray[np.int64], data: pl.DataFrame
    ) -> pl.DataFrame:
        facts, layout = self.facts, self.facts.plan.method.layout
        shown = column_texts(data.select(shown_names(facts.schema, layout)))
        columns: list[pl.Series] = [
            *keys,
            pl.Series(PLACE, np.arange(len(rows), dtype=np.uint32)),
            pl.Series(SHARD, np.full(len(rows), own.number, dtype=np.uint32)),
            *shown,
            data["GID"].cast(pl.UInt32).alias("g"),
        ]
        for i, a in enumerate(facts.schema.secret):
            columns.append(pl.Series(f"b{i}", _bids(data, a.name)))
            columns.append(own.rows[facts.column(a.name)].gather(rows).alias(f"v{i}"))
        return pl.DataFrame(columns)


def _bids(data: pl.DataFrame, name: str) -> NDArray[np.uint32]:
    """The number of the bucket of every row, 0 where it has none."""
    pointer = f"{name}_BID"
    if pointer not in data.columns:
        return np.zeros(data.height, dtype=np.uint32)
    return data[pointer].cast(pl.String).cast(pl.UInt32).fill_null(0).to_numpy()
