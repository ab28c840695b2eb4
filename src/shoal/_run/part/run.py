"""A run that never holds its table: what a plan with `shards` and an output folder does.

The functions of this package see one batch or one shard, the engine's rows bring them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import list_guesses
from shoal._run.cut import (
    Counts,
    Cuts,
    Question,
    by_counts,
    counted_sensitive,
    plan_cuts,
    side_by_side,
)
from shoal._run.engine import Engine, Rows
from shoal._run.engine.base import sort_bits
from shoal._run.part.bucket import Ending, Sheets, written_values
from shoal._run.part.count import (
    AssignedSolver,
    Counter,
    add_counts,
    assign,
    counted_names,
    counted_thresholds,
)
from shoal._run.part.fact import INPUT, SHARD, Facts
from shoal._run.part.number import demand_numbers, merge_final, number_rows
from shoal._run.part.people import PeopleFacts, cut_people, gather_people, place_people
from shoal._run.part.person_number import Numbers, number_people
from shoal._run.part.profile import Profile, Profiler
from shoal._run.part.release import SummedMeasures, WrittenRelease
from shoal._run.part.secret import SecretNote, SecretSolver, count_secrets, shard_codes
from shoal._run.part.solve import Note, Solver, merge_notes, symbols_of_plan, worse
from shoal._run.part.unite import PeopleSolver
from shoal._run.publish import may_be_unmet
from shoal._run.read import kept_columns, warn_of_missing
from shoal._run.secret import Secrets
from shoal._run.seed import Seed
from shoal._run.solve import refuse_suppression, warn_of_polish, warn_of_repair
from shoal.errors import InfeasibleError
from shoal.folder.batch import Written, private_folder, write_folder, write_parts
from shoal.folder.counted import PERSON, Counted
from shoal.folder.counted_secret import CountedSecrets
from shoal.folder.part import TABLE, Part, PartWriter, check_parts
from shoal.folder.public import Public
from shoal.folder.writing import Progress
from shoal.measure import MEASURES
from shoal.method.lgb.bucket import Rule
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.plan.portable import portable
from shoal.reading.digest import hash_rows
from shoal.reading.manifest import File
from shoal.recode import KEYS, digest_text, sum_digest
from shoal.release.advice import flag_clues
from shoal.release.fact import MANY, rows_of_person
from shoal.release.outcome import Counts as Totals
from shoal.release.type import CellType, parse
from shoal.schema import Layout, Role, Schema
from shoal.schema.advice import advise
from shoal.verify import Published, Recount, RowDigest, VerifiedTable, audit_table

# Batches of rows as they are read are no larger, whatever the shards.
_MOST_READ = 500_000
_LEAST_READ = 100_000
# Where the plan has no shards, classes are judged in bins of so many rows.
_BIN = 1_000_000

_LEFT_OUT = "some rows must be left out before any class can be made"

Finish = Callable[[pl.DataFrame], pl.DataFrame]
Codes = Callable[[pl.DataFrame], NDArray[Any]]


class Whole(Exception):
    """The table must be held in memory after all, for this reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def run_in_parts(
    plan: Plan,
    data: Any,
    base: Path,
    engine: Engine,
    stage: Progress,
    seed: Seed,
    folder: Path,
    *,
    force: bool,
) -> WrittenRelease:
    """Make, verify and write a release shard by shard; raises Whole where that cannot be done."""
    with private_folder(folder) as own:
        return _Run(plan, engine, stage, seed, own).make(data, base, folder, force)


