"""The proposal as a plan file with comments."""

from __future__ import annotations

from textwrap import wrap

from shoal._command.init.proposal import Entry, Proposal
from shoal._command.init.quote import quoted
from shoal.schema import Role

_WIDEST = 46

_HEAD = """\
# A first plan, proposed from the names and the counts of the columns. Read it before you run it:
# whether a column is known to others, or secret, only you can tell.
#   identifier  tells who it is; never published
#   quasi       others may know it; published coarsened, so that people are alike in it
#   sensitive   what nobody should learn of a person; published as it is, mixed within each crowd
#   insensitive published as it is. Nothing below is: a wrong 'insensitive' gives people away
"""


def plan_text(proposal: Proposal) -> str:
    """The whole plan."""
    return "\n".join(
        [
            _HEAD.rstrip(),
            *_notes(proposal),
            *([] if proposal.source is None else [f"source: {quoted(proposal.source, path=True)}"]),
            *_individual(proposal),
            "attributes:",
            *(_attribute(entry) for entry in proposal.entries),
            *_privacy(proposal),
            "method: mondrian",
            f"output: {quoted(proposal.output, path=True)}",
            "",
        ]
    )


def _notes(proposal: Proposal) -> list[str]:
    n_quasi = sum(entry.role is Role.QUASI for entry in proposal.entries)
    share = proposal.n_singled_out / proposal.n_rows
    lines = [
        f"the quasi-identifiers ({n_quasi}) together single out {proposal.n_singled_out:,} of "
        f"{proposal.n_rows:,} rows ({share:.1%})",
        *proposal.notes,
    ]
    return ["#", *(f"# Note: {_line(line)}." for line in lines)]


def _line(text: str) -> str:
    """Text for a comment: one line of printable signs."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _individual(proposal: Proposal) -> list[str]:
    person = proposal.person
    if person is None:
        return []
    column = quoted(person.column)
    said = f"# {person.n_people:,} people have {proposal.n_rows:,} rows: people are counted"
    if not person.differing:
        return [said, f"individual: {column}"]
    listed = ", ".join(
        f"{_line(name)}: {count:,} row{'' if count == 1 else 's'}"
        for name, count in zip(person.differing, person.overwritten, strict=True)
    )
    return [
        said,
        "# What differs between the rows of a person is overwritten by their commonest value",
        *wrap(f"({listed});", 98, initial_indent="# ", subsequent_indent="# "),
        "# a column that should keep its rows' values must be sensitive, or be left out.",
        f"individual: {{column: {column}, conflict: mode}}",
    ]


def _attribute(entry: Entry) -> str:
    ladder = entry.ladder
    body = str(entry.role)
    if ladder is not None:
        body = f"{{role: quasi, kind: {entry.kind}, hierarchy: {ladder.text}}}"
    elif entry.role is Role.SENSITIVE:
        body = f"{{role: sensitive, kind: {entry.kind}}}"
    reason = entry.proposed.reason
    if ladder is not None and ladder.note:
        reason += f"; {ladder.note}"
    return f"  # {_line(reason)}\n  {quoted(entry.name)}: {body}"


def _privacy(proposal: Proposal) -> list[str]:
    word = "rows" if proposal.person is None else "people"
    lines = ["privacy:", f"  - k-anonymity: {{k: {proposal.k}}}".ljust(_WIDEST)
             + f"  # every crowd has at least so many {word}"]  # fmt: skip
    for name, least in proposal.diversity.items():
        model = f"  - l-diversity: {{l: {least}, attribute: {quoted(name)}}}"
        lines.append(f"{model.ljust(_WIDEST)}  # and shows so many different values of it")
    return lines
