"""`shoal hierarchy`: the levels of an attribute, as a run would publish them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.option import Json, PlanFile, ShowValues
from shoal.cli.progress import Stages

if TYPE_CHECKING:
    from shoal._command.hierarchy import LevelLabels


def hierarchy(
    plan: PlanFile,
    attribute: Annotated[
        str, typer.Argument(metavar="ATTRIBUTE", help="An attribute that has a hierarchy.")
    ],
    labels: Annotated[
        int,
        typer.Option(
            "--labels",
            metavar="N",
            min=1,
            help="How many labels of each level --show-values lists.",
        ),
    ] = 20,
    json: Json = False,
    show_values: ShowValues = False,
) -> None:
    """Show the levels of an attribute's hierarchy over the data, exactly as a run publishes them.

    For every level, from the values themselves upwards: how many different labels it has, and how
    many rows the rarest, the middle and the commonest of them have. With --show-values, also the
    labels. Nothing is written.

    \b
    Examples:
      shoal hierarchy plan.yaml postcode
      shoal hierarchy plan.yaml age --show-values
    """
    from shoal._command.hierarchy import hierarchy_levels

    with Stages(json) as stages, stages("reading"):
        found = hierarchy_levels(plan, attribute)
    if json:
        show.print_json(_data(attribute, found, show_values))
        return
    out = show.out()
    names = ("Level", "Labels", "Fewest rows", "Median", "Most rows")
    rows = [[show.number(number) for number in _summary(one).values()] for one in found]
    out.table(names, rows, right=names)
    if show_values:
        for one in found:
            _print_labels(one, labels)


def _summary(one: LevelLabels) -> dict[str, Any]:
    rows = one.labels["rows"]
    return {
        "level": one.level,
        "labels": len(rows),
        "fewest": rows.min(),
        "median": rows.median(),
        "most": rows.max(),
    }


def _data(attribute: str, found: tuple[LevelLabels, ...], show_values: bool) -> dict[str, Any]:
    return {
        "attribute": attribute,
        "levels": [
            _summary(one) | ({"shown": one.labels.rows(named=True)} if show_values else {})
            for one in found
        ],
    }


def _print_labels(one: LevelLabels, most: int) -> None:
    out, names = show.out(), ("Label", "Values", "Rows")
    shown = one.labels.head(most)
    out.say()
    out.say(f"Level {one.level}", "bold")
    out.table(
        names,
        [
            (label or "(empty)", show.number(values), show.number(rows))
            for label, values, rows in shown.rows()
        ],
        right=names[1:],
    )
    if one.labels.height > most:
        out.say(f"and {one.labels.height - most:,} more", "dim")
