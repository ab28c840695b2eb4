"""`shoal explain`: what each part of a plan costs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import show
from shoal.cli.file import check_page, write_whole
from shoal.cli.option import Force, Json, PlanFile, Quiet, output_page
from shoal.cli.progress import Stages

if TYPE_CHECKING:
    from shoal._command.explain import Explanation


def explain(
    plan: PlanFile,
    output: Annotated[
        Path | None,
        output_page(help="Also write a page with bars."),
    ] = None,
    sample: Annotated[
        int,
        typer.Option("--sample", metavar="N", min=2, help="Rehearse on at most about N rows."),
    ] = 50_000,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say what each requirement, each quasi-identifier and each hierarchy of a plan costs.

    The plan is rehearsed as it is, and then with one thing changed at a time: a requirement left
    out or one step less strict, a quasi-identifier not published, a hierarchy left out. The loss is
    glm; for a quasi-identifier that is left out, it is the loss of the others. The costliest comes
    first. No release is written.

    \b
    Examples:
      shoal explain plan.yaml
      shoal explain plan.yaml --output costs.html
    """
    if output is not None:
        # Before the rehearsals, which may take long.
        check_page(output, "--output", force)
    with Stages(quiet or json) as stages:
        with stages("starting"):
            from shoal._command.explain import explain as rehearse
            from shoal._command.explain import explanation_page
        found = rehearse(plan, sample=sample, progress=stages)
    if output is not None:
        write_whole(output, explanation_page(found))
    if json:
        _print_data(found, output)
    elif not quiet:
        _print_explanation(found, output)


def _print_data(found: Explanation, output: Path | None) -> None:
    show.print_json(
        {
            "loss": found.loss,
            "costs": [{**asdict(cost), "cost": cost.cost} for cost in found.costs],
            "rows": found.n_rows,
            "sampled": found.n_sampled,
            "problems": [{"change": what, "text": why} for what, why in found.problems],
            "output": output,
        }
    )


def _print_explanation(found: Explanation, output: Path | None) -> None:
    out = show.out()
    out.say(f"The plan loses {show.percent(found.loss)} of the detail (glm).", "bold")
    out.say()
    names = ("What", "Change", "Loss", "After", "Saves")
    rows = [
        (f"{c.what}", f"{c.how}", *map(show.percent, (c.loss, c.without, c.cost)))
        for c in found.costs
    ]
    out.table(names, rows, right=names[2:], whole=names[1:])
    notes = [f"{what}: cannot be rehearsed; {why}" for what, why in found.problems]
    if found.n_sampled < found.n_rows:
        notes.append(
            f"losses come from a random sample of {found.n_sampled:,} of {found.n_rows:,} rows; "
            "the whole table loses less"
        )
    out.listing("Notes", notes)
    if output is not None:
        out.done(f"The page is in {output}")
