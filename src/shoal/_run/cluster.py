"""A run on a cluster: the same parts as on one machine, on an engine that holds no table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal._run.engine.spark.engine import spark_engine
from shoal._run.part.count import BY_COUNTS
from shoal._run.part.obstacle import Whole, obstacles
from shoal._run.part.release import WrittenRelease
from shoal._run.part.run import run_in_parts
from shoal._run.seed import Seed
from shoal.errors import PlanError, Problem
from shoal.folder.writing import Progress
from shoal.plan import Plan
from shoal.plan.field import SparkFields
from shoal.release.fact import listed

_LOCALLY = "Run it on this machine: --engine local."


def run_on_cluster(
    plan: Plan,
    data: Any,
    base: Path,
    stage: Progress,
    seed: Seed,
    folder: Path | None,
    *,
    private: bool,
    database: bool,
    force: bool,
) -> WrittenRelease:
    """Make, verify and write a release on Spark; raises before any work where that cannot be."""
    problems = list(_problems(plan, folder, private, database))
    if problems or folder is None:
        raise PlanError(problems)
    options = plan.engine if isinstance(plan.engine, SparkFields) else SparkFields()
    # What a cluster writes is a folder of parts, which text files are not fit for.
    plan = replace(plan, output_format="parquet")
    with ExitStack() as stack:
        with stage("starting Spark"):
            engine = stack.enter_context(spark_engine(options.master, options.conf, data))
        try:
            return run_in_parts(plan, data, base, engine, stage, seed, folder, force=force)
        except Whole as found:
            text = f"This plan cannot run on Spark: {found.reason}."
            raise PlanError(text, _LOCALLY) from None


def _problems(plan: Plan, folder: Path | None, private: bool, database: bool) -> Iterator[Problem]:
    if folder is None:
        text = "A run on Spark needs an output folder, but neither the call nor the plan names one."
        yield Problem(text, "output", "Add 'output: FOLDER' to the plan, or --output FOLDER.")
    for reason in obstacles(plan, private=private, database=database):
        yield Problem(f"This plan cannot run on Spark: {reason}.", hint=_LOCALLY)
    name = plan.method.name
    if plan.shard_rows is None and plan.schema.individual is not None:
        text = "People with several rows ('individual') on Spark need 'shards'."
        yield Problem(text, "shards", "Add 'shards: {rows: 1000000}' to the plan.")
    elif plan.shard_rows is None and name not in BY_COUNTS:
        text = f"{name} on Spark needs 'shards': without them, only {listed(BY_COUNTS)} run there."
        yield Problem(text, "shards", "Add 'shards: {rows: 1000000}' to the plan.")
    elif plan.shard_rows is None and plan.polish is not None:
        yield Problem("'polish' on Spark needs 'shards'.", "polish", "Leave one of them out.")
