"""Categories: single values, sets `{a, b}`, masks `2135*`, nodes of hierarchies, and `*`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from shoal._command.query.condition import Flags, Floats, Texts
from shoal._command.query.folder import Shown
from shoal._command.query.share import Shares, Weighed, bucket_shares
from shoal.reading.encoding import Coded, Codes, encode_text
from shoal.reading.label import STAR, parse_set

_MASK = re.compile(r"(.*?)(\*+)", re.DOTALL)
_NODES = ("file", "tree")
_EASY_SET = r'\A\{[^,{}\[\]"]+(?:, [^,{}\[\]"]+)+\}\z'


@dataclass(frozen=True, eq=False)
class Meaning:
    """What the labels of one attribute stand for.

    `leaves` are those of each node, from the plan; `declared` is the domain that it declares.
    """

    shown: Shown
    leaves: Mapping[str, frozenset[str]] = field(default_factory=dict)
    declared: frozenset[str] | None = None

    @cached_property
    def texts(self) -> list[str]:
        """The distinct labels."""
        found: list[str] = self.shown.labels.texts.to_list()
        return found

    @cached_property
    def bucketed(self) -> Coded:
        """The values of the buckets, the missing one as the empty text."""
        if self.shown.buckets is None:
            return encode_text(pl.Series([], dtype=pl.String))
        return encode_text(self.shown.buckets.values.cast(pl.String).fill_null(""))

    @property
    def owners(self) -> Codes:
        """The bucket of each of their values."""
        buckets = self.shown.buckets
        return np.empty(0, dtype=np.int32) if buckets is None else buckets.owners

    @cached_property
    def bucket_texts(self) -> frozenset[str]:
        """The different values of the buckets."""
        return frozenset(self.bucketed.texts)

    @cached_property
    def sets(self) -> Sets:
        """The sets among the labels."""
        if self.shown.is_plain or self.shown.form is not None:
            return Sets.none(len(self.texts))
        return Sets.read(self.shown.labels.texts)

    @cached_property
    def values(self) -> frozenset[str]:
        """Single values as they were, for all that the files tell; buckets' values included."""
        bare = (t for t in self.bare if not self.is_mask(t))
        plain = bare if self.shown.is_plain else (t for t in bare if t != STAR)
        return frozenset([*plain, *self.bucket_texts]) - {""}

    @cached_property
    def bare(self) -> list[str]:
        """The labels that are no sets."""
        is_set = self.sets.is_set.tolist()
        return [text for text, no in zip(self.texts, is_set, strict=True) if not no]

    @cached_property
    def domain(self) -> frozenset[str]:
        """What the plan declares, else all that the release shows; missing is the empty text."""
        if self.declared is not None:
            return self.declared
        missing = self.shown.has_empty and not self.shown.empty_hides
        none = [""] if missing or "" in self.bucket_texts else []
        return self.values.union(self.sets.members, none)

    def is_mask(self, text: str) -> bool:
        """Whether a label hides the end of a value: that is how masks are written."""
        masked = self.shown.form in ("mask", *_NODES) and not self.shown.is_plain
        return masked and text != STAR and text.endswith(STAR) and text not in self.leaves

    def is_node(self, text: str) -> bool:
        """Whether a bare label may stand for several values that the files do not name."""
        if self.shown.form not in _NODES or self.shown.is_plain or self.shown.known_original:
            return False
        return text not in self.bucket_texts


@dataclass(frozen=True, eq=False)
class Sets:
    """The sets among some labels: their different members, and which set has which."""

    is_set: Flags
    members: tuple[str, ...]
    owners: Codes
    codes: Codes

    @staticmethod
    def none(n: int) -> Sets:
        """No label is a set."""
        nothing = np.empty(0, dtype=np.int32)
        return Sets(np.zeros(n, dtype=np.bool_), (), nothing, nothing)

    @staticmethod
    def read(texts: pl.Series) -> Sets:
        """Take the sets apart; those without quotation marks all at once."""
        labels = pl.DataFrame({"text": texts, "owner": np.arange(len(texts), dtype=np.int32)})
        labels = labels.filter(pl.col("text").str.starts_with("{"))
        easy = pl.col("text").str.contains(_EASY_SET)
        parts = labels.filter(easy).select(
            "owner", pl.col("text").str.slice(1).str.head(-1).str.split(", ").alias("member")
        )
        odd = [(owner, parse_set(text)) for text, owner in labels.filter(~easy).iter_rows()]
        rest = pl.DataFrame(
            [(owner, list(members)) for owner, members in odd if members is not None],
            schema=parts.schema,
            orient="row",
        )
        pairs = pl.concat([parts, rest]).explode("member")
        coded = encode_text(pairs["member"])
        is_set = np.zeros(len(texts), dtype=np.bool_)
        owners = pairs["owner"].to_numpy()
        is_set[owners] = True
        return Sets(is_set, tuple(coded.texts.to_list()), owners, coded.codes)

    def shares(self, wanted: Texts) -> Floats:
        """The wanted share of every label; of what is no set, 0."""
        n = len(self.is_set)
        found = np.array([wanted.wants(member) for member in self.members], dtype=np.float64)
        hits = np.bincount(self.owners, weights=found[self.codes], minlength=n)
        return np.asarray(hits / np.maximum(np.bincount(self.owners, minlength=n), 1))


