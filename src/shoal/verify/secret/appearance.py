"""The published classes as an adversary sees them: patterns, labels, and what buckets give away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.reading.cell import find_missing
from shoal.reading.encoding import Codes, Flags, Floats, Integers, combine_codes, encode_text
from shoal.schema import Attribute, Role
from shoal.verify.secret.bucket import classes_of_values, find_listing
from shoal.verify.secret.rule import commonest_shares
from shoal.verify.secret.secret import CLASS, Bucketed
from shoal.verify.text.accept import WORD, Bits, bits_of_bounds, bits_of_labels
from shoal.verify.text.quasi import column_codes

PUBLIC, SECRET, WITHHELD = 0, 1, 2


@dataclass(frozen=True)
class Pattern:
    """Classes of one pattern: their words of bits, and what each attribute is in all of them."""

    words: slice
    states: tuple[int, ...]


@dataclass(frozen=True)
class Appearance:
    """Classes that look alike are one class here.

    `of_row` is the class of every published row, `samples` one published row of every class,
    `states` what each quasi-identifier is in it. `class_at` is the class at every place, -1 at
    places that only fill up a word. `given_away` has for each secret attribute and class the sum
    over its rows of the share of the commonest value in the row's bucket.
    """

    published: Bucketed
    of_row: Codes
    samples: Integers
    states: Codes
    patterns: tuple[Pattern, ...]
    class_at: Integers
    given_away: Mapping[str, Floats]

    @cached_property
    def sizes(self) -> Integers:
        """The number of rows of every class."""
        return np.bincount(self.of_row, minlength=len(self.samples))

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return self.published.schema.quasi

    @cached_property
    def bits(self) -> tuple[Bits, ...]:
        """For each quasi-identifier the places that accept a value."""
        return tuple(self._bits(attribute) for attribute in self.attributes)

    def _bits(self, attribute: Attribute) -> Bits:
        valid: Flags = self.class_at >= 0
        # Places that only fill up a word take the last sample, but are not valid.
        rows = self.samples[self.class_at] if len(self.samples) else self.class_at
        columns = [self.published.data[name] for name in self.published.cells(attribute)]
        original = self.published.original[attribute.name]
        if len(columns) == 2:
            low, high = (column.gather(rows) for column in columns)
            return bits_of_bounds(low, high, valid, original, attribute)
        return bits_of_labels(encode_text(columns[0]), rows, valid, original, attribute)


def find_appearance(published: Bucketed, *, members: bool = True) -> Appearance:
    """How a sound release looks.

    A class that shows nothing of an attribute withholds it, unless all its members' cells are
    public and missing. Where the members are not known, it may always be withheld.
    """
    gids = encode_text(published.data[CLASS])
    samples = np.zeros(len(gids.texts), dtype=np.int64)
    samples[gids.codes] = np.arange(len(gids.codes))
    states, columns = [], []
    for attribute in published.schema.quasi:
        state = _states(published, attribute, gids.codes, samples, members)
        states.append(state)
        columns += [(state, 3), *_labels(published, attribute, samples, state)]
    alike, n_alike = combine_codes(columns, len(samples))
    chosen = np.zeros(n_alike, dtype=np.int64)
    chosen[alike] = np.arange(len(samples))
    of_class = np.stack(states, axis=1)[chosen] if states else np.zeros((n_alike, 0), np.int32)
    patterns, class_at = _places(of_class)
    of_row = alike[gids.codes]
    given_away = {
        a.name: _given_away(published, a, of_row, n_alike, _column(of_class, published, a))
        for a in published.schema.secret
    }
    return Appearance(published, of_row, samples[chosen], of_class, patterns, class_at, given_away)


def _states(
    published: Bucketed, attribute: Attribute, of_row: Codes, samples: Integers, members: bool
) -> Codes:
    """What an attribute is in every class, from one row of it."""
    if attribute.role == Role.QUASI:
        return np.full(len(samples), PUBLIC, dtype=np.int32)
    cells = published.secrets[attribute.name]
    states = np.array([PUBLIC, SECRET, WITHHELD], dtype=np.int32)[cells.pattern[samples]]
    if members:
        secret = published.secrecy[attribute.name][0][published.origin]
        missing = find_missing(published.original[attribute.name], attribute.missing)[
            published.origin
        ]
        others = secret | ~missing
        if len(published.cells(attribute)) == 2:
            # Two empty ends are a star, where somebody's value is missing and nobody's is secret.
            some = _any(missing, of_row, len(samples))
            others = secret | ~some[of_row]
        states[(states == WITHHELD) & ~_any(others, of_row, len(samples))] = PUBLIC
    return states


def _any(flags: Flags, of_row: Codes, n_classes: int) -> Flags:
    found = np.zeros(n_classes, dtype=np.bool_)
    found[of_row[flags]] = True
    return found


def _labels(
    published: Bucketed, attribute: Attribute, samples: Integers, states: Codes
) -> list[tuple[Codes, int]]:
    columns = [published.data[name].gather(samples) for name in published.cells(attribute)]
    coded = column_codes(columns)
    # A joined table shows values of a bucket in its rows, but these tell no classes apart.
    return [(np.where(states == PUBLIC, codes, 0), n_codes) for codes, n_codes in coded]


def _places(states: Codes) -> tuple[tuple[Pattern, ...], Integers]:
    """Put the classes of one pattern side by side, each pattern at a new word."""
    n_classes, width = states.shape
    of_class, _ = combine_codes([(states[:, i], 3) for i in range(width)], n_classes)
    counts = np.bincount(of_class)
    n_words = -(-counts // WORD)
    starts = np.append(0, np.cumsum(n_words))
    order = np.argsort(of_class, kind="stable")
    firsts = np.append(0, np.cumsum(counts))
    class_at = np.full(WORD * int(starts[-1]), -1, dtype=np.int64)
    patterns = []
    for i in range(len(counts)):
        own = order[firsts[i] : firsts[i + 1]]
        class_at[WORD * starts[i] : WORD * starts[i] + len(own)] = own
        words = slice(int(starts[i]), int(starts[i + 1]))
        patterns.append(Pattern(words, tuple(states[own[0]].tolist())))
    return tuple(patterns), class_at


def _column(states: Codes, published: Bucketed, attribute: Attribute) -> Codes:
    if attribute.role == Role.SENSITIVE:
        return np.full(len(states), SECRET, dtype=np.int32)
    return states[:, published.schema.quasi.index(attribute)]


def _given_away(
    published: Bucketed, attribute: Attribute, of_row: Codes, n_classes: int, states: Codes
) -> Floats:
    """Per class the sum of its rows' |b(s')|/|b| (Lemma 2); withheld cells count as all buckets."""
    by_row = np.zeros(published.data.height)
    anywhere = 0.0
    if published.points(attribute):
        numbers = published.bids[attribute.name]
        _, listing = find_listing(published, attribute)
        if listing is not None and len(listing.bids):
            classes = classes_of_values(attribute, listing.bids, listing.values)
            shares, anywhere = commonest_shares(classes)
            inside = np.flatnonzero(numbers > 0)
            # Every bucket that is pointed to is listed, or the release is not sound.
            by_row[inside] = shares[np.searchsorted(classes.numbers, numbers[inside])]
    sums = np.bincount(of_row, weights=by_row, minlength=n_classes)
    n_rows = np.bincount(of_row, minlength=n_classes)
    given_away: Floats = np.where(states == WITHHELD, n_rows * anywhere, sums)
    # Nobody who holds the attribute secret can be in a class that shows it.
    return np.where(states == PUBLIC, 0.0, given_away)
