"""`shoal check`: is this table already fine, and if not, which classes fail?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.failure import DONE, UNMET
from shoal.cli.option import DataFile, Json, Quiet, ShowValues
from shoal.cli.progress import Stages
from shoal.schema.wording import brief_of

if TYPE_CHECKING:
    from shoal._command.check import Check
    from shoal.cli.terminal import Terminal
    from shoal.schema import Verdict


def check(
    data: DataFile,
    plan: Annotated[
        Path,
        typer.Option(
            "--plan",
            "-p",
            metavar="PLAN",
            help="The plan that says what must hold.",
            show_default=False,
        ),
    ],
    classes: Annotated[
        int,
        typer.Option("--classes", metavar="N", min=0, help="How many failing classes to list."),
    ] = 10,
    quiet: Quiet = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> int:
    """Check a table as it is against the requirements of a plan.

    Nothing is anonymised or written. Lists the failing classes of each requirement: their numbers,
    how many rows they have, and their first row in the data (counted from 1, without the header).
    Exit code 1 if a requirement does not hold.

    \b
    Examples:
      shoal check people.csv --plan plan.yaml
      shoal check 'parts/*.parquet' --plan plan.yaml --classes 50
      shoal check people.csv --plan plan.yaml --quiet && echo fine
    """
    with Stages(quiet) as stages, stages("checking"):
        found = _check(data, plan)
    if json:
        _print_data(found, data, classes, show_values)
    elif not quiet:
        _print_check(found, data, classes, show_values)
    return DONE if found.holds else UNMET


def _check(data: str, plan: Path) -> Check:
    from shoal._command.check import check as judge
    from shoal.errors import PlanError, Problem
    from shoal.reading.manifest import MANIFEST

    try:
        return judge(data, plan=plan)
    # Whoever checks a release wants an audit: its columns are not those of the original.
    except PlanError as error:
        folder = Path(data).parent
        lacking = any("no such column" in problem.text for problem in error.problems)
        if not lacking or not (folder / MANIFEST).is_file():
            raise
        hint = Problem(
            f"There is a {MANIFEST} next to this table, so it looks like a release.",
            hint=f"Check a release with 'shoal audit {folder}'.",
        )
        raise PlanError([hint, *error.problems]) from None


def failing_rows(found: Check) -> dict[str, Any]:
    """Rows in classes that fail a requirement, their share, and rows of people who are alone."""
    import polars as pl

    rows = int(found.offending()["size"].sum())
    people = found.schema.individual
    # Without a column that says otherwise, each row is a person.
    person = pl.int_range(pl.len()) if people is None else found.frame[people.column]
    classes = found.frame.select(person.alias("person")).group_by(pl.Series(found.row_class))
    counted = classes.agg(pl.len().alias("rows"), pl.col("person").n_unique().alias("people"))
    alone = int(counted.filter(pl.col("people") == 1)["rows"].sum())
    return {"rows": rows, "share": rows / max(found.frame.height, 1), "alone": alone}


def failing_classes(
    found: Check, verdict: Verdict, most: int, show_values: bool = False
) -> list[dict[str, Any]]:
    """The first failing classes of a verdict: number, rows, first row, and their shared values."""
    import polars as pl

    names = [attribute.name for attribute in found.schema.quasi]
    failing = pl.col("class").is_in(found.failing(verdict)[:most])
    return [
        {"class": number, "rows": size, "first_row": first + 1}
        | ({"values": dict(zip(names, values, strict=True))} if show_values else {})
        for number, size, first, *values in found.classes.filter(failing).rows()
    ]


def _print_data(found: Check, data: str, most: int, show_values: bool) -> None:
    requirements = [
        {**show.verdict_data(v), "classes": failing_classes(found, v, most, show_values)}
        for v in found
    ]
    show.print_json(
        {
            "holds": found.holds,
            "data": data,
            "counts": {"rows": found.frame.height, "classes": int(found.row_class.max())},
            "failing": failing_rows(found),
            "requirements": requirements,
        }
    )


def _print_check(found: Check, data: str, most: int, show_values: bool) -> None:
    out = show.out()
    out.verdicts(found.verdicts, failing=True)
    if any(verdict.offending for verdict in found):
        total = failing_rows(found)
        in_classes = (
            f"{show.count(total['rows'], 'row')} in failing classes "
            f"({show.percent(total['share'])})"
        )
        alone = show.count(total["alone"], "row is alone", "rows are alone")
        out.say()
        out.say(f"{in_classes}; {alone}", "bold")
    for verdict in found:
        if verdict.offending and most:
            listed = failing_classes(found, verdict, most, show_values)
            _print_classes(out, verdict, listed, total=len(found.failing(verdict)))
    failing = sum(verdict.holds is not True for verdict in found)
    rows, n = show.count(found.frame.height, "row"), int(found.row_class.max())
    end = f"; {data} has {rows} in {show.count(n, 'class', 'classes')}"
    out.say()
    if failing:
        out.conclude(False, f"{failing} of {len(found)} requirements not met", end)
    else:
        out.conclude(True, "Everything holds", end)


def _print_classes(
    out: Terminal, verdict: Verdict, listed: Sequence[dict[str, Any]], total: int
) -> None:
    names = ("Class", "Rows", "First row")
    rows = [
        (
            *(show.number(entry[key]) for key in ("class", "rows", "first_row")),
            *("" if v is None else str(v) for v in entry.get("values", {}).values()),
        )
        for entry in listed
    ]
    where = show.count(total, "class", "classes")
    out.say()
    out.say(f"{brief_of(verdict.requirement, verdict.attribute)} fails in {where}", "bold")
    out.table([*names, *listed[0].get("values", {})], rows, right=names)
    if more := total - len(listed):
        out.say(f"and {more:,} more; --classes N lists N of them", "dim")
