"""Categories: single values, sets `{a, b}`, masks `2135*`, nodes of hierarchies, and `*`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal._command.query.condition import Texts, Vocabulary
from shoal._command.query.folder import AttributeView
from shoal._command.query.share import Shares, Weighed, bucket_shares
from shoal.reading.encoding import Coded, Codes, encode_text
from shoal.reading.label import STAR, Sets, covers_masked

_NODES = ("file", "tree")


@dataclass(frozen=True, eq=False)
class Meaning:
    """What the labels of one attribute stand for, by the files and by what the plan declares."""

    view: AttributeView
    words: Vocabulary

    @cached_property
    def bucketed(self) -> tuple[Codes, Coded]:
        """The bucket of each value in one, and the values; a missing one is the empty text."""
        buckets = self.view.buckets
        if buckets is None:
            return np.empty(0, dtype=np.int32), encode_text(pl.Series([], dtype=pl.String))
        return buckets.owners, encode_text(buckets.values.cast(pl.String).fill_null(""))

    @cached_property
    def bucket_texts(self) -> frozenset[str]:
        """The different values of the buckets."""
        return frozenset(self.bucketed[1].texts)

    @cached_property
    def sets(self) -> Sets:
        """The sets among the labels; what is plain, or has a hierarchy, has none."""
        texts = self.view.labels.texts
        if self.view.is_plain or self.view.form is not None:
            texts = texts.clear(len(texts))
        return Sets.read(texts)

    @cached_property
    def bare(self) -> list[str]:
        """The labels that are no sets."""
        found: list[str] = self.view.labels.texts.filter(~self.sets.is_set).to_list()
        return found

    @cached_property
    def values(self) -> frozenset[str]:
        """Single values as they were, as far as the files say; buckets' values included."""
        bare = (t for t in self.bare if not self.is_mask(t))
        plain = bare if self.view.is_plain else (t for t in bare if t != STAR)
        return frozenset([*plain, *self.bucket_texts]) - {""}

    @cached_property
    def domain(self) -> frozenset[str]:
        """What the plan declares, else all that the release shows; missing is the empty text."""
        if self.words.values is not None:
            return self.words.values
        missing = self.view.has_empty and not self.view.empty_hides
        none = [""] if missing or "" in self.bucket_texts else []
        return self.values.union(self.sets.members, none)

    def is_mask(self, text: str) -> bool:
        """Whether a label hides the end of a value: that is how masks are written."""
        masked = self.view.form in ("mask", *_NODES) and not self.view.is_plain
        return masked and text != STAR and text.endswith(STAR) and text not in self.words.leaves

    def is_node(self, text: str) -> bool:
        """Whether a bare label may stand for several values that the files do not name."""
        if self.view.form not in _NODES or self.view.is_plain or self.view.known_original:
            return False
        return text not in self.bucket_texts


def weigh_texts(meaning: Meaning, target: Texts) -> Weighed:
    """The share of every label and bucket that matches."""
    judge, sets = _Judge(meaning, target), meaning.sets
    of_member = np.array([target.match(member) for member in sets.members], dtype=np.float64)
    hits = np.bincount(sets.owners, of_member[sets.codes], minlength=len(sets.is_set))
    shares = Shares.exact(np.append(hits / np.maximum(sets.sizes, 1), 0.0))
    hidden, unknown = np.zeros((2, len(sets.is_set) + 1), dtype=np.bool_)
    bare = ~np.append(sets.is_set, False)
    empty = judge.hidden() if meaning.view.empty_hides else _known(float(target.missing))
    verdicts = np.array([*map(judge.label, meaning.bare), empty]).T
    for part, filled in zip((*shares, hidden, unknown), verdicts, strict=True):
        part[bare] = filled
    owners, values = meaning.bucketed
    matches = np.array([target.match(text) for text in values.texts], dtype=np.bool_)
    return Weighed(shares, bucket_shares(owners, matches[values.codes]), hidden, unknown)


# The five parts of Shares, then hidden and unknown.
_Verdict = tuple[float, float, float, bool, bool, bool, bool]


def _known(share: float) -> _Verdict:
    return share, share, share, share == 1, share > 0, False, False


@dataclass(frozen=True, eq=False)
class _Judge:
    """What part of a label matches, label by label."""

    meaning: Meaning
    target: Texts

    def label(self, text: str) -> _Verdict:
        meaning, leaves = self.meaning, self.meaning.words.leaves
        if meaning.view.is_plain:
            return _known(float(self.target.match(text)))
        if text == STAR:
            return self.hidden()
        if text in leaves:
            return _known(self.target.share(leaves[text]))
        if meaning.is_mask(text):
            return self._mask(text)
        if meaning.is_node(text) and text not in self.target.named:
            return self._node()
        return _known(float(self.target.match(text)))

    def hidden(self) -> _Verdict:
        """Nothing is shown: even over the domain, and never sure, for there may be more values."""
        share = self._domain_share
        maybe = self.target.allowed != frozenset() or self.target.missing
        if not self.meaning.domain:
            return 0.0, share, float(maybe), False, maybe, True, False
        return share, share, share, False, maybe, True, False

    @cached_property
    def _domain_share(self) -> float:
        return self.target.share(self.meaning.domain)

    def _node(self) -> _Verdict:
        """0 to 1 where some values match, but no share of the missing value.

        A file or a tree may have an empty leaf, so a missing value may be under the node: that is
        never sure.
        """
        missing = self.target.missing
        if self.target.allowed == frozenset():
            return 0.0, 0.0, 0.0, False, missing, False, False
        if self.target.allowed is None and not self.target.refused:
            return 1.0, 1.0, 1.0, missing, True, False, False
        return 0.0, self._domain_share, 1.0, False, True, False, True

    def _mask(self, text: str) -> _Verdict:
        """Over the covered values of the release; open if the query names one that is not there."""
        meaning = self.meaning
        named = (self.target.allowed or frozenset()) | self.target.refused
        named = frozenset(value for value in named if covers_masked(text, value))
        if not named:
            share = float(self.target.allowed is None)
            if meaning.view.form not in _NODES:
                return _known(share)
            # A node of a file or a tree may end with a star, and cover what it does not read as.
            surely, maybe = self._node()[3:5]
            return share, share, share, surely, maybe, False, False
        covered = {value for value in meaning.domain if covers_masked(text, value)}
        share = self.target.share(covered | named)
        if named <= covered:
            return share, share, share, False, True, False, False
        return 0.0, share, 1.0, False, True, False, True
