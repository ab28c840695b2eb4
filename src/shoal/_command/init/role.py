"""A role for every column, with the reason.

A wrong 'identifier' costs a column, a wrong 'quasi' costs detail, a wrong 'insensitive' costs
people their secrets. So nothing is proposed as insensitive, and what is unclear is quasi.
"""

from __future__ import annotations

from shoal._command.init.column import ColumnProfile
from shoal._command.init.entry import Entry
from shoal._command.init.hint import Hint, Topic, hints_of, is_about, key_ending, words_of
from shoal._command.init.profile import Profile
from shoal.schema import Kind, Role

NEARLY_ALL = 0.9
MANY = 0.2
_SEVERAL = 20
_FEW_CODES = 50


def choose_roles(profile: Profile) -> list[Entry]:
    """A role for each column; at least one of them is quasi."""
    names = [column.name for column in profile.columns]
    found = [Entry(column, *_role(column, names)) for column in profile.columns]
    found = _with_one_sensitivity(found)
    if any(one.role is Role.QUASI for one in found):
        return found
    chosen = _least_identifying(found)
    reason = f"a plan needs a quasi-identifier; otherwise {chosen.role}: {chosen.reason}"
    changed = Entry(chosen.column, Role.QUASI, reason)
    return [changed if one is chosen else one for one in found]


def _with_one_sensitivity(found: list[Entry]) -> list[Entry]:
    """A plan takes one sensitivity: the first counts, the others are left out."""
    first = next((one for one in found if one.role is Role.SENSITIVITY), None)
    reason = "a second sensitivity, but a plan takes only one"
    return [
        Entry(one.column, Role.IDENTIFIER, reason)
        if one.role is Role.SENSITIVITY and one is not first
        else one
        for one in found
    ]


def _least_identifying(found: list[Entry]) -> Entry:
    """A column with the same value for everybody identifies nobody."""

    def harm(one: Entry) -> tuple[bool, bool, float]:
        column = one.column
        return not column.is_constant, one.role is not Role.SENSITIVE, column.uniqueness

    return min(found, key=harm)


def _role(column: ColumnProfile, names: list[str]) -> tuple[Role, str]:
    hints = hints_of(column.name)
    return (
        _control(column, hints, names)
        or _constant(column)
        or _identifier_by_name(column, hints)
        or _by_form(column)
        or _by_name(column, hints)
        or _by_numbers(column)
    )


def _control(column: ColumnProfile, hints: list[Hint], names: list[str]) -> tuple[Role, str] | None:
    """Columns that say how private something is; they are never published."""
    if _is_sensitivity(column, hints):
        if column.n_missing:
            reason = f"a sensitivity, but missing in {column.n_missing:,} rows"
            return Role.IDENTIFIER, f"{reason}; fill these in to use it"
        return Role.SENSITIVITY, "numbers from 0 to 1; name suggests a sensitivity"
    if Hint.FLAG in hints and column.n_distinct <= 2 and _guarded(column.name, names):
        if column.n_missing or not column.yes_or_no:
            return Role.IDENTIFIER, "says what is secret, but is not yes or no in every row"
        return Role.FLAG, "yes or no; name says that another column is secret"
    return None


def _constant(column: ColumnProfile) -> tuple[Role, str] | None:
    if not column.is_constant:
        return None
    return Role.IDENTIFIER, "the same in every row" if column.n_distinct else "empty in every row"


def _is_sensitivity(column: ColumnProfile, hints: list[Hint]) -> bool:
    if column.kind is not Kind.NUMERIC or column.low is None or column.high is None:
        return False
    is_share = column.low >= 0 and column.high <= 1
    return is_share and (Hint.SENSITIVITY in hints or words_of(column.name) == ("f",))


def _guarded(name: str, names: list[str]) -> bool:
    words = words_of(name)
    return any(0 < len(w := words_of(n)) < len(words) and words[: len(w)] == w for n in names)


