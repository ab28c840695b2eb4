"""The proposal as a plan file with comments."""

from __future__ import annotations

from textwrap import wrap

from shoal._command.init.entry import Entry
from shoal._command.init.proposal import Proposal
from shoal._command.init.quote import quoted
from shoal.schema import Role

_WIDEST = 42

_HEAD = """\
# A first plan, proposed from the names and the counts of the columns. Read it before you run it:
# only you know whether a column is secret, or known to others.
#   identifier   says who it is; never published
#   quasi        others may know it; published coarsely, so that people look alike
#   sensitive    nobody should learn it about a person; published as it is, mixed in each crowd
#   insensitive  published as it is; not used below, since a wrong 'insensitive' gives people away
"""


def plan_text(proposal: Proposal) -> str:
    """The whole plan."""
    return "\n".join(
        [
            _HEAD.rstrip(),
            "#",
            *(f"# Note: {_line(note)}." for note in proposal.notes),
            *([] if proposal.source is None else [f"source: {quoted(proposal.source, path=True)}"]),
            *_individual(proposal),
            "attributes:",
            *(_attribute(entry) for entry in proposal.entries),
            *_privacy(proposal),
            "method: auto",
            f"output: {quoted(proposal.output, path=True)}",
            "",
        ]
    )


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
    counts = f"# {person.n_people:,} people have {proposal.n_rows:,} rows; crowds are of people."
    if not person.differing:
        return [counts, f"individual: {column}"]
    listed = ", ".join(
        f"{_line(name)}: {count:,} row{'' if count == 1 else 's'}"
        for name, count in zip(person.differing, person.overwritten, strict=True)
    )
    return [
        counts,
        "# Where the rows of a person differ, the person's most common value replaces the others",
        *wrap(f"({listed}).", 98, initial_indent="# ", subsequent_indent="# "),
        "# To keep the values of a column as they are, make it sensitive; or leave it out.",
        f"individual: {{column: {column}, conflict: mode}}",
    ]


def _attribute(entry: Entry) -> str:
    reason, body = entry.reason, str(entry.role)
    if entry.hierarchy is not None:
        body = f"{{role: quasi, kind: {entry.kind}, hierarchy: {entry.hierarchy.text}}}"
        reason += f"; {entry.hierarchy.note}" if entry.hierarchy.note else ""
    elif entry.role is Role.SENSITIVE:
        body = f"{{role: sensitive, kind: {entry.kind}}}"
    return f"  # {_line(reason)}\n  {quoted(entry.name)}: {body}"


def _privacy(proposal: Proposal) -> list[str]:
    word = "rows" if proposal.person is None else "people"
    models = {f"k-anonymity: {{k: {proposal.k}}}": f"every crowd has at least so many {word}"}
    for name, least in proposal.diversity.items():
        model = f"l-diversity: {{l: {least}, attribute: {quoted(name)}}}"
        models[model] = "and at least so many different values of it"
    return ["privacy:", *(f"  - {model:<{_WIDEST}}  # {why}" for model, why in models.items())]
