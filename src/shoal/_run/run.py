"""From a plan to a verified release.

read → coded (repeated rows of a person merged) → sharded → classes → repaired → concealed, where
the plan says so → labelled → ordered → laid out → verified → measured → written → verified
again
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from shoal._run.cluster import run_on_cluster
from shoal._run.code import CodedInput, code
from shoal._run.engine import Engine, LocalEngine
from shoal._run.engine.spark.engine import SparkFrame, is_spark_frame
from shoal._run.invariance import enter
from shoal._run.measure import measure
from shoal._run.part.obstacle import Whole, held_whole, obstacle
from shoal._run.part.run import run_in_parts
from shoal._run.publish import conceal, label, lay_out, order, verify
from shoal._run.read import Input, read_input, source_of, warn_of_missing
from shoal._run.release import Release
from shoal._run.seed import Seed, find_seed
from shoal._run.signed import Bucketiser
from shoal._run.solve import solve, warn_of_run
from shoal.errors import PlanError
from shoal.folder.database import claim_tables, tables_in
from shoal.folder.history import (
    digest_people,
    earlier_releases,
    extend_history,
    warn_of_overlap,
    without_latest,
)
from shoal.folder.private import digest_manifest, input_of, release_of
from shoal.folder.writing import Progress, claim_places, write_release
from shoal.method.repair import Repair
from shoal.plan import AnyPlan, Plan
from shoal.plan.field import SparkFields
from shoal.recode import Concealed
from shoal.release.advice import in_the_open
from shoal.release.ledger import Ledger
from shoal.release.value import share_singled_out
from shoal.source import AnyTable

R = TypeVar("R", bound=Release)


def run(
    plan: AnyPlan,
    data: AnyTable | SparkFrame | None = None,
    engine: Engine | Literal["local", "spark"] | None = None,
    *,
    output: str | Path | None = None,
    private: str | Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Make a release by a plan, verify it, and write it where the plan names an output.

    `data` replaces the plan's source: a polars, pandas or pyarrow table, a Spark DataFrame, or a
    path. `engine` replaces the plan's engine; a Spark DataFrame runs on its own session. `private`
    is the folder for the publisher's own side. Raises a ShoalError and writes nothing if the plan,
    the data or the result is invalid.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 33, 34, 58, 61, 64], "ill": list("abcabc")})
    >>> plan = {"attributes": {"age": "quasi", "ill": "sensitive"}, "seed": 1,
    ...         "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}]}
    >>> sorted(set(run(plan, people).frame["age"]))
    ['[31, 34]', '[58, 64]']
    """
    plan = Plan.of(plan)
    folder = Path(output) if output is not None else plan.output_folder
    own = None if private is None else Path(private)
    if own is not None and folder is None:
        raise PlanError(
            "A private folder needs a release, but neither the call nor the plan names an output.",
            hint="Add 'output: FOLDER' to the plan, or give one in the call.",
        )
    # Whatever can be refused is refused before any row is read.
    demand_ledger(plan, folder, own)
    seed = find_seed(plan)
    claim_places(folder, own, force)
    target = plan.output_database if output is None else None
    if target is not None:
        claim_tables(target, plan.base, force)
    stage = progress or (lambda _: nullcontext())
    held = ""
    given, base = source_of(plan, data)
    if (
        engine == "spark"
        or is_spark_frame(data)
        or (engine is None and isinstance(plan.engine, SparkFields))
    ):
        return run_on_cluster(
            plan, given, base, stage, seed, folder,
            private=own is not None, database=target is not None, force=force,
        )  # fmt: skip
    if engine is None or isinstance(engine, str):
        engine = LocalEngine(plan.workers)
    in_files = isinstance(given, str | Path | tuple)
    if plan.shard_rows is not None and folder is not None and in_files:
        held = obstacle(plan, private=own is not None, database=target is not None)
        try:
            if not held:
                return run_in_parts(plan, given, base, engine, stage, seed, folder, force=force)
        except Whole as found:
            held = found.reason
    release = _make(plan, data, engine, stage, seed)
    if held:
        release = replace(release, advice=(*release.advice, held_whole(held)))
    if own is not None and folder is not None:
        release = with_history(release, folder, own)
    # The transaction spans the folder: if one of them cannot be written, neither is.
    with (
        nullcontext() if target is None else stage("writing to the database"),
        nullcontext() if target is None else tables_in(target, release, plan.base, force),
    ):
        if folder is None:
            return release
        with stage("writing"):
            write_release(
                release,
                folder,
                private=own,
                force=force,
                format=release.format,
                progress=progress,
            )
    return release


