"""One description for each person, where the rows of a person are together: as in memory."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.part.fact import SHARD, column_of, find_places
from shoal._run.part.person import PERSON, PersonKey, names_nobody, people_of
from shoal._run.part.profile import CODED, CellProfile, level_columns
from shoal._run.read import form_schema
from shoal.errors import DataError, Problem
from shoal.plan import Plan
from shoal.recode import Lots, hash_cells
from shoal.schema.wording import counted
from shoal.table import People, comparable
from shoal.table.form import settle_form
from shoal.table.people import most_frequent

# What the cells of a row that are not coded add to its hash; what all of them as given add up to;
# whether the row names nobody; whether it is the one that describes its person.
REST, GIVEN, NOBODY, DESCRIBES = "rest", "given", "nobody", "describes"
_LOT = "lot"


@dataclass(frozen=True)
class Sight:
    """The different cells of a coded column, and how they compare within a person.

    `rank` numbers them in ascending order, equal where they count as equal, missing last; `hashes`
    are those of the cells as given.
    """

    read: pl.Series
    rank: NDArray[np.int64]
    hashes: NDArray[np.uint64]


def sights_of(plan: Plan, profile: CellProfile) -> dict[str, Sight]:
    """How the coded columns look to whoever settles conflicts; the profile is in order."""
    forms, found = form_schema(plan), {}
    for name in (a.name for a in plan.schema.of(*CODED)):
        own = profile.cells[name]
        given, _ = settle_form(own["value"], forms[name], plan.decimal)
        values = comparable(given, plan.schema[name])
        rank = values.rank("dense").cast(pl.Int64)
        last = int(rank.max() or 0) + 1  # type: ignore[arg-type]
        hashes = hash_cells(given, name)
        found[name] = Sight(own["value"], rank.fill_null(last).to_numpy(), hashes)
    return found


def original_of(plan: Plan, name: str) -> str:
    """The column of the cell as it was given, where that of its person replaces it."""
    return f"g{column_of(plan.schema, name)}"


@dataclass(frozen=True)
class Gatherer:
    """Rows as they are read, ready to be brought together: everybody has a batch of `n_batches`."""

    plan: Plan
    sights: Mapping[str, Sight]
    key: PersonKey
    n_batches: int

    def __call__(self, batch: pl.DataFrame) -> pl.DataFrame:
        plan, schema = self.plan, self.plan.schema
        assert schema.individual is not None
        rest = np.zeros(batch.height, dtype=np.uint64)
        given = np.zeros(batch.height, dtype=np.uint64)
        columns = []
        for name in batch.columns:
            sight = self.sights.get(name)
            if sight is None:
                rest += hash_cells(batch[name], name)
                continue
            places = find_places(sight.read, batch[name])
            given += sight.hashes[places.to_numpy()]
            columns.append(places.alias(column_of(schema, name)))
        carried = [a.name for a in schema.published if a.name not in self.sights]
        carried += level_columns(schema)
        columns += [batch[name].alias(column_of(schema, name)) for name in carried]
        names = batch[schema.individual.column]
        digests = self.key.digests(names)
        number = digests[0].to_numpy() % np.uint64(self.n_batches)
        columns += [
            *digests,
            pl.Series(REST, rest),
            pl.Series(GIVEN, rest + given),
            names_nobody(names, plan).alias(NOBODY),
            pl.Series(SHARD, number.astype(np.uint32)),
        ]
        return pl.DataFrame(columns).sort(SHARD, maintain_order=True)


@dataclass(frozen=True)
class Settled:
    """What a batch reports about its people: counts by column, but no cell and no name.

    `differing` are people with several values, `replaced` the cells that were replaced, `counts`
    how often the place of each cell occurs then.
    """

    n_nobody: int = 0
    differing: Mapping[str, int] = field(default_factory=dict)
    replaced: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    def merge(self, other: Settled) -> Settled:
        return Settled(
            self.n_nobody + other.n_nobody,
            {name: n + other.differing[name] for name, n in self.differing.items()},
            {name: n + other.replaced[name] for name, n in self.replaced.items()},
            {name: n + other.counts[name] for name, n in self.counts.items()},
        )

    def refuse(self, plan: Plan) -> None:
        """Raise DataError where a row names nobody, or people differ and nothing settles that."""
        assert plan.schema.individual is not None
        problems, column = [], plan.schema.individual.column
        if self.n_nobody:
            text = f"Column {column!r} must name a person in every row, but does not in"
            hint = "Give every row a person, or leave 'individual' out."
            problems.append(Problem(f"{text} {counted(self.n_nobody, 'row')}.", hint=hint))
        if plan.schema.individual.conflict == "error":
            hint = "Correct the rows, or write 'individual: {column: …, conflict: first | mode}'."
            problems += [
                Problem(
                    f"Column {name!r} must have one value per person, but "
                    f"{counted(n, 'person has', 'people have')} several.",
                    hint=hint,
                )
                for name, n in self.differing.items()
                if n
            ]
        if problems:
            raise DataError(problems)

    def profile(self, profile: CellProfile) -> CellProfile:
        """The profile of the cells that are left."""
        return replace(profile, settled=self.counts)

    @property
    def in_words(self) -> dict[str, int]:
        """The cells that were replaced, of the columns in which somebody differs."""
        return {name: n for name, n in self.replaced.items() if self.differing[name]}


@dataclass(frozen=True)
class Settler:
    """Give the people of a batch one description each, as `individual.conflict` says.

    `first` takes the row that comes first by lot, `mode` the most frequent value, of equally
    frequent ones the smaller. `digest` is that of all rows as given.
    """

    plan: Plan
    sights: Mapping[str, Sight]
    digest: str
    seed: int | str

    def __call__(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        """The rows with the description of their person, and what is noted of them."""
        assert self.plan.schema.individual is not None
        how = self.plan.schema.individual.conflict
        n_nobody = int(rows[NOBODY].sum())
        # What comes first by lot is the first of its person.
        lots = Lots(rows[GIVEN].to_numpy(), self.digest, self.seed).draw("conflict")
        rows = rows.with_columns(pl.Series(_LOT, lots)).sort(*PERSON, _LOT)
        people = people_of(rows)
        found = [self._settle(rows, people, a.name, how) for a in self.plan.schema.quasi]
        changed = [series for column in found for series in column.changed]
        if how == "first":
            describes = np.zeros(rows.height, dtype=np.bool_)
            describes[people.first_row] = True
            changed.append(pl.Series(DESCRIBES, describes))
        rows = rows.with_columns(changed).drop(NOBODY, GIVEN, _LOT, SHARD)
        names = [a.name for a in self.plan.schema.quasi]
        note = Settled(
            n_nobody,
            {name: column.n_differing for name, column in zip(names, found, strict=True)},
            {name: column.n_replaced for name, column in zip(names, found, strict=True)},
            {} if how == "error" else self._counts(rows),
        )
        return rows, pickle.dumps(note)

    def _settle(self, rows: pl.DataFrame, people: People, name: str, how: str) -> _Column:
        column = column_of(self.plan.schema, name)
        places, sight = rows[column].to_numpy(), self.sights[name]
        rank = sight.rank[places]
        differs = rank != rank[people.first_row][people.person]
        n_differing = len(np.unique(people.person[differs]))
        if how == "error":
            return _Column(n_differing)
        original = rows[column].alias(original_of(self.plan, name))
        source = people.first_row if how == "first" else most_frequent(pl.Series(rank), people)
        row = source[people.person]
        settled = pl.Series(column, places[row]).cast(rows[column].dtype)
        return _Column(n_differing, int(np.count_nonzero(rank != rank[row])), (settled, original))

    def _counts(self, rows: pl.DataFrame) -> dict[str, NDArray[np.int64]]:
        schema = self.plan.schema
        return {
            name: np.bincount(rows[column_of(schema, name)].to_numpy(), minlength=len(own.read))
            for name, own in self.sights.items()
        }


@dataclass(frozen=True)
class _Column:
    """One settled column: the people who differ, the cells replaced, and the columns to write."""

    n_differing: int
    n_replaced: int = 0
    changed: tuple[pl.Series, ...] = ()
