"""`shoal suggest`: which levels for a plan with personal k, and what each would cost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.failure import UsageError
from shoal.cli.option import Json, PlanFile, Quiet

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from shoal._command.suggest.suggestion import Suggestion, Suggestions
    from shoal.plan import Plan
    from shoal.plan.edit import Edited

_BEST = 0
_WIDE = 110
_GLM = "Loss\nglm"


def suggest(
    plan: PlanFile,
    highest: Annotated[
        int, typer.Option("--highest", metavar="K", help="The k that the most sensitive ask for.")
    ] = 8,
    levels: Annotated[
        int | None,
        typer.Option("--levels", metavar="L", min=1, help="Try no more than so many levels."),
    ] = None,
    all_schemes: Annotated[
        bool,
        typer.Option("--all-schemes", help="Try sd-, se- and ece-mks3wd, not just the plan's own."),
    ] = False,
    share: Annotated[
        float | None,
        typer.Option(
            "--share", metavar="S", help="At most this share of people may ask for the highest k."
        ),
    ] = None,
    write: Annotated[
        int | None,
        typer.Option(
            "--write",
            metavar="[N]",
            min=0,
            help="Put the recommended one, or number N, into the plan file.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE.html", help="Write a page with charts for yourself."),
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="DATA", help="A table instead of the source.")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Propose thresholds and k for people of different sensitivity, and what each would cost.

    Every proposal is rehearsed on the table; beyond 50,000 rows, on a sample. Recommended is the
    one that loses least among those that give everyone the crowd they ask for, and in which at
    most half of the people ask for k = 1. Beside them stand KA and mondrian with one k for all.
    Nothing is written without --write or --plot.

    \b
    Examples:
      shoal suggest plan.yaml
      shoal suggest plan.yaml --highest 12 --all-schemes --plot levels.html
      shoal suggest plan.yaml --share 0.1 --write      take what is recommended
      shoal suggest plan.yaml --write 3                take number 3
    """
    _refuse(plan, highest, share, plot)
    from shoal.plan import Plan

    asked = Plan.load(plan)
    found = _find(asked, data, highest, levels, all_schemes, share, quiet or json)
    chosen = None if write is None else _chosen(found, write)
    if plot is not None:
        _plot(plot, found)
    edited = None if chosen is None else _write(plan, asked, chosen)
    if json:
        _print_data(found, chosen, edited, plot)
    elif not quiet:
        _print_suggestions(found, highest, all_schemes)
        _print_places(plan, plot, chosen, edited)


def _refuse(plan: Path, highest: int, share: float | None, plot: Path | None) -> None:
    if highest < 2:
        raise UsageError(
            f"The highest k must be at least 2, got {highest} instead.",
            "With k = 1 everybody is published as they are.",
        )
    if share is not None and not 0 < share < 1:
        raise UsageError("--share must be between 0 and 1.", "0.1 is one person in ten.")
    if plot is not None and plot.suffix.lower() not in (".html", ".htm"):
        raise UsageError("--plot writes a page, so its name must end in '.html'.")
    if plot is not None and plot.is_dir():
        raise UsageError(f"The page {plot} is a folder.", "Name a file with --plot.")


def _find(
    plan: Plan,
    data: str | None,
    highest: int,
    levels: int | None,
    all_schemes: bool,
    share: float | None,
    quiet: bool,
) -> Suggestions:
    from shoal.cli.progress import Stages

    if data is None and not plan.source:
        raise UsageError("The plan names no source.", "Name the table with --data DATA.")
    with Stages(quiet) as stages:
        with stages("starting"):
            from shoal._command.suggest.suggest import SCHEMES
            from shoal._command.suggest.suggest import suggest as find
        own = plan.method.name if plan.method.name in SCHEMES else "ece-mks3wd"
        schemes = SCHEMES if all_schemes else (own,)
        return find(plan, data, highest, schemes, levels=levels, share=share, progress=stages)


