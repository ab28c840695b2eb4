"""`shoal run`: from a plan to a release on the disk, and what it reached."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.failure import UsageError
from shoal.cli.option import Force, Json, PlanFile, Quiet, ShowValues

if TYPE_CHECKING:
    from rich.console import Console

    from shoal._run import Release
    from shoal.plan import Plan

_MAIN_MEASURES = ("glm", "suppression", "avg-class", "v")
_WITH_FLAGS = ("infoloss", "privacy-loss")
_SAMPLE = 5


def run(
    plan: PlanFile,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where the release goes; else as in the plan."
        ),
    ] = None,
    private: Annotated[
        str | None,
        typer.Option(
            "--private",
            metavar="FOLDER",
            help="Where the publisher's own side goes: row map, mapping, seed. Never hand it out.",
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
            help="How many processes share the shards of a plan with 'shards'.",
        ),
    ] = None,
) -> None:
    """Make the release that a plan asks for, verify it, and write it.

    The result is checked on the published table before it is written, and once more on the written
    files. If anything does not hold nothing is written. Without an output folder, here or in the
    plan, the run is a rehearsal: it shows what would be reached.

    \b
    Examples:
      shoal run plan.yaml
      shoal run plan.yaml --output release-may --private own-may
      shoal run plan.yaml --force --quiet           for a monthly job
      shoal run plan.yaml --json | jq .measures.glm
    """
    from shoal.plan import Plan

    asked = Plan.load(plan)
    folder = output if output is not None else _planned_folder(asked, plan)
    if private is not None and folder is None:
        raise UsageError(
            "--private needs a release to belong to, and neither the command nor the plan names "
            "an output folder.",
            hint="Add --output FOLDER.",
        )
    release = _run(asked, folder, private, force, quiet, workers)
    sample = _sample(release) if show_values else None
    if json:
        _print_data(release, folder, private, sample)
    elif not quiet:
        _print_release(release, folder, private, sample)


def _planned_folder(plan: Plan, file: Path) -> str | None:
    """The plan's output as it is typed there, told from where the user stands."""
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
) -> Release:
    from shoal.cli.progress import Stages

    with Stages(quiet) as stages:
        with stages("starting"):
            from shoal._run import run as make
            from shoal._run.engine import LocalEngine
            from shoal.folder import check_places
        with stages("looking at the output folder"):
            check_places(_path(folder), _path(private), force)
        engine = None if workers is None else LocalEngine(workers)
        return make(
            plan,
            engine=engine,
            output=folder,
            private=private,
            force=force,
            progress=stages,
        )


def _path(folder: str | None) -> Path | None:
    return None if folder is None else Path(folder)


def _sample(release: Release) -> list[dict[str, Any]]:
    """The first published rows."""
    import polars as pl

    return release.coded["data"].head(_SAMPLE).select(pl.all().cast(pl.String)).to_dicts()


def _print_data(
    release: Release, folder: str | None, private: str | None, sample: list[dict[str, Any]] | None
) -> None:
    from dataclasses import asdict

    from shoal.cli import show
    from shoal.report.flag import leak_data

    document = {
        "holds": release.holds,
        "method": release.method,
        "requirements": [show.verdict_data(verdict) for verdict in release.verdicts],
        "counts": asdict(release.counts),
        **_secret_data(release),
        **({"flags": flags} if (flags := leak_data(release)) else {}),
        "measures": {name: release.measures[name] for name in release.measures},
        "notes": list(release.notes),
        "warnings": [asdict(advice) for advice in release.warnings],
        "output": folder,
        "private": private,
    }
    show.print_json(document if sample is None else {**document, "sample": sample})


def _secret_data(release: Release) -> dict[str, Any]:
    """Buckets and risks for a JSON document; nothing where no secrets are kept cell by cell."""
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


def _print_release(
    release: Release, folder: str | None, private: str | None, sample: list[dict[str, Any]] | None
) -> None:
    from shoal.cli import show

    console = show.out()
    console.print(show.verdict_table(console, release.verdicts))
    console.print()
    console.print(show.facts(_facts(release)))
    if sample:
        _print_sample(console, sample)
    show.listing(console, "Notes", [*release.notes, *_seed_note(release, private)])
    show.listing(console, "Warnings", [advice.text for advice in release.warnings], "yellow")
    console.print()
    _print_places(console, release, folder, private)


def _facts(release: Release) -> dict[str, str]:
    from shoal.cli.show import number

    counts = release.counts
    share = counts.suppressed / max(counts.rows - counts.repeated, 1)
    rows = [
        f"{counts.rows:,} read",
        f"{counts.published:,} published",
        f"{counts.suppressed:,} suppressed ({share:.1%})",
        *([f"{counts.repeated:,} merged as repeats"] if counts.repeated else []),
    ]
    repair = [
        f"{counts.merged_by_repair:,} classes merged",
        f"{counts.suppressed_by_repair:,} {_unit(release)} suppressed",
    ]
    chosen = (*_MAIN_MEASURES, *(_WITH_FLAGS if release.symbols else ()))
    losses = [f"{m} {number(release.measures[m])}" for m in chosen if m in release.measures]
    people = {} if counts.people is None else {"People": f"{counts.people:,}"}
    return {
        "Rows": ", ".join(rows),
        **people,
        "Classes": f"{counts.classes:,} by {release.method}",
        **_secret_facts(release),
        **_flag_facts(release),
        "Repair": ", ".join(repair),
        "Measures": ", ".join(losses),
    }


def _secret_facts(release: Release) -> dict[str, str]:
    """Buckets, withheld cells and what an adversary can tell, where secrets are kept."""
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
        "Withheld": f"{counts.withheld or 0:,} cells, in {counts.withheld_rows or 0:,} rows",
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


def _bound(allowed: str) -> str:
    return f"allowed {allowed}" if allowed.startswith("1 in") else allowed


def _unit(release: Release) -> str:
    return "rows" if release.counts.people is None else "people"


def _print_sample(console: Console, sample: list[dict[str, Any]]) -> None:
    from rich.text import Text

    from shoal.cli import show

    table = show.columns(*(show.plain(name) for name in sample[0]))
    for row in sample:
        table.add_row(*(Text(show.plain("" if cell is None else cell)) for cell in row.values()))
    console.print()
    console.print(Text("The first published rows", style="bold"))
    console.print(table)


def _seed_note(release: Release, private: str | None) -> list[str]:
    if release.seed_given or private is not None:
        return []
    return ["the plan gives no seed: only with --private is the one that was drawn kept"]


def _print_places(
    console: Console, release: Release, folder: str | None, private: str | None
) -> None:
    from rich.text import Text

    from shoal.cli.show import marks, plain

    if folder is None:
        text = "This was a rehearsal: nothing is written. --output FOLDER writes the release."
        console.print(Text(text))
        return
    done = Text(f"{marks(console)[True]} ", style="green")
    # A path is not broken into lines: it is there to be copied.
    console.print(done.append(f"The release is in {plain(folder)}", style="bold"), soft_wrap=True)
    if private is not None:
        own = Text(f"  Your own side, never to be handed out, is in {plain(private)}")
        console.print(own, soft_wrap=True)
