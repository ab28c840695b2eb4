"""The proposal as a plan file with comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap

from shoal._command.init.entry import Entry
from shoal._command.init.group import ColumnGroup, open_groups, titled
from shoal._command.init.person import Person
from shoal._command.init.proposal import Proposal
from shoal._command.init.quote import quoted
from shoal.schema import Role
from shoal.schema.wording import counted

_WIDE = 98
_WIDEST = 60


def plan_text(proposal: Proposal) -> str:
    """The whole plan."""
    return "\n".join(
        [
            *_comment(
                f"A first plan for {counted(proposal.n_rows, 'row')} and "
                f"{counted(len(proposal.entries), 'column')}, based on what is in them. "
                "It runs as it is, but read it first: only you know what is secret and what "
                "others know."
            ),
            *_notes(proposal),
            *_source(proposal),
            *_individual(proposal),
            "attributes:",
            *_sections(proposal),
            "privacy:",
            *privacy_lines(proposal.k, proposal.diversity, proposal.person),
            f"method: {proposal.method}",
            f"output: {quoted(proposal.output, path=True)}",
            "",
        ]
    )


def _source(proposal: Proposal) -> Iterator[str]:
    if proposal.source is not None:
        yield f"source: {quoted(proposal.source, path=True)}"
    for key in ("table", "query"):
        if (asked := getattr(proposal, key)) is not None:
            yield f"{key}: {quoted(asked, path=True)}"


def attribute_lines(entries: Iterable[Entry], comments: Mapping[str, str]) -> list[str]:
    """A line for each column, with what is said about it in a second column."""
    bodies = [(one, f"  {quoted(one.name)}: {_body(one)}") for one in entries]
    width = max((len(body) for _, body in bodies if len(body) <= _WIDEST), default=0)
    return [
        f"{body:<{width}}  # {_line(said)}" if (said := comments.get(one.name, "")) else body
        for one, body in bodies
    ]


def privacy_lines(k: int, diversity: Mapping[str, int], person: Person | None) -> list[str]:
    """The requirements, each with its meaning."""
    word, model = ("rows", "l-diversity") if person is None else ("people", "eir-l")
    meaning = {
        "l-diversity": "and at least this many different values of it",
        "eir-l": "this many values, whichever row of each person is the true one",
    }[model]
    lines = {f"  - k-anonymity: {{k: {k}}}": f"every crowd has at least this many {word}"}
    for name, least in diversity.items():
        lines[f"  - {model}: {{l: {least}, attribute: {quoted(name)}}}"] = meaning
    width = max(len(line) for line in lines)
    return [f"{line:<{width}}  # {why}" for line, why in lines.items()]


def _body(one: Entry) -> str:
    if one.role not in (Role.QUASI, Role.SENSITIVE):
        return str(one.role)
    hierarchy = "" if one.hierarchy is None else one.hierarchy.text
    more = f", hierarchy: {hierarchy}" if hierarchy else ""
    if one.role is Role.QUASI and not more and one.column.has_bands:
        return str(one.role)
    return f"{{role: {one.role}, kind: {one.kind}{more}}}"


def _notes(proposal: Proposal) -> Iterator[str]:
    for note in proposal.notes:
        yield from wrap(
            f"{_line(note[:1].upper() + note[1:])}.",
            _WIDE,
            initial_indent="# - ",
            subsequent_indent="#   ",
        )


def _sections(proposal: Proposal) -> Iterator[str]:
    for group in ColumnGroup:
        entries = [one for one in proposal.entries if ColumnGroup.of(one) is group]
        if not entries:
            continue
        yield from _comment(titled(group, proposal), "  ")
        if group is not ColumnGroup.OPEN:
            yield from attribute_lines(entries, {one.name: one.told for one in entries})
            continue
        for title, members in open_groups(entries).items():
            yield f"  # {title}:"
            yield from attribute_lines(members, {one.name: _or(one) for one in members})


def _or(one: Entry) -> str:
    """The line to take instead, and the reason."""
    role = f"{{role: {one.instead}, kind: {one.kind}}}"
    if one.instead is Role.QUASI and one.column.has_bands:
        role = str(one.instead)
    return f"or {role}{f': {one.reason}' if one.reason else ''}"


def _comment(text: str, indent: str = "") -> list[str]:
    start = f"{indent}# "
    return wrap(_line(text), _WIDE, initial_indent=start, subsequent_indent=start)


def _line(text: str) -> str:
    """Text for a comment: one line of printable characters."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _individual(proposal: Proposal) -> list[str]:
    person = proposal.person
    if person is None:
        return []
    column = quoted(person.column)
    counts = (
        f"# {counted(person.n_people, 'person has', 'people have')} "
        f"{counted(proposal.n_rows, 'row')}; crowds are of people."
    )
    if not person.overwritten:
        return [counts, f"individual: {column}"]
    listed = ", ".join(f"{name}: {counted(n, 'row')}" for name, n in person.overwritten.items())
    return [
        counts,
        *_comment(
            "Where the rows of a person differ, the person's most common value replaces the "
            f"others ({listed}). To keep the values of a column as they are, make it sensitive, "
            "or leave the column out."
        ),
        f"individual: {{column: {column}, conflict: mode}}",
    ]
