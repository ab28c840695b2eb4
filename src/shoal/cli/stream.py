"""`shoal stream`: rows that arrive, published in batches so that nobody waits too long."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.failure import EndedInOrder, UsageError
from shoal.cli.option import Json, PlanFile, Quiet, output_folder, private_folder
from shoal.cli.progress import Stages
from shoal.cli.watch import ask_for_grace, requested

if TYPE_CHECKING:
    from shoal._run.stream import StreamBatch, Streamed


def stream(
    plan: PlanFile,
    private: Annotated[
        str | None,
        private_folder(
            help="The state: how far the stream has got, and who is waiting. Never hand it out."
        ),
    ] = None,
    output: Annotated[
        str | None,
        output_folder(
            help="Where batches appear, each in a folder of its own; default: as in the plan."
        ),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="End when the folder has no more files.")
    ] = False,
    flush: Annotated[
        bool,
        typer.Option(
            "--flush",
            help="At the end, publish the rows still waiting; leave out those without a class.",
        ),
    ] = False,
    replay: Annotated[
        bool,
        typer.Option(
            "--replay",
            help="Standard input starts again from the first row: skip rows already acknowledged.",
        ),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Standard input starts with the row after the last acknowledged one."
        ),
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Publish rows as they arrive, in batches, so that nobody waits longer than the plan allows.

    Rows (JSON lines, csv or an Arrow stream) come from standard input, or from the files of the
    folder that the plan names as its source, in the order of their names. Each batch is a release
    of its own, verified like any other. Ctrl-C and SIGTERM stop a stream in an orderly way. It
    continues later from its private folder, even after a kill: no acknowledged row is lost, and
    none is published twice. With --json there is one document per line: one for each batch, one at
    the end.

    \b
    Examples:
      shoal stream plan.yaml --private own            wait for files in the plan's folder
      tail -f log.jsonl | shoal stream plan.yaml --private own --resume
      shoal stream plan.yaml --private own < rows.csv --flush
    """
    if private is None:
        raise UsageError(
            "A stream needs a private folder for its state, but none is given.",
            hint="Add --private FOLDER.",
        )
    if replay and resume:
        raise UsageError(
            "Only one of --replay and --resume may be given, but both are.", hint="Choose one."
        )
    # Asked to end, a stream finishes its step and says what it has done, and is not killed.
    ask_for_grace()
    with Stages(quiet) as stages, stages("starting"):
        from shoal._run.stream import stream as publish
    found = publish(
        plan,
        private=private,
        output=output,
        flush=flush,
        follow=not once,
        restart="replay" if replay else "resume" if resume else "refuse",
        stop=lambda: requested() is not None,
        report=_reporter(quiet, json),
    )
    if json:
        show.print_line(_data(found))
    elif not quiet:
        _print(found)
    number = requested()
    if number is not None:
        # As a shell states a signal.
        raise EndedInOrder(128 + number)


def _reporter(quiet: bool, json: bool) -> Any:
    """What tells of a batch: a line of JSON on stdout, or a line of words on stderr."""
    if json:
        return lambda batch: show.print_line(_batch_data(batch))
    if quiet:
        return lambda _: None
    return lambda batch: show.err().say(
        f"{batch.name}: {show.count(batch.rows, 'row')} in "
        f"{show.count(batch.classes, 'class', 'classes')}, "
        f"glm {show.number(batch.glm)}; {show.count(batch.acknowledged, 'row')} acknowledged"
    )


def _batch_data(batch: StreamBatch) -> dict[str, Any]:
    return {
        "batch": batch.name,
        "holds": all(v.holds is not False for v in batch.verdicts),
        "rows": batch.rows,
        "classes": batch.classes,
        "glm": batch.glm,
        "acknowledged": batch.acknowledged,
        "waiting": batch.waiting,
        "warnings": [asdict(advice) for advice in batch.warnings],
    }


def _data(found: Streamed) -> dict[str, Any]:
    return {
        "acknowledged": found.acknowledged,
        "batches": found.batches,
        **{name: n for name, n in asdict(found.totals).items() if name != "lost"},
        "waiting": found.waiting,
        "longest_wait": found.longest_wait,
        "glm": found.glm,
        "ended": found.ended,
        "warnings": [asdict(advice) for advice in found.warnings],
    }


def _print(found: Streamed) -> None:
    out, totals = show.out(), found.totals
    rows = [
        f"{found.acknowledged:,} acknowledged",
        f"{totals.published:,} published",
        f"{totals.suppressed:,} suppressed",
        *([f"{totals.unfit:,} unfit"] if totals.unfit else []),
        *([f"{totals.again:,} of people published before"] if totals.again else []),
        f"{found.waiting:,} waiting",
    ]
    facts = {
        "Rows": ", ".join(rows),
        "Batches": f"{found.batches:,}, with {show.count(totals.classes, 'class', 'classes')}",
        "Loss": f"glm {show.number(found.glm)}",
    }
    if found.longest_wait:
        facts["Longest wait"] = show.count(found.longest_wait, "row")
    out.facts(facts)
    out.warnings(found.warnings)
    out.say()
    if found.waiting:
        out.say(
            "Waiting rows are in the private folder; --flush publishes those that have a class."
        )
    here = Path.cwd()
    inside = found.output.is_relative_to(here)
    out.done(f"The batches are in {found.output.relative_to(here) if inside else found.output}")
