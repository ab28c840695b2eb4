"""What the name of a column says, as a whole or word by word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shoal._command.init.nature import Nature
from shoal._command.init.term import (
    is_about_a_group,
    is_about_an_amount,
    is_about_codes,
    is_about_people,
    is_mixed,
    key_ending,
    natures_of,
    words_of,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ()),
        ("12_3", ()),
        ("HTTPServer", ("http", "server")),
        ("Straße 7b", ("straße", "b")),
        ("É_t", ("e", "t")),
    ],
)
def test_names_are_split_at_signs_digits_and_capitals(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "natures"),
    [
        # What others know: the whole name, but for words that add nothing.
        ("Age", [Nature.AGE]),
        ("AgeDecade", [Nature.AGE]),
        ("age_at_admission", [Nature.AGE]),
        ("Race1", [Nature.ORIGIN]),
        ("MaritalStatus", [Nature.FAMILY]),
        ("SameSex", [Nature.SEXUALITY]),
        ("SexAge", []),
        ("agenda", []),
        ("SurveyYr", []),
        ("wage_age", [Nature.MONEY]),
        # Secrets and identifiers: among other words.
        ("AgeFirstMarij", [Nature.HEALTH]),
        ("Diabetes", [Nature.HEALTH]),
        ("Depressed", [Nature.HEALTH]),
        ("HardDrugs", [Nature.HEALTH]),
        ("HHIncome", [Nature.MONEY]),
        ("cause_of_death", [Nature.HEALTH]),
        ("first_name", [Nature.PERSON_NAME, Nature.NAME]),
        ("mother_email", [Nature.CONTACT]),
        # The names of surveys: as they are.
        ("AGEP", [Nature.AGE]),
        ("PWGTP", [Nature.WEIGHT]),
        ("DUPERSID", [Nature.PERSON_NUMBER]),
        ("first", [Nature.PERSON_NAME]),
        ("final_wgt", [Nature.WEIGHT]),
        ("Weight", [Nature.BODY]),
        ("", []),
    ],
)
def test_what_a_name_says(name: str, natures: list[Nature]) -> None:
    assert natures_of(name) == natures


def test_a_secret_next_to_an_age_is_not_clear() -> None:
    assert is_mixed("DiabetesAge")
    assert not is_mixed("Diabetes")


@pytest.mark.parametrize(
    ("name", "is_about"),
    [
        ("patient_id", is_about_people),
        ("HouseholdId", is_about_a_group),
        ("RACEX", is_about_codes),
        ("number_inpatient", is_about_an_amount),
        ("DOBYY", is_about_an_amount),
    ],
)
def test_what_a_name_is_about(name: str, is_about: Callable[[str], bool]) -> None:
    assert is_about(name)
    assert not is_about("colour")


@pytest.mark.parametrize(
    ("name", "ending"), [("id_7", "id"), ("7", ""), ("valid", ""), ("xID2", "ID"), ("XID2", "ID")]
)
def test_keys_by_the_end_of_the_name(name: str, ending: str) -> None:
    assert key_ending(name) == ending
