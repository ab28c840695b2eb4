"""Versions that keep together what each promises: signatures, counterfeits and the ledger."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import CodedInput
from shoal._run.engine import Engine
from shoal._run.publish import Labelled
from shoal._run.read import Input, settle
from shoal._run.renew import Earlier, Renewal
from shoal._run.shard import rows_of, shard_seed
from shoal._run.solve import MethodView, Work, check_suppression, solve_shard
from shoal.errors import InfeasibleError
from shoal.method import Task
from shoal.method.invariance import NOWHERE, Kept, Roster, keep_signatures
from shoal.method.repair import Repair
from shoal.model import LDiversity
from shoal.plan import Plan
from shoal.recode.bucket import cells_of
from shoal.release.ledger import HeldCells, Ledger
from shoal.schema import Attribute, Role
from shoal.table import Table
from shoal.table.partition import COVER, SUPPRESSED, Partition
from shoal.table.space import packed_rows
from shoal.verify import Published, verify_versions


@dataclass(frozen=True)
class Counterfeits:
    """Rows that belong to nobody, one for each class in `classes`, with a value of each attribute.

    `like` is the row of a member of the class, whose quasi-identifiers they have.
    """

    classes: NDArray[np.int32]
    like: NDArray[np.int64]
    values: dict[str, list[str | None]]

    def __len__(self) -> int:
        return len(self.classes)


def kept_attributes(plan: Plan) -> list[Attribute]:
    """The sensitive attributes of which everyone keeps the values of their class."""
    models = [m for m in plan.models if isinstance(m, LDiversity)]
    return [a for a in plan.schema.sensitive if any(m.attribute in (None, a.name) for m in models)]


def renew_signed(
    plan: Plan, coded: CodedInput, engine: Engine, earlier: Earlier, ledger: Ledger
) -> tuple[Renewal, Counterfeits]:
    """The classes of a later version, in the numbers of the table as given, and what they lack."""
    view = MethodView.of(coded)
    values = _Values.of(plan, view, ledger)
    people = _names(plan, coded)[view.units]
    roster = Roster(
        packed_rows(view.table).astype(np.int64),
        np.array([1 / max(len(d) - 1, 1) for d in view.table.quasi]),
        values.of_unit,
        ledger.signature_of(people),
        values.signatures,
        earlier.of_units(coded, view) - 1,
        np.maximum(view.requirements.asked_sizes, view.requirements.least).astype(np.int64),
    )
    kept = keep_signatures(roster)
    partition = _with_strangers(plan, coded, engine, view, _partition(kept, earlier), kept)
    counterfeits = _counterfeits(coded, view, kept, values)
    repaired = Repair(view.given(partition), n_suppressed=partition.n_suppressed)
    check_suppression(plan, coded.table, repaired)
    n_founded = partition.n_classes - len(kept.missing)
    return Renewal(repaired, int(kept.touched.sum()) + n_founded), counterfeits


def _names(plan: Plan, coded: CodedInput) -> pl.Series:
    """The name of every unit."""
    assert coded.table.people is not None
    return names_of(plan, coded.source).gather(coded.table.people.first_row)


@dataclass(frozen=True)
class _Values:
    """Sensitive values as numbers: those of units and of signatures, and what numbers stand for."""

    of_unit: list[frozenset[int]]
    signatures: list[frozenset[int]]
    meaning: list[tuple[str, str | None]]

    @classmethod
    def of(cls, plan: Plan, view: MethodView, ledger: Ledger) -> _Values:
        number: dict[tuple[str, str | None], int] = {}
        units: list[set[int]] = [set() for _ in range(view.table.n_units)]
        of_row = view.table.unit_of_row().tolist()
        for attribute in kept_attributes(plan):
            name, column = attribute.name, view.table.columns[attribute.name]
            numbers = [number.setdefault((name, text), len(number)) for text in column.domain.texts]
            for unit, code in zip(of_row, column.codes.tolist(), strict=True):
                units[unit].add(numbers[code])
        signatures = [
            frozenset(
                number.setdefault((name, text), len(number))
                for name, texts in signature.items()
                # Sets of texts are in another order in every process; these numbers must not be.
                for text in sorted(texts, key=lambda text: (text is None, text or ""))
            )
            for signature in ledger.signatures
        ]
        return cls([frozenset(own) for own in units], signatures, list(number))


def _partition(kept: Kept, earlier: Earlier) -> Partition:
    """The classes, with the heights of those that took nobody in."""
    heights = None
    if earlier.heights is not None:
        heights = np.full((len(kept.before), earlier.heights.shape[1]), COVER, dtype=np.int16)
        same = (kept.before != NOWHERE) & ~kept.touched
        heights[same] = earlier.heights[kept.before[same]]
    return Partition(kept.unit_class.astype(np.int32), len(kept.before), heights)


def _with_strangers(
    plan: Plan,
    coded: CodedInput,
    engine: Engine,
    view: MethodView,
    partition: Partition,
    kept: Kept,
) -> Partition:
    """The same, and classes of those who are new and fit nowhere, made as in a first version.

    Who can be in none waits for a later version.
    """
    units = np.sort(kept.strangers)
    if not len(units):
        return partition
    table = view.table.take(rows_of(view.table, units))
    requirements = view.requirements.on(table)
    seed = shard_seed(coded.lots.seed, partition.n_classes)
    task = Task(table, requirements, seed, plan.objective, threads=engine.threads)
    try:
        found = solve_shard(Work(plan.method, task, 1.0)).partition
    except InfeasibleError:
        # Newcomers who cannot be a class by themselves wait for a later version.
        return partition
    unit_class = partition.unit_class.copy()
    inside = found.unit_class != SUPPRESSED
    unit_class[units[inside]] = found.unit_class[inside] + partition.n_classes
    heights = partition.heights
    if heights is not None:
        heights = np.concatenate([heights, found.heights_of(heights.shape[1])])
    return Partition(unit_class, partition.n_classes + found.n_classes, heights)


def _counterfeits(coded: CodedInput, view: MethodView, kept: Kept, values: _Values) -> Counterfeits:
    """As few rows as have all values that classes lack; what they do not lack is a member's."""
    names = list(dict.fromkeys(name for name, _ in values.meaning))
    classes, like = [], []
    cells: dict[str, list[str | None]] = {name: [] for name in names}
    order = np.argsort(kept.unit_class, kind="stable")
    starts = np.searchsorted(kept.unit_class[order], np.arange(len(kept.missing) + 1))
    for number, missing in enumerate(kept.missing):
        if not missing:
            continue
        members = order[starts[number] : starts[number + 1]]
        lacking: dict[str, list[str | None]] = {name: [] for name in names}
        for value in missing:
            name, text = values.meaning[value]
            lacking[name].append(text)
        # A counterfeit fills one gap of every attribute at once, so the attribute with the most
        # gaps says how many there are.
        for place in range(max(map(len, lacking.values()))):
            unit = int(members[place % len(members)])
            own = dict(values.meaning[v] for v in sorted(values.of_unit[unit]))
            classes.append(number)
            like.append(unit)
            for name in names:
                rest = lacking[name]
                cells[name].append(rest[place] if place < len(rest) else own[name])
    first = coded.table.people.first_row if coded.table.people is not None else np.arange(0)
    rows = first[view.units[np.array(like, dtype=np.int64)]]
    return Counterfeits(np.array(classes, dtype=np.int32), rows, cells)


