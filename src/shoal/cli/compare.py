"""`shoal compare`: several plans side by side, what each protects and what each costs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.failure import DONE, UNMET, UsageError
from shoal.cli.option import Json, Quiet

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from shoal._command.compare import Comparison, Rehearsal

_WIDE = 118
_NUMBERS = (
    "Loss", "Mean\nrisk", "Most\nrisk", "Classes", "Least\nclass", "Query\nerror", "Left\nout",
    "Secs",
)  # fmt: skip


def compare(
    plans: Annotated[
        list[Path], typer.Argument(metavar="PLAN...", help="The plans: YAML or JSON files.")
    ],
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DATA",
            help="The table for all of them: a file, or a glob; else each plan's source.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE.html", help="Also write a page with a plot of them."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a page that is there.")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Run several plans without writing a release, and compare risk and loss.

    The risk of a row is one in as many people as share its published description: the mean over
    all rows, and the largest. The loss is glm, by which the plans are sorted. A star marks a plan
    that no other beats in both at once; there is none where plans read different tables or
    describe people by different columns, since these do not compare. A plan that fails is told,
    and the others still run. Exit code 1 if a plan failed or does not hold what it asks for.

    \b
    Examples:
      shoal compare k5.yaml k10.yaml k20.yaml
      shoal compare plans/*.yaml --data people.csv --output compared.html
      shoal compare *.yaml --json | jq '.plans[] | select(.front) | .plan'
    """
    _check_output(output, force)
    found = _compare(plans, data, quiet)
    if output is not None:
        _write_page(found, output)
    if json:
        _print_data(found, output)
    elif not quiet:
        _print_comparison(found, output)
    return DONE if found.holds else UNMET


def _check_output(output: Path | None, force: bool) -> None:
    if output is None:
        return
    if output.suffix.lower() != ".html":
        raise UsageError("--output writes a page, so its name must end in '.html'.")
    if output.is_dir():
        raise UsageError(f"{output} is a folder.", hint="Name a file, such as compared.html.")
    if output.exists() and not force:
        raise UsageError(
            f"The file {output} exists.", hint="Choose another, or replace it with --force."
        )
    if not output.absolute().parent.is_dir():
        raise UsageError(f"There is no folder for {output}.", hint="Make it first.")


def _compare(plans: Sequence[Path], data: str | None, quiet: bool) -> Comparison:
    from shoal.cli.progress import Stages

    with Stages(quiet) as stages:
        with stages("starting"):
            from shoal._command.compare import compare as lay_side_by_side
        return lay_side_by_side(plans, data, progress=stages)


def _write_page(found: Comparison, output: Path) -> None:
    """The whole page appears, or nothing does."""
    from shoal._command.compare import comparison_page

    page = comparison_page(found)
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.absolute().parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        mask = os.umask(0o077)
        os.umask(mask)
        fresh.chmod(0o666 & ~mask)
        fresh.replace(output)
    finally:
        fresh.unlink(missing_ok=True)


def _print_data(found: Comparison, output: Path | None) -> None:
    from shoal.cli import show

    front = {id(outcome) for outcome in found.front}
    show.print_json(
        {
            "holds": found.holds,
            "comparable": found.comparable,
            "plans": [_as_data(outcome, id(outcome) in front) for outcome in found.outcomes],
            "notes": list(found.notes),
            "output": output,
        }
    )


def _as_data(outcome: Rehearsal, front: bool) -> dict[str, Any]:
    from shoal.cli import show

    risk = outcome.risk
    return {
        "plan": outcome.plan,
        "method": outcome.method or None,
        "holds": outcome.holds,
        "asked": list(outcome.asked),
        "requirements": [show.verdict_data(verdict) for verdict in outcome.verdicts],
        "classes": risk.n_classes if risk else None,
        "smallest": risk.smallest if risk else None,
        "risk": {"mean": risk.mean, "largest": risk.largest} if risk else None,
        "measures": {"glm": outcome.loss, "query-count": outcome.query_error},
        "suppressed": outcome.suppressed,
        "seconds": outcome.seconds,
        "front": front,
        "error": outcome.error or None,
        "problems": [{"text": p.text, "where": p.where or None} for p in outcome.problems],
    }


def _print_comparison(found: Comparison, output: Path | None) -> None:
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    console.print(_table(console, found))
    failed = [f"{o.plan}: {o.error}" for o in found.outcomes if o.problems]
    show.listing(console, "Failed", failed, "red")
    show.listing(console, "Notes", found.notes, "yellow")
    console.print()
    if not found.comparable:
        text = f"{show.marks(console)[None]} These plans do not compare: none is better for its "
        console.print(Text(f"{text}numbers", style="yellow"))
    elif found.front:
        names = ", ".join(show.plain(outcome.plan) for outcome in found.front)
        console.print(Text(f"* not beaten by another in loss and mean risk at once: {names}"))
    if len(found) > 1 and found.first:
        text = f"{show.plain(found.first)} ran first: its seconds include warming up"
        console.print(Text(text, style="dim"))
    if output is not None:
        done = Text(f"{show.marks(console)[True]} ", style="green")
        text = f"The page is {show.plain(output)}"
        console.print(done.append(text, style="bold"), soft_wrap=True)


def _table(console: Console, found: Comparison) -> Table:
    """One row per plan; where the terminal is narrow, method and requirements under its name."""
    from rich.text import Text

    from shoal.cli import show

    wide = console.width >= _WIDE
    table = show.columns(*(("Plan", "Method", "Asked") if wide else ("Plan",)), right=())
    for name in _NUMBERS:
        table.add_column(name, justify="right", no_wrap=True, vertical="top")
    front = {id(outcome) for outcome in found.front}
    for outcome in found.outcomes:
        star = " *" if id(outcome) in front else ""
        title = Text(show.plain(outcome.plan) + star, style="bold")
        asked = _asked(console, outcome)
        method = Text(show.plain(outcome.method))
        cells = [title, method, asked]
        first = cells if wide else [Text("\n").join(cell for cell in cells if cell)]
        table.add_row(*first, *map(Text, _numbers(outcome)))
    return table


def _asked(console: Console, outcome: Rehearsal) -> Text:
    from rich.text import Text

    from shoal.cli import show
    from shoal.schema.wording import brief_of

    signs = show.marks(console)
    if outcome.problems:
        return Text(f"{signs[False]} failed", style="red")
    lines = []
    for verdict in outcome.verdicts:
        mark = show.mark(console, verdict.holds)
        sign = Text(signs[verdict.holds], style=mark.style)
        lines.append(
            sign.append(
                f" {show.plain(brief_of(verdict.requirement, verdict.attribute))}", "default"
            )
        )
    return Text("\n").join(lines)


def _numbers(outcome: Rehearsal) -> list[str]:
    from shoal.cli.show import number

    risk = outcome.risk
    if risk is None:
        return ["–"] * len(_NUMBERS)
    shares = [_share(value) for value in (outcome.loss, risk.mean, risk.largest)]
    counts = [number(risk.n_classes), number(risk.smallest)]
    rest = [_share(outcome.query_error), _share(outcome.suppressed)]
    return [*shares, *counts, *rest, f"{outcome.seconds or 0:.2f}"]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
