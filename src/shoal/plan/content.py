"""The content of a plan, once it is read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from shoal.method.base import Method
from shoal.method.polish import Polish
from shoal.model import Model
from shoal.plan.field import DelayFields, LocalFields, SparkFields
from shoal.plan.seed import SeedFile
from shoal.schema import Requirement, Schema
from shoal.source import Database


@dataclass(frozen=True, kw_only=True, repr=False)
class Content:
    """The keys of a plan as checked values.

    `base` is the folder to which paths are relative, `text` the file as it was written, if any.
    """

    schema: Schema
    models: tuple[Model, ...]
    method: Method
    base: Path
    source: tuple[str, ...] = ()
    table: str | None = None
    query: str | None = None
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    missing: tuple[str, ...] = ()
    others: Literal["error", "drop"] = "error"
    suppression_limit: float = 1.0
    objective: Literal["glm", "ncp", "nloss", "prec", "dm", "query"] = "glm"
    polish: Polish | None = None
    ranges: Literal["tight", "snapped", "columns"] = "tight"
    order: Literal["content", "input"] = "content"
    shard_rows: int | None = None
    engine: LocalFields | SparkFields = field(default_factory=LocalFields)
    seed: int | SeedFile | None = None
    republish: Literal["m-invariance"] | None = None
    delay: DelayFields | None = None
    output: str | None = None
    output_database: Database | None = None
    output_format: Literal["csv", "parquet"] = "csv"
    text: str | None = field(default=None, compare=False)
    declared: Mapping[str, Any] = field(default_factory=dict, compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    repeated: tuple[str, ...] = field(default=(), compare=False)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The models as plain data."""
        return tuple(model.requirement() for model in self.models)

    @property
    def shown_schema(self) -> Schema:
        """The schema of what is published: with buckets, it does not say whose a row is."""
        secrets = self.method.layout.keeps_secrets
        return replace(self.schema, individual=None) if secrets else self.schema

    @property
    def declared_schema(self) -> Schema:
        """The schema by which the plan publishes, whatever the data says."""
        shown = self.shown_schema
        return shown.without_hierarchies() if self.method.sheds_hierarchies else shown

    @property
    def workers(self) -> int | None:
        """How many processes share the shards on this machine; None if the plan does not say."""
        return self.engine.workers if isinstance(self.engine, LocalFields) else None

    @property
    def data(self) -> tuple[str, ...] | Database | None:
        """What the plan reads: files, or a table of a database; None if it names nothing."""
        if not self.source:
            return None
        if self.table is None and self.query is None:
            return self.source
        return Database(self.source[0], self.table, self.query)

    @property
    def output_folder(self) -> Path | None:
        """The folder of the release; None if nothing is to be written."""
        return None if self.output is None else self.base / self.output