def with_counterfeits(
    plan: Plan, source: Input, made: Counterfeits, seed: int | str, *, typed: bool
) -> Input:
    """The input with counterfeits as its last rows.

    What is published of them besides the values that their class lacks is somebody's each, but of
    no one person: their other cells come from rows that have nothing to do with one another.
    """
    if not len(made):
        return source
    given = source.given
    rows = given[made.like]
    draw = np.random.default_rng(shard_seed(seed, given.height))
    shown = [a.name for a in plan.schema.of(Role.SENSITIVE, Role.INSENSITIVE)]
    loose = [name for name in shown if name not in made.values]
    rows = rows.with_columns(
        *(given[name].gather(draw.integers(0, given.height, rows.height)) for name in loose),
        *(cells_of(name, texts, given.schema[name]) for name, texts in made.values.items()),
        _nobody(plan, given, rows.height),
    )
    whole = settle(plan, pl.concat([given, rows]), seed, typed=typed)
    return replace(whole, n_counterfeits=rows.height)


def _nobody(plan: Plan, given: pl.DataFrame, n: int) -> pl.Series:
    """Names that nobody has."""
    assert plan.schema.individual is not None
    column = given[plan.schema.individual.column]
    if column.dtype.is_numeric():
        first = int(column.to_numpy().max(initial=0)) + 1
        return pl.Series(column.name, range(first, first + n)).cast(column.dtype)
    taken = set(column.cast(pl.String))
    prefix = "counterfeit "
    while any(name.startswith(prefix) for name in taken if name is not None):
        prefix += "'"
    return pl.Series(column.name, [f"{prefix}{i}" for i in range(n)]).cast(column.dtype)


def extended(found: Repair, made: Counterfeits) -> Repair:
    """The same classes with their counterfeits, which are the last units."""
    partition = found.partition
    unit_class = np.concatenate([partition.unit_class, made.classes]).astype(np.int32)
    return replace(found, partition=replace(partition, unit_class=unit_class))


def enter(
    plan: Plan, coded: CodedInput, labelled: Labelled, published: Published, earlier: Ledger
) -> Ledger:
    """The ledger with this version, which is verified to keep what the earlier ones promise."""
    source, table = coded.source, coded.table
    rows = np.flatnonzero(published.classes >= 1)
    names = names_of(plan, source)
    if labelled.buckets is not None:
        held = {name: _held(table, labelled, name, rows) for name in labelled.buckets}
        ledger = earlier.with_buckets(names.gather(rows), held)
    else:
        values = {}
        for attribute in kept_attributes(plan):
            column = table.columns[attribute.name]
            texts = pl.Series(column.domain.texts, dtype=pl.String)
            values[attribute.name] = texts.gather(column.codes[rows])
        real = rows < published.original.height - source.n_counterfeits
        ledger = earlier.with_release(names.gather(rows), real, published.classes[rows], values)
    verify_versions(published, names, ledger.people, ledger.signatures, source.n_counterfeits)
    return ledger


def names_of(plan: Plan, source: Input) -> pl.Series:
    """The name of the person of every row."""
    assert plan.schema.individual is not None
    return source.frame[plan.schema.individual.column].cast(pl.String)


def _held(table: Table, labelled: Labelled, name: str, rows: NDArray[np.int64]) -> HeldCells:
    """The bucket of each of these rows, and what buckets hold, including entries of nobody."""
    assert labelled.buckets is not None
    column, of_row = table.columns[name], labelled.buckets[name].astype(np.int64)
    inside = np.flatnonzero(of_row >= 0)
    texts = pl.Series(column.domain.texts, dtype=pl.String).gather(column.codes[inside])
    entries = labelled.entries.get(name)
    if entries is None:
        return of_row[rows], of_row[inside], texts
    more = pl.Series(entries.texts, dtype=pl.String)
    return of_row[rows], np.append(of_row[inside], entries.buckets), texts.append(more)
