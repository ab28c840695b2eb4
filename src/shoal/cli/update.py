"""`shoal update`: people who arrive later, and people who leave."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import show
from shoal.cli.failure import UsageError
from shoal.cli.option import Force, Json, Quiet, output_folder, private_folder
from shoal.cli.progress import Stages
from shoal.cli.watch import announce

if TYPE_CHECKING:
    from shoal._run.update import Update


def update(
    state: Annotated[
        Path, typer.Argument(metavar="STATE", help="The private folder of a run or an update.")
    ],
    data: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="The new rows: a file or a glob."),
    ] = None,
    remove: Annotated[
        Path | None,
        typer.Option(
            "--remove",
            metavar="FILE",
            help="The people who leave, one per line: as named in the individual column, or row "
            "numbers from 0.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        output_folder(help="Where to write the release."),
    ] = None,
    private: Annotated[
        str | None,
        private_folder(help="Where to write the new state. Never hand it out."),
    ] = None,
    refuse: Annotated[
        bool,
        typer.Option(
            "--refuse",
            help="Write nothing if the two versions together reveal more than a single one may.",
        ),
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Continue from a release: add people who arrive, and remove people who leave.

    Everybody else stays in their class; only classes that somebody joins or leaves are computed
    again. The result is a full release, verified like any other. The command counts the people
    about whom the two versions together reveal more than either alone. Without an output folder
    the update is a rehearsal. The state is not changed: the new one is written with --private.

    \b
    Examples:
      shoal update own-may june.csv --output release-june --private own-june
      shoal update own-may --remove withdrawn.txt --output release-june --private own-june
    """
    if private is not None and output is None:
        raise UsageError("--private needs a release.", hint="Add --output FOLDER.")
    leaving = None if remove is None else _lines(remove)
    announce(output, private)
    with Stages(quiet) as stages:
        with stages("starting"):
            from shoal._run.update import update as go_on
        release = go_on(
            state,
            data,
            leaving,
            output=output,
            private=private,
            force=force,
            refuse=refuse,
            progress=stages,
        )
    if json:
        _print_data(release, output, private)
    elif not quiet:
        _print_update(release, output, private)


def _lines(file: Path) -> list[str]:
    try:
        # Spreadsheets begin a text with a byte order mark, which is no part of the first name.
        return file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"Cannot read {file}.", hint="Give a UTF-8 text file.") from None


def _print_data(release: Update, output: str | None, private: str | None) -> None:
    show.print_json(
        {
            "holds": release.holds,
            "requirements": [show.verdict_data(verdict) for verdict in release.verdicts],
            "arrived": release.arrived,
            "left": release.left,
            "touched": release.touched,
            "whole": release.whole,
            "counts": asdict(release.counts),
            "together": None if release.overlap is None else asdict(release.overlap),
            "measures": {"glm": release.measures["glm"]},
            "warnings": [asdict(advice) for advice in release.warnings],
            "output": output,
            "private": private,
        }
    )


def _print_update(release: Update, output: str | None, private: str | None) -> None:
    out, counts, together = show.out(), release.counts, release.overlap
    out.verdicts(release.verdicts)
    out.say()
    again = "all of them, since this method makes them from the whole table"
    if not release.whole:
        again = f"{release.touched:,}; the others are as they were"
    facts = {
        "Rows": f"{release.arrived:,} arrived, {release.left:,} left, {counts.published:,} "
        f"published, {counts.suppressed:,} suppressed"
        + (f", {counts.counterfeits:,} counterfeits" if release.republish else ""),
        "Classes": f"{counts.classes:,}; computed again: {again}",
        "Loss": f"glm {show.number(release.measures['glm'])}",
    }
    if together is not None and together.least is not None:
        facts["Both versions"] = (
            f"{show.count(together.people, 'person is', 'people are')} in both; their two classes "
            f"have at least {show.count(together.least, 'sensitive value')} in common; for "
            f"{show.count(together.exposed, 'person', 'people')} that is too few"
        )
    if together is not None and together.candidates is not None:
        facts["Candidates"] = (
            "everybody shares both classes with at least "
            f"{show.count(together.candidates, 'person', 'people')}; for "
            f"{show.count(together.thinned, 'person', 'people')} that is too few"
        )
    out.facts(facts)
    out.warnings(release.warnings)
    out.say()
    if output is None:
        out.say("This was a rehearsal: nothing is written. --output FOLDER writes the release.")
        return
    out.done(f"The release is in {output}")
    if private is not None:
        out.say(f"  The new state is in {private}: never hand it out", whole=True)