def _identifier_by_name(column: ColumnProfile, hints: list[Hint]) -> tuple[Role, str] | None:
    sure = (Hint.PERSON_NAME, Hint.PERSON_NUMBER, Hint.CONTACT)
    found = next((hint for hint in sure if hint in hints), None)
    if found and column.n_distinct > 2 and (found is not Hint.CONTACT or Hint.SECRET not in hints):
        return Role.IDENTIFIER, _suggests(found)
    many_people = is_about(column.name, Topic.PEOPLE) and column.n_distinct >= _SEVERAL
    is_name = Hint.NAME in hints and column.kind is Kind.CATEGORICAL
    if is_name and (column.variety >= MANY or many_people or len(words_of(column.name)) == 1):
        return Role.IDENTIFIER, f"{_suggests(Hint.NAME)}; {_variety(column)}"
    is_exact = column.kind is Kind.CATEGORICAL or column.whole
    is_varied = is_exact and (column.variety >= MANY or many_people)
    if Hint.FREE_TEXT in hints and column.kind is Kind.CATEGORICAL and column.n_distinct > 2:
        return Role.IDENTIFIER, _suggests(Hint.FREE_TEXT)
    if Hint.NUMBER in hints and Hint.SECRET not in hints and is_varied:
        return Role.IDENTIFIER, f"{_suggests(Hint.NUMBER)}; {_variety(column)}"
    return _key_by_name(column, hints)


def _key_by_name(column: ColumnProfile, hints: list[Hint]) -> tuple[Role, str] | None:
    """Keys that many rows share; a code with few values is not one, nor is the code of a secret."""
    ending = key_ending(column.name)
    is_exact = column.kind is Kind.CATEGORICAL or (column.kind is Kind.NUMERIC and column.whole)
    is_secret = Hint.SECRET in hints and column.variety < MANY
    if not ending or not is_exact or is_secret or column.n_distinct <= _FEW_CODES:
        return None
    reason = f"name ends in {ending}, {_variety(column)}"
    return Role.IDENTIFIER, f"{reason}: it may be the key of a person, household or place"


def _by_form(column: ColumnProfile) -> tuple[Role, str] | None:
    form = column.shape.form
    if form and form != "time stamp":
        article = "an" if form[0] in "eI" else "a"
        return Role.IDENTIFIER, f"nearly every value looks like {article} {form}"
    if column.shape.prose and column.variety >= MANY:
        return Role.IDENTIFIER, "long texts of several words, which may name people"
    return None


def _by_name(column: ColumnProfile, hints: list[Hint]) -> tuple[Role, str] | None:
    if Hint.SECRET in hints and not _is_key(column):
        reason = f"{_suggests(Hint.SECRET)}; published as it is"
        if column.uniqueness >= MANY:
            reason += f", although {_own(column)}!"
        return Role.SENSITIVE, reason
    for hint in (Hint.POSTAL, Hint.KNOWN):
        if hint in hints and not _is_key(column):
            return Role.QUASI, _suggests(hint)
    return None


def _by_numbers(column: ColumnProfile) -> tuple[Role, str]:
    if _is_key(column):
        stamps = "; shorten time stamps to dates to keep them" if column.shape.form else ""
        return Role.IDENTIFIER, f"{_own(column)}{stamps}"
    if _is_running(column):
        return Role.IDENTIFIER, "whole numbers without gaps, different in every row"
    return Role.QUASI, "unclear; quasi is the careful choice"


def _is_key(column: ColumnProfile) -> bool:
    """Texts that single out nearly every row; a handful of rows proves nothing."""
    n_present = column.n_rows - column.n_missing
    is_text = column.kind is Kind.CATEGORICAL
    return is_text and n_present >= 10 and column.n_unique >= NEARLY_ALL * n_present


def _is_running(column: ColumnProfile) -> bool:
    if column.low is None or column.high is None or column.kind is not Kind.NUMERIC:
        return False
    is_dense = column.high - column.low < 1.1 * column.n_rows
    return column.n_rows >= 10 and column.whole and column.uniqueness == 1 and is_dense


def _suggests(hint: Hint) -> str:
    return f"name suggests {hint.value}"


def _variety(column: ColumnProfile) -> str:
    return f"{column.n_distinct:,} different values"


def _own(column: ColumnProfile) -> str:
    return f"{column.n_unique:,} of {column.n_rows:,} rows have a value of their own"
