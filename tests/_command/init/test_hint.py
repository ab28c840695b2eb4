"""What the name of a column suggests, word by word."""

from __future__ import annotations

import pytest

from shoal._command.init.hint import Hint, Topic, hints_of, is_about, key_ending, words_of


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
    ("name", "hints"),
    [
        ("first", [Hint.PERSON_NAME]),
        ("first_visit", [Hint.KNOWN]),
        ("first_name", [Hint.PERSON_NAME, Hint.NAME]),
        ("diagnostics", [Hint.SECRET]),
        ("agenda", []),
        ("cause_of_death", [Hint.SECRET, Hint.KNOWN]),
        ("cause_death", [Hint.KNOWN]),
        ("", []),
    ],
)
def test_a_hint_is_a_word_a_beginning_several_words_or_the_whole_name(
    name: str, hints: list[Hint]
) -> None:
    assert hints_of(name) == hints


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("patient_id", Topic.PEOPLE),
        ("dob", Topic.LASTING),
        ("HouseholdId", Topic.GROUP),
        ("RACEX", Topic.CODE),
        ("number_inpatient", Topic.AMOUNT),
    ],
)
def test_a_name_is_about_its_topic(name: str, topic: Topic) -> None:
    assert is_about(name, topic)
    assert not is_about("colour", topic)


@pytest.mark.parametrize(
    ("name", "ending"), [("id_7", "id"), ("7", ""), ("valid", ""), ("xID2", "ID"), ("XID2", "ID")]
)
def test_keys_by_the_end_of_the_name(name: str, ending: str) -> None:
    assert key_ending(name) == ending
