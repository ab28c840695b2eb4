"""`shoal suggest`: levels for a plan with personal k, and what each would cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import show
from shoal.cli.failure import UsageError
from shoal.cli.file import check_page, write_whole
from shoal.cli.option import Json, PlanFile, Quiet, other_data, plot_page
from shoal.cli.progress import Stages

if TYPE_CHECKING:
    from shoal._command.suggest.suggestion import Suggestion, Suggestions
    from shoal.cli.terminal import Terminal
    from shoal.plan import Plan
    from shoal.plan.edit import Edited

_BEST = 0
_GLM = "Loss\nglm"
_LEFT = 60  # the width of the columns before the last


def suggest(
    plan: PlanFile,
    highest: Annotated[
        int,
        typer.Option(
            "--highest", metavar="K", help=("The k that the most sensitive people ask for.")
        ),
    ] = 8,
    levels: Annotated[
        int | None,
        typer.Option("--levels", metavar="L", min=1, help="The largest number of levels to try."),
    ] = None,
    all_schemes: Annotated[
        bool,
        typer.Option("--all-schemes", help="Try sd-, se- and ece-mks3wd, not just the plan's own."),
    ] = False,
    share: Annotated[
        float | None,
        typer.Option(
            "--share",
            metavar="S",
            help="The largest share of people who may ask for the highest k.",
        ),
    ] = None,
    write: Annotated[
        int | None,
        typer.Option(
            "--write",
            metavar="[N]",
            min=0,
            help="Write the recommended levels, or those of number N, into the plan file.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        plot_page(help="Write a page with charts."),
    ] = None,
    data: Annotated[
        str | None,
        other_data(help="A table to use instead of the source."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Propose thresholds and k for people of different sensitivity, with what each would cost.

    Every proposal is rehearsed on the table, or on a sample if it has more than 50,000 rows. The
    recommended one loses least among those that give everyone the crowd they ask for, and in which
    at most half of the people ask for k = 1. KA and mondrian with one k for everybody are listed
    for comparison. Nothing is written without --write or --plot.

    \b
    Examples:
      shoal suggest plan.yaml
      shoal suggest plan.yaml --highest 12 --all-schemes --plot levels.html
      shoal suggest plan.yaml --share 0.1 --write      take the recommended one
      shoal suggest plan.yaml --write 3                take number 3
    """
    _refuse(highest, share, plot)
    from shoal.plan import Plan

    loaded = Plan.load(plan)
    found = _find(loaded, data, highest, levels, all_schemes, share, quiet or json)
    chosen = None if write is None else _chosen(found, write)
    if plot is not None:
        _plot(plot, found)
    edited = None if chosen is None else _write(plan, loaded, chosen)
    if json:
        _print_data(found, chosen, edited, plot)
    elif not quiet:
        _print_suggestions(found, highest, all_schemes)
        _print_places(plan, plot, chosen, edited)


def _refuse(highest: int, share: float | None, plot: Path | None) -> None:
    if highest < 2:
        raise UsageError(
            f"The highest k must be at least 2, got {highest} instead.",
            "With k = 1 everybody is published as they are.",
        )
    if share is not None and not 0 < share < 1:
        raise UsageError(
            f"--share must be between 0 and 1, got {share:g} instead.", "0.1 is one person in ten."
        )
    if plot is not None:
        # Before the rehearsals, which may take long.
        check_page(plot, "--plot")


def _find(
    plan: Plan,
    data: str | None,
    highest: int,
    levels: int | None,
    all_schemes: bool,
    share: float | None,
    quiet: bool,
) -> Suggestions:
    if data is None and not plan.source:
        raise UsageError("The plan names no source.", "Name the table with --data DATA.")
    with Stages(quiet) as stages:
        with stages("starting"):
            from shoal._command.suggest.suggest import SCHEMES, scheme_of
            from shoal._command.suggest.suggest import suggest as find
        schemes = SCHEMES if all_schemes else (scheme_of(plan),)
        return find(plan, data, highest, schemes, levels=levels, share=share, progress=stages)


def _chosen(found: Suggestions, number: int) -> Suggestion:
    if number == _BEST:
        if found.best is None:
            raise UsageError("No levels can be recommended, so nothing was written.", _why(found))
        return found.best
    row = found.numbered(number)
    if row is None:
        raise UsageError(f"The number must be from 1 to {len(found)}, got {number} instead.")
    return row


def _why(found: Suggestions) -> str:
    return next((row.problem for row in found if row.problem), "")


def _write(file: Path, plan: Plan, row: Suggestion) -> Edited:
    """Edit the plan file, unless somebody else has edited it meanwhile."""
    from shoal.model import MultiLevelK
    from shoal.plan.edit import with_levels

    assert isinstance(row.model, MultiLevelK)
    edited = with_levels(plan, row.model, row.method)
    place = file.resolve()
    content = place.read_bytes()
    # A byte order mark is not part of the text of a plan, but must stay in the file.
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    if content != mark + (plan.text or "").encode():
        raise UsageError("The plan was changed meanwhile, so nothing was written.", "Try again.")
    write_whole(place, mark + edited.text.encode(), keep_mode=True)
    return edited


def _plot(file: Path, found: Suggestions) -> None:
    from shoal._command.suggest.page import suggestion_page

    write_whole(file, suggestion_page(found))


