"""The open decisions of a first plan, one after the other in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from shoal.cli import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal._command.init import Entry, Proposal
    from shoal.schema import Role

_ROLES = ("drop", "quasi", "sensitive", "insensitive")
_EACH = "each"
_MEANING = {
    "drop": "leave out",
    "quasi": "others may know it; publish coarsely",
    "sensitive": "secret; publish as it is, with several values in every crowd",
    "insensitive": "publish as it is",
    _EACH: "decide column by column",
}


def ask_decisions(proposed: Proposal) -> dict[str, Role]:
    """Ask what to do with every column that is left out, by groups of what they are.

    A choice may be given by its first letter. Columns that stay left out are decided too, so that
    no other choice brings them back.
    """
    from shoal._command.init import open_groups

    err = show.err()
    undecided = [one for one in proposed.entries if one.is_open]
    if not undecided:
        err.say("There is nothing left to decide.")
        return {}
    err.say(f"{show.count(len(undecided), 'column')} to decide, by what they are:", "bold")
    err.facts({f"  {name}": meaning for name, meaning in _MEANING.items()})
    decided: dict[str, Role] = {}
    for title, entries in open_groups(undecided).items():
        err.say()
        err.say(f"{title[:1].upper()}{title[1:]}: {', '.join(one.name for one in entries)}", "bold")
        decided |= _decide(entries)
    err.say()
    return decided


def _decide(entries: Sequence[Entry]) -> dict[str, Role]:
    from shoal.schema import Role

    if len(entries) > 1:
        choice = _prompt("  All of them", (*_ROLES, _EACH), "drop")
        if choice != _EACH:
            return {one.name: Role(choice) for one in entries}
    return {one.name: Role(_prompt(_about(one), _ROLES, "drop")) for one in entries}


def _about(one: Entry) -> str:
    values = show.count(one.column.n_distinct, "value")
    reason = f"; {one.reason}" if one.reason else ""
    return show.plain(f"  {one.name} ({values}{reason})")


def _prompt(text: str, choices: Sequence[str], default: str) -> str:
    """One of the choices, by its name or its beginning; asked again until it is one."""

    def parse(given: str) -> str:
        found = [choice for choice in choices if choice.startswith(given.strip().lower())]
        # Every choice begins with the empty text.
        if not given.strip() or not found:
            raise typer.BadParameter(f"must be one of {', '.join(choices)}.")
        return found[0]

    listed = "/".join(choices)
    # On stderr, as stdout is for results.
    return str(typer.prompt(f"{text} [{listed}]", default, value_proc=parse, err=True))
