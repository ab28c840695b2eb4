"""What each class publishes of each quasi-identifier."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import ROOT
from shoal.method.loss import class_bounds
from shoal.recode.snap import snap_dates, snap_numbers
from shoal.recode.thread import side_by_side
from shoal.schema import Kind
from shoal.table import Domain, Table, number_text
from shoal.table.partition import COVER, PUBLIC, SECRET, Partition, class_members

# Keys of whole descriptions are numbered again before they could overflow.
_MOST_KEYS = 2**62
# Sets of this many codes are the bits of one word.
_WORD = 64
SetMembers = tuple[list[NDArray[np.int32]], NDArray[Any]]
ClassMembers = Callable[[], tuple[NDArray[np.int64], NDArray[np.int32]]]
_QUOTED = set(',{}[]"')


@dataclass(frozen=True)
class Generalised:
    """The labels of one quasi-identifier.

    Class c publishes texts[of_class[c]]. A label covers the codes first … last, or `sets` of them.
    `leaves` counts the values that it covers (nan for a range), `width` is the length of a range
    (nan where there is none), `level` how far up the hierarchy it stands. `low` and `high` are the
    published ends of ranges. `secret` and `withheld` are the labels, if any, of classes that show
    nothing of it: its cells are in buckets, or nowhere.
    """

    domain: Domain
    texts: tuple[str | None, ...]
    of_class: NDArray[np.int32]
    leaves: NDArray[np.float64]
    width: NDArray[np.float64]
    level: NDArray[np.int16]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    sets: tuple[NDArray[np.int32], ...] | None = None
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    secret: int = -1
    withheld: int = -1

    def total(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """For every label the sum of the weights of the codes that it covers."""
        if self.sets is not None:
            codes, starts = self._members
            return np.asarray(np.add.reduceat(weights[codes], starts), dtype=np.float64)
        sums = np.concatenate([[0.0], np.cumsum(weights)])
        return np.asarray(sums[self.last + 1] - sums[self.first])

    @cached_property
    def _members(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The codes of all sets one after the other, and where each set, none empty, starts."""
        sets = self.sets or ()
        sizes = np.array([len(own) for own in sets], dtype=np.int64)
        return np.concatenate([np.empty(0, np.int32), *sets]), np.cumsum(sizes) - sizes


def generalise(table: Table, partition: Partition, ranges: str = "tight") -> list[Generalised]:
    """The labels of every quasi-identifier, in schema order."""
    members = cache(lambda: class_members(partition))

    def label(j: int) -> Generalised:
        return _generalise(table, partition, members, j, ranges)

    if any(_is_listed(domain) for domain in table.quasi):
        # A cache has no lock: this is computed before the threads share it.
        members()
    labels = side_by_side(label, range(len(table.quasi)), table.n_units)
    if partition.pattern is None:
        return labels
    return [_with_hidden(label, partition.pattern[:, j]) for j, label in enumerate(labels)]


def number_looks(labels: Sequence[Generalised], n_classes: int) -> NDArray[np.int64]:
    """A number for every class; those that publish the same labels have the same."""
    look, n_looks = np.zeros(n_classes, dtype=np.int64), 1
    for label in labels:
        # By text: a reader cannot tell two labels of the same text apart.
        place: dict[str | None, int] = {}
        texts = [place.setdefault(text, len(place)) for text in label.texts]
        if n_looks * len(place) > _MOST_KEYS:
            look = np.unique(look, return_inverse=True)[1]
            n_looks = int(look.max(initial=0)) + 1
        look = look * len(place) + np.array(texts, dtype=np.int64)[label.of_class]
        n_looks *= len(place)
    return np.unique(look, return_inverse=True)[1]


def compile_labels(table: Table) -> None:
    """Have the kernels of labels and of their order compiled while the method's are."""
    from shoal.kernels.ahead import compile_later
    from shoal.kernels.group import find_bounds, find_masks, group_keys, list_members, list_sets
    from shoal.kernels.order import settle_rows, spread_rows

    short, long, hashes = np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.uint64)
    fixed, runs = np.frombuffer(b"", np.uint64), np.empty((0, 2), np.int64)
    cold = compile_later(
        (settle_rows, (hashes, short, fixed, 0, long, 0, 0, hashes, short, runs)),
        (spread_rows, (fixed, 0, long, hashes, short)),
        (group_keys, (long, short)),
    )
    for domain in table.quasi if cold else ():
        codes = table.unit_codes(domain.attribute.name)
        if _is_listed(domain):
            compile_later(
                (list_members, (short, 0, long, short)),
                (list_sets, (long, short, codes, 0, long, short, hashes)),
            )
        elif _is_set(domain):
            compile_later((find_masks, (codes, short, hashes)))
        else:
            compile_later((find_bounds, (codes, short, long, long)))


