"""What deserves a second look even though every requirement holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a warning matters, the most severe first.

    `danger`: a person may be found, or a secret learned. `caution`: the release may say or do
    something that its publisher does not expect. `note`: good to know.
    """

    DANGER = "danger"
    CAUTION = "caution"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to look at before a release is handed out.

    The codes are stable, so a script can look for one; the texts may change.
    """

    code: str
    severity: Severity
    text: str

    def __str__(self) -> str:
        return self.text


# Code, severity and when it is given, in the order in which warnings are listed.
CODES: dict[str, tuple[Severity, str]] = {
    "asks-nothing": (
        Severity.DANGER,
        "a requirement is met by every table, such as k-anonymity with k = 1",
    ),
    "published-alone": (
        Severity.DANGER,
        "a low k (LK) of multi-level-k is 1, so people may be published without a crowd",
    ),
    "unprotected-secret": (Severity.DANGER, "no requirement covers a sensitive column"),
    "likely-guess": (
        Severity.DANGER,
        (
            "an adversary can guess a secret in a bucket more often than not, and no requirement "
            "limits this"
        ),
    ),
    "flag-clue": (
        Severity.DANGER,
        "a flagged cell can be guessed from its symbol more often than not",
    ),
    "seed-in-plan": (
        Severity.DANGER,
        (
            "the seed is a number in the plan, and the buckets, or the values that flags hide, "
            "depend on it"
        ),
    ),
    "telling-column": (
        Severity.DANGER,
        "more than a tenth of the rows have a value of an insensitive column that no other row has",
    ),
    "singled-out": (
        Severity.DANGER,
        "the columns that are published as they are single out more than a tenth of the rows",
    ),
    "composition": (
        Severity.DANGER,
        "people in this release were in an earlier one with the same private folder, or people in "
        "a stream are in several batches",
    ),
    "versions-together": (
        Severity.DANGER,
        "people in both versions have two classes with fewer sensitive values in common than each "
        "version alone must show",
    ),
    "idle-bound": (
        Severity.CAUTION,
        "one threshold of a requirement is met by every table, such as alpha = 1 in alpha-k",
    ),
    "size-clue": (
        Severity.CAUTION,
        "people require crowds of different sizes, and group sizes reveal how sensitive they are",
    ),
    "unknown-flag-value": (Severity.CAUTION, "the flag rules list a value that no row has"),
    "look-alike-values": (
        Severity.CAUTION,
        "a column has values that differ only in case or spaces, but count as different",
    ),
    "missing-counts": (
        Severity.CAUTION,
        "a group or a bucket reaches its l only because a missing value counts as a value",
    ),
    "rows-of-person": (
        Severity.CAUTION,
        "more than a tenth of the people have a number of rows that nobody else in their group has",
    ),
    "idle-missing": (
        Severity.CAUTION,
        "an entry under `missing` matches no cell, so the cells it was meant for count as values",
    ),
    "replaced-cells": (
        Severity.CAUTION,
        "the rows of a person differed, and `conflict` made them the same",
    ),
    "input-order": (
        Severity.CAUTION,
        "classes are runs of consecutive rows of the input",
    ),
    "unlike-distances": (
        Severity.CAUTION,
        "a method on the graph adds raw distances, but one column outweighs the others",
    ),
    "little-left": (
        Severity.CAUTION,
        "more than 80% of the detail of the quasi-identifiers is lost (`glm`)",
    ),
    "left-out-singly": (
        Severity.NOTE,
        "single rows or people were left out so that the rest of their classes could be kept",
    ),
    "repeated-requirement": (
        Severity.NOTE,
        "the plan lists a requirement more than once",
    ),
    "search-budget": (
        Severity.NOTE,
        "a search for hitting sets (`eir-l`) ran out of steps, and its class counted as failing",
    ),
    "exact-sets": (
        Severity.NOTE,
        "sets are published, which list exactly the values that are in a group",
    ),
    "lattice-budget": (
        Severity.NOTE,
        "a lattice has more level vectors than its `budget` allows, so not all were visited",
    ),
    "real-ends": (Severity.NOTE, "the ends of published ranges are values of real people"),
    "nothing-gained": (Severity.NOTE, "polishing found no classes with a smaller loss"),
    "polished-by-time": (
        Severity.NOTE,
        "classes were polished for a number of seconds, so another run may publish different ones",
    ),
    "held-whole": (
        Severity.NOTE,
        "a run with shards held the whole table in memory; the text says why",
    ),
}


def advise(code: str, text: str) -> Advice:
    """Advice of a known code, which decides how severe it is.

    >>> advise("real-ends", "The ends of the ranges of 'age' are values of real people.").severity
    <Severity.NOTE: 'note'>
    """
    return Advice(code, CODES[code][0], text)


def by_severity(found: list[Advice]) -> tuple[Advice, ...]:
    """The most severe first; warnings with the same code in the order in which they were found."""
    places = list(CODES)
    return tuple(sorted(found, key=lambda advice: places.index(advice.code)))
