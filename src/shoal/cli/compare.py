"""`shoal compare`: several plans side by side, with what each protects and costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.failure import DONE, UNMET
from shoal.cli.file import check_page, write_whole
from shoal.cli.option import Force, Json, Quiet, other_data, output_page
from shoal.cli.progress import Stages
from shoal.schema.wording import brief_of

if TYPE_CHECKING:
    from rich.text import Text

    from shoal._command.compare import Comparison, Rehearsal
    from shoal.cli.terminal import Terminal

# Below the first a column is left out, from the second on requirements have one of their own.
_NARROW, _WIDE = 90, 126
_SMALLEST = "Min\nclass"
_FIRST = (
    "Loss", "Least\nloss", "Mean\nrisk", "Max\nrisk", "Classes", _SMALLEST, "Query\nerror",
)  # fmt: skip
_TELLING = {"v": "v", "posterior": "Post-\nerior"}
_LAST = ("Left\nout", "Secs")
_MEANING = {
    "v": "v: the share of classes that satisfy the required IR model, but not its EIR counterpart",
    "posterior": "Posterior: how sure of a secret an adversary who knows everything else can be",
}


def compare(
    plans: Annotated[
        list[Path], typer.Argument(metavar="PLAN", help="The plans: YAML or JSON files.")
    ],
    data: Annotated[
        str | None,
        other_data(
            help="One table for all plans: a file or a glob; default: each plan's own source."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_page(help="Also write a page with a plot."),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Run several plans without writing a release, and compare risk and loss.

    The risk of a row is one divided by the number of people who share its published description;
    the mean over all rows and the largest are shown. The loss is glm, and the plans are sorted by
    it. If they differ between plans, v and the posterior of secrets are shown too. A star marks a
    plan that no other beats in both at once. No plan gets one if the plans read different tables or
    have different quasi-identifiers, since these cannot be compared; nor does a plan that publishes
    what another keeps secret. If a plan fails, the others still run. Exit code 1 if a plan failed
    or does not meet its own requirements.

    \b
    Examples:
      shoal compare k5.yaml k10.yaml k20.yaml
      shoal compare plans/*.yaml --data people.csv --output compared.html
      shoal compare *.yaml --json | jq '.plans[] | select(.front) | .plan'
    """
    if output is not None:
        # Before the plans are run, which may take long.
        check_page(output, "--output", force)
    with Stages(quiet) as stages:
        with stages("starting"):
            from shoal._command.compare import compare as lay_side_by_side
            from shoal._command.compare import comparison_page
        found = lay_side_by_side(plans, data, progress=stages)
    if output is not None:
        write_whole(output, comparison_page(found))
    if json:
        _print_data(found, output)
    elif not quiet:
        _print_comparison(found, output)
    return DONE if found.holds else UNMET


def _print_data(found: Comparison, output: Path | None) -> None:
    front = found.front
    show.print_json(
        {
            "holds": found.holds,
            "comparable": found.comparable,
            "plans": [_as_data(outcome, outcome in front) for outcome in found.outcomes],
            "notes": list(found.notes),
            "output": output,
        }
    )


def _as_data(outcome: Rehearsal, front: bool) -> dict[str, Any]:
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
        "measures": {
            "glm": outcome.loss,
            "bound": outcome.bound,
            "query-count": outcome.query_error,
            "v": outcome.v,
        },
        "posterior": outcome.posterior,
        "suppressed": outcome.suppressed,
        "seconds": outcome.seconds,
        "front": front,
        "error": outcome.error or None,
        "problems": [{"text": p.text, "where": p.where or None} for p in outcome.problems],
    }


def _print_comparison(found: Comparison, output: Path | None) -> None:
    out = show.out()
    _print_plans(out, found)
    out.listing("Failed", [f"{o.plan}: {o.error}" for o in found.outcomes if o.problems], "red")
    out.listing("Notes", found.notes, "yellow")
    out.say()
    if not found.comparable:
        out.conclude(None, "These plans cannot be compared, so none is marked as better")
    elif found.front:
        names = ", ".join(outcome.plan for outcome in found.front)
        out.say(f"* no other plan has both a lower loss and a lower mean risk: {names}")
    for name in found.telling:
        out.say(_MEANING[name], "dim")
    if len(found) > 1 and found.first:
        out.say(f"{found.first} ran first, so its seconds include warming up", "dim")
    if output is not None:
        out.done(f"The page is in {output}")


def _print_plans(out: Terminal, found: Comparison) -> None:
    """One row per plan; on a narrow terminal its method and requirements are under its name."""
    from rich.text import Text

    wide = out.width >= _WIDE
    front = found.front
    rows: list[list[str | Text]] = []
    for outcome in found.outcomes:
        star = " *" if outcome in front else ""
        head = [
            Text(show.plain(outcome.plan) + star, style="bold"),
            Text(show.plain(outcome.method)),
            _required(out, outcome, "\n" if wide else "\n  "),
        ]
        first = head if wide else [Text("\n  ").join(cell for cell in head if cell)]
        rows.append([*first, *_numbers(outcome, found.telling)])
    names = ("Plan", "Method", "Required") if wide else ("Plan",)
    numbers = (*_FIRST, *(_TELLING[name] for name in found.telling), *_LAST)
    if out.width < _NARROW:
        # The largest risk says the same: it is one over the smallest class.
        place = len(names) + _FIRST.index(_SMALLEST)
        rows = [row[:place] + row[place + 1 :] for row in rows]
        numbers = tuple(name for name in numbers if name != _SMALLEST)
    out.table([*names, *numbers], rows, right=numbers, whole=numbers)


def _required(out: Terminal, outcome: Rehearsal, between: str) -> Text:
    from rich.text import Text

    if outcome.problems:
        return out.sign(False).append(" failed")
    return Text(between).join(
        out.sign(v.holds).append(f" {show.plain(brief_of(v.requirement, v.attribute))}", "default")
        for v in outcome.verdicts
    )


def _numbers(outcome: Rehearsal, telling: Sequence[str]) -> list[str]:
    risk = outcome.risk
    if risk is None:
        return ["–"] * (len(_FIRST) + len(telling) + len(_LAST))
    return [
        *map(show.percent, (outcome.loss, outcome.bound, risk.mean, risk.largest)),
        *map(show.number, (risk.n_classes, risk.smallest)),
        show.percent(outcome.query_error),
        *(show.percent(getattr(outcome, name)) for name in telling),
        show.percent(outcome.suppressed),
        f"{outcome.seconds or 0:.2f}",
    ]
