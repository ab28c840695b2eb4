"""People against published classes: which classes can be theirs, many people at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.reading.encoding import Flags, Floats, Integers, combine_codes
from shoal.schema import Attribute, Role
from shoal.verify.secret.appearance import PUBLIC, SECRET, WITHHELD, Appearance, Pattern
from shoal.verify.text.accept import WORD, Words

# Words of bits that are combined at once: bounds the memory of one step.
_WORDS = 1 << 20


@dataclass(frozen=True)
class Matched:
    """Per person the rows that match, and per secret attribute the sum of what they give away."""

    n_rows: Floats
    sums: Mapping[str, Floats]


class Search:
    """People of the input against the classes that are shown."""

    def __init__(self, shown: Appearance) -> None:
        self.shown = shown
        original, schema = shown.published.original, shown.published.schema
        self.secret = {a.name: shown.published.secrecy[a.name][0] for a in schema.quasi}
        flags = [self.secret[a.name] for a in schema.quasi]
        self.kinds, _ = combine_codes([(f, 2) for f in flags], original.height)
        self.fitting: dict[int, list[Pattern]] = {}
        self.work = 0
        self.n_examined = 0

    def holds(self, attribute: Attribute, people: Integers) -> Flags:
        """Whether these people hold an attribute secret."""
        if attribute.role == Role.SENSITIVE:
            return np.ones(len(people), dtype=np.bool_)
        return self.secret[attribute.name][people]

    def match(self, people: Integers) -> Matched:
        """How many rows can be each of these input rows' people, and what they give away."""
        self.n_examined += len(people)
        n_rows = np.zeros(len(people))
        sums = {name: np.zeros(len(people)) for name in self.shown.given_away}
        for who, classes in self.pairs(people):
            n_rows += np.bincount(who, self.shown.sizes[classes], len(people))
            for name, given_away in self.shown.given_away.items():
                sums[name] += np.bincount(who, given_away[classes], len(people))
        return Matched(n_rows, sums)

    def pairs(self, people: Integers) -> Iterator[tuple[Integers, Integers]]:
        """Places among these people, and the classes that can be theirs."""
        kinds = self.kinds[people]
        for kind in np.unique(kinds).tolist():
            inside = np.flatnonzero(kinds == kind)
            for pattern in self._patterns(kind, int(people[inside[0]])):
                n_words = pattern.words.stop - pattern.words.start
                step = max(1, _WORDS // n_words)
                for start in range(0, len(inside), step):
                    part = inside[start : start + step]
                    who, places = _positions(self._words(people[part], pattern))
                    classes = self.shown.class_at[places + WORD * pattern.words.start]
                    self.work += 16 * len(who)
                    yield part[who], classes

    def _patterns(self, kind: int, person: int) -> list[Pattern]:
        """The patterns that people with these secrets fit in."""
        if kind not in self.fitting:
            secret = [self.secret[a.name][person] for a in self.shown.attributes]
            expected = [SECRET if flag else PUBLIC for flag in secret]
            self.fitting[kind] = [
                p
                for p in self.shown.patterns
                if all(s in (e, WITHHELD) for s, e in zip(p.states, expected, strict=True))
            ]
        return self.fitting[kind]

    def _words(self, people: Integers, pattern: Pattern) -> Words:
        # Of buckets and withheld cells the pattern has decided: only labels rule anybody out.
        valid = self.shown.class_at[WORD * pattern.words.start : WORD * pattern.words.stop] >= 0
        packed = np.packbits(valid, bitorder="little").view(np.uint64)
        words = np.repeat(packed[None, :], len(people), axis=0)
        for state, bits in zip(pattern.states, self.shown.bits, strict=True):
            if state == PUBLIC:
                before = bits.work
                words &= bits.words_of(people, pattern.words)
                self.work += bits.work - before + 8 * words.size
        return words


def _positions(words: Words) -> tuple[Integers, Integers]:
    """The row and the place of every bit that is set."""
    rows, columns = np.nonzero(words)
    found = words[rows, columns]
    bits = np.unpackbits(found.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    which, place = np.nonzero(bits)
    return rows[which], columns[which] * WORD + place
