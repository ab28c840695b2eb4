"""`shoal run`: from a plan to a release on disk, and what it reached."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.failure import UsageError
from shoal.cli.option import Force, Json, PlanFile, Quiet, ShowValues, output_folder, private_folder
from shoal.cli.progress import Stages
from shoal.cli.watch import announce

if TYPE_CHECKING:
    from shoal._run import Release
    from shoal.cli.terminal import Terminal
    from shoal.plan import Plan

_MAIN_MEASURES = ("glm", "suppression", "avg-class", "v")
_WITH_FLAGS = ("infoloss", "privacy-loss")
# Above this loss a run says what costs most, if that saves at least so much, by rehearsals on this
# many rows.
_MUCH = 0.5
_WORTH_SAYING = 0.02
_REHEARSED = 5_000
_SAMPLE = 5


class EngineName(StrEnum):
    """Where a plan may run."""

    LOCAL = "local"
    SPARK = "spark"


def run(
    plan: PlanFile,
    output: Annotated[
        str | None,
        output_folder(help="Where to write the release; default: as in the plan."),
    ] = None,
    private: Annotated[
        str | None,
        private_folder(
            help="Where to write the private side: row map, mapping, seed. Never hand it out."
        ),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
    show_values: ShowValues = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="How many processes work on the shards of a plan with 'shards'.",
        ),
    ] = None,
    engine: Annotated[
        EngineName | None,
        typer.Option(
            "--engine",
            metavar="local|spark",
            help="Where to run: on this machine or on a Spark cluster; default: as in the plan.",
        ),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            "--master",
            metavar="URL",
            help="The address of the Spark cluster, such as spark://host:7077; default: as in the "
            "plan.",
        ),
    ] = None,
) -> None:
    """Make the release of a plan, verify it, and write it.

    The published table is verified before it is written, and once more from the written files. If a
    requirement does not hold, nothing is written. Without an output folder, here or in the plan,
    the run is a rehearsal that shows what would be achieved.

    \b
    Examples:
      shoal run plan.yaml
      shoal run plan.yaml --output release-may --private own-may
      shoal run plan.yaml --force --quiet           for a monthly job
      shoal run plan.yaml --json | jq .measures.glm
      shoal run plan.yaml --engine spark --master spark://host:7077
    """
    from shoal.plan import Plan

    loaded = _placed(Plan.load(plan), engine, master, workers)
    folder = output if output is not None else _planned_folder(loaded, plan)
    if private is not None and folder is None:
        raise UsageError(
            "--private needs a release, but neither the command nor the plan names an output "
            "folder.",
            hint="Add --output FOLDER.",
        )
    announce(folder, private)
    release = _run(loaded, folder, private, force, quiet, workers, replaced=output is not None)
    sample = _sample(release) if show_values else None
    if json:
        _print_data(release, folder, private, sample)
    elif not quiet:
        target = None if output is not None else loaded.output_database
        table = None if target is None else target.table
        binding = _binding(loaded, plan, release)
        _print_release(release, folder, private, sample, binding, table)


def _placed(plan: Plan, engine: EngineName | None, master: str | None, workers: int | None) -> Plan:
    """The plan with the engine that the command names."""
    from shoal.plan.field import LocalFields, SparkFields

    planned = plan.engine
    if engine is EngineName.SPARK and not isinstance(planned, SparkFields):
        planned = SparkFields()
    if engine is EngineName.LOCAL and not isinstance(planned, LocalFields):
        planned = LocalFields()
    on_spark = isinstance(planned, SparkFields)
    if master is not None and not on_spark:
        raise UsageError(
            "--master needs the engine spark, but the plan runs on this machine.",
            hint="Add --engine spark.",
        )
    if workers is not None and on_spark:
        raise UsageError(
            "--workers counts processes on this machine, but the plan runs on Spark.",
            hint="Leave it out: the cluster decides how many executors to use.",
        )
    if master is not None:
        planned = planned.model_copy(update={"master": master})
    return replace(plan, engine=planned)


def _planned_folder(plan: Plan, file: Path) -> str | None:
    """The output as it is written in the plan, relative to the working folder."""
    if plan.output is None:
        return None
    here = "" if file.parent == Path() else file.parent
    return os.path.join(here, plan.output)  # noqa: PTH118 (a Path would drop the last slash)


def _run(
    plan: Plan,
    folder: str | None,
    private: str | None,
    force: bool,
    quiet: bool,
    workers: int | None,
    *,
    replaced: bool,
) -> Release:
    with Stages(quiet) as stages:
        with stages("starting"):
            from shoal._run import run as make
            from shoal._run.engine import LocalEngine
            from shoal.folder.writing import claim_places
        # Before any work: a folder that is taken must not be found out at the end of it.
        with stages("looking at the output folder"):
            own = None if private is None else Path(private)
            claim_places(None if folder is None else Path(folder), own, force)
        engine = None if workers is None else LocalEngine(workers)
        # A run takes an output that is given as in place of all that the plan says of it, its
        # database included: the folder of the plan is left to the plan.
        output = folder if replaced else None
        return make(
            plan, engine=engine, output=output, private=private, force=force, progress=stages
        )


def _sample(release: Release) -> list[dict[str, Any]]:
    """The first published rows."""
    import polars as pl

    return release.coded["data"].head(_SAMPLE).select(pl.all().cast(pl.String)).to_dicts()


def _print_data(
    release: Release, folder: str | None, private: str | None, sample: list[dict[str, Any]] | None
) -> None:
    from dataclasses import asdict

    from shoal.report.flag import leak_data

    document = {
        "holds": release.holds,
        "method": release.method,
        "chosen": list(release.chosen),
        "tried": [asdict(trial) for trial in release.tried],
        "requirements": [show.verdict_data(verdict) for verdict in release.verdicts],
        "counts": asdict(release.counts),
        **_secret_data(release),
        **({"flags": flags} if (flags := leak_data(release)) else {}),
        **({"concealment": asdict(took)} if (took := release.concealment) is not None else {}),
        "measures": {name: release.measures[name] for name in release.measures},
        "notes": list(release.notes),
        "warnings": [asdict(advice) for advice in release.warnings],
        "output": folder,
        "private": private,
    }
    show.print_json(document if sample is None else {**document, "sample": sample})


def _secret_data(release: Release) -> dict[str, Any]:
    """Buckets and risks for a JSON document; empty if the release has no secret cells."""
    from shoal.report.secret import released_buckets

    risks = release.risks
    if risks is None:
        return {}
    buckets = {
        b.name: {"buckets": b.n_buckets, "cells": b.n_values, "least": b.least, "most": b.most}
        for b in released_buckets(release)
    }
    secrets = {
        name: {
            "posterior": learned,
            "exact": risks.posteriors_exact[name],
            "allowed": risks.posterior_limits.get(name),
        }
        for name, learned in risks.posteriors.items()
    }
    identity = {
        "risk": risks.identity,
        "exact": risks.identity_exact,
        "allowed": risks.identity_limit,
    }
    return {"buckets": buckets, "risks": {"identity": identity, "secrets": secrets}}


def _binding(plan: Plan, file: Path, release: Release) -> list[str]:
    """What costs most in a release that loses much, by rehearsals on a sample of its people."""
    # A release that was made shard by shard has no table to rehearse on.
    if release.measures["glm"] <= _MUCH or not release.source.width:
        return []
    with Stages(False) as stages, stages("looking for what costs most"):
        from shoal._command.explain import explain

        found = explain(plan, release.source, sample=_REHEARSED)
    if not found.costs or found.costs[0].cost < _WORTH_SAYING:
        return []
    rest = f"'shoal explain {file}' shows what else costs"
    return [f"{found.costs[0]}; {rest}"]


def _print_release(
    release: Release,
    folder: str | None,
    private: str | None,
    sample: list[dict[str, Any]] | None,
    binding: list[str],
    table: str | None,
) -> None:
    out = show.out()
    out.verdicts(release.verdicts)
    out.say()
    out.facts(_facts(release))
    if sample:
        _print_sample(out, sample)
    out.listing("Notes", [*release.notes, *_seed_note(release, private), *binding])
    out.warnings(release.warnings)
    out.say()
    if table is not None:
        out.done(f"The release is in the database, as the table {table}")
    elif folder is None:
        out.say("This was a rehearsal: nothing is written. --output FOLDER writes the release.")
    if folder is not None:
        out.done(f"The release is in {folder}")
    if private is not None:
        out.say(f"  The private side is in {private}: never hand it out", whole=True)


def _facts(release: Release) -> dict[str, str]:
    counts = release.counts
    # Repeats of a row are merged into it, so they are not there to be left out.
    share = counts.suppressed / max(counts.rows - counts.repeated, 1)
    rows = [
        f"{counts.rows:,} read",
        f"{counts.published:,} published",
        f"{counts.suppressed:,} suppressed ({show.percent(share)})",
        *([f"{counts.repeated:,} merged as repeats"] if counts.repeated else []),
    ]
    unit = ("row", "rows") if counts.people is None else ("person", "people")
    repair = [
        f"{show.count(counts.merged_by_repair, 'class', 'classes')} merged",
        f"{show.count(counts.suppressed_by_repair, *unit)} suppressed",
        *([f"{counts.singly:,} of them singly"] if counts.singly else []),
    ]
    chosen = (*_MAIN_MEASURES, *(_WITH_FLAGS if release.symbols else ()))
    losses = [f"{m} {show.number(release.measures[m])}" for m in chosen if m in release.measures]
    return {
        "Rows": ", ".join(rows),
        **_people_facts(release),
        "Classes": f"{counts.classes:,} by {' and '.join(release.chosen)}",
        **_secret_facts(release),
        **_flag_facts(release),
        "Repair": ", ".join(repair),
        **_concealing_facts(release),
        "Measures": ", ".join(losses),
    }


def _people_facts(release: Release) -> dict[str, str]:
    """How many people were read and are published, if rows name them."""
    read, published = release.counts.people, release.counts.published_people
    if read is None or published is None:
        return {}
    left_out = f", {read - published:,} left out" if published < read else ""
    return {"People": f"{read:,} read, {published:,} published{left_out}"}


def _secret_facts(release: Release) -> dict[str, str]:
    """Buckets, withheld cells and what an adversary learns, if there are secret cells."""
    from shoal.report.secret import released_buckets, risks_of

    risks = risks_of(release)
    if not risks:
        return {}
    buckets = [
        f"{b.name} {b.n_buckets:,} of {b.least:,}" + (f" to {b.most:,}" if b.most > b.least else "")
        for b in released_buckets(release)
        if b.n_buckets
    ]
    counts = release.counts
    return {
        "Buckets": "; ".join(f"{text} values" for text in buckets) or "none: nothing is secret",
        "Withheld": f"{show.count(counts.withheld or 0, 'cell')}, in "
        f"{show.count(counts.withheld_rows or 0, 'row')}",
        "Risks": "; ".join(f"{r.name} {r.reached} ({_bound(r.allowed)})" for r in risks),
    }


def _flag_facts(release: Release) -> dict[str, str]:
    """How sure a reader who knows the rules of flags can be."""
    from shoal.report.flag import leaks_of

    given = [
        f"{g.name} {'no flagged cell' if g.cell == 'none' else f'a cell {g.cell}'}, "
        f"a person {g.person} ({_bound(g.allowed)})"
        for g in leaks_of(release)
    ]
    return {"Flags": "; ".join(given)} if given else {}


def _concealing_facts(release: Release) -> dict[str, str]:
    """What it took to conceal flags, if that was required."""
    took = release.concealment
    if took is None:
        return {}
    lifted = [f"{show.count(n, 'cell')} of {name} lifted" for name, n in took.lifted.items()]
    return {
        "Concealing": ", ".join([f"{show.count(took.merged, 'class', 'classes')} merged", *lifted])
    }


def _bound(allowed: str) -> str:
    return f"allowed {allowed}" if allowed.startswith("1 in") else allowed


def _print_sample(out: Terminal, sample: list[dict[str, Any]]) -> None:
    """Print a line for each column: a release often has more of them than fit side by side."""
    from rich.text import Text

    rows: list[list[str | Text]] = [
        [Text(show.plain(name), "bold"), *(str(row[name] or "") for row in sample)]
        for name in sample[0]
    ]
    out.say()
    out.say("The first published rows", "bold")
    out.table(("", *(str(place) for place in range(1, len(sample) + 1))), rows)


def _seed_note(release: Release, private: str | None) -> list[str]:
    # Without its seed nobody can make the release again.
    if release.seed_given or private is not None:
        return []
    return ["the plan gives no seed, so one was drawn; only --private keeps it"]
