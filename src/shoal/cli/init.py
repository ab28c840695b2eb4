"""`shoal init`: look at a table and write a first plan for it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.failure import UsageError
from shoal.cli.option import Json, Quiet

if TYPE_CHECKING:
    from shoal._command.init import Proposal


def init(
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table: a file, or a glob.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PLAN", help="Where the plan is written.")
    ] = Path("plan.yaml"),
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            "--hierarchies",
            metavar="FOLDER",
            help="A folder of hierarchy files (ARX form), named like the columns.",
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", metavar="K", min=1, help="How many people a crowd has at least.")
    ] = 5,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a plan that is there already.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Look at a table and write a first plan, with a reason for every role.

    The plan runs as it is, but read it first: whether a column is known to others, or a secret,
    only you can tell. No cell's value is written into it.

    \b
    Examples:
      shoal init patients.csv
      shoal init patients.csv --hierarchies hierarchies --k 10 --output may.yaml
      shoal init patients.csv && shoal run plan.yaml
    """
    _check_places(output, hierarchies, force)
    proposed = _propose(data, output, hierarchies, k, quiet or json)
    output.parent.mkdir(parents=True, exist_ok=True)
    _write(output, proposed.text)
    if json:
        from shoal.cli import show

        show.print_json({"plan": output, "data": data, **proposed.as_data()})
    elif not quiet:
        _print_proposal(data, output, proposed)


def _check_places(output: Path, hierarchies: Path | None, force: bool) -> None:
    if output.is_dir():
        raise UsageError(f"The plan {output} is a folder.", "Name a file with --output.")
    if output.exists() and not force:
        raise UsageError(
            f"The plan {output} exists.", "Name another with --output, or replace it with --force."
        )
    if hierarchies is not None and not hierarchies.is_dir():
        raise UsageError(f"There is no folder {hierarchies} of hierarchies.")


def _propose(data: str, output: Path, hierarchies: Path | None, k: int, quiet: bool) -> Proposal:
    from shoal.cli.progress import Stages

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
            source = os.path.relpath(data, base)
            proposed = propose(
                counted, k=k, source=source, hierarchies=hierarchies, base=base,
                output=_release_of(data),
            )  # fmt: skip
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


def _write(output: Path, text: str) -> None:
    """Write the plan beside its place first, so that it is never there by half."""
    fresh = output.with_name(f".{output.name}.shoal-{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(output)
    finally:
        fresh.unlink(missing_ok=True)


def _person_note(proposed: Proposal) -> list[str]:
    person = proposed.person
    if person is None:
        return []
    notes = [f"rows with the same {person.column!r} are one person: {person.n_people:,} people"]
    if person.differing:
        n = len(person.differing)
        columns = f"{n} quasi-identifiers differ" if n > 1 else "1 quasi-identifier differs"
        n_cells = sum(person.overwritten)
        cells = f"{n_cells:,} cell{'' if n_cells == 1 else 's'} would be overwritten"
        notes.append(f"{columns} between the rows of a person: {cells}; the plan says which")
    return notes


def _print_proposal(data: str, output: Path, proposed: Proposal) -> None:
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    right = ("Distinct", "Missing", "Alone")
    table = show.columns("Column", "Role", "Kind", *right, "Why", right=right)
    for entry in proposed.entries:
        column = entry.column
        alone = f"{column.uniqueness:.1%}"
        cells = (entry.name, entry.role, entry.kind, show.number(column.n_distinct),
                 show.number(column.n_missing), alone, entry.reason)  # fmt: skip
        table.add_row(*(Text(show.plain(cell)) for cell in cells))
    console.print(table)
    console.print(Text("Alone: the share of rows that the column alone singles out.", style="dim"))
    show.listing(console, "Notes", [*_person_note(proposed), *proposed.notes])
    console.print()
    done = Text(f"{show.marks(console)[True]} ", style="green")
    console.print(done.append(f"The plan is in {show.plain(output)}", style="bold"))
    console.print(Text(f"  Read it, then: shoal run {show.plain(output)}"))
