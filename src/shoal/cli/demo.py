"""`shoal demo`: a made-up hospital, plans for it, and their releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.option import Force, Json, Quiet
from shoal.cli.progress import Stages
from shoal.cli.watch import announce

if TYPE_CHECKING:
    from shoal._run import Release


@dataclass(frozen=True)
class _Done:
    """A plan that was run."""

    plan: Path
    output: Path
    private: Path
    release: Release
    seconds: float


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to write the demo.")
    ] = Path("shoal-demo"),
    people: Annotated[
        int, typer.Option("--people", metavar="N", min=1, help="How many patients to invent.")
    ] = 5_000,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", min=0, help="The seed for drawing them.")
    ] = 7,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Invent a hospital, publish it by each of the five systems, and say what to look at.

    Writes two tables (patients, and their diagnoses with several rows per person), hierarchies, and
    commented plans to start from. Names are made of syllables: nobody in it exists.

    \b
    Examples:
      shoal demo
      shoal demo big --people 200000
      shoal run shoal-demo/patients-personal.yaml --force
    """
    done = _run_plans(folder, people, seed, force, quiet)
    if json:
        show.print_json({"folder": folder, "plans": [_as_data(one) for one in done]})
    elif not quiet:
        _print_table(folder, done)


def _run_plans(folder: Path, people: int, seed: int, force: bool, quiet: bool) -> list[_Done]:
    with Stages(quiet) as stages:
        with stages("inventing people"):
            from shoal._command.demo import write_demo

            plans = write_demo(folder, people, seed, force=force)
        with stages("starting"):
            # In a stage of its own, so that the first plan does not seem slow.
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
    announce(output, private)
    begin = perf_counter()
    release = run(plan, output=output, private=private, force=force)
    return _Done(path, output, private, release, perf_counter() - begin)


def _as_data(one: _Done) -> dict[str, Any]:
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
    from shoal._command.demo import DEMOS

    out = show.out()
    names, numbers = ("System", "Method"), ("Loss", "Left out", "Seconds")
    rows = [
        (
            demo.system,
            one.release.method,
            show.percent(one.release.measures["glm"]),
            show.number(one.release.counts.suppressed),
            f"{one.seconds:.1f}",
        )
        for demo, one in zip(DEMOS, done, strict=True)
    ]
    out.table((*names, *numbers), rows, right=numbers, whole=names)
    out.say()
    out.say("What to look at", "bold")
    for demo, one in zip(DEMOS, done, strict=True):
        out.say()
        out.say(str(one.output), whole=True)
        out.say(demo.look, indent=2)
    out.say()
    out.say(
        "Each folder has a report.html to open in a browser. The private side of each is in "
        f"{folder / 'private'}: never hand it out."
    )