class _Run:
    """The steps of one run."""

    def __init__(
        self, plan: Plan, engine: Engine, stage: Progress, seed: Seed, folder: Path
    ) -> None:
        self.plan, self.engine, self.stage, self.seed = plan, engine, stage, seed
        self.folder, self.n_rows = folder, plan.shard_rows or _BIN

    def make(self, data: Any, base: Path, folder: Path, force: bool) -> WrittenRelease:
        with self.stage("reading"):
            facts, coded = self._read(data, base)
            requirements = facts.requirements()
        with self.stage("sharding"):
            digest = digest_text(*coded.fold(_digest, _added))
            place, solver = self._sharded(facts, requirements, coded, digest)
            placed = coded.map(place)
            coded.close()
            shards = placed.shard(SHARD)
        with self.stage(self.plan.method.name):
            published, notes = shards.solve(solver)
            placed.close()
            shards.close()
            note = merge_notes(notes)
        self._check(facts, note)
        if isinstance(note, SecretNote):
            return self._end_with_buckets(facts, note, published, folder, digest, force)
        with self.stage("counting"):
            classes, note = self._whole_classes(facts, published, note)
        release = self._release(facts, note, folder, digest)
        with self.stage("writing"):
            names, verified = note.counted.columns, note.digest
            types = self._types(release, names, published)
            finish: Finish = partial(_finished, names, types)
            if note.people is not None:
                published, numbers, verified = number_people(
                    published, names, note.n_published, self.n_rows, verified
                )
                finish = partial(_finished_people, numbers, finish)
            public = Public.of(release, note.counted)
            written = Written(
                public,
                lambda schema: _recount(classes, release, schema, tuple(public.symbols)),
                self.plan.digest(),
                verified,
            )
            ordered = published.sort(KEYS, self.n_rows)
            if self.engine.writes_parts:
                self._write_there(written, ordered, finish, folder, force)
            else:
                batches = map(finish, ordered.batches())
                write_parts(written, batches, folder, force=force, format=self.plan.output_format)
        return release

    def _end_with_buckets(
        self,
        facts: Facts,
        note: SecretNote,
        published: Rows,
        folder: Path,
        digest: str,
        force: bool,
    ) -> WrittenRelease:
        """Number the rows, classes and buckets of all shards, and write the tables."""
        secret, n_groups = facts.schema.secret, (note.n_classes, *note.n_buckets)
        with self.stage("numbering"):
            n_buckets = {a.name: n for a, n in zip(secret, note.n_buckets, strict=True) if n}
            sheets = Sheets(facts, tuple(n_buckets))
            names = ("g", *(f"b{i}" for i in range(len(secret))))
            numbers = number_rows(published, names, n_groups, self.n_rows)
            final, notes = published.solve_with(numbers, SHARD, sheets.finish_shard)
            published.close()
            numbers.close()
            found = merge_final(notes)
            demand_numbers(found.numbers, n_groups)
        assert isinstance(note.counted, CountedSecrets)
        counted = replace(note.counted, columns=sheets.columns)
        note = replace(note, counted=counted, verdicts=note.stated())
        release = self._release(facts, note, folder, digest)
        with self.stage("writing"):
            written = Written(
                Public.of(release, counted),
                lambda _: Recount(note.verdicts),
                self.plan.digest(),
                found.data,
            )
            ending = Ending(self.engine, sheets, self.n_rows, final, found, n_buckets)
            types = self._types(release, sheets.columns, final)
            values = {
                name: self._bucket_values(release, sheets, counted, name) for name in n_buckets
            }
            ending.write(
                written, types, values, folder, force=force, format=self.plan.output_format
            )
        return release

    def _bucket_values(
        self, release: WrittenRelease, sheets: Sheets, counted: CountedSecrets, name: str
    ) -> pl.Series:
        if self.plan.output_format == "csv":
            return sheets.values(name)
        cells = counted.held[name].values["label"].drop_nulls()
        return written_values(sheets, release.declared[name], release.kept_types.get(name), cells)

    def _write_there(
        self, written: Written, ordered: Rows, finish: Finish, folder: Path, force: bool
    ) -> None:
        """Every batch as a part of the table, written and read again where its rows are."""
        n_rows, parts = written.digest.n_rows, list[Part]()

        def write(fresh: Path) -> Mapping[str, File]:
            table = fresh / TABLE
            table.mkdir()
            person = PERSON if self.plan.schema.individual is not None else None
            bits = sort_bits(n_rows, self.n_rows)
            verified = VerifiedTable((), RowDigest(), person=person)
            writer = PartWriter(table, finish, KEYS[0], bits, verified)
            parts.extend(map(Part.of_text, ordered.solve(writer)[1]))
            return {f"{TABLE}/{part.name}": part.file for part in parts}

        def verify(fresh: Path) -> None:
            check_parts(fresh / TABLE, parts, written.public.data.columns, written.digest)

        write_folder(written, write, verify, folder, force=force)

    def _read(self, data: Any, base: Path) -> tuple[Facts, Rows]:
        plan = self.plan
        n_rows = min(max(self.n_rows, _LEAST_READ), _MOST_READ)
        source = self.engine.open(data, base, plan.encoding, self.folder, n_rows)
        if source is None:
            raise Whole("its source can only be read whole")
        keep = partial(_kept, plan)
        profile = source.fold(partial(_profiled, plan, keep), Profile.merge)
        if profile.n_unread:
            raise Whole("the sensitivities of some rows are not plainly numbers from 0 to 1")
        typed = self.engine.has_types(data, base)
        if plan.schema.individual is not None:
            return gather_people(
                plan, profile, source, keep, self.seed.value, self.n_rows, typed=typed
            )
        facts = Facts.of(plan, profile, typed=typed)
        return facts, source.map(partial(_coded, facts, keep))

    def _sharded(
        self, facts: Facts, requirements: Requirements, coded: Rows, digest: str
    ) -> tuple[Finish, Solver]:
        """What places every row in its shard, and what solves a shard."""
        own = (facts, requirements, self.seed.value, digest)
        if isinstance(facts, PeopleFacts):
            cuts = cut_people(facts, requirements, coded, self.n_rows)
            if cuts is None:
                raise Whole("counts alone do not show that all people can be in one release")
            whole = facts.n_records <= self.n_rows
            people = PeopleSolver(*own, cuts.n_shards, self.engine.threads, whole)
            return partial(place_people, facts, cuts), people
        if self.plan.shard_rows is None:
            thresholds = counted_thresholds(self.plan, requirements)
            counter = Counter(facts, counted_names(facts, requirements), thresholds)
            counts = coded.fold(counter, add_counts)
            self._refuse_hopeless(facts, requirements)
            found = assign(self.plan, counter, requirements, counts, self.n_rows)
            threads = self.engine.threads
            return found.place, AssignedSolver(*own, found.n_bins, threads, False, found)
        rules, of_shards = facts.bucket_rules(), by_counts(requirements)
        codes = _codes(facts, of_shards, rules)
        cuts = self._cut(facts, of_shards, coded, codes, rules)
        known = (*own, cuts.n_shards, self.engine.threads, facts.n_rows <= self.n_rows)
        solver = SecretSolver(*known, rules) if rules else Solver(*known)
        return partial(_place, cuts, codes), solver

    def _refuse_hopeless(self, facts: Facts, requirements: Requirements) -> None:
        if facts.n_rows < requirements.least:
            raise Whole(_LEFT_OUT)
        if requirements.beyond_size and not _holds_as_one(facts, requirements):
            raise Whole(_LEFT_OUT)

    def _cut(
        self,
        facts: Facts,
        requirements: Requirements,
        coded: Rows,
        codes: Codes,
        rules: Mapping[str, Rule],
    ) -> Cuts:
        """The shard plan; raises Whole where people must be left out before any class is made."""

        def count(question: Question) -> Counts:
            return coded.fold(partial(_count, codes, question), add)

        self._refuse_hopeless(facts, requirements)
        if facts.n_rows <= self.n_rows:
            return Cuts.none()
        secrets = Secrets.of(facts.sketch, rules) if rules else None
        cuts = plan_cuts(requirements, self.n_rows, count, secrets)
        # Secrets that do not fit into the buckets of the whole fit into no two halves of it.
        if cuts.n_shards == 1 and secrets is not None:
            counts = coded.fold(partial(count_secrets, facts, secrets), _added_each)
            if not secrets.fit(counts):
                raise Whole(_LEFT_OUT)
        return cuts

    def _check(self, facts: Facts, note: Note) -> None:
        if not note.n_classes:
            raise InfeasibleError(
                f"Nothing can be published: {self.plan.method.name} found no group that meets the "
                "requirements of the plan.",
                hint="Require less, or give the hierarchies a common top.",
            )
        n_lost = note.n_rows - note.n_published if note.people is None else note.people.n_lost
        refuse_suppression(self.plan, n_lost, facts.n_rows)

    def _whole_classes(self, facts: Facts, published: Rows, note: Note) -> tuple[Rows, Note]:
        """The published rows with every class in one batch, and their counts.

        Shards that cut a hierarchy can publish the same labels.
        """
        if note.counted.are_whole:
            return published, note
        names, n = note.counted.columns, max(note.n_published // self.n_rows, 1)
        quasi = [f"p{names.index(a.name)}" for a in facts.schema.quasi]
        together = published.map(partial(_by_class, quasi, n)).shard(SHARD)
        symbols = symbols_of_plan(self.plan)
        counted = together.fold(partial(_counted, names, facts.schema, symbols), Counted.merge)
        return together, replace(note, counted=counted)

    def _types(
        self, release: WrittenRelease, names: tuple[str, ...], published: Rows
    ) -> Mapping[str, pl.DataType]:
        """The types of columns that are published as they were; none in text files."""
        if self.plan.output_format == "csv":
            return {}
        roles = (Role.SENSITIVE, Role.INSENSITIVE)
        shown = {
            a.name: a
            for a in release.declared.of(*roles)
            if a.name in names and a.name not in release.symbols
        }
        kept = {name: t for name, t in release.kept_types.items() if name in shown}
        left = {f"p{names.index(name)}": a for name, a in shown.items() if name not in kept}
        found = published.fold(partial(_cell_types, tuple(left)), _both_types) if left else {}
        return {**kept, **{a.name: found[p].dtype(a) for p, a in left.items()}}

    def _release(self, facts: Facts, note: Note, folder: Path, digest: str) -> WrittenRelease:
        plan, counted, schema = self.plan, note.counted, facts.plan.schema
        shown = facts.schema.of(Role.SENSITIVE, Role.INSENSITIVE)
        names = [a for a in shown if a.name not in note.shown.how]
        nothing = np.empty(0, dtype=np.int64)
        return WrittenRelease(
            published=Published(
                _without_rows(plan, counted), pl.DataFrame(), nothing, nothing, facts.schema,
                plan.requirements, ranges=plan.ranges, layout=plan.method.layout,
                suppression_limit=plan.suppression_limit, symbols=note.shown.how,
            ),
            verdicts=note.verdicts,
            measures=_measures(note),
            counts=_numbers(note),
            table=facts.sketch,
            number=np.empty(0, dtype=np.int32),
            source=pl.DataFrame(),
            types=facts.types,
            declared=schema.without_hierarchies() if plan.method.sheds_hierarchies else schema,
            plan_digest=plan.digest(),
            input_digest=digest,
            seed=self.seed.value,
            seed_origin=self.seed.origin,
            method=plan.method.name,
            display=plan.method.display,
            format=plan.output_format,
            tried=note.repaired.tried,
            notes=(
                *list_guesses(plan, facts.sketch, facts.forms),
                *plan.method.choice(note.repaired.tried, plan.objective),
            ),
            may_be_unmet=may_be_unmet(plan),
            singled_out=counted.alone / max(counted.n_rows, 1) if names else 0.0,
            portable=portable(plan),
            plan_text=plan.text or plan.to_yaml(),
            advice=tuple(_advice(plan, facts, note)),
            folder=folder,
            labels=counted.labels,
            crowds=counted.crowds,
            found_risks=note.risks if isinstance(note, SecretNote) else None,
            replaced=facts.replaced if isinstance(facts, PeopleFacts) else {},
        )  # fmt: skip


def _without_rows(plan: Plan, counted: Counted) -> dict[str, pl.DataFrame]:
    """The published tables without any row."""
    tables = {"data": pl.DataFrame(schema=dict.fromkeys(counted.columns, pl.String))}
    if isinstance(counted, CountedSecrets) and plan.method.layout is Layout.SPLIT:
        empty = pl.DataFrame(schema=dict.fromkeys(("BID", "value"), pl.String))
        tables |= {f"buckets-{name}": empty for name in counted.held}
    return tables


def _advice(plan: Plan, facts: Facts, note: Note) -> Iterator[Any]:
    table = facts.sketch
    yield from plan.method.advice(table)
    yield from warn_of_repair(note.repaired, table)
    yield from warn_of_polish(plan, note.repaired)
    yield from warn_of_missing(facts.idle)
    yield from flag_clues(note.shown.worst())
    if note.people is not None and note.people.telling > MANY:
        yield advise("rows-of-person", rows_of_person(note.people.telling))
    for requirement in plan.repeated:
        text = f"{requirement} is listed twice, which changes nothing."
        yield advise("repeated-requirement", text)


def _kept(plan: Plan, batch: pl.DataFrame) -> pl.DataFrame:
    kept = set(kept_columns(plan, batch.columns))
    return batch.drop([name for name in batch.columns if name not in kept])


def _profiled(plan: Plan, keep: Any, batch: pl.DataFrame) -> Profile:
    return Profiler(plan)(keep(batch))


def _coded(facts: Facts, keep: Any, batch: pl.DataFrame) -> pl.DataFrame:
    return facts.code(keep(batch))


def _digest(rows: pl.DataFrame) -> tuple[int, int, int]:
    return sum_digest(rows[INPUT].to_numpy())


def _added(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _added_each(
    one: list[NDArray[np.int64]], other: list[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    return list(map(add, one, other))


def _codes(facts: Facts, requirements: Requirements, rules: Mapping[str, Rule]) -> Codes:
    """What gives the codes of rows by which they are cut, and those that are counted."""
    if rules:
        return partial(shard_codes, facts, Secrets.of(facts.sketch, rules))
    sensitive = [c.attribute.name for c in counted_sensitive(requirements)]
    return partial(_plain_codes, facts, [*(a.name for a in facts.schema.quasi), *sensitive])


def _plain_codes(facts: Facts, names: list[str], rows: pl.DataFrame) -> NDArray[Any]:
    return side_by_side([facts.codes(rows, name) for name in names])


def _count(codes: Codes, question: Question, rows: pl.DataFrame) -> Counts:
    return question.count(codes(rows))


def _place(cuts: Cuts, codes: Codes, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with the number of their shard, and sorted by it."""
    numbers = cuts.find(codes(rows))
    return rows.with_columns(pl.Series(SHARD, numbers.astype(np.uint32))).sort(
        SHARD, maintain_order=True
    )


def _holds_as_one(facts: Facts, requirements: Requirements) -> bool:
    """Whether all rows as one class would hold what is required of values."""
    from shoal.kernels.requirement import summary_holds

    summary = requirements.summary_room()
    counts = [facts.codings[a.name].counts for a in facts.schema.sensitive]
    own = np.concatenate(counts)
    summary[: len(own)] = own
    units = np.empty(facts.n_rows, dtype=np.int32)
    return bool(
        summary_holds(requirements.bounds, facts.n_rows, summary, requirements.facts, None, units)
    )


def _by_class(quasi: list[str], n: int, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with a number that all rows of a class have, and sorted by it."""
    hashes = hash_rows([rows[name] for name in quasi], rows.height, 1, numbers=False)
    numbers = (hashes % np.uint64(n)).astype(np.uint32)
    return rows.with_columns(pl.Series(SHARD, numbers)).sort(SHARD, maintain_order=True)


def _named(names: tuple[str, ...], rows: pl.DataFrame) -> pl.DataFrame:
    """The published columns of rows under their names."""
    return pl.DataFrame([rows[f"p{i}"].alias(name) for i, name in enumerate(names)])


def _counted(
    names: tuple[str, ...], schema: Schema, symbols: frozenset[str], rows: pl.DataFrame
) -> Counted:
    return Counted.of(_named(names, rows), schema, symbols)


def _finished(
    names: tuple[str, ...], types: Mapping[str, pl.DataType], rows: pl.DataFrame
) -> pl.DataFrame:
    """The rows as they are written."""
    data = _named(names, rows)
    return data.with_columns(
        parse(data[name].cast(pl.String), dtype).alias(name)
        for name, dtype in types.items()
        if dtype != pl.String
    )


def _finished_people(numbers: Numbers, finish: Finish, rows: pl.DataFrame) -> pl.DataFrame:
    return finish(numbers(rows))


def _cell_types(columns: tuple[str, ...], rows: pl.DataFrame) -> dict[str, CellType]:
    return {c: CellType.of(rows[c].unique().drop_nulls().cast(pl.String)) for c in columns}


def _both_types(one: dict[str, CellType], other: dict[str, CellType]) -> dict[str, CellType]:
    return {name: own.merge(other[name]) for name, own in one.items()}


def _recount(
    classes: Rows, release: WrittenRelease, schema: Schema, symbols: tuple[str, ...]
) -> Recount:
    """What a reader of the published table can count, class by class."""
    judge = partial(
        _judged,
        tuple(release.published.data.columns),
        schema,
        release.requirements,
        release.ranges,
        release.counts.suppressed,
        release.counts.repeated,
        symbols,
        {
            a.name: release.labels[a.name].rename({"label": "value"})
            for a in release.schema.sensitive
        },
    )
    return classes.fold(judge, _worse)


def _judged(
    names: tuple[str, ...],
    schema: Schema,
    requirements: Any,
    ranges: str,
    n_suppressed: int,
    n_repeated: int,
    symbols: tuple[str, ...],
    whole: Mapping[str, pl.DataFrame],
    rows: pl.DataFrame,
) -> Recount:
    data = _named(names, rows)
    return audit_table(
        data,
        schema,
        requirements,
        ranges=ranges,
        n_repeated=n_repeated,
        symbols=symbols,
        n_suppressed=n_suppressed,
        whole=whole,
    )


def _worse(one: Recount, other: Recount) -> Recount:
    return Recount(tuple(map(worse, one.verdicts, other.verdicts)))


def _measures(note: Note) -> SummedMeasures:
    values = {name: MEASURES[name]().finish(sums) for name, sums in note.sums.items()}
    sizes, n_classes = note.counted.crowds
    pairs = zip(sizes.tolist(), n_classes.tolist(), strict=True)
    squares = sum(size * size * n for size, n in pairs)
    values |= {
        "dm": float(squares + (note.n_rows - note.n_published) * note.n_rows),
        "avg-class": note.n_published / note.counted.n_classes,
    }
    return SummedMeasures(values, {n: lost / note.n_rows for n, lost in note.lost.items()})


def _numbers(note: Note) -> Totals:
    people = note.people
    return Totals(
        rows=note.n_rows if people is None else people.n_rows,
        published=note.n_published,
        suppressed=note.n_rows - note.n_published,
        repeated=0 if people is None else people.n_rows - note.n_rows,
        people=None if people is None else people.n_people,
        published_people=None if people is None else people.sizes.n_people,
        suppressed_by_repair=note.repaired.n_suppressed,
        merged_by_repair=note.repaired.n_merged,
        singly=note.repaired.n_single,
        classes=note.counted.n_classes,
        withheld=note.withheld if isinstance(note, SecretNote) else None,
        withheld_rows=note.withheld_rows if isinstance(note, SecretNote) else None,
    )
