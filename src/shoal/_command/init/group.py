"""The columns of a proposal by what becomes of them, as the plan and the screen list them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from shoal._command.init.entry import Entry
from shoal._command.init.nature import Nature
from shoal._command.init.proposal import Proposal
from shoal.schema import Role


class ColumnGroup(Enum):
    """What becomes of a column, in words; in the order in which groups are listed."""

    QUASI = "Others may know these: published coarsely"
    SENSITIVE = "Secret: published as they are, with several values in every crowd"
    CONTROL = "They say how private something is: not published"
    IDENTIFIER = "They say who it is: never published"
    OPEN = "Left out until you decide"
    LEFT_OUT = "Left out: by your decision, or because they say nothing"

    @classmethod
    def of(cls, one: Entry) -> ColumnGroup:
        """The group of a column."""
        if one.is_open:
            return cls.OPEN
        return _BY_ROLE[one.role]


_BY_ROLE = {
    Role.QUASI: ColumnGroup.QUASI,
    Role.SENSITIVE: ColumnGroup.SENSITIVE,
    Role.SEMI_SENSITIVE: ColumnGroup.SENSITIVE,
    Role.INSENSITIVE: ColumnGroup.SENSITIVE,
    Role.SENSITIVITY: ColumnGroup.CONTROL,
    Role.FLAG: ColumnGroup.CONTROL,
    Role.IDENTIFIER: ColumnGroup.IDENTIFIER,
    Role.DROP: ColumnGroup.LEFT_OUT,
}


def headed(group: ColumnGroup, entries: Iterable[Entry]) -> str:
    """What becomes of the columns of a group; of your decisions only where there are any."""
    if group is ColumnGroup.LEFT_OUT and not any(one.is_decided for one in entries):
        return "Left out because they say nothing"
    return group.value


def titled(group: ColumnGroup, proposal: Proposal) -> str:
    """The title of a group in a plan, with what to know of it."""
    if group is ColumnGroup.QUASI:
        return f"{group.value}. {proposal.stand_out}. {proposal.expected}"
    if group is ColumnGroup.OPEN:
        return (
            f"{group.value}: replace 'drop' with the role in the comment, with 'sensitive', or "
            "with 'insensitive', which publishes it as it is. Each further quasi-identifier makes "
            "all of them coarser."
        )
    members = [one for one in proposal.entries if ColumnGroup.of(one) is group]
    return f"{headed(group, members)}."


def open_groups(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The columns that are left out, by what they are; what others may know comes first."""
    found: dict[str, list[Entry]] = {}
    for one in sorted(entries, key=_rank):
        found.setdefault(_plural(one.nature), []).append(one)
    return found


def _rank(one: Entry) -> tuple[bool, float, int]:
    return not one.nature.is_clear, -one.nature.known, list(Nature).index(one.nature)


def _plural(nature: Nature) -> str:
    if nature is Nature.WEIGHT:
        return "survey weights"
    if nature is Nature.PLACE or nature is Nature.POSTAL:
        return "places"
    if nature is Nature.DATE:
        return "dates"
    if nature is Nature.VISIT:
        return "visits and stays"
    return str(nature.value)
