"""`shoal init`: look at a table and write a first plan for it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import show
from shoal.cli.failure import UsageError
from shoal.cli.file import check_file, write_whole
from shoal.cli.option import DataFile, Force, Json, Quiet
from shoal.cli.progress import Stages

if TYPE_CHECKING:
    from shoal._command.init import Proposal


def init(
    data: DataFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PLAN", help="Where the plan is written.")
    ] = Path("plan.yaml"),
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            "--hierarchies",
            metavar="FOLDER",
            help="A folder of hierarchy files (ARX format), named like the columns.",
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", metavar="K", min=1, help="The least number of people in a crowd.")
    ] = 5,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Look at a table and write a first plan, with a reason for every role.

    The plan runs as it is, but read it first: only you know whether a column is secret, or known
    to others. No value of a cell is written into it.

    \b
    Examples:
      shoal init patients.csv
      shoal init patients.csv --hierarchies hierarchies --k 10 --output may.yaml
      shoal init patients.csv && shoal run plan.yaml
    """
    check_file(output, "The plan", "--output", force)
    if hierarchies is not None and not hierarchies.is_dir():
        raise UsageError(f"There is no folder {hierarchies}.", "Name it with --hierarchies.")
    proposed = _propose(data, output, hierarchies, k, quiet or json)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, proposed.text)
    if json:
        show.print_json({"plan": output, "data": data, **proposed.as_data()})
    elif not quiet:
        _print_proposal(output, proposed)


def _propose(data: str, output: Path, hierarchies: Path | None, k: int, quiet: bool) -> Proposal:
    with Stages(quiet) as stages:
        with stages("reading"):
            from shoal.source import read

            frame = read(data)
        with stages("counting"):
            from shoal._command.init import profile, propose

            counted = profile(frame)
        with stages("proposing"):
            from shoal.plan import Plan

            base = output.absolute().parent
            proposed = propose(
                counted,
                k=k,
                source=os.path.relpath(data, base),
                hierarchies=hierarchies,
                base=base,
                output=_release_of(data),
            )
            Plan.parse(proposed.text, base)
    return proposed


def _release_of(data: str) -> str:
    """The folder of the release, named after the table.

    >>> _release_of("visits/diabetic_data.csv.gz"), _release_of("parts/*.parquet")
    ('release-diabetic_data/', 'release-parts/')
    """
    parts = [re.sub(r"[^\w-]+", "-", part.split(".")[0]).strip("-") for part in Path(data).parts]
    named = [part for part in parts if part]
    return f"release-{named[-1]}/" if named else "release/"


def _person_notes(proposed: Proposal) -> list[str]:
    person = proposed.person
    if person is None:
        return []
    notes = [f"rows with the same {person.column!r} are one person: {person.n_people:,} people"]
    if n := len(person.differing):
        differ = "quasi-identifier differs" if n == 1 else "quasi-identifiers differ"
        cells = show.count(sum(person.overwritten), "cell")
        notes.append(
            f"{n} {differ} between the rows of a person: {cells} would be overwritten; the plan "
            "says which"
        )
    return notes


def _print_proposal(output: Path, proposed: Proposal) -> None:
    out = show.out()
    numbers = ("Values", "Missing", "Alone")
    rows = [
        (
            entry.name,
            str(entry.role),
            str(entry.kind),
            show.number(entry.column.n_distinct),
            show.number(entry.column.n_missing),
            show.share(entry.column.uniqueness),
            entry.reason,
        )
        for entry in proposed.entries
    ]
    out.table(("Column", "Role", "Kind", *numbers, "Why"), rows, right=numbers)
    out.say("Alone: the share of rows that the column singles out by itself.", "dim")
    out.listing("Notes", [*_person_notes(proposed), *proposed.notes])
    out.say()
    out.done(f"The plan is in {output}")
    out.say(f"  Read it, then run it: shoal run {output}", whole=True)
