"""What is published, and what stays with the publisher."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.measure import Measures
from shoal.method import Display
from shoal.method.mhsa.leak import Leak
from shoal.method.repair import MethodTrial
from shoal.release.ledger import Ledger
from shoal.release.own import private_classes, private_rows
from shoal.release.type import as_pandas, with_types
from shoal.schema import Attribute, Kind, Layout, Requirement, Role, Schema, Verdict
from shoal.schema.advice import Advice
from shoal.schema.portable import Portable
from shoal.table import Table
from shoal.table.column import declared_kind
from shoal.verify import Published, Risks, adversary_risks

if TYPE_CHECKING:
    import pandas as pd

BUCKETS = "buckets-"
# Rows that are hashed at a time.
_SEALED = 1 << 20


@dataclass(frozen=True)
class Counts:
    """How many rows and people there were, and what became of them.

    `repeated` rows say what another row of the same person says, and are published once.
    `singly` of those that the repair suppressed were left out of classes that are kept; the
    publisher alone knows. `counterfeits` are published rows that belong to nobody, besides `rows`.
    `entries` of buckets belong to nobody.
    `withheld` cells are shown neither in the table nor in a bucket, in
    `withheld_rows` rows.
    """

    rows: int
    published: int
    suppressed: int
    suppressed_by_repair: int
    merged_by_repair: int
    classes: int
    people: int | None = None
    published_people: int | None = None
    repeated: int = 0
    withheld: int | None = None
    withheld_rows: int | None = None
    singly: int = 0
    counterfeits: int = 0
    entries: int = 0


@dataclass(frozen=True)
class Concealment:
    """What it took to conceal flags: classes merged into others, and lifted cells by attribute.

    This is private: which classes were merged reveals more than the tables do.
    """

    merged: int
    lifted: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Everything that a run found: what is published, with the proof, and what stays private.

    `published` is what the verifier saw, `source` the input with conflicts settled, `types` the
    types of its columns if it says so, `table` the same coded, and `number` the published number of
    every class. `declared` is the schema as the
    plan declares it, without what the data added. `leaks` are what symbols reveal without and with
    concealing. `distances` is the graph of a small table, where the method works on one, and
    `tried` are the methods of each shard, where the plan leaves the choice open. `seed` is
    as secret as the data.
    """

    published: Published
    verdicts: tuple[Verdict, ...]
    measures: Measures
    counts: Counts
    table: Table = field(repr=False)
    number: NDArray[np.int32] = field(repr=False)
    source: pl.DataFrame = field(repr=False)
    declared: Schema
    plan_digest: str
    input_digest: str
    seed: int | str = field(repr=False)
    seed_origin: Literal["plan", "file", "drawn"] = "plan"
    method: str = ""
    tried: tuple[MethodTrial, ...] = ()
    display: Display = field(default_factory=Display, repr=False)
    format: str = "csv"
    notes: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = field(default=(), repr=False)
    may_be_unmet: frozenset[str] = frozenset()
    replaced: Mapping[str, int] = field(default_factory=dict)
    verified: str = field(default="", repr=False)
    singled_out: float = 0.0
    history: pl.DataFrame | None = field(default=None, repr=False)
    ledger: Ledger | None = field(default=None, repr=False)
    republish: str | None = None
    portable: Portable = field(default_factory=Portable, repr=False)
    plan_text: str = field(default="", repr=False)
    distances: NDArray[np.int64 | np.float64] | None = field(default=None, repr=False)
    leaks: tuple[Mapping[str, Leak], Mapping[str, Leak]] = field(default=({}, {}), repr=False)
    concealment: Concealment | None = None
    types: Mapping[str, pl.DataType] = field(default_factory=dict, repr=False)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The methods that made the classes; private where the plan leaves the choice open."""
        chosen = dict.fromkeys(trial.method for trial in self.tried if trial.chosen)
        return tuple(chosen) or (self.method,)

    @property
    def seed_given(self) -> bool:
        """Whether the plan names a seed."""
        return self.seed_origin != "drawn"

    @property
    def schema(self) -> Schema:
        return self.published.schema

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return tuple(self.published.requirements)

    @property
    def ranges(self) -> str:
        return self.published.ranges

    @property
    def layout(self) -> Layout:
        """How the release is laid out in tables."""
        return self.published.layout

    @property
    def origin(self) -> NDArray[np.int64]:
        """Private: the input row of every published row."""
        return self.published.origin

    @property
    def symbols(self) -> Mapping[str, str]:
        """The form of the sensitive attributes that show symbols instead of values."""
        return self.published.symbols

    @property
    def concealed(self) -> Mapping[str, int]:
        """The l to which the symbols of each attribute are concealed."""
        return self.published.concealed

    @property
    def coded(self) -> Mapping[str, pl.DataFrame]:
        """The published tables as dictionary-coded text, which takes a few bytes per cell."""
        return MappingProxyType(dict(self.published.halves or self.published.tables))

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """All published tables by name; what is shown as it was has a type, all else is text."""
        return {name: self.typed(name) for name in self.coded}

    def typed(self, name: str) -> pl.DataFrame:
        """A published table with types where cells are shown as they were."""
        return self.with_types(name, self.coded[name])

    def with_types(self, name: str, table: pl.DataFrame, *, plain: bool = True) -> pl.DataFrame:
        """The table of this name, which is all text, with types; `plain` as in the function."""
        attributes = self.declared.of(Role.SENSITIVE, Role.INSENSITIVE)
        shown = [(a.name, a) for a in attributes if a.name not in self.symbols]
        if name.startswith(BUCKETS):
            shown = [("value", self.declared[name.removeprefix(BUCKETS)])]
        return with_types(table, shown, self.kept_types, plain=plain)

    @cached_property
    def kept_types(self) -> Mapping[str, pl.DataType]:
        """The types of the input that do not tell of cells that are not shown."""
        # The texts of times and booleans show their type. Of other columns the type of the input
        # would tell of cells that are left out, so it is kept only where there are none.
        whole = not (self.counts.suppressed or self.counts.withheld)
        return {
            name: dtype
            for name, dtype in self.types.items()
            if dtype.is_temporal()
            or dtype == pl.Boolean
            or (whole and not _is_partly_shown(self.declared[name], dtype))
        }

    def to_pandas(self) -> pd.DataFrame:
        """The published table in pandas; whole numbers and booleans with gaps keep their types."""
        return as_pandas(self.frame)

    @property
    def frame(self) -> pl.DataFrame:
        """The published table."""
        return self.tables["data"]

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Private: for every input row its class (null: suppressed), level, k, region, person."""
        partition = self.measures.view.partition
        return private_rows(self.source, self.table, partition, self.published.classes)

    @cached_property
    def classes(self) -> pl.DataFrame:
        """Private: for every class its size, its people and what it publishes."""
        return private_classes(self.measures.view, self.number)

    @cached_property
    def risks(self) -> Risks | None:
        """What an adversary can learn about people, where secrets are kept cell by cell."""
        return adversary_risks(self.published) if self.keeps_secrets else None

    @property
    def keeps_secrets(self) -> bool:
        """Whether secret values are in buckets, not in the rows of their people."""
        return self.layout.keeps_secrets

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds is True for verdict in self.verdicts)


def _is_partly_shown(attribute: Attribute, dtype: pl.DataType) -> bool:
    """Whether a type tells more than the cells: of public ones, or how decimals were written."""
    if dtype == pl.String:
        return _is_measured(attribute)
    # Buckets have only the secret cells of such a column; the others are generalised.
    return attribute.role is Role.SEMI_SENSITIVE


def _is_measured(attribute: Attribute) -> bool:
    """Whether the plan says that the texts of a column are numbers or dates, as decimals are."""
    return declared_kind(attribute) in (Kind.NUMERIC, Kind.DATE)


def seal(tables: Mapping[str, pl.DataFrame]) -> str:
    """A digest of tables, valid in this process, to detect changes since they were verified."""
    digest = hashlib.sha256()
    for name, table in sorted(tables.items()):
        digest.update(repr((name, table.columns, table.height)).encode())
        for rows in table.iter_slices(_SEALED):
            digest.update(rows.hash_rows(seed=0).to_numpy().data)
    return digest.hexdigest()
