"""What a column is: the words for it, its usual role, and how likely others know it of somebody."""

from __future__ import annotations

from enum import Enum

from shoal.schema import Role


class Nature(Enum):
    """What a column is, in the words of a reason.

    `role` is what usually becomes of such a column. `known` says how likely others know it of a
    person, from 0 to 1: what a neighbour sees (sex, age, where somebody lives) is 1.
    """

    role: Role
    known: float

    PERSON_NAME = "a person's name", Role.IDENTIFIER
    PERSON_NUMBER = "a person's number", Role.IDENTIFIER
    CONTACT = "contact details", Role.IDENTIFIER
    NAME = "a name", Role.IDENTIFIER
    KEY = "a key", Role.IDENTIFIER
    HOUSEHOLD = "the number of a household", Role.IDENTIFIER
    MEMBER = "the number of a person in a household", Role.IDENTIFIER
    FREE_TEXT = "free text, which may name people", Role.IDENTIFIER

    SENSITIVITY = "a sensitivity", Role.SENSITIVITY
    FLAG = "a flag for secret cells", Role.FLAG

    SEX = "sex", Role.QUASI, 1.0
    AGE = "age", Role.QUASI, 1.0
    BIRTH = "birth", Role.QUASI, 1.0
    POSTAL = "a postal code", Role.QUASI, 1.0
    PLACE = "a place", Role.QUASI, 0.9
    ORIGIN = "origin", Role.QUASI, 0.8
    FAMILY = "family", Role.QUASI, 0.7
    WORK = "work", Role.QUASI, 0.5
    EDUCATION = "education", Role.QUASI, 0.5
    WORKING_TIME = "working time", Role.QUASI, 0.3
    VISIT = "a visit or stay", Role.QUASI, 0.5
    DATE = "a date", Role.QUASI, 0.5
    HOUSING = "housing", Role.QUASI, 0.4
    BODY = "body", Role.QUASI, 0.3

    HEALTH = "health", Role.SENSITIVE
    SEXUALITY = "sexual life", Role.SENSITIVE
    BELIEF = "belief or politics", Role.SENSITIVE
    CRIME = "crime", Role.SENSITIVE
    MONEY = "money", Role.SENSITIVE
    MARK = "marks or results", Role.SENSITIVE
    SECRET = "secret by your choice", Role.SENSITIVE

    WEIGHT = "a survey weight", Role.DROP
    CONSTANT = "the same in every row", Role.DROP
    EMPTY = "empty", Role.DROP
    YES_NO = "yes or no", Role.DROP, 0.1
    CODE = "codes or categories", Role.DROP, 0.1
    NUMBER = "numbers", Role.DROP, 0.1
    TEXT = "texts", Role.DROP, 0.1

    def __new__(cls, words: str, role: Role, known: float = 0.0) -> Nature:
        member = object.__new__(cls)
        member._value_ = words
        member.role, member.known = role, known
        return member

    @property
    def is_clear(self) -> bool:
        """Whether the table or the name says what this is, and not only how it is written."""
        return self not in _UNCLEAR


_UNCLEAR = (Nature.YES_NO, Nature.CODE, Nature.NUMBER, Nature.TEXT)
