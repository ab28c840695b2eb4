"""What is published, and what stays with the publisher."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, KeysView, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.selectors import by_name

from shoal.release.advice import warnings_of
from shoal.schema import Requirement, Schema, Verdict
from shoal.schema.advice import Advice

IN_BUCKETS = ("split", "joined")


class Measured(Protocol):
    """Measures by name, computed when read; `quick` are those that a manifest states."""

    @property
    def quick(self) -> dict[str, float]: ...

    @property
    def by_attribute(self) -> dict[str, float]: ...

    def __getitem__(self, name: str) -> float: ...

    def __iter__(self) -> Iterator[str]: ...

    def __contains__(self, name: object) -> bool: ...

    def __len__(self) -> int: ...

    def keys(self) -> KeysView[str]: ...


class Leaked(Protocol):
    """How sure a reader who knows the rules of flags can be of cells and of people."""

    @property
    def cell_worst(self) -> float: ...

    @property
    def cell_mean(self) -> float: ...

    @property
    def person_worst(self) -> float: ...

    @property
    def person_mean(self) -> float: ...


class Risks(Protocol):
    """What an adversary who knows everything that is public of everybody can tell of people."""

    @property
    def identity(self) -> float: ...

    @property
    def identity_exact(self) -> bool: ...

    @property
    def posteriors(self) -> Mapping[str, float]: ...

    @property
    def posteriors_exact(self) -> Mapping[str, bool]: ...

    @property
    def identity_limit(self) -> float | None: ...

    @property
    def posterior_limits(self) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class Counts:
    """How many there were, and what became of them.

    `repeated` rows say what another row of the same person says, and are published once.
    `withheld` cells are shown neither in the table nor in a bucket, in `withheld_rows` rows.
    """

    rows: int
    published: int
    suppressed: int
    suppressed_by_repair: int
    merged_by_repair: int
    classes: int
    people: int | None = None
    repeated: int = 0
    withheld: int | None = None
    withheld_rows: int | None = None


@dataclass(frozen=True, eq=False)
class Release:
    """A table that is fit to be handed out, with the proof.

    `frame` and `tables` are published; `rows` and `classes` are the publisher's own. `coded` holds
    the published tables as dictionary-coded text, which takes a few bytes a cell.
    """

    schema: Schema
    requirements: tuple[Requirement, ...]
    coded: Mapping[str, pl.DataFrame]
    origin: NDArray[np.int64]
    private_rows: Callable[[], pl.DataFrame]
    private_classes: Callable[[], pl.DataFrame]
    verdicts: tuple[Verdict, ...]
    measures: Measured
    counts: Counts
    plan_digest: str
    input_digest: str
    seed: int
    seed_given: bool
    ranges: str = "tight"
    form: str = "plain"
    method: str = ""
    format: str = "csv"
    notes: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = field(default=(), repr=False)
    may_be_unmet: frozenset[str] = frozenset()
    replaced: Mapping[str, int] = field(default_factory=dict)
    verified: str = field(default="", repr=False)
    singled_out: float = 0.0
    history: pl.DataFrame | None = field(default=None, repr=False)
    source: pl.DataFrame | None = field(default=None, repr=False)
    writer: Callable[..., Path] | None = field(default=None, repr=False)
    plan_text: str = field(default="", repr=False)
    picture: Callable[[], str] | None = field(default=None, repr=False)
    symbols: Mapping[str, str] = field(default_factory=dict)
    leaks: tuple[Mapping[str, Leaked], Mapping[str, Leaked]] = field(default=({}, {}), repr=False)
    concealed: Mapping[str, int] = field(default_factory=dict)
    adversary: Callable[[], Risks] | None = field(default=None, repr=False)

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """All published tables by name; every cell is text."""
        return {name: _as_text(table) for name, table in self.coded.items()}

    @property
    def frame(self) -> pl.DataFrame:
        """The published table."""
        return self.tables["data"]

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Private: for every input row its class (null: suppressed), level, k, region, person."""
        return self.private_rows()

    @cached_property
    def classes(self) -> pl.DataFrame:
        """Private: for every class its size, its people and what it publishes."""
        return self.private_classes()

    @cached_property
    def risks(self) -> Risks | None:
        """What an adversary can tell of people, where secrets are kept cell by cell."""
        return None if self.adversary is None else self.adversary()

    @cached_property
    def warnings(self) -> tuple[Advice, ...]:
        """What deserves a second look although everything holds, the gravest first."""
        return warnings_of(self)

    @property
    def keeps_secrets(self) -> bool:
        """Whether secret values stand in buckets, and not in the rows of their people."""
        return self.form in IN_BUCKETS

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds is True for verdict in self.verdicts)

    def save(
        self,
        folder: str | Path,
        *,
        private: str | Path | None = None,
        force: bool = False,
        format: str | None = None,
    ) -> Path:
        """Write the release folder, and the publisher's own with `private`; checks what it wrote.

        Either the whole folder appears or nothing does.
        """
        if self.writer is None:
            raise TypeError("This release was made without a way to write it.")
        return self.writer(
            self, Path(folder), private=private, force=force, format=format or self.format
        )

    def __repr__(self) -> str:
        held = "holds" if self.holds else "does not hold"
        return (
            f"<Release of {self.counts.published:,} rows in {self.counts.classes:,} classes by "
            f"{self.method}: {held} {', '.join(map(str, self.requirements))}>"
        )


def column_beside(name: str) -> str:
    """The name of a quasi-identifier in a table of classes, which has columns of its own."""
    own = ("class", "size", "people", "first_row")
    return f"{name} (published)" if name in own else name


def _as_text(table: pl.DataFrame) -> pl.DataFrame:
    coded: list[Any] = [
        by_name(name).as_expr().cast(pl.String)
        for name, dtype in table.schema.items()
        if isinstance(dtype, pl.Enum)
    ]
    return table.with_columns(coded) if coded else table.clone()


def seal(tables: Mapping[str, pl.DataFrame]) -> str:
    """A digest of tables within this process, to tell whether they are still what was verified."""
    digest = hashlib.sha256()
    for name, table in sorted(tables.items()):
        digest.update(repr((name, table.columns, table.height)).encode())
        digest.update(table.hash_rows(seed=0).to_numpy().tobytes())
    return digest.hexdigest()