def _is_set(domain: Domain) -> bool:
    """Whether classes publish the set of their values."""
    return domain.tree is None and not domain.is_range


def _is_listed(domain: Domain) -> bool:
    """Whether these sets are listed, value by value, since they are no bits of one word."""
    return _is_set(domain) and len(domain) > _WORD


def _with_hidden(label: Generalised, pattern: NDArray[np.int8]) -> Generalised:
    """The same with only the labels of public classes, and one each for SECRET and WITHHELD."""
    public = pattern == PUBLIC
    shown, place = np.unique(label.of_class[public], return_inverse=True)
    n, everything = len(shown), len(label.domain)
    of_class = np.where(pattern == SECRET, n, n + 1).astype(np.int32)
    of_class[public] = place
    top = 1 if label.domain.tree is None else max(label.domain.tree.height - 1, 1)
    codes = np.arange(everything, dtype=np.int32)
    sets = None if label.sets is None else (*(label.sets[i] for i in shown), codes, codes)
    low, high = (
        None if x is None else np.append(x[shown], [np.nan, np.nan])
        for x in (label.low, label.high)
    )
    return Generalised(
        label.domain,
        (*(label.texts[i] for i in shown), None, None),
        of_class,
        # A secret cell loses nothing, since its bucket has the value; a withheld one loses all.
        np.append(label.leaves[shown], [1, everything]),
        np.append(label.width[shown], [0.0, label.domain.span]),
        np.append(label.level[shown], [0, top]).astype(np.int16),
        np.append(label.first[shown], [0, 0]),
        np.append(label.last[shown], [everything - 1, everything - 1]),
        sets,
        low,
        high,
        secret=n,
        withheld=n + 1,
    )


def _generalise(
    table: Table, partition: Partition, members: ClassMembers, j: int, ranges: str
) -> Generalised:
    domain = table.quasi[j]
    codes = table.unit_codes(domain.attribute.name)
    if _is_listed(domain):
        return _sets(domain, *_listed_sets(codes, partition, members, len(domain)))
    if _is_set(domain):
        return _sets(domain, *_masked_sets(codes, partition))
    low, high = class_bounds(codes, partition, len(domain))
    if domain.tree is None:
        return _ranges(domain, low, high, ranges)
    heights = None if partition.heights is None else partition.heights[:, j]
    return _nodes(domain, low, high, heights)


def _nodes(
    domain: Domain,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    heights: NDArray[np.int16] | None,
) -> Generalised:
    """The lowest common ancestor, or the ancestor at the height that the method released at.

    One level above several tops is `*`, which counts as high as they do: no hierarchy has it.
    """
    assert domain.tree is not None
    tree, highest = domain.tree.closed(), max(domain.tree.height - 1, 1)
    nodes = tree.cover(low, high)
    if heights is not None:
        climbed = tree.node[np.clip(heights, 0, tree.height - 1), low]
        nodes = np.where(heights == COVER, nodes, climbed)
    shown, of_class = _distinct(nodes.astype(np.int64))
    return Generalised(
        domain,
        tuple(tree.labels[n] for n in shown),
        of_class.astype(np.int32),
        tree.n_under(shown).astype(np.float64),
        np.full(len(shown), np.nan),
        np.minimum(tree.level[shown], highest).astype(np.int16),
        tree.first[shown].astype(np.int64),
        tree.last[shown].astype(np.int64),
    )


def _ranges(
    domain: Domain, low: NDArray[np.int64], high: NDArray[np.int64], ranges: str
) -> Generalised:
    """[least, largest]; a class that mixes numbers and missing publishes `*`."""
    assert domain.numbers is not None
    pairs, of_class = _distinct(low * len(domain) + high)
    first, last = pairs // len(domain), pairs % len(domain)
    a, b = domain.numbers[first].copy(), domain.numbers[last].copy()
    if ranges == "snapped":
        snap = snap_dates if domain.attribute.kind is Kind.DATE else snap_numbers
        wide = (first != last) & (last != domain.missing)
        a[wide], b[wide] = snap(a[wide], b[wide], domain.attribute.domain)
    write = _writer(domain)
    mixed = (last == domain.missing) & (first != last)
    texts = tuple(
        ROOT if star else None if np.isnan(x) else write(x, y)
        for star, x, y in zip(mixed.tolist(), a.tolist(), b.tolist(), strict=True)
    )
    width = np.where(mixed, domain.span, np.nan_to_num(b - a))
    nothing = mixed | np.isnan(a)
    return Generalised(
        domain,
        texts,
        of_class.astype(np.int32),
        np.where(mixed, len(domain), np.where(first == last, 1.0, np.nan)),
        width,
        (first != last).astype(np.int16),
        np.where(mixed, 0, first),
        np.where(mixed, len(domain) - 1, last),
        low=np.where(nothing, np.nan, a),
        high=np.where(nothing, np.nan, b),
    )


