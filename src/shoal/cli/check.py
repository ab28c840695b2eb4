"""`shoal check`: is this table already fine, and if not, which classes are to blame?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.failure import DONE, UNMET
from shoal.cli.option import Json, Quiet, ShowValues

if TYPE_CHECKING:
    from rich.console import Console

    from shoal._command.check import Check
    from shoal.schema import Verdict


def check(
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table: a file, or a glob.")],
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
        typer.Option(
            "--classes", metavar="N", min=0, help="How many failing classes to list for each."
        ),
    ] = 10,
    quiet: Quiet = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> int:
    """Check a table as it is against what a plan asks.

    Nothing is anonymised or written. Lists the classes that fail: their numbers, how many rows
    they have, and their first row in the data (counted from 1, without the header). Exit code 1 if
    something does not hold.

    \b
    Examples:
      shoal check people.csv --plan plan.yaml
      shoal check 'parts/*.parquet' --plan plan.yaml --classes 50
      shoal check people.csv --plan plan.yaml --quiet && echo fine
    """
    from shoal.cli.progress import Stages

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

    try:
        return judge(data, plan=plan)
    except PlanError as error:
        folder = Path(data).parent
        lacking = any("no such column" in problem.text for problem in error.problems)
        if not lacking or not (folder / "manifest.json").is_file():
            raise
        hint = Problem(
            "A manifest.json stands beside this table, so this looks like a release.",
            hint=f"Use shoal audit: 'shoal audit {folder}'.",
        )
        raise PlanError([hint, *error.problems]) from None


def failing_rows(found: Check) -> dict[str, Any]:
    """Rows in classes that fail anything, their share, and rows of people who are alone."""
    import numpy as np
    import polars as pl

    sizes = np.bincount(found.row_class)
    failing = sorted({c for verdict in found for c in found.failing(verdict)})
    rows = int(sizes[failing].sum()) if failing else 0
    alone = int(np.count_nonzero(sizes == 1))
    if found.schema.individual is not None:
        people = found.frame[found.schema.individual.column]
        classes = pl.DataFrame({"class": found.row_class, "person": people}).group_by("class")
        counted = classes.agg(pl.len().alias("rows"), pl.col("person").n_unique().alias("people"))
        alone = int(counted.filter(pl.col("people") == 1)["rows"].sum())
    return {"rows": rows, "share": rows / max(found.frame.height, 1), "alone": alone}


def failing_classes(
    found: Check, verdict: Verdict, most: int, show_values: bool = False
) -> list[dict[str, Any]]:
    """The first failing classes of a verdict: number, rows, first row, and what they share."""
    import numpy as np

    numbers = np.array(found.failing(verdict)[:most], dtype=np.int64)
    if len(numbers) == 0:
        return []
    sizes = np.bincount(found.row_class)[numbers]
    seen, first = np.unique(found.row_class, return_index=True)
    rows = first[np.searchsorted(seen, numbers)]
    quasi = [attribute.name for attribute in found.schema.quasi]
    values = found.frame.select(quasi)[rows].rows() if show_values else [()] * len(rows)
    return [
        {"class": number, "rows": size, "first_row": row + 1}
        | ({"values": dict(zip(quasi, shown, strict=True))} if show_values else {})
        for number, size, row, shown in zip(
            numbers.tolist(), sizes.tolist(), rows.tolist(), values, strict=True
        )
    ]


def _print_data(found: Check, data: str, most: int, show_values: bool) -> None:
    from shoal.cli import show

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
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    console.print(show.verdict_table(console, found.verdicts, failing=True))
    if any(verdict.offending for verdict in found):
        total = failing_rows(found)
        console.print()
        text = f"{total['rows']:,} rows are in failing classes, {total['share']:.1%} of all; "
        alone = "1 row is alone" if total["alone"] == 1 else f"{total['alone']:,} rows are alone"
        console.print(Text(f"{text}{alone}", style="bold"))
    for verdict in found:
        if verdict.offending and most:
            listed = failing_classes(found, verdict, most, show_values)
            _print_classes(console, verdict, listed)
    failing = sum(verdict.holds is not True for verdict in found)
    rows, classes = f"{found.frame.height:,} rows", f"{int(found.row_class.max()):,} classes"
    end = f"{show.plain(data)} has {rows} in {classes}"
    console.print()
    if failing:
        text = f"{show.marks(console)[False]} {failing} of {len(found)} requirements not met"
        console.print(Text(text, style="bold red").append(f"; {end}", style="not bold default"))
    else:
        text = f"{show.marks(console)[True]} Everything holds"
        console.print(Text(text, style="bold green").append(f"; {end}", style="not bold default"))


def _print_classes(console: Console, verdict: Verdict, listed: Sequence[dict[str, Any]]) -> None:
    from rich.text import Text

    from shoal.cli import show

    values = list(listed[0].get("values", {}))
    names = ("Class", "Rows", "First row")
    table = show.columns(*names, *map(show.plain, values), right=names)
    for entry in listed:
        cells = [show.number(entry[key]) for key in ("class", "rows", "first_row")]
        shown = ["" if v is None else show.plain(v) for v in entry.get("values", {}).values()]
        table.add_row(*map(Text, (*cells, *shown)))
    about = f" of {show.plain(verdict.attribute)}" if verdict.attribute else ""
    total, more = len(verdict.offending), len(verdict.offending) - len(listed)
    title = (
        f"{verdict.requirement}{about} fails in {total:,} {'class' if total == 1 else 'classes'}"
    )
    console.print()
    console.print(Text(title, style="bold"))
    console.print(table)
    if more:
        console.print(Text(f"and {more:,} more; --classes N lists N of them", style="dim"))
