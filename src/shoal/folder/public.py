"""All that a manifest may rest on: what readers have, or could work out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from shoal.folder.counted import Counted
from shoal.folder.counted_secret import CountedSecrets
from shoal.folder.kind import kind_by_cells, kind_by_plan
from shoal.method import Display
from shoal.release.outcome import Outcome
from shoal.schema import Attribute, Kind, Layout, Requirement, Role, Schema


@dataclass(frozen=True, eq=False)
class Public:
    """The published tables, the public part of the plan, and how many rows were read and left out.

    Neither the original, nor the row map, nor what a run found with them is in here, so that
    nothing that is hidden can enter a statement. A table that is larger than memory is not here:
    `counted` has the counts of it, and `tables` its columns without rows. `declared` is the schema
    as the plan declares it; `may_be_unmet` are the requirements that the method may leave unmet by
    its definition.
    """

    tables: Mapping[str, pl.DataFrame]
    declared: Schema
    requirements: Sequence[Requirement]
    method: str
    ranges: str
    layout: Layout
    display: Display
    may_be_unmet: frozenset[str]
    n_rows: int
    n_suppressed: int
    n_repeated: int
    counted: Counted | None = None
    n_counterfeits: int = 0
    republish: str | None = None
    n_entries: int = 0

    @classmethod
    def of(cls, release: Outcome, counted: Counted | None = None) -> Public:
        """What is public of a release; of one that is not in memory, as it was counted."""
        return cls(
            release.coded if counted is None else release.published.tables,
            release.declared,
            release.requirements,
            release.method,
            release.ranges,
            release.layout,
            release.display,
            release.may_be_unmet,
            release.counts.rows,
            release.counts.suppressed,
            release.counts.repeated,
            counted,
            release.counts.counterfeits,
            release.republish,
            release.counts.entries,
        )

    @classmethod
    def counted_of(cls, release: Outcome) -> Public:
        """The same with counts, where counting a plain table is quicker than reading it."""
        found = cls.of(release)
        plain = release.layout is Layout.PLAIN and release.declared.individual is None
        if not plain or found.symbols or release.ranges == "columns":
            return found
        return replace(found, counted=Counted.of(found.data, release.declared))

    @property
    def data(self) -> pl.DataFrame:
        return self.tables["data"]

    @property
    def n_published(self) -> int:
        """The rows of the published table."""
        return self.data.height if self.counted is None else self.counted.n_rows

    @property
    def n_records(self) -> int:
        """The rows that were read or made up, the repeats of a person's rows aside."""
        return self.n_rows + self.n_counterfeits - self.n_repeated

    @cached_property
    def schema(self) -> Schema:
        """The declared schema with the kinds that readers can tell, None where they cannot."""
        attributes = (
            replace(a, kind=self._kind(a)) if a in self.declared.published else a
            for a in self.declared.attributes
        )
        return replace(self.declared, attributes=tuple(attributes))

    def _kind(self, attribute: Attribute) -> Kind | None:
        known = kind_by_plan(attribute, self.requirements)
        if known is not None or attribute.role is Role.INSENSITIVE:
            return known
        name, columns = attribute.name, self.data.columns
        if name not in columns and f"{name}_low" in columns:
            return Kind.NUMERIC
        if name in self.symbols:
            return None
        cells = self.cells(attribute)
        hidden = attribute.role is Role.SEMI_SENSITIVE and bool(cells.null_count())
        split = self.ranges == "columns" and attribute.role is not Role.SENSITIVE
        return kind_by_cells(attribute, cells, whole=not (self.n_suppressed or hidden), split=split)

    def cells(self, attribute: Attribute) -> pl.Series:
        """All that is shown of an attribute as text, in its rows and in its buckets."""
        name = attribute.name
        if self.counted is not None:
            found = [own["label"] for own in self._counted_cells(name)]
            return pl.concat(found)
        beside = self.tables.get(f"buckets-{name}")
        places = [self.tables[t] for t in ("data", "sensitive") if t in self.tables]
        shown = [table[name] for table in places if name in table.columns]
        if beside is not None:
            public = self.data[f"{name}_BID"].is_null()
            shown = [*(cells.filter(public) for cells in shown), beside["value"]]
        return pl.concat([part.cast(pl.String).alias("") for part in shown])

    def _counted_cells(self, name: str) -> Iterator[pl.DataFrame]:
        assert self.counted is not None
        if name in self.counted.labels:
            yield self.counted.labels[name]
        if isinstance(self.counted, CountedSecrets) and name in self.counted.held:
            yield self.counted.held[name].values

    @cached_property
    def symbols(self) -> Mapping[str, str]:
        """How the sensitive attributes that show symbols are shown, as far as the plan tells.

        Where only the data tells whether cells show an interval of numbers, `by-flag` is stated.
        """
        return symbols_by_plan(self.declared, self.requirements, self.display, self.layout)


def symbols_by_plan(
    declared: Schema, requirements: Sequence[Requirement], display: Display, layout: Layout
) -> dict[str, str]:
    """How the sensitive attributes of a plan that show symbols are shown."""
    found = {}
    for a in declared.sensitive:
        flagged = a.flag is not None or a.flags is not None
        if not (flagged or display.every) or layout.keeps_secrets:
            continue
        kind = kind_by_plan(a, requirements)
        by_class = a.hierarchy is not None and display.numeric != "by-flag"
        if by_class and kind in (Kind.NUMERIC, Kind.DATE):
            found[a.name] = str(display.numeric)
        elif flagged or (by_class and kind is None):
            found[a.name] = "by-flag"
    return found
