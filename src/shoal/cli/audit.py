"""`shoal audit`: is a release folder what it says it is?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.failure import DONE, UNMET, UsageError
from shoal.cli.option import Json, Quiet, ShowValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from shoal._command.audit import Audit, Claim
    from shoal.errors import Problem

_WORDS = {True: "holds", False: "does not hold", None: "not checkable"}
_BY_BUCKET = "by bucket"  # says where it was counted, and is no reason
_SYMBOLS = "not checkable: its values are shown as symbols"  # nor is it with the original
_STYLES = {True: "green", False: "red", None: "yellow"}


def audit(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the release.")],
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="DATA",
            help="The table that the release was made of: a file, or a glob.",
        ),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(
            "--private",
            metavar="FOLDER",
            help="The publisher's own folder of the same run; for --person.",
        ),
    ] = None,
    person: Annotated[
        int | None,
        typer.Option(
            "--person",
            metavar="ROW",
            help="Instead: what is given away of the person of this row of the original, counted "
            "from 1. For releases of lgb-mdp and lgb-ncp.",
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> int:
    """Read a release again and count anew what it claims.

    First its integrity: every file that the manifest lists is there, unchanged, and nothing else.
    Then every requirement, from the published table. What is asked of secret values can only be
    counted beside the original; without it, that is 'not checkable', never 'holds'. Exit code 1 if
    anything speaks against the release, 2 if it has no manifest that can be read.

    With --person, the published rows that can be one person are looked for, as somebody would who
    knows everything that is not secret of everybody; exit code 1 if that tells more than allowed.

    \b
    Examples:
      shoal audit release
      shoal audit release --original people.csv
      shoal audit release --json | jq '.claims[] | select(.holds == null)'
      shoal audit release --original people.csv --private own --person 17
    """
    if person is not None or private is not None or show_values:
        return _look_for(folder, original, private, person, quiet, json, show_values)
    from shoal.cli.progress import Stages

    with Stages(quiet) as stages, stages("auditing"):
        from shoal._command.audit import audit as look

        found = look(folder, original)
    if json:
        _print_data(found, original)
    elif not quiet:
        _print_audit(found, original)
    return DONE if found.holds else UNMET


def _look_for(
    folder: Path,
    original: str | None,
    private: Path | None,
    person: int | None,
    quiet: bool,
    json: bool,
    show_values: bool,
) -> int:
    """One person, where all that it takes is there."""
    from shoal.cli.person import look_for

    given = {"--original DATA": original, "--private FOLDER": private, "--person ROW": person}
    absent = [option for option, value in given.items() if value is None]
    if original is None or private is None or person is None:
        raise UsageError(
            "Looking for one person takes the original, the private folder of the run and a row; "
            f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not given.",
            hint=f"Add {' '.join(absent)}.",
        )
    found = look_for(folder, original, private, person, quiet, json, show_values)
    return DONE if found.within else UNMET


def _print_data(found: Audit, original: str | None) -> None:
    from dataclasses import asdict

    from shoal.cli import show

    show.print_json(
        {
            "holds": found.holds,
            "complete": found.complete,
            "folder": found.folder,
            "original": original,
            "findings": [_problem_data(problem) for problem in found.findings],
            "claims": [asdict(claim) for claim in found.claims],
            "unlike": [_problem_data(problem) for problem in found.unlike],
            "notes": list(found.notes),
        }
    )


def _problem_data(problem: Problem) -> dict[str, Any]:
    return {"text": problem.text, "where": problem.where or None, "hint": problem.hint or None}


def _print_audit(found: Audit, original: str | None) -> None:
    from shoal.cli import show

    console = show.out()
    _print_integrity(console, found)
    if found.claims:
        console.print()
        console.print(_claim_table(console, found.claims))
    show.listing(console, "Why", _reasons(found.claims))
    show.listing(console, "Claims that do not fit", list(map(str, found.unlike)), "red")
    show.listing(console, "Taken on trust", found.notes)
    console.print()
    _print_end(console, found, original)


def _print_integrity(console: Console, found: Audit) -> None:
    from rich.text import Text

    from shoal.cli import show

    sign = show.marks(console)
    if found.findings:
        n = len(found.findings)
        text = f"{sign[False]} The folder is not as it was written: {n} "
        text += "finding" if n == 1 else "findings"
        console.print(Text(text, style="bold red"))
        show.listing(console, "Findings", list(map(str, found.findings)), "red")
        return
    n = len(found.manifest.files)
    text = f"{sign[True]} All {n} files are as the manifest lists them, and there are no others"
    console.print(Text(text, style="green"))


def _claim_table(console: Console, claims: Sequence[Claim]) -> Table:
    from rich.text import Text

    from shoal.cli import show

    about = any(claim.attribute for claim in claims)
    names = ["Requirement", *(["Of"] if about else []), "Asked", "Claimed", "Recounted", "Verdict"]
    table = show.columns(*names, right=("Asked", "Claimed", "Recounted"))
    for claim in claims:
        numbers = (claim.asked, claim.claimed, claim.recounted)
        verdict = f"{show.marks(console)[claim.holds]} {_WORDS[claim.holds]}"
        table.add_row(
            Text(show.asked_words(claim.requirement)),
            *([Text(show.plain(claim.attribute or ""))] if about else []),
            *(Text(show.number(value)) for value in numbers),
            Text(verdict, style=_STYLES[claim.holds]),
        )
    return table


def _reasons(claims: Sequence[Claim]) -> list[str]:
    """Every reason once, with the requirements that it is about."""
    about: dict[str, list[str]] = {}
    for claim in claims:
        if claim.note and claim.note != _BY_BUCKET:
            about.setdefault(claim.note, []).append(_name(claim))
    return [
        f"{names[0]}: {note}."
        if len(names) == 1
        else f"{len(names)} requirements ({'; '.join(names)}): {note}."
        for note, names in about.items()
    ]


def _name(claim: Claim) -> str:
    from shoal.cli import show

    about = f" of {claim.attribute}" if claim.attribute else ""
    return f"{show.asked_words(claim.requirement)}{about}"


def _print_end(console: Console, found: Audit, original: str | None) -> None:
    from rich.text import Text

    from shoal.cli import show

    sign = show.marks(console)
    n_open = sum(claim.holds is None for claim in found.claims)
    rest = f"; {n_open} of {len(found.claims)} requirements are not checkable" if n_open else ""
    if not found.holds:
        console.print(Text(f"{sign[False]} Something speaks against this release", "bold red"))
    elif n_open:
        console.print(Text(f"{sign[None]} Nothing speaks against this release{rest}", "yellow"))
    else:
        text = f"{sign[True]} Nothing speaks against this release, and every requirement holds"
        console.print(Text(text, style="bold green"))
    told_by_original = any(c.holds is None and c.note != _SYMBOLS for c in found.claims)
    if told_by_original and original is None and found.holds:
        console.print(Text("--original DATA counts what needs the original", style="dim"))
