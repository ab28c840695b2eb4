"""`shoal query`: a number from a release, with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import show
from shoal.cli.option import Json, ReleasePath, release_plan
from shoal.cli.progress import Stages

if TYPE_CHECKING:
    from shoal._command.query import Answer

BOUNDS = "Lower and Upper are certain for the published rows; – where the files do not fix them."
EXPECTED = (
    "The estimate, and the expected range around it, spreads the rows of a label evenly over what "
    "the label covers: it may be far off, above all when many cells are '*'."
)
CERTAIN = (
    "Certain for the published rows: each of them either certainly matches or certainly does not."
)


def query(
    folder: ReleasePath,
    text: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="SELECT SUM(x) | COUNT(*) | AVG(x) [WHERE …] [GROUP BY …]"
        ),
    ],
    plan: Annotated[
        Path | None,
        release_plan(
            help="The plan of the release, which gives its hierarchies, orders and domains."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Answer a question about people from a release alone.

    Gives a lower and an upper bound that are certain for the published rows, an estimate, and the
    range that is expected by section 4.2 of the LGB paper but may miss the truth. Conditions are
    joined by AND: =, !=, <, <=, >, >=, IN (…), BETWEEN … AND …, IS [NOT] MISSING; texts and dates
    in 'single' quotes, unusual names in "double" quotes or `backticks`. With --json, certain_lower
    and certain_upper are the certain bounds, lower and upper the expected ones.

    \b
    Examples:
      shoal query release "SELECT COUNT(*) WHERE age BETWEEN 30 AND 39"
      shoal query release "SELECT SUM(salary) WHERE age >= 30 AND sex = 'F'"
      shoal query release "SELECT AVG(salary) WHERE job IN ('nurse', 'cook')" --plan plan.yaml
      shoal query release "SELECT COUNT(*) GROUP BY sex"
      shoal query release "SELECT COUNT(*) WHERE zip IS MISSING" --json | jq .estimate
    """
    with Stages(json) as stages, stages("reading the release"):
        from shoal._command.query import query as ask

        answer = ask(folder, text, plan)
    if json:
        _print_data(answer, folder)
    else:
        _print_answer(answer)


def _print_data(answer: Answer, folder: Path) -> None:
    from dataclasses import asdict

    document = {"folder": folder, **asdict(answer)}
    document["groups"] = [{"value": value, **asdict(one)} for value, one in answer.groups]
    if not answer.groups:
        del document["groups"]
    show.print_json(document)


def _print_answer(answer: Answer) -> None:
    from shoal._command.query.answer import NUMBERS

    out = show.out()
    counted = "people" if answer.people else "*"
    out.say(f"{answer.function}({answer.attribute or counted})", "bold cyan")
    out.say()
    sure = answer.certain and all(one.certain for _, one in answer.groups)
    names = NUMBERS[:3] if sure else NUMBERS
    rows = [(value or "(missing)", *_numbers(one, names)) for value, one in answer.groups]
    if rows:
        out.table(("Group", *names), [*rows, ("all", *_numbers(answer, names))], right=names)
    else:
        out.table(names, [_numbers(answer, names)], right=names)
    out.say()
    out.say(CERTAIN if sure else f"{BOUNDS} {EXPECTED}")
    out.say(_rows(answer), "dim")
    out.listing("Notes", answer.notes)


def _numbers(answer: Answer, names: Sequence[str]) -> list[str]:
    return [show.number(x) for x in answer.numbers[: len(names)]]


def _rows(answer: Answer) -> str:
    verb = "matches" if answer.surely == 1 else "match"
    unit = "people" if answer.people else "published rows"
    rows = f"{answer.surely:,} of {answer.rows:,} {unit}"
    if answer.surely == answer.maybe:
        return f"{rows} {verb}."
    return f"{rows} certainly {verb}, and at most {answer.maybe:,} do."
