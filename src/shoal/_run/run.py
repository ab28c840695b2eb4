"""From a plan to a verified release.

read → code → merge repeated rows of a person → shard → method → repair → recode → verify → measure
→ write → verify what was written
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal._run.code import (
    code_table,
    compile_asked,
    find_first,
    list_guesses,
    refuse_clashes,
)
from shoal._run.engine import Engine, LocalEngine
from shoal._run.publish import make_release
from shoal._run.solve import check_suppression, solve
from shoal.errors import PlanError
from shoal.folder import (
    check_places,
    digest_people,
    earlier_releases,
    extend_history,
    warn_of_overlap,
    write_release,
)
from shoal.plan import Plan
from shoal.release.advice import in_the_open
from shoal.release.exposure import share_singled_out
from shoal.release.release import Release
from shoal.table import settle_conflicts

Progress = Callable[[str], AbstractContextManager[Any]]


def run(
    plan: Plan | Mapping[str, Any] | str | Path,
    data: Any = None,
    engine: Engine | None = None,
    *,
    output: str | Path | None = None,
    private: str | Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Make a release by a plan, verify it, and write it where the plan names an output.

    `data` stands in for the plan's source: a polars, pandas or pyarrow table, or a path. `private`
    is the folder for the publisher's own side. Raises a ShoalError and writes nothing where the
    plan, the data or the result is not as it must be.

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
            "A private folder belongs to a release, and neither the call nor the plan names an "
            "output.",
            hint="Add 'output: FOLDER' to the plan, or hand one over.",
        )
    check_places(folder, own, force)
    stage = progress or (lambda _: nullcontext())
    engine = engine or LocalEngine(plan.workers or 1)
    with stage("reading"):
        given = _read(plan, data, engine)
        frame, replaced = settle_conflicts(given, plan.schema)
    with stage("coding"):
        coded = code_table(plan, frame)
        requirements = compile_asked(plan.models, plan.method, coded)
        refuse_clashes(plan, coded.table.schema)
        first = find_first(plan, frame, coded.table)
    seed = secrets.randbits(62) if plan.seed is None else plan.seed
    with stage(plan.method.name):
        mended = solve(plan, coded.merged, requirements, engine, seed, first)
        check_suppression(plan, coded.table, mended)
    notes = list_guesses(plan, coded.table)
    release = make_release(plan, given, frame, coded, mended, seed, notes, stage)
    alone = share_singled_out(in_the_open(release), frame, coded.table)
    advice = tuple(plan.method.advice(coded.merged))
    release = replace(release, replaced=replaced, singled_out=alone, advice=advice)
    if own is not None:
        release = _beside_earlier(release, frame, own)
    if folder is not None:
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


def _read(plan: Plan, data: Any, engine: Engine) -> pl.DataFrame:
    if data is None and not plan.source:
        raise PlanError(
            "The plan names no source, and no data was handed over.",
            hint="Add 'source: FILE' to the plan, or hand the data over.",
        )
    source = data if data is not None else plan.source
    if isinstance(source, (tuple, list)):
        frame = engine.read(tuple(source), plan.base)
    else:
        frame = engine.read(source, Path.cwd())
    problems = plan.check_columns(frame.columns)
    if problems:
        raise PlanError(problems)
    return frame


def _beside_earlier(release: Release, frame: pl.DataFrame, private: Path) -> Release:
    """Compare the people with those of earlier releases whose private side is in the folder."""
    people = digest_people(frame, release.schema)
    earlier = earlier_releases(private)
    return replace(
        release,
        advice=(*release.advice, *warn_of_overlap(earlier, people)),
        history=extend_history(earlier, people),
    )
