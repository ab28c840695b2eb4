"""A run that never holds its table: what a plan with `shards` and an output folder does.

The functions of this package see one batch or one shard, the engine's rows bring them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.cut import (
    CutTree,
    Question,
    SlotCounts,
    by_counts,
    holds_as_one,
    plan_cuts,
)
from shoal._run.engine import Engine, Rows
from shoal._run.part.bucket import Ending, Sheets, written_values
from shoal._run.part.count import (
    AssignedSolver,
    RowCounter,
    add_counts,
    assign,
    counted_names,
    counted_thresholds,
)
from shoal._run.part.fact import INPUT, SHARD, Facts, digest_column
from shoal._run.part.finish import (
    Finish,
    Sheet,
    both_types,
    cell_types,
    finished,
    finished_people,
    write_sheets,
)
from shoal._run.part.number import demand_numbers, merge_final, number_rows
from shoal._run.part.obstacle import Whole
from shoal._run.part.outcome import release_of
from shoal._run.part.people import PeopleFacts, cut_people, gather_people
from shoal._run.part.person_number import number_people
from shoal._run.part.place import Codes, codes_of, count_codes, place_rows, quasi_codes
from shoal._run.part.profile import CellProfile, Profiler
from shoal._run.part.recount import by_class, count_rows, recount, settled
from shoal._run.part.release import WrittenRelease
from shoal._run.part.secret import SecretNote, SecretSolver, count_secrets
from shoal._run.part.solve import Note, Solver, merge_notes, symbols_of_plan
from shoal._run.part.unite import PeopleSolver
from shoal._run.read import kept_columns
from shoal._run.secret import Secrets
from shoal._run.seed import Seed
from shoal._run.solve import refuse_nothing, refuse_suppression
from shoal.folder.batch import Written, private_folder
from shoal.folder.counted import PERSON, Counted
from shoal.folder.counted_secret import CountedSecrets
from shoal.folder.public import Public
from shoal.folder.writing import Progress
from shoal.method.lgb.bucket import Rule
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.recode import KEYS, add_digests, digest_text
from shoal.schema import Role, Schema
from shoal.verify import Recount, VerifiedTable

# Batches of rows as they are read are no larger, whatever the shards.
_MOST_READ = 500_000
_LEAST_READ = 100_000
# Where the plan has no shards, classes are judged in bins of this many rows.
_BIN = 1_000_000

_LEFT_OUT = "some rows must be left out before any class can be made"


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
            # Before any shard is solved: the keys of all lots rest on the whole input.
            digest = digest_text(*coded.fold(partial(digest_column, INPUT), add_digests))
            place, solver = self._sharded(facts, requirements, coded, digest)
            placed = coded.map(place)
            # What a stage was made from is given up at once: the disk holds one copy of the rows.
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
        release = release_of(self.plan, self.seed, facts, note, folder, digest)
        with self.stage("writing"):
            names, verified = note.counted.columns, note.digest
            types = self._types(release, names, published)
            finish: Finish = partial(finished, names, types)
            if note.people is not None:
                published, numbers, verified = number_people(
                    published, names, note.n_published, self.n_rows, verified
                )
                finish = partial(finished_people, numbers, finish)
            public, found = Public.of(release, note.counted), [Recount(())]

            def counted(schema: Schema) -> Recount:
                found.append(recount(classes, release, schema, tuple(public.symbols)))
                return found[-1]

            written = Written(public, counted, self.plan.digest())
            person = None if note.people is None else PERSON
            table = VerifiedTable(names, verified, person=person)
            ordered = published.sort(KEYS, self.n_rows)
            sheets = {"data": Sheet(table, ordered, KEYS[0], self.n_rows, finish)}
            format = self.plan.output_format
            write_sheets(self.engine, written, sheets, folder, force=force, format=format)
        return replace(release, verdicts=settled(release.verdicts, found[-1]))

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
        release = release_of(self.plan, self.seed, facts, note, folder, digest)
        with self.stage("writing"):
            written = Written(
                Public.of(release, counted),
                lambda _: Recount(note.verdicts),
                self.plan.digest(),
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

    def _read(self, data: Any, base: Path) -> tuple[Facts, Rows]:
        plan = self.plan
        n_rows = min(max(self.n_rows, _LEAST_READ), _MOST_READ)
        source = self.engine.open(data, base, plan.encoding, self.folder, n_rows)
        if source is None:
            raise Whole("its source can only be read whole")
        keep = partial(_kept, plan)
        profile = source.fold(partial(_profiled, plan, keep), CellProfile.merge)
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
            return partial(place_rows, cuts, quasi_codes(facts)), people
        if self.plan.shard_rows is None:
            thresholds = counted_thresholds(self.plan, requirements)
            counter = RowCounter(facts, counted_names(facts, requirements), thresholds)
            counts = coded.fold(counter, add_counts)
            self._refuse_hopeless(facts, requirements)
            found = assign(self.plan, counter, requirements, counts, self.n_rows)
            threads = self.engine.threads
            return found.place, AssignedSolver(*own, found.n_bins, threads, False, found)
        rules, of_shards = facts.bucket_rules(), by_counts(requirements)
        codes = codes_of(facts, of_shards, rules)
        cuts = self._cut(facts, of_shards, coded, codes, rules)
        known = (*own, cuts.n_shards, self.engine.threads, facts.n_rows <= self.n_rows)
        solver = SecretSolver(*known, rules) if rules else Solver(*known)
        return partial(place_rows, cuts, codes), solver

    def _refuse_hopeless(self, facts: Facts, requirements: Requirements) -> None:
        if facts.n_rows < requirements.least:
            raise Whole(_LEFT_OUT)
        counts = np.concatenate([np.empty(0, np.int64), *facts.counts.values()])
        if requirements.beyond_size and not holds_as_one(requirements, facts.n_rows, counts):
            raise Whole(_LEFT_OUT)

    def _cut(
        self,
        facts: Facts,
        requirements: Requirements,
        coded: Rows,
        codes: Codes,
        rules: Mapping[str, Rule],
    ) -> CutTree:
        """The shard plan; raises Whole where people must be left out before any class is made."""

        def count(question: Question) -> SlotCounts:
            return coded.fold(partial(count_codes, codes, question), add)

        self._refuse_hopeless(facts, requirements)
        if facts.n_rows <= self.n_rows:
            return CutTree.none()
        secrets = Secrets.of(facts.sketch, rules) if rules else None
        cuts = plan_cuts(requirements, self.n_rows, count, secrets)
        # Secrets that do not fit into the buckets of the whole fit into no two halves of it.
        if cuts.n_shards == 1 and secrets is not None:
            counts = coded.fold(partial(count_secrets, facts, secrets), _added_each)
            if not secrets.fit(counts):
                raise Whole(_LEFT_OUT)
        return cuts

    def _check(self, facts: Facts, note: Note) -> None:
        refuse_nothing(self.plan, note.n_classes, note.repaired.n_undecided)
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
        together = published.map(partial(by_class, quasi, n)).shard(SHARD)
        symbols = symbols_of_plan(self.plan)
        counted = together.fold(partial(count_rows, names, facts.schema, symbols), Counted.merge)
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
        found = published.fold(partial(cell_types, tuple(left)), both_types) if left else {}
        return {**kept, **{a.name: found[p].dtype(a) for p, a in left.items()}}


def _kept(plan: Plan, batch: pl.DataFrame) -> pl.DataFrame:
    kept = set(kept_columns(plan, batch.columns))
    return batch.drop([name for name in batch.columns if name not in kept])


def _profiled(plan: Plan, keep: Any, batch: pl.DataFrame) -> CellProfile:
    return Profiler(plan)(keep(batch))


def _coded(facts: Facts, keep: Any, batch: pl.DataFrame) -> pl.DataFrame:
    return facts.code(keep(batch))


def _added_each(
    one: list[NDArray[np.int64]], other: list[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    return list(map(add, one, other))
