"""What a run in shards found, as a release whose rows are on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal._run.code import list_guesses
from shoal._run.part.fact import Facts
from shoal._run.part.people import PeopleFacts
from shoal._run.part.release import SummedMeasures, WrittenRelease
from shoal._run.part.secret import SecretNote
from shoal._run.part.solve import Note
from shoal._run.publish import may_be_unmet
from shoal._run.read import warn_of_missing
from shoal._run.seed import Seed
from shoal._run.solve import warn_of_run
from shoal.folder.counted import Counted
from shoal.folder.counted_secret import CountedSecrets
from shoal.measure import MEASURES
from shoal.plan import Plan
from shoal.plan.portable import portable
from shoal.release.advice import flag_clues
from shoal.release.fact import MANY, rows_of_person
from shoal.release.outcome import Counts as Totals
from shoal.release.value import say_short
from shoal.schema import Layout, Role
from shoal.schema.advice import advise
from shoal.verify import Published


def release_of(
    plan: Plan, seed: Seed, facts: Facts, note: Note, folder: Path, digest: str
) -> WrittenRelease:
    """All that a run found, without its rows."""
    counted = note.counted
    shown = facts.schema.of(Role.SENSITIVE, Role.INSENSITIVE)
    names = [a for a in shown if a.name not in note.shown.how]
    nothing = np.empty(0, dtype=np.int64)
    return WrittenRelease(
        published=Published(
            without_rows(plan, counted), pl.DataFrame(), nothing, nothing, facts.schema,
            plan.requirements, ranges=plan.ranges, layout=plan.method.layout,
            suppression_limit=plan.suppression_limit, symbols=note.shown.how,
        ),
        verdicts=note.verdicts,
        measures=measures_of(note),
        counts=totals_of(note),
        table=facts.sketch,
        number=np.empty(0, dtype=np.int32),
        source=pl.DataFrame(),
        types=facts.types,
        declared=plan.declared_schema,
        plan_digest=plan.digest(),
        input_digest=digest,
        seed=seed.value,
        seed_origin=seed.origin,
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
        advice=tuple(advice_of(plan, facts, note)),
        folder=folder,
        labels=counted.labels,
        crowds=counted.crowds,
        found_risks=note.risks if isinstance(note, SecretNote) else None,
        replaced=facts.replaced if isinstance(facts, PeopleFacts) else {},
    )  # fmt: skip


def without_rows(plan: Plan, counted: Counted) -> dict[str, pl.DataFrame]:
    """The published tables without any row."""
    tables = {"data": pl.DataFrame(schema=dict.fromkeys(counted.columns, pl.String))}
    if isinstance(counted, CountedSecrets) and plan.method.layout is Layout.SPLIT:
        empty = pl.DataFrame(schema=dict.fromkeys(("BID", "value"), pl.String))
        tables |= {f"buckets-{name}": empty for name in counted.held}
    return tables


def advice_of(plan: Plan, facts: Facts, note: Note) -> Iterator[Any]:
    """What the publisher should know of the run."""
    table = facts.sketch
    yield from note.advice
    yield from warn_of_run(plan, note.repaired, table)
    yield from warn_of_missing(facts.idle)
    yield from flag_clues(note.shown.worst())
    yield from say_short(note.short, note if isinstance(note, SecretNote) else None)
    if note.people is not None and note.people.telling > MANY:
        yield advise("rows-of-person", rows_of_person(note.people.telling))


def measures_of(note: Note) -> SummedMeasures:
    """The measures that are sums over shards, and those that class sizes tell."""
    values = {name: MEASURES[name]().finish(sums) for name, sums in note.sums.items()}
    sizes, n_classes = note.counted.crowds
    pairs = zip(sizes.tolist(), n_classes.tolist(), strict=True)
    squares = sum(size * size * n for size, n in pairs)
    values |= {
        "dm": float(squares + (note.n_rows - note.n_published) * note.n_rows),
        "avg-class": note.n_published / note.counted.n_classes,
    }
    return SummedMeasures(values, {n: lost / note.n_rows for n, lost in note.lost.items()})


def totals_of(note: Note) -> Totals:
    """How many there were, and what became of them."""
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
