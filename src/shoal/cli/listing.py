"""The registries on the terminal: what there is to choose from, and each in detail."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.failure import UsageError
from shoal.cli.option import Json

if TYPE_CHECKING:
    from shoal.schema.specification import Specification

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="One of them, in detail.", show_default=False)
]


def methods(name: Name = None, json: Json = False) -> None:
    """List the methods: how to make a release.

    \b
    Examples:
      shoal methods
      shoal methods mondrian
      shoal methods --json | jq -r '.methods[].name'
    """
    from shoal.method import METHODS

    _show("methods", METHODS, name, json)


def models(name: Name = None, json: Json = False) -> None:
    """List the models: what can be required of a release.

    \b
    Examples:
      shoal models
      shoal models l-diversity
    """
    from shoal.model import MODELS

    _show("models", MODELS, name, json)


def measures(name: Name = None, json: Json = False) -> None:
    """List the measures: what a release costs.

    \b
    Examples:
      shoal measures
      shoal measures glm
    """
    from shoal.measure import MEASURES

    _show("measures", MEASURES, name, json)


def attacks(name: Name = None, json: Json = False) -> None:
    """List the attacks: what an adversary may try, as measured by 'shoal audit'.

    \b
    Examples:
      shoal attacks
      shoal attacks linkage
    """
    from shoal.attack import ATTACKS

    _show("attacks", ATTACKS, name, json)


def _show(
    family: str, known: Mapping[str, type[Specification]], name: str | None, as_json: bool
) -> None:
    if name is None:
        found = [describe(one) for one in known.values()]
        if as_json:
            show.print_json({family: found})
        else:
            _print_all(family, found)
        return
    if name not in known:
        raise _unknown(family, name, known)
    details = describe(known[name])
    if as_json:
        show.print_json(details)
    else:
        _print_one(family, details)


def describe(one: type[Specification]) -> dict[str, Any]:
    """All that is known of one: its registry entry, the types of its parameters, its text."""
    from shoal.plan.wording import Shape

    details = one.describe()
    shape = Shape.of(one)
    for parameter, facts in details["parameters"].items():
        inner = shape.inside(parameter)
        facts["type"] = inner.words() if inner is not None else ""
    if unit := getattr(one, "unit", ""):
        details["unit"] = unit
    return {**details, "text": "\n\n".join(_paragraphs(one))}


def _paragraphs(one: type[Specification]) -> list[str]:
    """The docstring of a class, without its examples."""
    blocks = inspect.cleandoc(one.__doc__ or "").split("\n\n")
    return [" ".join(block.split()) for block in blocks if not block.lstrip().startswith(">>>")]


def _unknown(family: str, name: str, known: Iterable[str]) -> UsageError:
    from shoal.plan.wording import did_you_mean

    hint = did_you_mean(name, known) or f"See 'shoal {family}'."
    return UsageError(f"There is no {family[:-1]} {name!r}.", hint=hint)


def _print_all(family: str, found: Sequence[Mapping[str, Any]]) -> None:
    from rich.text import Text

    out = show.out()
    # The sources would fold the summaries of a narrow terminal into columns of single words.
    names = ("Name", "What it is", "From")[: 3 if out.width >= 100 else 2]
    rows = [
        (Text(one["name"], "bold cyan"), one["summary"], Text(one["source"], "dim"))[: len(names)]
        for one in found
    ]
    out.table(names, rows, whole=("Name",))
    out.say()
    out.say(f"'shoal {family} NAME' shows one in detail.", "dim")


def _print_one(family: str, details: Mapping[str, Any]) -> None:
    from rich.text import Text

    out = show.out()
    out.say(details["name"], "bold cyan")
    for paragraph in details["text"].split("\n\n"):
        out.say()
        out.say(paragraph)
    if details["parameters"]:
        rows = [
            (Text(name, "cyan"), "; ".join(filter(None, (f["meaning"], f["type"]))), _default(f))
            for name, f in _required_first(details["parameters"])
        ]
        out.say()
        out.table(("Parameter", "Meaning", "Default"), rows)
    out.listing("From", details["references"])
    rest = {"Unit": details.get("unit", ""), "In a plan": _in_a_plan(family, details)}
    out.say()
    out.facts({name: text for name, text in rest.items() if text})


def _required_first(parameters: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(parameters.items(), key=lambda item: not item[1]["required"])


def _default(facts: Mapping[str, Any]) -> str:
    if facts["required"]:
        return "required"
    return "–" if facts["default"] is None else str(facts["default"])


def _in_a_plan(family: str, details: Mapping[str, Any]) -> str:
    """How to write it in a plan, with the parameters that it requires."""
    needed = [f"{name}: …" for name, facts in details["parameters"].items() if facts["required"]]
    entry = f"{{{details['name']}: {{{', '.join(needed)}}}}}" if needed else details["name"]
    return {"methods": f"method: {entry}", "models": f"privacy: [{entry}]"}.get(family, "")
