"""A role for every column, with the reason.

A wrong 'identifier' costs a column, a wrong 'quasi' costs detail, a wrong 'insensitive' costs
people their secret. So nothing is proposed as insensitive, and what cannot be told is quasi.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.profile.column import ColumnProfile
from shoal.profile.hint import Hint, hints_of, words_of
from shoal.profile.profile import Profile
from shoal.schema import Kind, Role

NEARLY_ALL = 0.9
MANY = 0.2


@dataclass(frozen=True)
class Proposed:
    """A column's role and the reason for it."""

    column: ColumnProfile
    role: Role
    reason: str

    @property
    def name(self) -> str:
        return self.column.name


def propose_roles(profile: Profile) -> list[Proposed]:
    """One role for each column; at least one of them is quasi."""
    names = [column.name for column in profile.columns]
    found = [Proposed(column, *_role(column, names)) for column in profile.columns]
    if any(one.role is Role.QUASI for one in found):
        return found
    chosen = _least_identifying(found)
    reason = f"a plan needs a quasi-identifier; else this would be {chosen.role}: {chosen.reason}"
    changed = Proposed(chosen.column, Role.QUASI, reason)
    return [changed if one is chosen else one for one in found]


def _least_identifying(found: list[Proposed]) -> Proposed:
    return min(found, key=lambda one: (one.role is not Role.SENSITIVE, one.column.uniqueness))


def _role(column: ColumnProfile, names: list[str]) -> tuple[Role, str]:
    hints = hints_of(column.name)
    return (
        _control(column, hints, names)
        or _identifier_by_name(column, hints)
        or _by_form(column)
        or _by_name(column, hints)
        or _by_numbers(column)
    )


def _control(column: ColumnProfile, hints: list[Hint], names: list[str]) -> tuple[Role, str] | None:
    """Columns that say how private something is, and are never published."""
    low, high = column.low, column.high
    if column.kind is Kind.NUMERIC and low is not None and high is not None:
        is_share = low >= 0 and high <= 1
        if is_share and (Hint.SENSITIVITY in hints or words_of(column.name) == ("f",)):
            return Role.SENSITIVITY, "numbers from 0 to 1, and the name says how private it feels"
    if Hint.FLAG in hints and column.n_distinct <= 2 and _guarded(column.name, names):
        return Role.FLAG, "two values, and the name is another column's with a word for secret"
    return None


def _guarded(name: str, names: list[str]) -> bool:
    words = words_of(name)
    return any(0 < len(w := words_of(n)) < len(words) and words[: len(w)] == w for n in names)


def _identifier_by_name(column: ColumnProfile, hints: list[Hint]) -> tuple[Role, str] | None:
    found = next((h for h in (Hint.PERSON_NAME, Hint.CONTACT) if h in hints), None)
    if found and column.n_distinct > 2 and (found is Hint.PERSON_NAME or Hint.SECRET not in hints):
        return Role.IDENTIFIER, f"the name hints at {found.value}"
    is_name = Hint.NAME in hints and column.kind is Kind.CATEGORICAL
    if is_name and (column.variety >= MANY or len(words_of(column.name)) == 1):
        return Role.IDENTIFIER, f"the name hints at {Hint.NAME.value}, {_variety(column)}"
    is_exact = column.kind is Kind.CATEGORICAL or column.whole
    is_varied = is_exact and column.variety >= MANY
    if Hint.FREE_TEXT in hints and column.kind is Kind.CATEGORICAL and column.n_distinct > 2:
        return Role.IDENTIFIER, f"the name hints at {Hint.FREE_TEXT.value}"
    if Hint.NUMBER in hints and Hint.SECRET not in hints and is_varied:
        return Role.IDENTIFIER, f"the name hints at {Hint.NUMBER.value}, {_variety(column)}"
    return None


def _by_form(column: ColumnProfile) -> tuple[Role, str] | None:
    if column.shape.form and column.shape.form != "time stamp":
        return Role.IDENTIFIER, f"nearly every value has the form of a {column.shape.form}"
    if column.shape.prose and column.variety >= MANY:
        return Role.IDENTIFIER, "long texts of several words, which may name people"
    return None


def _by_name(column: ColumnProfile, hints: list[Hint]) -> tuple[Role, str] | None:
    if Hint.SECRET in hints and not _is_key(column):
        reason = f"the name hints at {Hint.SECRET.value}; it is published as it is"
        if column.uniqueness >= MANY:
            reason += f", and {_own(column)} have a value of their own!"
        return Role.SENSITIVE, reason
    for hint in (Hint.POSTAL, Hint.KNOWN):
        if hint in hints and not _is_key(column):
            return Role.QUASI, f"the name hints at {hint.value}"
    return None


def _by_numbers(column: ColumnProfile) -> tuple[Role, str]:
    if _is_key(column):
        stamps = "; cut the time stamps to dates to keep them" if column.shape.form else ""
        return Role.IDENTIFIER, f"{_own(column)} have a value of their own{stamps}"
    if _is_running(column):
        return Role.IDENTIFIER, "whole numbers without gaps, a different one in each row"
    if column.n_distinct <= 1:
        return Role.QUASI, "undecided: every row says the same; quasi is the careful choice"
    return Role.QUASI, "undecided; quasi is the careful choice"


def _is_key(column: ColumnProfile) -> bool:
    """Texts that single nearly every row out; a handful of rows proves nothing."""
    is_text = column.kind is Kind.CATEGORICAL
    return is_text and column.n_rows >= 10 and column.uniqueness >= NEARLY_ALL


def _is_running(column: ColumnProfile) -> bool:
    if column.low is None or column.high is None or column.kind is not Kind.NUMERIC:
        return False
    is_dense = column.high - column.low < 1.1 * column.n_rows
    return column.n_rows >= 10 and column.whole and column.uniqueness == 1 and is_dense


def _variety(column: ColumnProfile) -> str:
    return f"with {column.n_distinct:,} different values"


def _own(column: ColumnProfile) -> str:
    return f"{column.n_unique:,} of {column.n_rows:,} rows"