def _print_data(
    found: Suggestions, chosen: Suggestion | None, edited: Edited | None, plot: Path | None
) -> None:
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

    out = show.out()
    scheme = ["Scheme"] if all_schemes else []
    names = ["No", "Levels", *scheme, "Loss: ILR = ISR + IGR", _GLM, "F1", "Below", "k (people)"]
    rows = (found.baseline, found.plain, *found)
    wide = max(len(line) for row in rows for line in _who(row, ", ").split("\n"))
    fits = wide + _LEFT + (8 if all_schemes else 0) <= out.width
    table = []
    for row in rows:
        style = "bold green" if row is found.best else ""
        cells = _cells(row, all_schemes, ", " if fits else "\n")
        sign = f"{out.signs[True]} " if row is found.best else ""
        table.append([Text(cell, style) for cell in (sign + cells[0], *cells[1:])])
    out.table(names, table, right=("No", _GLM, "F1", "Below"))
    out.say("Below: rows published in a smaller crowd than they ask for.", "dim")
    out.say()
    _print_recommendation(out, found, highest)
    out.listing("Notes", found.notes)


def _cells(row: Suggestion, all_schemes: bool, between: str) -> list[str]:
    number = str(row.number) if row.number else ""
    name = "KA" if row.scheme == "ka" else row.scheme
    levels = f"{row.n_levels} {row.family}" if row.number else name
    scheme = [row.scheme.removesuffix("-mks3wd") if row.number else ""] if all_schemes else []
    who = _who(row, between)
    if row.problem:
        return [number, levels, *scheme, "cannot be met", "", "", "", who]
    score = f"{row.measures['f1']:.2f}" if "f1" in row.measures else ""
    numbers = [_loss(row), show.percent(row.glm), score, show.number(row.n_below)]
    return [number, levels, *scheme, *numbers, who]


def _loss(row: Suggestion) -> str:
    if row.ilr is None:
        return "–"
    return f"{row.ilr:.3f} = {row.measures['isr']:.3f} + {row.measures['igr']:.3f}"


def _who(row: Suggestion, between: str) -> str:
    """A line for each level: the f from which on people ask for a k, and how many do."""
    if not row.pairs:
        return f"all: {next(iter(row.people))} ({next(iter(row.people.values())):,})"
    return "\n".join(
        f">={a:.4g}: {high} ({row.people[high]:,}){between}"
        f"{'<' if a == b else '<='}{b:.4g}: {low} ({row.people[low]:,})"
        for (a, b), (high, low) in zip(row.thresholds, row.pairs, strict=True)
    )


def _print_recommendation(out: Terminal, found: Suggestions, highest: int) -> None:
    from rich.padding import Padding
    from rich.text import Text

    best = found.best
    if best is None:
        out.conclude(False, "Nothing can be recommended", f". {_why(found)}")
        return
    what = f"Recommended: number {best.number} by {best.scheme}"
    loss = "with a loss of" if found.passed_over else "which loses least:"
    out.conclude(True, f"{what}, {loss} {best.loss:.3f}.")
    lines = [Text(line, style="yellow") for line in _doubts(found, best, highest)]
    if found.baseline.loss is not None:
        lines.append(
            Text(f"KA with k = {highest} for everybody would lose {found.baseline.loss:.3f}.")
        )
    lines += [Text(line) for line in _in_people(best, found.least)]
    for line in lines:
        out.print(Padding(line, (0, 0, 0, 2)))


def _doubts(found: Suggestions, best: Suggestion, highest: int) -> list[str]:
    """What speaks against the recommended one, and why others that lose less are not taken."""
    lines = []
    if found.is_beaten:
        lines.append(
            f"But mondrian with k = {highest} for everybody loses less glm: "
            f"{show.percent(found.plain.glm)} against {show.percent(best.glm)}. Personal k does "
            "not pay on this table: one k for all hides everybody at least as well and costs less."
        )
    bare = "more than half of the people ask for k = 1, "
    bare += "which hides nobody" if found.least == 1 else "so it is hardly personal"
    if best.mostly_bare:
        lines.append(f"In this suggestion, as in all the others, {bare}.")
    elif found.passed_over:
        numbers = ", ".join(str(row.number) for row in found.passed_over)
        lines.append(f"These lose less but are not recommended: {numbers}. In them, {bare}.")
    if not best.holds and best.n_below:
        rows = show.count(best.n_below, "row")
        lines.append(
            f"It gives {rows} a smaller crowd than they ask for, but so do all the others."
        )
    return lines


def _in_people(row: Suggestion, least: int) -> list[str]:
    """What the thresholds mean for people at both ends; `least` is the crowd of everybody."""
    few, many = min(row.people), max(row.people)
    low = f"{row.people[few]:,} ask for {few}"
    if few < least:
        low += f", but get at least {least}, since the plan requires that for everybody."
    elif few == 1:
        low = f"{row.people[few]:,} ask for none: they are published unchanged, perhaps alone."
    else:
        low += "."
    high = f"{row.people[many]:,} people ask for a crowd of {many}; the mean is {row.mean_k:.1f}."
    return [high, low]


def _print_places(
    file: Path, plot: Path | None, chosen: Suggestion | None, edited: Edited | None
) -> None:
    out = show.out()
    out.say()
    if plot is not None:
        out.done(f"The page is in {plot}")
    if chosen is None or edited is None:
        out.say(
            "The plan is unchanged. --write writes the recommended levels into it, --write N "
            "those of number N."
        )
        return
    out.done(f"Number {chosen.number} is in {file}")
    for change in edited.changes:
        out.say(f"  {change}")
