"""`shoal query`: a number from a release, with bounds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.option import Json

if TYPE_CHECKING:
    from shoal._command.query import Answer

EXPECTED = "Expected, not guaranteed: the true number can lie outside of these bounds."
CERTAIN = "Certain for the published rows: each of them either surely matches or surely does not."


def query(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the release.")],
    text: Annotated[
        str,
        typer.Argument(metavar="QUERY", help="SELECT SUM(x) | COUNT(*) | AVG(x) [WHERE …]"),
    ],
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            metavar="PLAN",
            help="The plan of the release: it explains hierarchies, orders and domains.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Answer a question about people from a release alone.

    Gives a lower bound, an estimate and an upper bound, counted from the published files as in
    section 4.2 of the LGB paper. Conditions are joined by AND: =, !=, <, <=, >, >=, IN (…),
    BETWEEN … AND …, IS [NOT] MISSING; texts and dates in 'single' quotes, odd names in "double"
    ones. The bounds are expected ones, unless the answer says that they are certain.

    \b
    Examples:
      shoal query release "SELECT COUNT(*) WHERE age BETWEEN 30 AND 39"
      shoal query release "SELECT SUM(salary) WHERE age >= 30 AND sex = 'F'"
      shoal query release "SELECT AVG(salary) WHERE job IN ('nurse', 'cook')" --plan plan.yaml
      shoal query release "SELECT COUNT(*) WHERE zip IS MISSING" --json | jq .estimate
    """
    from shoal.cli.progress import Stages

    with Stages(json) as stages, stages("reading the release"):
        from shoal._command.query import query as ask

        answer = ask(folder, text, plan)
    if json:
        _print_data(answer, folder)
    else:
        _print_answer(answer)


def _print_data(answer: Answer, folder: Path) -> None:
    from dataclasses import asdict

    from shoal.cli import show

    show.print_json({"folder": folder, **asdict(answer)})


def _print_answer(answer: Answer) -> None:
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    named = "*" if answer.attribute is None else show.plain(answer.attribute)
    console.print(Text(f"{answer.function}({named})", style="bold cyan"))
    console.print()
    table = show.columns("Lower", "Estimate", "Upper", right=("Lower", "Estimate", "Upper"))
    table.add_row(*map(in_words, (answer.lower, answer.estimate, answer.upper)))
    console.print(table)
    console.print()
    console.print(Text(CERTAIN if answer.certain else EXPECTED))
    console.print(Text(_rows(answer), style="dim"))
    show.listing(console, "Notes", answer.notes)


def _rows(answer: Answer) -> str:
    if answer.surely == answer.maybe:
        return f"{answer.surely:,} of {answer.rows:,} published rows match."
    return (
        f"Of {answer.rows:,} published rows {answer.surely:,} surely match, and at most "
        f"{answer.maybe:,} do."
    )


def in_words(number: float | None) -> str:
    """A number as people read it: two decimals, or four figures where that would be nothing.

    >>> in_words(30162.0), in_words(1234.567), in_words(0.00123456), in_words(None)
    ('30,162', '1,234.57', '0.001235', '–')
    """
    if number is None:
        return "–"
    if abs(number) >= 1e15:
        return f"{number:.6g}"
    if float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.2f}" if abs(number) >= 1 else f"{number:.4g}"