def _make(plan: Plan, data: Any, engine: Engine, stage: Progress, seed: Seed) -> Release:
    """Read, and run the stages."""
    with stage("reading"):
        source = read_input(plan, data, engine, seed.value)
    return make(plan, source, stage, seed, lambda coded: solve(plan, coded, engine))


def make(
    plan: Plan, source: Input, stage: Progress, seed: Seed, classes: Callable[[CodedInput], Repair]
) -> Release:
    """Run the stages by name, from coding to measuring; `classes` finds the classes."""
    with stage("coding"):
        coded = code(plan, source, seed.value)
    with stage(plan.method.name):
        repaired = classes(coded)
    return publish(plan, coded, repaired, stage, seed, Ledger.empty())


def publish(
    plan: Plan,
    coded: CodedInput,
    repaired: Repair,
    stage: Progress,
    seed: Seed,
    ledger: Ledger,
    versions: Bucketiser | None = None,
) -> Release:
    """Run the stages from classes to measures; `ledger` has the versions before.

    Buckets continue from those of earlier `versions`, where there are some.
    """
    source = coded.source
    if plan.method.display.conceal:
        with stage("concealing"):
            concealed = conceal(plan, coded, repaired)
    else:
        concealed = Concealed.nothing(coded.table, repaired.partition, plan.method.display)
    with stage("recoding"):
        labelled = label(plan, coded, concealed, repaired.shards, versions)
        ordered = order(plan, coded, labelled)
        published = lay_out(plan, coded, ordered)
    with stage("verifying"):
        verified = verify(plan, published)
        entered = None
        if plan.republish is not None:
            entered = enter(plan, coded, labelled, published, ledger)
    found = measure(plan, coded, repaired, ordered, verified)
    alone = share_singled_out(in_the_open(found), source.frame, coded.table, published.origin)
    advice = (
        *plan.method.advice(coded.merged),
        *warn_of_run(plan, repaired, coded.table),
        *warn_of_missing(source.idle),
    )
    return replace(found, seed_origin=seed.origin, singled_out=alone, advice=advice, ledger=entered)


def demand_ledger(plan: Plan, folder: Path | None, private: Path | None) -> None:
    """Raise PlanError where a version would be written that no later one could know of."""
    if plan.republish is not None and folder is not None and private is None:
        raise PlanError(
            f"{plan.republish} needs a private folder for the ledger of versions, but none is "
            "given.",
            hint="Add '--private FOLDER'.",
        )


def with_history(release: R, folder: Path, private: Path) -> R:
    """Compare the people with those of earlier releases whose private side is in the folder.

    The release that this one replaces is taken as withdrawn. It is forgotten where it was made from
    the same input; one of other data may be last month's, so later releases are compared with it.
    """
    people = digest_people(release.source, release.schema)
    earlier = kept = earlier_releases(private)
    if release_of(private) is not None and release_of(private) == digest_manifest(folder):
        earlier = without_latest(earlier)
        kept = earlier if input_of(private) == release.input_digest else kept
    return replace(
        release,
        advice=(*release.advice, *warn_of_overlap(earlier, people)),
        history=extend_history(kept, people),
    )
