"""`shoal init`: look at a table and write a first plan for it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.ask import ask_decisions
from shoal.cli.failure import UsageError
from shoal.cli.file import check_file, write_whole
from shoal.cli.option import DataFile, Force, Json, Quiet
from shoal.cli.progress import Stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal._command.init import Entry, Proposal
    from shoal.cli.terminal import Terminal

_SHOWN = 60


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
    table: Annotated[
        str | None, typer.Option("--table", metavar="NAME", help="The table of a database.")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="SQL", help="A query to a database.")
    ] = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Ask about each column that would otherwise be left out.")
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Look at a table and write a first plan, with columns grouped by what they are.

    The plan runs as it is, but read it first: only you know whether a column is secret, or known
    to others. What is unclear is left out until you decide, in the plan or with --ask. No value of
    a cell is written into it.

    \b
    Examples:
      shoal init patients.csv
      shoal init patients.csv --ask
      shoal init patients.csv --hierarchies hierarchies --k 10 --output may.yaml
      shoal init patients.csv && shoal run plan.yaml
      shoal init postgresql://host/clinic --table ward.patients
    """
    check_file(output, "The plan", "--output", force)
    if hierarchies is not None and not hierarchies.is_dir():
        raise UsageError(f"There is no folder {hierarchies}.", "Name it with --hierarchies.")
    proposed = _propose(data, table, query, output, hierarchies, k, ask, quiet or json)
    write_whole(output, proposed.text)
    if json:
        show.print_json({"plan": output, "data": data, **proposed.as_data()})
    elif not quiet:
        _print_proposal(output, data, proposed)


def _propose(
    data: str,
    table: str | None,
    query: str | None,
    output: Path,
    hierarchies: Path | None,
    k: int,
    ask: bool,
    quiet: bool,
) -> Proposal:
    from shoal._command.init import profile, propose
    from shoal._command.init.database import address_in_plan, find_database, release_of
    from shoal.plan import Plan
    from shoal.source import read

    with Stages(quiet) as stages:
        with stages("reading"):
            database = find_database(data, table, query)
            frame = read(database or data)
        with stages("counting"):
            counted = profile(frame)
    # Paths in a plan start at its folder.
    base = output.absolute().parent
    options: dict[str, Any] = {
        "k": k,
        "source": os.path.relpath(data, base)
        if database is None
        else address_in_plan(database, base),
        "table": table,
        "query": query,
        "hierarchies": hierarchies,
        "base": base,
        "output": _release_of(data) if database is None else release_of(database),
    }
    with Stages(quiet) as stages, stages("rehearsing"):
        proposed = propose(counted, **options)
    # The bar has ended by now: questions need the terminal to themselves.
    if ask and (decided := ask_decisions(proposed)):
        with Stages(quiet) as stages, stages("rehearsing"):
            proposed = propose(counted, **options, decided=decided)
    # Rather no plan than one that cannot be read.
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


def _print_proposal(output: Path, data: str, proposed: Proposal) -> None:
    """The columns by groups: 76 of them fit two screens."""
    from shoal._command.init import ColumnGroup
    from shoal._command.init.group import headed

    out = show.out()
    groups = {g: [e for e in proposed.entries if ColumnGroup.of(e) is g] for g in ColumnGroup}
    out.say(_headline(data, proposed))
    for group, entries in groups.items():
        if entries:
            out.say()
            out.say(f"{headed(group, entries)} ({len(entries)})", "bold")
            _PRINTERS.get(group.name, _print_by_nature)(out, entries, proposed)
    out.listing("Notes", [*_person_notes(proposed), *proposed.notes])
    out.say()
    out.done(f"The plan is in {output}")
    if groups[ColumnGroup.OPEN]:
        out.say(
            f"  To decide about the columns left out: shoal init {data} --ask --force", whole=True
        )
    out.say(f"  Read it, then run it: shoal run {output}", whole=True)


def _headline(data: str, proposed: Proposal) -> str:
    person = proposed.person
    each = "each row is taken as one person"
    if person is not None:
        each = f"{person.n_people:,} people, one for each {person.column!r}"
    n_columns = len(proposed.entries)
    size = f"{show.count(proposed.n_rows, 'row')}, {show.count(n_columns, 'column')}"
    return f"{Path(data).name}: {size}; {each}"


def _print_quasi(out: Terminal, entries: Sequence[Entry], proposed: Proposal) -> None:
    """The quasi-identifiers with whom they single out, each together with those above it."""
    found = proposed.rehearsed
    numbers = ("Values", "Alone", "Together", "Loss")
    rows = [
        (
            one.name,
            one.nature.value,
            "" if one.hierarchy is None else one.hierarchy.words,
            show.number(one.column.n_distinct),
            show.percent(one.column.uniqueness),
            show.percent(proposed.together.get(one.name, 0) / proposed.n_units),
            "–" if found is None else f"{found.by_attribute[one.name]:.2f}",
        )
        for one in proposed.quasi
    ]
    out.table(("Column", "What it is", "Published as", *numbers), rows, right=numbers)
    unit, whom = ("rows", "that") if proposed.person is None else ("people", "whom")
    out.say(
        f"Alone: the share of {unit} {whom} this column singles out. Together: with the columns "
        f"above it. {proposed.expected}",
        "dim",
    )


def _print_secrets(out: Terminal, entries: Sequence[Entry], proposed: Proposal) -> None:
    """The secrets with the l that each carries, those alike in one line."""
    lines: dict[str, list[str]] = {}
    for one in entries:
        least = proposed.diversity.get(one.name)
        said = f"{one.nature.value}, l = {least}" if least else one.nature.value
        lines.setdefault(said, []).append(one.name)
    out.facts({f"  {said}": ", ".join(names) for said, names in lines.items()})


def _print_open(out: Terminal, entries: Sequence[Entry], proposed: Proposal) -> None:
    from shoal._command.init import open_groups

    groups = open_groups(entries)
    out.facts({f"  {said}": _listed(found) for said, found in groups.items()})


def _print_by_nature(out: Terminal, entries: Sequence[Entry], proposed: Proposal) -> None:
    lines: dict[str, list[Entry]] = {}
    for one in entries:
        lines.setdefault(f"  {one.nature.value}", []).append(one)
    out.facts({said: _listed(found) for said, found in lines.items()})


def _listed(entries: Sequence[Entry]) -> str:
    """The names, as many as fit a few lines; the plan has all of them."""
    names = [one.name for one in entries]
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} … and {len(names) - _SHOWN:,} more"


_PRINTERS = {"QUASI": _print_quasi, "SENSITIVE": _print_secrets, "OPEN": _print_open}


def _person_notes(proposed: Proposal) -> list[str]:
    person = proposed.person
    if person is None or not person.overwritten:
        return []
    n = len(person.overwritten)
    differ = "quasi-identifier differs" if n == 1 else "quasi-identifiers differ"
    cells = show.count(sum(person.overwritten.values()), "cell")
    return [
        f"{n} {differ} between the rows of one person: {cells} would be overwritten; the plan "
        "says which"
    ]
