"""`shoal experiment` and `shoal reproduce`: grids of plans, and those of the five papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import show
from shoal.cli.failure import DONE, UNMET
from shoal.cli.option import Json, Quiet, output_folder
from shoal.cli.progress import ShareColumn
from shoal.cli.watch import say_kept

if TYPE_CHECKING:
    from shoal._command.experiment import Experiment
    from shoal._command.reproduce import Reproduction


def experiment(
    grid: Annotated[Path, typer.Argument(metavar="GRID", help="The grid: a YAML or JSON file.")],
    output: Annotated[
        Path,
        output_folder(help="For results, figures and cache."),
    ] = Path("experiment"),
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Run a grid of plans over a table, with several seeds, and draw what it finds.

    A grid has 'plan' (a file, or the plan itself), 'data' (a table; else the plan's source),
    'vary' (names, each with its place in the plan, 'at', and its 'values'), 'seeds', 'measures'
    and 'figures' (x, y, series, panel). Every result is kept in FOLDER/cache: an interrupted run
    continues where it stopped. Writes results.csv, and figure-N.svg and figure-N.csv with means and
    95 % intervals over seeds. Exit code 1 if a plan fails.

    \b
    A grid:
      plan: plan.yaml
      vary:
        k: {at: "privacy[0].k-anonymity.k", values: [2, 5, 10]}
      seeds: 3
      measures: [glm]

    \b
    Examples:
      shoal experiment grid.yaml
      shoal experiment grid.yaml --output losses
    """
    say_kept()
    with ShareColumn("running plans", quiet or json) as share:
        from shoal._command.experiment import experiment as carry_out

        found = carry_out(grid, output, progress=share)
    if json:
        show.print_json(_experiment_data(found))
    elif not quiet:
        _print_experiment(found)
    return UNMET if found.results.errors else DONE


def _experiment_data(found: Experiment) -> dict[str, object]:
    return {
        "plans": found.results.frame.height,
        "computed": found.computed,
        "errors": found.results.errors,
        "notes": list(found.notes),
        "written": [str(path) for path in found.written],
    }


def _print_experiment(found: Experiment) -> None:
    out, n = show.out(), found.results.frame.height
    failed = int(found.results.frame["error"].is_not_null().sum())
    kept = f"; {n - found.computed:,} of them were in the cache" if found.computed < n else ""
    out.conclude(failed == 0, f"{n - failed:,} of {n:,} plans ran", kept)
    out.listing("Failed", found.results.errors, "red")
    out.listing("Notes", found.notes, "yellow")
    for path in found.written:
        out.say(str(path), whole=True, indent=2)


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="mks3wd, lgb, identity, graph, mhsa, across or all."),
    ],
    figure: Annotated[
        int | None, typer.Option("--figure", metavar="N", help="Only this figure of the paper.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help=("The folder of the data sets; default: SHOAL_DATA or ../shared/data."),
        ),
    ] = None,
    output: Annotated[
        Path,
        output_folder(help="For figures, claims and pages."),
    ] = Path("reproduce"),
    quick: Annotated[
        bool,
        typer.Option("--quick", help=("Run a small grid only, to see whether everything works.")),
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Run the experiments of the five papers, and answer their claims with numbers.

    Writes every figure (svg and csv), claims.csv, and a page for each paper (md and html) that says
    which claims hold here, which do not and why. 'across' compares all five systems on common
    tables. Results are kept in FOLDER/cache: an interrupted run continues where it stopped, and a
    second run takes seconds. If a table is missing, the command says where to get it and makes the
    other figures; the exit code is then 1.

    \b
    Examples:
      shoal reproduce all
      shoal reproduce identity --figure 4 --data ~/data
      shoal reproduce all --quick
    """
    say_kept()
    with ShareColumn("running plans", quiet or json) as share:
        from shoal._command.reproduce import reproduce as carry_out

        done = carry_out(paper, figure, data, output, quick, progress=share)
    if json:
        show.print_json({"papers": [_paper_data(one) for one in done], "output": output})
    elif not quiet:
        _print_reproductions(done)
    return UNMET if any(one.lacking for one in done) else DONE


def _paper_data(one: Reproduction) -> dict[str, object]:
    return {
        "paper": one.key,
        "figures": list(one.figures),
        "plans": one.results.frame.height,
        "computed": one.results.finished.computed,
        "cpu_seconds": round(one.results.finished.cpu, 1),
        "claims": [
            {"claim": a.claim, "text": a.text, "setting": a.setting, "paper": a.paper or None,
             "here": a.ours, "verdict": str(a.verdict)}
            for a in one.answers
        ],
        "missing": [show.problem_data(problem) for problem in one.lacking],
        "errors": one.results.errors,
        "notes": list(one.notes),
    }  # fmt: skip


def _print_reproductions(done: list[Reproduction]) -> None:
    out = show.out()
    names = ("Paper", "Figures", "Plans", "CPU min", "Confirmed", "Not confirmed", "Open")
    rows = [
        (one.key, str(len(one.figures)), f"{one.results.frame.height:,}",
         f"{one.results.finished.cpu / 60:.1f}", *(str(count) for count in one.counts))
        for one in done
    ]  # fmt: skip
    out.table(names, rows, right=names[1:])
    out.listing("Missing", [str(p) for one in done for p in one.lacking], "yellow")
    out.listing("Failed", [f"{one.key}: {e}" for one in done for e in one.results.errors], "red")
    out.listing("Notes", list(dict.fromkeys(note for one in done for note in one.notes)), "yellow")
    for one in done:
        for path in one.written:
            # A page shows all figures of its paper; the other files are too many to list.
            if path.suffix == ".html":
                out.done(f"The page is {path}")
