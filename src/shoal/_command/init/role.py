"""What every column is, and a role for it, with the reason.

What a column is follows from its values where they say it, and else from its name. A wrong
'insensitive' costs people their secrets, so nothing is proposed as insensitive; what is unclear is
left out until somebody decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal._command.init.column import ColumnProfile
from shoal._command.init.entry import Entry
from shoal._command.init.nature import Nature
from shoal._command.init.profile import Profile
from shoal._command.init.term import (
    is_about_a_group,
    is_about_people,
    is_mixed,
    key_ending,
    natures_of,
    words_of,
)
from shoal._command.init.value import nature_by_values
from shoal.schema import Kind, Role
from shoal.schema.wording import counted

NEARLY_ALL = 0.9
MANY = 0.2
_OFTEN_ONCE = 0.5
_SEVERAL = 20
# The number of a household or a place has more values than a code of answers.
_FEW_CODES = 50
_REPEATED = 50  # so often nobody writes the same text
_HEAVIEST = 300  # kilograms; pounds of nearly everybody
# Survey weights are scaled to a mean of 1.
_CALIBRATED = 0.02
_IDENTIFYING = (Nature.PERSON_NAME, Nature.PERSON_NUMBER, Nature.CONTACT)

Found = tuple[Nature, str]


def choose_roles(profile: Profile) -> list[Entry]:
    """What each column is, and its role."""
    names = [column.name for column in profile.columns]
    return _with_one_sensitivity([_entry(column, names) for column in profile.columns])


def _entry(column: ColumnProfile, names: list[str]) -> Entry:
    said = natures_of(column.name)
    nature, reason = (
        _control(column, said, names)
        or _constant(column)
        or _identifier_by_name(column, said)
        or _by_form(column, said)
        or _weight(column, said)
        or _by_name(column, said)
        or _by_values(column)
    )
    entry = Entry(column, nature, nature.role, reason)
    if nature in (Nature.SENSITIVITY, Nature.FLAG) and "but" in reason:
        return Entry(column, nature, Role.IDENTIFIER, reason)
    if nature.role is Role.SENSITIVE and is_mixed(column.name):
        return entry.left_open("its name also suggests something that others know")
    if nature is Nature.WEIGHT or not nature.is_clear:
        return entry.left_open(reason)
    return entry


def _with_one_sensitivity(found: list[Entry]) -> list[Entry]:
    """A plan takes one sensitivity: the first counts, the others are left out."""
    first = next((one for one in found if one.role is Role.SENSITIVITY), None)
    reason = "a second sensitivity, but a plan allows only one"
    return [
        Entry(one.column, one.nature, Role.IDENTIFIER, reason)
        if one.role is Role.SENSITIVITY and one is not first
        else one
        for one in found
    ]


def _control(column: ColumnProfile, said: list[Nature], names: list[str]) -> Found | None:
    """Columns that say how private something is; they are never published."""
    if _is_sensitivity(column, said):
        if column.n_missing:
            reason = f"a sensitivity, but missing in {counted(column.n_missing, 'row')}"
            return Nature.SENSITIVITY, f"{reason}; fill these in to use it"
        return Nature.SENSITIVITY, "numbers from 0 to 1"
    if Nature.FLAG in said and column.n_distinct <= 2 and _guarded(column.name, names):
        if column.n_missing or not column.yes_or_no:
            return Nature.FLAG, "says what is secret, but is not yes or no in every row"
        return Nature.FLAG, "says whether another column is secret"
    return None


def _constant(column: ColumnProfile) -> Found | None:
    if not column.is_constant:
        return None
    nature = Nature.CONSTANT if column.n_distinct else Nature.EMPTY
    return nature, nature.value


def _is_sensitivity(column: ColumnProfile, said: list[Nature]) -> bool:
    if column.kind is not Kind.NUMERIC or column.low is None or column.high is None:
        return False
    is_share = column.low >= 0 and column.high <= 1
    return is_share and (Nature.SENSITIVITY in said or words_of(column.name) == ("f",))


def _guarded(name: str, names: list[str]) -> bool:
    words = words_of(name)
    return any(0 < len(w := words_of(n)) < len(words) and words[: len(w)] == w for n in names)


def _identifier_by_name(column: ColumnProfile, said: list[Nature]) -> Found | None:
    found = next((nature for nature in _IDENTIFYING if nature in said), None)
    secret = any(nature.role is Role.SENSITIVE for nature in said)
    if found and column.n_distinct > 2 and (found is not Nature.CONTACT or not secret):
        return found, "by its name"
    is_text = column.kind is Kind.CATEGORICAL
    many_people = is_about_people(column.name) and column.n_distinct >= _SEVERAL
    if Nature.NAME in said and is_text:
        alone = len(words_of(column.name)) == 1
        if column.variety >= MANY or many_people or alone:
            return Nature.NAME, _variety(column)
    is_free = column.n_distinct > 2 and column.n_rows < _REPEATED * column.n_distinct
    if Nature.FREE_TEXT in said and is_text and is_free and not secret:
        return Nature.FREE_TEXT, "by its name"
    is_exact = is_text or column.whole
    if said and said[0] in (Nature.HOUSEHOLD, Nature.MEMBER) and is_exact:
        return said[0], _variety(column)
    is_varied = is_exact and (column.variety >= MANY or many_people)
    # A key to a secret thing, such as a loan, is still a key.
    is_key = Nature.KEY in said and (not secret or bool(key_ending(column.name)))
    if is_key and is_varied and not _is_known(said):
        group = is_about_a_group(column.name)
        return Nature.HOUSEHOLD if group and "house" in words_of(column.name)[0] else Nature.KEY, (
            _variety(column)
        )
    return _key_by_name(column, secret)


def _is_known(said: list[Nature]) -> bool:
    return any(nature.role is Role.QUASI for nature in said)


def _key_by_name(column: ColumnProfile, secret: bool) -> Found | None:
    """Keys that many rows share; a code with few values is not one, nor is the code of a secret."""
    is_exact = column.kind is Kind.CATEGORICAL or (column.kind is Kind.NUMERIC and column.whole)
    is_secret = secret and column.variety < MANY
    few = column.n_distinct <= _FEW_CODES
    if not key_ending(column.name) or not is_exact or is_secret or few:
        return None
    return Nature.KEY, f"of a person, household or place; {_variety(column)}"


def _by_form(column: ColumnProfile, said: list[Nature]) -> Found | None:
    if column.kind is not Kind.CATEGORICAL:
        return None
    form = column.shape.form
    if form == "ICD-10 code" and column.n_distinct >= _SEVERAL and _are_diseases(column, said):
        return Nature.HEALTH, "codes of diseases"
    if form and form not in ("time stamp", "ICD-10 code"):
        nature = Nature.KEY if form == "UUID" else Nature.CONTACT
        return nature, f"nearly every value is {'an' if form[0] in 'eI' else 'a'} {form}"
    if column.shape.prose and column.variety >= MANY:
        return Nature.FREE_TEXT, "long texts of several words"
    return None


def _are_diseases(column: ColumnProfile, said: list[Nature]) -> bool:
    """Whether a letter and digits are codes of diseases, and not the numbers of patients.

    Numbers of patients hardly repeat, have no dot, and mostly begin with the same letter.
    """
    if Nature.HEALTH in said:
        return True
    if column.texts.str.contains(".", literal=True).any():
        return column.variety <= _OFTEN_ONCE
    return column.variety < MANY and column.texts.str.slice(0, 1).n_unique() > 1


def _weight(column: ColumnProfile, said: list[Nature]) -> Found | None:
    """Positive numbers that vary by row and are named so, or sum up to the number of rows."""
    varied = column.kind is Kind.NUMERIC and column.n_distinct > _SEVERAL
    if not varied or column.low is None or column.low < 0:
        return None
    calibrated = abs(column.mean - 1) < _CALIBRATED and not column.whole
    if calibrated and (Nature.BODY in said or not said):
        return Nature.WEIGHT, "positive numbers whose mean is 1"
    heavy = "weight" in words_of(column.name) and column.mean > _HEAVIEST
    if Nature.WEIGHT in said or (heavy and Nature.BODY in said):
        return Nature.WEIGHT, "needed for estimates, but it reveals how the sample was drawn"
    return None


def _by_name(column: ColumnProfile, said: list[Nature]) -> Found | None:
    if _is_key(column):
        return None
    for nature in said:
        if nature.role is Role.SENSITIVE:
            many = column.uniqueness >= MANY
            return nature, f"although {_own(column)}" if many else ""
        if nature.role is Role.QUASI:
            return nature, ""
    return None


def _by_values(column: ColumnProfile) -> Found:
    if _is_key(column):
        stamps = "; shorten time stamps to dates to keep them" if column.shape.form else ""
        return Nature.KEY, f"{_own(column)}{stamps}"
    if column.kind is Kind.NUMERIC and _is_running(column):
        return Nature.KEY, "whole numbers, different in every row, in order or without gaps"
    return nature_by_values(column), ""


def _is_key(column: ColumnProfile) -> bool:
    """Texts that single out nearly every row; a handful of rows proves nothing."""
    n_present = column.n_rows - column.n_missing
    is_text = column.kind is Kind.CATEGORICAL
    return is_text and n_present >= 10 and column.n_unique >= NEARLY_ALL * n_present


def _is_running(column: ColumnProfile) -> bool:
    if column.low is None or column.high is None or column.uniqueness < 1 or not column.whole:
        return False
    is_dense = column.high - column.low < 1.1 * column.n_rows
    return column.n_rows >= 10 and (is_dense or column.is_rising)


def _variety(column: ColumnProfile) -> str:
    return counted(column.n_distinct, "different value")


def _own(column: ColumnProfile) -> str:
    verb = "has" if column.n_unique == 1 else "have"
    rows = counted(column.n_rows, "row")
    return f"{column.n_unique:,} of {rows} {verb} a value that no other row has"


def with_a_quasi_identifier(entries: Sequence[Entry]) -> list[Entry]:
    """The same with at least one quasi-identifier, since a plan needs one."""
    if any(one.role is Role.QUASI for one in entries):
        return list(entries)
    chosen = min(entries, key=_harm)
    reason = f"a plan needs a quasi-identifier; otherwise {chosen.role}"
    changed = Entry(chosen.column, chosen.nature, Role.QUASI, reason)
    return [changed if one is chosen else one for one in entries]


def _harm(one: Entry) -> tuple[bool, bool, bool, float]:
    """A column with the same value for everybody identifies nobody."""
    column = one.column
    control = one.role in (Role.SENSITIVITY, Role.FLAG)
    return not column.is_constant, control, one.role is Role.IDENTIFIER, column.uniqueness
