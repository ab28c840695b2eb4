"""What an audit is given besides the release folder: the original, the plan, the private side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal._command.audit.own import Own, read_own
from shoal._command.audit.proof import schema_by_plan
from shoal.folder.private import digest_manifest
from shoal.plan import Plan
from shoal.reading.manifest import Manifest
from shoal.schema import Attribute, Role, Schema
from shoal.source import read
from shoal.table.form import settle_forms

_TIME_OF_DAY = r"^\d{4}-\d\d-\d\d \d\d"


@dataclass(frozen=True)
class Known:
    """What an audit is given besides the folder; `schema` is that of the published table."""

    schema: Schema
    original: pl.DataFrame | None = None
    person: str | None = None
    plan: Plan | None = None
    full: Schema | None = None
    private: Path | None = None
    own: Own | None = None

    @property
    def seen(self) -> Schema:
        """The attributes with all that is known of their labels: what attacks go by."""
        return self.schema if self.own is None else self.own.schema.as_published()

    @property
    def sensitivity(self) -> str | None:
        """The column of the original that says how large a crowd everybody requires."""
        schema = self.full if self.own is None else self.own.schema
        found = () if schema is None else schema.of(Role.SENSITIVITY)
        return found[0].name if found else None

    @property
    def n_counterfeits(self) -> int:
        """How many rows of the original belong to nobody."""
        return 0 if self.own is None else self.own.counterfeits.height

    @property
    def people(self) -> pl.DataFrame | None:
        """The original without rows that belong to nobody."""
        if self.original is None:
            return None
        return self.original.head(self.original.height - self.n_counterfeits)

    def in_both(self, beside: Path) -> pl.DataFrame | None:
        """The rows of those who are in another version too, where the ledger knows of it."""
        ledger = None if self.own is None else self.own.ledger
        found = None if ledger is None else ledger.in_both(digest_manifest(beside))
        if found is None or self.people is None or self.person is None:
            return None
        names = self.people[self.person].cast(pl.String)
        return self.people.filter(names.is_in(found.implode()))

    @classmethod
    def of(
        cls,
        manifest: Manifest,
        original: Any,
        plan: Any,
        private: str | Path | None,
        data: pl.DataFrame | None,
    ) -> Known:
        """Read all of it; the plan knows more than the manifest, and the private folder all."""
        schema = manifest.as_schema()
        if original is None:
            return cls(schema)
        source = read(original, base=Path.cwd())
        given = None if plan is None else Plan.of(plan)
        if private is not None:
            own = read_own(Path(private))
            source, _ = settle_forms(source, own.schema, own.decimal)
            full = None if given is None else schema_by_plan(given, source)
            source = _with_counterfeits(source, own.counterfeits)
            person = own.person or _people(own.schema)
            return cls(schema, source, person, given, full, Path(private), own)
        if given is None:
            source, _ = settle_forms(source, _with_clocks(schema, data))
            return cls(schema, source, manifest.individual)
        source, _ = settle_forms(source, given.schema, given.decimal)
        full = schema_by_plan(given, source)
        return cls(full.as_published(), source, _people(full), given, full)


def _with_counterfeits(source: pl.DataFrame, made: pl.DataFrame) -> pl.DataFrame:
    """The original with rows that belong to nobody at its end, as the run had it."""
    if not made.height:
        return source
    shared = [name for name in made.columns if name in source.columns]
    rows = made.select(made[name].cast(source.schema[name]) for name in shared)
    # The input in the private folder has them already; nobody else has their names.
    if source.tail(made.height).select(shared).equals(rows):
        return source
    return pl.concat([source, rows], how="diagonal")


def _with_clocks(schema: Schema, data: pl.DataFrame | None) -> Schema:
    """The schema in which dates are moments where the published labels have a time of day.

    The manifest does not say down to what a hierarchy of dates goes.
    """

    def with_clock(attribute: Attribute) -> Attribute:
        spec, name = attribute.hierarchy, attribute.name
        if spec is None or spec.form != "dates" or data is None or name not in data.columns:
            return attribute
        if not data[name].cast(pl.String).str.contains(_TIME_OF_DAY).any():
            return attribute
        return replace(attribute, hierarchy=replace(spec, units=("minute",)))

    return replace(schema, attributes=tuple(map(with_clock, schema.attributes)))


def _people(schema: Schema) -> str | None:
    return None if schema.individual is None else schema.individual.column