def _chosen(found: Suggestions, number: int) -> Suggestion:
    if number == _BEST:
        if found.best is None:
            raise UsageError("Nothing can be recommended, so nothing is written.", _why(found))
        return found.best
    row: Suggestion | None = found.numbered(number)
    if row is None:
        raise UsageError(f"There is no number {number}.", f"The numbers go from 1 to {len(found)}.")
    return row


def _why(found: Suggestions) -> str:
    return next((row.problem for row in found if row.problem), "")


def _write(file: Path, plan: Plan, row: Suggestion) -> Edited:
    """Edit the plan file: whole, or not at all."""
    from shoal.model import MultiLevelK
    from shoal.plan.edit import with_levels

    assert isinstance(row.model, MultiLevelK)
    edited = with_levels(plan, row.model, row.method)
    place = file.resolve()
    content = place.read_bytes()
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    if content != mark + (plan.text or "").encode():
        raise UsageError("The plan was changed meanwhile, and is left as it is.", "Try again.")
    fresh = place.with_name(f".{place.name}.shoal-{os.getpid()}")
    try:
        fresh.write_bytes(mark + edited.text.encode())
        shutil.copymode(place, fresh)
        fresh.replace(place)
    finally:
        fresh.unlink(missing_ok=True)
    return edited


def _plot(file: Path, found: Suggestions) -> None:
    from shoal.report.suggestion import suggestion_report

    page = suggestion_report(
        [row.as_data() for row in found],
        found.baseline.as_data(),
        found.best.number if found.best is not None else None,
        found.notes,
        plain=found.plain.as_data(),
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.shoal-{os.getpid()}")
    try:
        fresh.write_text(page, encoding="utf-8")
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _print_data(
    found: Suggestions, chosen: Suggestion | None, edited: Edited | None, plot: Path | None
) -> None:
    from shoal.cli import show

    show.print_json(
        {
            "recommended": found.best.number if found.best is not None else None,
            "written": chosen.number if chosen is not None else None,
            "changes": list(edited.changes) if edited is not None else [],
            "plot": plot,
            "counts": {"rows": found.n_rows, "judged": found.n_judged},
            "baseline": found.baseline.as_data(),
            "plain": found.plain.as_data(),
            "beaten_by_plain": found.is_beaten,
            "passed_over": [row.number for row in found.passed_over],
            "suggestions": [row.as_data() for row in found],
            "notes": list(found.notes),
        }
    )


def _print_suggestions(found: Suggestions, highest: int, all_schemes: bool) -> None:
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    scheme = ["Scheme"] if all_schemes else []
    right = ("No", _GLM, "F1", "Below")
    names = ("Loss: ILR = ISR + IGR", _GLM, "F1", "Below", "k (people)")
    table = show.columns("No", "Levels", *scheme, *names, right=right)
    for row in (found.baseline, found.plain, *found):
        style = "bold green" if row is found.best else ""
        cells = _cells(console, row, row is found.best, all_schemes)
        table.add_row(*(Text(cell, style=style) for cell in cells))
    console.print(table)
    console.print(Text("Below: rows published in a smaller crowd than they ask for.", style="dim"))
    console.print()
    for line in _recommendation(console, found, highest):
        console.print(line)
    show.listing(console, "Notes", found.notes)


def _cells(console: Console, row: Suggestion, best: bool, all_schemes: bool) -> list[str]:
    from shoal.cli import show

    number = str(row.number) if row.number else ""
    if best:
        number = f"{show.marks(console)[True]} {number}"
    levels = f"{row.n_levels} {row.family}" if row.number else _method(row)
    scheme = [row.scheme.removesuffix("-mks3wd") if row.number else ""] if all_schemes else []
    if row.problem:
        return [number, levels, *scheme, "cannot be had", "", "", "", _who(row, console.width)]
    score = f"{row.measures['f1']:.2f}" if "f1" in row.measures else ""
    below, who = show.number(row.n_below), _who(row, console.width)
    return [number, levels, *scheme, _loss(row), _share(row.glm), score, below, who]


def _method(row: Suggestion) -> str:
    return "KA" if row.scheme == "ka" else row.scheme


def _share(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.1%}"


def _loss(row: Suggestion) -> str:
    if row.ilr is None:
        return "–"
    return f"{row.ilr:.3f} = {row.measures['isr']:.3f} + {row.measures['igr']:.3f}"


def _who(row: Suggestion, width: int) -> str:
    """For each level from which f on, the k, and how many people ask for it; on narrow screens the
    two ends of a level below each other.
    """
    if not row.pairs:
        return f"all: {next(iter(row.people))} ({next(iter(row.people.values())):,})"
    between = ", " if width >= _WIDE else "\n"
    return "\n".join(
        f">={a:.4g}: {high} ({row.people[high]:,}){between}"
        f"{'<' if a == b else '<='}{b:.4g}: {low} ({row.people[low]:,})"
        for (a, b), (high, low) in zip(row.thresholds, row.pairs, strict=True)
    )


def _recommendation(console: Console, found: Suggestions, highest: int) -> list[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    from shoal.cli import show

    best = found.best
    if best is None:
        return [Text(f"{show.marks(console)[False]} Nothing can be recommended. {_why(found)}")]
    head = f"{show.marks(console)[True]} Recommended is number {best.number} by {best.scheme}"
    why = f", with a loss of {best.loss:.3f}" if found.passed_over else ": it loses least"
    why += "." if found.passed_over else f" ({best.loss:.3f})."
    lines = [Text(line, style="yellow") for line in _doubts(found, best, highest)]
    one = found.baseline.loss
    if one is not None:
        lines.append(Text(f"One k of {highest} for all would lose {one:.3f} by KA."))
    lines += [Text(line) for line in _in_people(best, found.least)]
    return [Text(head + why, style="bold green"), *(Padding(x, (0, 0, 0, 2)) for x in lines)]


def _doubts(found: Suggestions, best: Suggestion, highest: int) -> list[str]:
    """What speaks against the recommended one, and why others that lose less are not."""
    lines = []
    if found.is_beaten:
        lines.append(
            f"But mondrian with k = {highest} for everybody loses less glm: "
            f"{_share(found.plain.glm)} against {_share(best.glm)}. On this table, personal k does "
            "not pay: one k for all hides everybody deeper and costs less."
        )
    bare = "more than half of the people ask for k = 1, "
    bare += "which hides nobody" if found.least == 1 else "so that it is hardly personal"
    if best.mostly_bare:
        lines.append(f"In it, and in all others, {bare}.")
    elif found.passed_over:
        numbers = ", ".join(str(row.number) for row in found.passed_over)
        lines.append(f"Losing less, but not recommended: {numbers}. There, {bare}.")
    if not best.holds and best.n_below:
        lines.append(
            f"It gives {best.n_below:,} rows a smaller crowd than they ask for; so do all others."
        )
    return lines


def _in_people(row: Suggestion, least: int) -> list[str]:
    """What the thresholds mean for people at both ends; `least` is the crowd of everybody."""
    few, many = min(row.people), max(row.people)
    low = f"{row.people[few]:,} ask for {few}"
    if few < least:
        low += f", and get {least} or more all the same: what else the plan asks stays."
    elif few == 1:
        low = f"{row.people[few]:,} ask for none: they are published as they are, perhaps alone."
    else:
        low += "."
    high = f"{row.people[many]:,} people ask for a crowd of {many}; the mean is {row.mean_k:.1f}."
    return [high, low]


def _print_places(
    file: Path, plot: Path | None, chosen: Suggestion | None, edited: Edited | None
) -> None:
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    done = f"{show.marks(console)[True]} "
    console.print()
    if plot is not None:
        console.print(
            Text(f"{done}The page is in {show.plain(plot)}", style="bold"), soft_wrap=True
        )
    if chosen is None or edited is None:
        text = (
            "The plan is as it was. --write puts the recommended one into it, --write N number N."
        )
        console.print(Text(text))
        return
    text = f"{done}Number {chosen.number} is in {show.plain(file)}"
    console.print(Text(text, style="bold"), soft_wrap=True)
    for change in edited.changes:
        console.print(Text(f"  {change}"))