def weigh_texts(meaning: Meaning, wanted: Texts) -> Weighed:
    """The share of every label and bucket that is wanted."""
    judge, sets = _Judge(meaning, wanted), meaning.sets
    empty = judge.hidden() if meaning.shown.empty_hides else _known(float(wanted.missing))
    is_set = np.append(sets.is_set, False)
    found = [*map(judge.label, meaning.bare), empty]
    shares = Shares.exact(np.append(sets.shares(wanted), 0.0))
    parts = [np.array(part) for part in zip(*found, strict=True)]
    hidden, unknown = np.zeros((2, len(is_set)), dtype=np.bool_)
    lower, estimate, upper = (shares.estimate.copy() for _ in range(3))
    filled = (lower, estimate, upper, shares.surely, shares.maybe, hidden, unknown)
    for whole, part in zip(filled, parts, strict=True):
        whole[~is_set] = part
    inside = np.array([wanted.wants(t) for t in meaning.bucketed.texts], dtype=np.bool_)
    return Weighed(
        Shares(lower, estimate, upper, shares.surely, shares.maybe),
        bucket_shares(meaning.owners, inside[meaning.bucketed.codes]),
        hidden,
        unknown,
    )


# lower, estimate, upper, surely, maybe, hidden, unknown
_Verdict = tuple[float, float, float, bool, bool, bool, bool]


def _known(share: float) -> _Verdict:
    return share, share, share, share == 1, share > 0, False, False


@dataclass(frozen=True, eq=False)
class _Judge:
    """What part of a label is wanted, label by label."""

    meaning: Meaning
    wanted: Texts

    def label(self, text: str) -> _Verdict:
        meaning = self.meaning
        if meaning.shown.is_plain:
            return _known(float(self.wanted.wants(text)))
        if text == STAR:
            return self.hidden()
        if text in meaning.leaves:
            return _known(self._share(meaning.leaves[text]))
        if meaning.is_mask(text):
            return self._mask(text)
        if meaning.is_node(text) and text not in self.wanted.named:
            return self._node()
        return _known(float(self.wanted.wants(text)))

    def hidden(self) -> _Verdict:
        """Nothing is shown: even over the domain, and never sure, for there may be more values."""
        share = self._domain_share
        maybe = self.wanted.allowed != frozenset() or self.wanted.missing
        if not self.meaning.domain:
            return 0.0, share, float(maybe), False, maybe, True, False
        return share, share, share, False, maybe, True, False

    @cached_property
    def _domain_share(self) -> float:
        return self._share(self.meaning.domain)

    def _share(self, values: Iterable[str]) -> float:
        found = [self.wanted.wants(value) for value in values]
        return sum(found) / len(found) if found else 0.0

    def _node(self) -> _Verdict:
        """0 to 1 where some values are wanted; a node never stands for the missing value."""
        if self.wanted.allowed == frozenset():
            return _known(0.0)
        if self.wanted.allowed is None and not self.wanted.refused:
            return _known(1.0)
        return 0.0, self._domain_share, 1.0, False, True, False, True

    def _mask(self, text: str) -> _Verdict:
        """Over the values of the release that it covers; open where one asked for is not there."""
        covered = {value for value in self._known_values if _covers(text, value)}
        asked = {value for value in self._asked if _covers(text, value)}
        if not asked:
            return _known(float(self.wanted.allowed is None))
        share = self._share(covered | asked)
        if asked <= covered:
            return share, share, share, False, True, False, False
        return 0.0, share, 1.0, False, True, False, True

    @cached_property
    def _known_values(self) -> frozenset[str]:
        return self.meaning.domain - {""}

    @cached_property
    def _asked(self) -> frozenset[str]:
        return (self.wanted.allowed or frozenset()) | self.wanted.refused


def _covers(mask: str, value: str) -> bool:
    """Whether a value has the mask's beginning and as many characters.

    >>> _covers("2135*", "21357"), _covers("2135*", "21344"), _covers("213*", "21344")
    (True, False, False)
    """
    found = _MASK.fullmatch(mask)
    assert found is not None
    return len(value) == len(mask) and value.startswith(found[1])
