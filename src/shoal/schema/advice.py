"""What deserves a second look although everything that was required holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much an advice matters, the gravest first.

    `danger`: somebody may be found, or a secret known. `caution`: the release says or does
    something other than its publisher may think. `note`: good to know.
    """

    DANGER = "danger"
    CAUTION = "caution"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to look at before a release is handed out.

    The codes are stable, so that a script can wait for one; the texts may change.
    """

    code: str
    severity: Severity
    text: str

    def __str__(self) -> str:
        return self.text


# Code, severity and when it is given, in the order in which a list of advice stands.
CODES: dict[str, tuple[Severity, str]] = {
    "asks-nothing": (
        Severity.DANGER,
        "a requirement is met by every table, such as k-anonymity with k = 1",
    ),
    "published-alone": (
        Severity.DANGER,
        "a low k (LK) of multi-level-k is 1, so people may be published without a crowd",
    ),
    "unprotected-secret": (Severity.DANGER, "no requirement is about a sensitive column"),
    "likely-guess": (
        Severity.DANGER,
        "an adversary can guess a secret in a bucket more often than not, and nothing bounds it",
    ),
    "flag-clue": (
        Severity.DANGER,
        "a flagged cell can be guessed from its symbol more often than not",
    ),
    "seed-in-plan": (
        Severity.DANGER,
        "the seed is a number in the plan, and buckets or what flags hide depend on it",
    ),
    "telling-column": (
        Severity.DANGER,
        "an insensitive column has a value of its own in more than a tenth of the rows",
    ),
    "singled-out": (
        Severity.DANGER,
        "the columns that are published as they are single out more than a tenth of the rows",
    ),
    "composition": (
        Severity.DANGER,
        "people of this release were in an earlier one with the same private folder, or people of "
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
        "group sizes reveal how sensitive people are, where they require crowds of different sizes",
    ),
    "unknown-flag-value": (Severity.CAUTION, "the rules of flags list a value that no row has"),
    "look-alike-values": (
        Severity.CAUTION,
        "a column has values that differ only in case or blanks, and count as different",
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
        "an entry under `missing` matches no cell, so what it should match counts as a value",
    ),
    "replaced-cells": (
        Severity.CAUTION,
        "the rows of a person differed, and `conflict` made them alike",
    ),
    "input-order": (
        Severity.CAUTION,
        "classes are runs of rows as they follow each other in the input",
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
        "single rows or people were left out, so that the rest of their classes could be kept",
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
        "a lattice has more level vectors than its `budget` allows, and not all were visited",
    ),
    "real-ends": (Severity.NOTE, "the ends of published ranges are values of real people"),
    "nothing-gained": (Severity.NOTE, "polishing found no classes that lose less"),
    "polished-by-time": (
        Severity.NOTE,
        "classes were polished for some seconds, so another run may publish others",
    ),
    "held-whole": (
        Severity.NOTE,
        "a run with shards held the whole table in memory, and why",
    ),
}


def advise(code: str, text: str) -> Advice:
    """Advice of a known code, which decides how severe it is.

    >>> advise("real-ends", "The ends of the ranges of 'age' are values of real people.").severity
    <Severity.NOTE: 'note'>
    """
    return Advice(code, CODES[code][0], text)


def by_severity(found: list[Advice]) -> tuple[Advice, ...]:
    """The gravest first, and what has the same code in the order in which it was found."""
    places = list(CODES)
    return tuple(sorted(found, key=lambda advice: places.index(advice.code)))