def _writer(domain: Domain) -> Callable[[float, float], str]:
    if domain.attribute.kind is Kind.DATE:
        return lambda a, b: _range_text(_day(a), _day(b))
    return lambda a, b: _range_text(number_text(a), number_text(b))


def _day(days: float) -> str:
    return str(np.datetime64(int(days), "D"))


def _range_text(a: str, b: str) -> str:
    return a if a == b else f"[{a}, {b}]"


def _listed_sets(
    codes: NDArray[Any], partition: Partition, members_of: ClassMembers, n_codes: int
) -> SetMembers:
    """The different sets of codes, in the order of a digest, and that of every class."""
    from shoal.kernels.group import list_sets

    starts, units = members_of()
    ends = np.zeros(partition.n_classes + 1, dtype=np.int64)
    members = np.empty(len(units), dtype=np.int32)
    digests = np.empty(partition.n_classes, dtype=np.uint64)
    list_sets(starts, units, codes, n_codes, ends, members, digests)
    # Sets are told apart by 64 bits. Should two ever share them, one would be published under the
    # label of the other, which does not cover it: the verifier would refuse the release.
    _, first, of_class = np.unique(digests, return_index=True, return_inverse=True)
    return [members[ends[c] : ends[c + 1]] for c in first.tolist()], of_class


def _masked_sets(codes: NDArray[Any], partition: Partition) -> SetMembers:
    """The same of few codes: a class has one word with a bit for each."""
    from shoal.kernels.group import find_masks

    masks = np.zeros(partition.n_classes, dtype=np.uint64)
    find_masks(codes, partition.unit_class, masks)
    shown, of_class = _distinct(masks.view(np.int64))
    bits = np.unpackbits(shown.astype("<i8").view(np.uint8), bitorder="little").reshape(-1, _WORD)
    return [np.flatnonzero(own).astype(np.int32) for own in bits], of_class


def _distinct(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different keys in their order, and the place of every key: few are sorted, not all."""
    from shoal.kernels.group import group_keys

    number = np.empty(len(keys), dtype=np.int32)
    shown = np.empty(group_keys(keys, number), dtype=np.int64)
    shown[number] = keys
    order = np.argsort(shown)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return shown[order], place[number]


def _sets(domain: Domain, sets: list[NDArray[np.int32]], of_class: NDArray[Any]) -> Generalised:
    """The set of the values present, sorted; a single value has no braces."""
    write = set_writer(domain)
    size = np.array([len(s) for s in sets], dtype=np.float64)
    return Generalised(
        domain,
        tuple(write(s.tolist()) for s in sets),
        of_class.astype(np.int32),
        size,
        np.full(len(sets), np.nan),
        (size > 1).astype(np.int16),
        np.array([s[0] for s in sets], dtype=np.int64),
        np.array([s[-1] for s in sets], dtype=np.int64),
        tuple(sets),
    )


def set_writer(domain: Domain) -> Callable[[list[int]], str | None]:
    """What writes sets of codes as text, in published order.

    A member is quoted like JSON where it could be misread; missing is `""`. Members are quoted
    once for all sets.
    """
    rank = _text_rank(domain).tolist()
    quoted = [_member(text or "") for text in domain.texts]

    def write(codes: list[int]) -> str | None:
        if len(codes) == 1:
            return domain.texts[codes[0]]
        return "{" + ", ".join([quoted[c] for c in sorted(codes, key=rank.__getitem__)]) + "}"

    return write


def _text_rank(domain: Domain) -> NDArray[np.int64]:
    """The place of each code in a published set: declared order for ordinals, else by text."""
    if domain.attribute.kind is Kind.ORDINAL:
        return np.arange(len(domain))
    rank = np.empty(len(domain), dtype=np.int64)
    rank[sorted(range(len(domain)), key=lambda c: domain.texts[c] or "")] = np.arange(len(domain))
    return rank


def _member(text: str) -> str:
    unsafe = text in ("", ROOT) or _QUOTED & set(text)
    return json.dumps(text, ensure_ascii=False) if unsafe else text
