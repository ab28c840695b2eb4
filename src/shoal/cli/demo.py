"""`shoal demo`: a made-up hospital, its plans, and their releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.option import Json, Quiet

if TYPE_CHECKING:
    from shoal._run import Release


@dataclass(frozen=True)
class _Done:
    """One plan that was run."""

    plan: Path
    output: Path
    private: Path
    release: Release
    seconds: float


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where the demo is written.")
    ] = Path("shoal-demo"),
    people: Annotated[
        int, typer.Option("--people", metavar="N", min=1, help="How many patients to make up.")
    ] = 5_000,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", min=0, help="What they are drawn from.")
    ] = 7,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a demo that is there already.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make up a hospital, run some plans on it, and say where the releases are.

    Writes two tables (patients, and their diagnoses with several rows a person), hierarchies, and
    commented plans to start from. Names are made of syllables: nobody in it exists.

    \b
    Examples:
      shoal demo
      shoal demo big --people 200000
      shoal run shoal-demo/patients-mondrian.yaml --force
    """
    done = _run_plans(folder, people, seed, force, quiet)
    if json:
        _print_data(folder, done)
    elif not quiet:
        _print_table(folder, done)


def _run_plans(folder: Path, people: int, seed: int, force: bool, quiet: bool) -> list[_Done]:
    from shoal.cli.progress import Stages

    with Stages(quiet) as stages:
        with stages("making people up"):
            from shoal._command.demo import write_demo

            plans = write_demo(folder, people, seed, force=force)
        with stages("starting"):
            from shoal._run import run as _  # noqa: F401
        done = []
        for path in plans:
            with stages(path.name):
                done.append(_run_plan(path, force))
    return done


def _run_plan(path: Path, force: bool) -> _Done:
    from time import perf_counter

    from shoal._run import run
    from shoal.plan import Plan

    plan = Plan.load(path)
    output, private = path.parent / str(plan.output), path.parent / "private" / path.stem
    begin = perf_counter()
    release = run(plan, output=output, private=private, force=force)
    return _Done(path, output, private, release, perf_counter() - begin)


def _print_data(folder: Path, done: Sequence[_Done]) -> None:
    from shoal.cli import show

    show.print_json({"folder": folder, "plans": [_as_data(one) for one in done]})


def _as_data(one: _Done) -> dict[str, Any]:
    from shoal.cli import show

    return {
        "plan": one.plan,
        "method": one.release.method,
        "requirements": [show.verdict_data(verdict) for verdict in one.release.verdicts],
        "glm": one.release.measures["glm"],
        "suppressed": one.release.counts.suppressed,
        "seconds": round(one.seconds, 3),
        "output": one.output,
        "private": one.private,
    }


def _print_table(folder: Path, done: Sequence[_Done]) -> None:
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    right = ("glm", "Suppressed", "Seconds")
    table = show.columns("Plan", "Method", "Requirement", "Reached", *right, right=right)
    for one in done:
        for place, verdict in enumerate(one.release.verdicts):
            asked = (Text(show.plain(verdict.requirement)), Text(show.number(verdict.reached)))
            head = ("", "") if place else (one.plan.stem, one.release.method)
            table.add_row(*head, *asked, *(("", "", "") if place else _numbers(one)))
    console.print(table)
    places = {one.plan.stem: str(one.output) for one in done}
    console.print()
    console.print(Text("The releases", style="bold"))
    console.print(show.facts(places))
    console.print(
        Text(f"What is the publisher's own is in {folder / 'private'}, never to be handed out.")
    )


def _numbers(one: _Done) -> tuple[str, str, str]:
    from shoal.cli.show import number

    release = one.release
    return number(release.measures["glm"]), number(release.counts.suppressed), f"{one.seconds:.1f}"
