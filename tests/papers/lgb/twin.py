"""A slow, obvious twin of LGB, over plain tuples, written from the paper and its specification.

A row's number is its place in the table. An attribute is one of ("numeric", low, high),
("set", how many values) and ("tree", paths), where the paths are one tuple per value: the value,
then its ancestors level by level up to the top. A flag tells of one cell whether it is secret.

All arithmetic is in fractions, so that what is a tie on paper is one here. What is random comes
from outside: `orders` lists the rows in the seeded order per attribute (`bucketise`), and `draws`
puts a set of rows into random order (`ncp_classes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod
from typing import Any

Value = Any
Attribute = tuple[Any, ...]
Label = Any  # (least, greatest), (level, node) or the set of values
Rule = tuple[str, float]  # ("distinct", l), ("frequency", l), ("entropy", l) or ("t", t)
Held = Mapping[Value, Sequence[int]]  # the rows of each value, in the seeded order
Draws = Callable[[list[int]], list[int]]
PUBLIC, SECRET, WITHHELD = "public", "secret", "withheld"
ROUNDS = 6


@dataclass(frozen=True)
class Table:
    """Rows of values, and per cell whether its person holds it secret."""

    attributes: tuple[Attribute, ...]
    rows: tuple[tuple[Value, ...], ...]
    flags: tuple[tuple[bool, ...], ...]

    def column(self, attribute: int, rows: Iterable[int]) -> list[Value]:
        """The values of these rows."""
        return [self.rows[r][attribute] for r in rows]


@dataclass(frozen=True)
class Part:
    """Rows in table order, and what each attribute is for all of them."""

    rows: tuple[int, ...]
    pattern: tuple[str, ...]

    @property
    def public(self) -> list[int]:
        """QI[t]."""
        return [a for a, state in enumerate(self.pattern) if state == PUBLIC]


class NotPossibleError(Exception):
    """No buckets hold what is asked; per attribute the largest l that can be had."""

    def __init__(self, largest: Mapping[int, int]) -> None:
        self.largest = dict(largest)
        super().__init__(f"largest possible l: {self.largest}; t-closeness is the alternative")


def exact(number: float) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


# Generalised values.


def generalised(attribute: Attribute, values: Iterable[Value]) -> Label:
    """The least label over the values: a range, the lowest common ancestor, or their set.

    A node is (level, name); (None, "*") stands above several tops.
    """
    values = list(values)
    if attribute[0] == "numeric":
        return min(values), max(values)
    if attribute[0] == "set":
        return frozenset(values)
    paths = [p for p in attribute[1] if p[0] in values]
    for level in range(len(paths[0])):
        if len({p[level] for p in paths}) == 1:
            return level, paths[0][level]
    return None, "*"


def leaves(attribute: Attribute, label: Label) -> frozenset[Value]:
    """The values of a tree or set under a label."""
    if attribute[0] == "set":
        return frozenset(label)
    level, node = label
    return frozenset(p[0] for p in attribute[1] if level is None or p[level] == node)


def covers(attribute: Attribute, label: Label, value: Value) -> bool:
    """Whether a value lies in a label."""
    if attribute[0] == "numeric":
        return bool(label[0] <= value <= label[1])
    return value in leaves(attribute, label)


def domain_size(attribute: Attribute) -> int:
    """How many leaves a tree or values a set has."""
    return len(attribute[1]) if attribute[0] == "tree" else int(attribute[1])


def label_ncp(attribute: Attribute, label: Label) -> Fraction:
    """Range by domain range, or leaves by all leaves; 0 for an original value."""
    if attribute[0] == "numeric":
        return _range_by_domain(attribute, label)
    if attribute[0] == "tree" and label[0] is None:
        return Fraction(1)
    found = leaves(attribute, label)
    original = len(found) == 1 if attribute[0] == "set" else label[0] == 0
    return Fraction(0) if original else Fraction(len(found), domain_size(attribute))


def _range_by_domain(attribute: Attribute, ends: tuple[float, float]) -> Fraction:
    whole = exact(attribute[2]) - exact(attribute[1])
    return (exact(ends[1]) - exact(ends[0])) / whole if whole else Fraction(0)


def ncp(table: Table, attribute: int, rows: Iterable[int]) -> Fraction:
    """The NCP of one cell where these rows share a label."""
    kind = table.attributes[attribute]
    return label_ncp(kind, generalised(kind, table.column(attribute, rows)))


def set_ncp(table: Table, public: Iterable[int], rows: Sequence[int]) -> Fraction:
    """NCP of all these rows as one class: the sum over its rows and these attributes."""
    return len(rows) * sum((ncp(table, a, rows) for a in public), Fraction(0))


def place(attribute: Attribute, value: Value) -> Any:
    """Where a value stands: as a number, as a leaf of the drawn tree, or as text.

    In a tree siblings are neighbours, and nodes come in the order in which the paths name them.
    """
    if attribute[0] == "numeric":
        return exact(value)
    if attribute[0] == "set":
        return str(value)
    paths = list(attribute[1])
    own = next(p for p in paths if p[0] == value)
    above = range(len(own) - 1, -1, -1)
    return [next(i for i, p in enumerate(paths) if p[h:] == own[h:]) for h in above]


def lower_median(attribute: Attribute, values: Iterable[Value]) -> Value:
    """Element (n - 1) // 2 of the sorted values."""
    in_order = sorted(values, key=lambda v: place(attribute, v))
    return in_order[(len(in_order) - 1) // 2]


# Parts (Definition 8), and those of fewer than k rows.


def parts_by_qi(table: Table) -> list[Part]:
    """Rows of one QI[t], by each part's first row."""
    found: dict[tuple[bool, ...], list[int]] = {}
    for row, flags in enumerate(table.flags):
        found.setdefault(flags, []).append(row)
    return [
        Part(tuple(rows), tuple(SECRET if flag else PUBLIC for flag in flags))
        for flags, rows in found.items()
    ]


def loss(table: Table, part: Part) -> Fraction:
    """NCP of a part as one class: 1 for a withheld cell, 0 for a secret one."""
    withheld = len(part.rows) * part.pattern.count(WITHHELD)
    return withheld + set_ncp(table, part.public, part.rows)


def join(table: Table, small: Part, other: Part, k: int) -> tuple[Part, Part | None]:
    """The joined part, and what stays of the other; None where all of it is taken.

    Taken are the k - |X| rows with the least NCP of X and that row alone over the shared QIs
    (ties: table order), provided that k stay; else all.
    """
    pattern = tuple(
        one if one == two else WITHHELD
        for one, two in zip(small.pattern, other.pattern, strict=True)
    )
    shared = Part((), pattern).public
    wanted = k - len(small.rows)
    if len(other.rows) - wanted < k:
        return Part(tuple(sorted(small.rows + other.rows)), pattern), None
    by_cost = sorted(other.rows, key=lambda row: set_ncp(table, shared, [*small.rows, row]))
    taken = by_cost[:wanted]
    rest = tuple(row for row in other.rows if row not in taken)
    return Part(tuple(sorted([*small.rows, *taken])), pattern), Part(rest, other.pattern)


def join_undersized(table: Table, k: int) -> tuple[list[Part], list[int]]:
    """Parts of at least k rows, and the rows that are suppressed.

    The smallest part (ties: the earlier) joins where the joined part's loss is least (ties: the
    earlier), unless to suppress it costs less; until no part is under k. Parts stand in the order
    of their first rows all the time.
    """
    parts, suppressed = parts_by_qi(table), list[int]()
    while any(len(p.rows) < k for p in parts):
        small = min(parts, key=lambda p: len(p.rows))
        parts.remove(small)
        choices = [(other, *join(table, small, other, k)) for other in parts]
        best = min(choices, key=lambda c: loss(table, c[1]), default=None)
        if best is None or len(small.rows) * len(table.attributes) < loss(table, best[1]):
            suppressed += small.rows
            continue
        other, joined, rest = best
        parts.remove(other)
        parts = sorted([*parts, joined, *([rest] if rest else [])], key=lambda p: p.rows[0])
    return parts, sorted(suppressed)


def affected(table: Table, parts: Sequence[Part]) -> dict[str, int]:
    """How many cells were withheld, in how many rows, and how many rows were suppressed."""
    return {
        "withheld cells": sum(len(p.rows) * p.pattern.count(WITHHELD) for p in parts),
        "withheld rows": sum(len(p.rows) for p in parts if WITHHELD in p.pattern),
        "suppressed rows": len(table.rows) - sum(len(p.rows) for p in parts),
    }


# Local bucketisation (Algorithm 2). A bucket is a list of rows.


def eligible(counts: Iterable[int], l: int) -> bool:  # noqa: E741
    """Whether the most frequent value is at most one l-th of all."""
    counts = list(counts)
    return max(counts, default=0) * l <= sum(counts)


def bucketise(attribute: Attribute, held: Held, rule: Rule) -> list[list[int]]:
    """Buckets of the rows that hold these values secret, in order of forming.

    Where none can be had NotPossibleError names attribute 0: the only one that is known here.
    """
    name, limit = rule
    if name == "t":
        return close_buckets(attribute, held, limit)
    counts = [len(rows) for rows in held.values()]
    if eligible(counts, ceil(limit)):
        return local_buckets(attribute, held, ceil(limit))
    if name == "entropy" and entropy_at_least(counts, limit):
        return [in_order_of_values(attribute, held)]
    raise NotPossibleError({0: largest_l(counts, name)})


def largest_l(counts: Sequence[int], name: str) -> int:
    """The largest whole l that some buckets would hold."""
    largest = sum(counts) // max(counts)
    while name == "entropy" and entropy_at_least(counts, largest + 1):
        largest += 1
    return largest


def local_buckets(attribute: Attribute, held: Held, l: int) -> list[list[int]]:  # noqa: E741
    """Split at the median value while both sides are eligible, else form buckets."""
    median = lower_median(attribute, [v for v, rows in held.items() for _ in rows])
    limit = place(attribute, median)
    small = {v: rows for v, rows in held.items() if place(attribute, v) <= limit}
    big = {v: rows for v, rows in held.items() if place(attribute, v) > limit}
    sides = [small, big]
    if all(side and eligible(map(len, side.values()), l) for side in sides):
        return [bucket for side in sides for bucket in local_buckets(attribute, side, l)]
    return assign(attribute, held, l)


def assign(attribute: Attribute, held: Held, l: int) -> list[list[int]]:  # noqa: E741
    """The assignment of m-invariance: alpha buckets of beta values, until no row is left.

    The j-th of the alpha buckets gets the j-th row that is left of each of the beta values; a
    bucket lists its rows in that order of values, the most frequent first.
    """
    left = {v: list(held[v]) for v in sorted(held, key=lambda v: place(attribute, v))}
    buckets: list[list[int]] = []
    while any(left.values()):
        by_count = sorted(left, key=lambda v: -len(left[v]))
        alpha, beta = alpha_and_beta([len(left[v]) for v in by_count], l)
        for _ in range(alpha):
            buckets.append([left[v].pop(0) for v in by_count[:beta]])
    return buckets


def alpha_and_beta(counts: Sequence[int], l: int) -> tuple[int, int]:  # noqa: E741
    """The least beta from l on that has an alpha, and its largest alpha; counts fall."""
    for beta in range(l, len(counts) + 1):
        following = counts[beta] if beta < len(counts) else 0
        for alpha in range(counts[beta - 1], 0, -1):
            most = max(counts[0] - alpha, following)
            if most * l <= sum(counts) - alpha * beta:
                return alpha, beta
    raise AssertionError("stuck")


def in_order_of_values(attribute: Attribute, held: Held) -> list[int]:
    """The rows sorted by value, those of one value in the seeded order."""
    return [r for v in sorted(held, key=lambda v: place(attribute, v)) for r in held[v]]


def entropy_at_least(counts: Iterable[int], l: float) -> bool:  # noqa: E741
    """Entropy >= ln l, as n^n / (c1^c1 c2^c2 ...) >= l^n: exact."""
    counts = list(counts)
    n = sum(counts)
    return bool(n**n >= exact(l) ** n * prod(c**c for c in counts))


def close_buckets(attribute: Attribute, held: Held, t: float) -> list[list[int]]:
    """Deal the sorted rows round-robin into as many buckets as hold.

    Each is within t of all and has at least two different values, or it would publish its own.
    """
    rows = in_order_of_values(attribute, held)
    value = {row: v for v, own in held.items() for row in own}
    everything = [value[r] for r in rows]
    for n_buckets in range(len(rows), 0, -1):
        buckets = [rows[start::n_buckets] for start in range(n_buckets)]
        dealt = [[value[r] for r in b] for b in buckets]
        if all(bucket_holds(attribute, b, everything, ("t", t)) for b in dealt):
            return buckets
    if not rows:
        return []
    raise NotPossibleError({0: 1})


def emd(attribute: Attribute, some: Sequence[Value], everything: Sequence[Value]) -> Fraction:
    """Earth Mover's Distance: ordered for numbers, by the tree, else equal."""
    q, p = Counter(some), Counter(everything)
    values = sorted(p, key=lambda v: place(attribute, v))
    extra = {v: Fraction(q[v], len(some)) - Fraction(p[v], len(everything)) for v in values}
    if attribute[0] == "numeric":
        firsts = [values[: i + 1] for i in range(len(values))]
        ahead = [abs(sum((extra[v] for v in first), Fraction(0))) for first in firsts]
        return sum(ahead, Fraction(0)) / max(len(values) - 1, 1)
    if attribute[0] == "set":
        return sum((abs(e) for e in extra.values()), Fraction(0)) / 2
    return _tree_emd(attribute, extra)


def _tree_emd(attribute: Attribute, extra: Mapping[Value, Fraction]) -> Fraction:
    """Surplus that meets deficit first in a node moves by the node's level, by the height."""
    paths = {p[0]: p for p in attribute[1]}
    if len({p[-1] for p in attribute[1]}) > 1:
        paths = {v: (*p, "the root") for v, p in paths.items()}
    height = len(next(iter(paths.values()))) - 1
    met = [Fraction(0)] * (height + 1)
    for level in range(height + 1):
        for node in {paths[v][level] for v in extra}:
            below = [e for v, e in extra.items() if paths[v][level] == node]
            plus, minus = sum(e for e in below if e > 0), -sum(e for e in below if e < 0)
            met[level] += min(plus, minus)
    moved = sum((level * (met[level] - met[level - 1]) for level in range(1, height + 1)), met[0])
    return moved / height if height else Fraction(0)


# Local generalisation: classes of one part.


def mdp_classes(table: Table, part: Part, k: int) -> list[Part]:
    """Algorithm 3; the left half's classes first."""
    for attribute in sorted(part.public, key=lambda a: -spread(table, a, part.rows)):
        left, right = median_split(table, attribute, part)
        if len(left.rows) >= k and len(right.rows) >= k:
            return mdp_classes(table, left, k) + mdp_classes(table, right, k)
    return [part]


def spread(table: Table, attribute: int, rows: Sequence[int]) -> Fraction:
    """Range by domain; distinct leaves by leaves."""
    kind, values = table.attributes[attribute], table.column(attribute, rows)
    if kind[0] == "numeric":
        return _range_by_domain(kind, (min(values), max(values)))
    return Fraction(len(set(values)), domain_size(kind))


def median_split(table: Table, attribute: int, part: Part) -> tuple[Part, Part]:
    """Values up to the lower median, and those above."""
    kind = table.attributes[attribute]
    limit = place(kind, lower_median(kind, table.column(attribute, part.rows)))
    left = [r for r in part.rows if place(kind, table.rows[r][attribute]) <= limit]
    right = [r for r in part.rows if r not in left]
    return Part(tuple(left), part.pattern), Part(tuple(right), part.pattern)


def ncp_classes(
    table: Table, part: Part, k: int, draws: Draws, balanced: bool = True
) -> list[Part]:
    """Algorithm 4; the classes of the first seed's side first.

    Per set that is split `draws` gets its rows once, in table order, and returns them in random
    order: the first is the row to start from, and all but the seeds are handed out in that order.

    Balanced, the set is never given up. Where a side has fewer than k rows after handing out, or
    than an eighth of the set, rows move to it from the other side until it has half of all: those
    first whose NCP with the short side's seed is least as against their NCP with the other seed
    (ties: table order), which never moves. As the set has at least 2k rows, both sides have k; and
    no row is handed out more often than a multiple of the logarithm. But a set whose NCP is 0
    (all rows alike, or no QI at all) is a class however large it is, and nothing is drawn for it:
    to split it gains nothing. So every class has fewer than 2k rows or no loss.
    """
    if len(part.rows) < 2 * k or (balanced and not set_ncp(table, part.public, part.rows)):
        return [part]
    order = draws(list(part.rows))
    assert sorted(order) == list(part.rows)
    seeds = far_seeds(table, part, order[0])
    sides = hand_out(table, part, seeds, order)
    if balanced:
        fill_short_side(table, part, seeds, sides, k)
    if min(map(len, sides)) < k:
        return [part]
    halves = [Part(tuple(sorted(side)), part.pattern) for side in sides]
    return [c for half in halves for c in ncp_classes(table, half, k, draws, balanced)]


def far_seeds(table: Table, part: Part, start: int) -> tuple[int, int]:
    """From row to the row farthest from it (ties: table order), up to 6 times.

    Ends where the next pair is no farther apart than the last, which is then the answer: the row
    that was reached first is the first seed.
    """
    pair, apart = (start, start), Fraction(-1)
    for _ in range(ROUNDS):
        tip = pair[1]
        others = [r for r in part.rows if r != tip]
        distances = [set_ncp(table, part.public, [tip, r]) for r in others]
        found = max(distances)
        far = others[distances.index(found)]
        if found <= apart:
            break
        pair, apart = (tip, far), found
    return pair


def rise(table: Table, part: Part, side: Sequence[int], row: int) -> Fraction:
    """What a row adds to a side's NCP, over all rows of the side and its own."""
    after = set_ncp(table, part.public, [*side, row])
    return after - set_ncp(table, part.public, side)


def hand_out(
    table: Table, part: Part, seeds: tuple[int, int], order: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Each row to the side whose NCP it raises less (ties: the first seed's)."""
    one, other = [seeds[0]], [seeds[1]]
    for row in order:
        if row not in seeds:
            first = rise(table, part, one, row) <= rise(table, part, other, row)
            (one if first else other).append(row)
    return one, other


def fill_short_side(
    table: Table,
    part: Part,
    seeds: tuple[int, int],
    sides: tuple[list[int], list[int]],
    k: int,
) -> None:
    """What `balanced` adds, see ncp_classes; of sides of one size the first seed's is short."""
    short, long = sorted(sides, key=len)
    n = len(short) + len(long)
    if len(short) >= max(k, n // 8):
        return
    near, away = (seed for side in (short, long) for seed in seeds if seed in side)

    def leaning(row: int) -> Fraction:
        to_near, to_away = (set_ncp(table, part.public, [row, seed]) for seed in (near, away))
        return to_near - to_away

    movable = sorted(sorted(r for r in long if r != away), key=leaning)
    for row in movable[: n // 2 - len(short)]:
        long.remove(row)
        short.append(row)


# What is published.


@dataclass(frozen=True)
class Release:
    """Per kept row its class and cells; per attribute the values of each bucket, in order.

    A cell is ("value", label), ("bucket", BID) or ("withheld",); BIDs and classes count from 0.
    The rows keep their numbers, which only the publisher knows.
    """

    gid: Mapping[int, int]
    cells: Mapping[int, tuple[tuple[Any, ...], ...]]
    buckets: Mapping[int, Sequence[Sequence[Value]]]


def held_values(
    table: Table, parts: Iterable[Part], attribute: int, order: Sequence[int]
) -> dict[Value, list[int]]:
    """The rows of every secret value that goes into buckets."""
    secret = {r for p in parts if p.pattern[attribute] == SECRET for r in p.rows}
    found: dict[Value, list[int]] = {}
    for row in order:
        if row in secret:
            found.setdefault(table.rows[row][attribute], []).append(row)
    return found


def bucketise_all(
    table: Table,
    parts: Sequence[Part],
    rules: Mapping[int, Rule],
    orders: Mapping[int, Sequence[int]],
) -> dict[int, list[list[int]]]:
    """Buckets of every attribute that has secret cells; all that cannot be had in one error."""
    found, refused = {}, {}
    for attribute, kind in enumerate(table.attributes):
        order = orders.get(attribute, range(len(table.rows)))
        held = held_values(table, parts, attribute, order)
        try:
            if held:
                found[attribute] = bucketise(kind, held, rules[attribute])
        except NotPossibleError as error:
            refused[attribute] = error.largest[0]
    if refused:
        raise NotPossibleError(refused)
    return found


def lgb(
    table: Table,
    k: int,
    rules: Mapping[int, Rule],
    orders: Mapping[int, Sequence[int]] | None = None,
    classes: Callable[[Table, Part, int], list[Part]] = mdp_classes,
) -> Release:
    """Algorithm 1: lgb-mdp, or another way to form classes."""
    parts, _ = join_undersized(table, k)
    buckets = bucketise_all(table, parts, rules, orders or {})
    formed = [c for p in parts for c in classes(table, p, k)]
    bid = {(a, r): i for a, bs in buckets.items() for i, b in enumerate(bs) for r in b}
    cells = {
        row: tuple(_cell(table, a, c, bid.get((a, row))) for a in range(len(table.attributes)))
        for c in formed
        for row in c.rows
    }
    values = {a: [_in_order(table, a, b) for b in bs] for a, bs in buckets.items()}
    return Release({r: g for g, c in enumerate(formed) for r in c.rows}, cells, values)


def _in_order(table: Table, attribute: int, rows: Iterable[int]) -> list[Value]:
    kind = table.attributes[attribute]
    return sorted(table.column(attribute, rows), key=lambda v: place(kind, v))


def _cell(table: Table, attribute: int, part: Part, bid: int | None) -> tuple[Any, ...]:
    if part.pattern[attribute] == PUBLIC:
        kind = table.attributes[attribute]
        return "value", generalised(kind, table.column(attribute, part.rows))
    return (WITHHELD,) if bid is None else ("bucket", bid)


def shown(release: Release, attribute: int) -> dict[int, Value]:
    """The single-table form (Fig. 2): a bucket's rows in table order show its values in order."""
    found: dict[int, Value] = {}
    for bid, values in enumerate(release.buckets.get(attribute, [])):
        rows = sorted(r for r, c in release.cells.items() if c[attribute] == ("bucket", bid))
        found |= zip(rows, values, strict=True)
    return found


def classes_of(release: Release) -> list[list[int]]:
    """The rows of each class, in table order."""
    return [
        sorted(r for r, g in release.gid.items() if g == gid)
        for gid in sorted(set(release.gid.values()))
    ]


def c_dm(release: Release) -> int:
    """The sum of |LEG|^2, without suppressed rows."""
    return sum(len(rows) ** 2 for rows in classes_of(release))


def total_ncp(table: Table, release: Release) -> Fraction:
    """Over all cells: withheld and suppressed ones count 1, secret ones 0."""
    suppressed = len(table.rows) - len(release.cells)
    total = Fraction(suppressed * len(table.attributes))
    for cells in release.cells.values():
        for kind, cell in zip(table.attributes, cells, strict=True):
            total += label_ncp(kind, cell[1]) if cell[0] == "value" else cell[0] == WITHHELD
    return total


def ncp_per_cell(table: Table, release: Release) -> Fraction:
    """The mean over all rows and all attributes, secret cells included."""
    return total_ncp(table, release) / (len(table.rows) * len(table.attributes))


# The guarantee.


def matches(table: Table, release: Release, person: int) -> list[int]:
    """The published rows that can be this person."""
    return [row for row in release.cells if _can_be(table, release, row, person)]


def _can_be(table: Table, release: Release, row: int, person: int) -> bool:
    for attribute, cell in enumerate(release.cells[row]):
        secret = table.flags[person][attribute]
        if cell[0] == "bucket" and not secret:
            return False
        if cell[0] == "value":
            kind, value = table.attributes[attribute], table.rows[person][attribute]
            if secret or not covers(kind, cell[1], value):
                return False
    return True


def identity_risk(table: Table, release: Release, person: int) -> Fraction:
    """One by the number of rows that match a kept person."""
    return Fraction(1, len(matches(table, release, person)))


def highest_share(values: Sequence[Value]) -> Fraction:
    """|b(s')| / |b|; of nothing 0."""
    return Fraction(max(Counter(values).values()), len(values)) if values else Fraction(0)


def posterior_bound(table: Table, release: Release, person: int, attribute: int) -> Fraction:
    """The right side of Lemma 2, each matching row alike.

    A withheld cell counts with the highest share of a value among all bucketised cells.
    """
    buckets = release.buckets.get(attribute, [])
    everything = [v for bucket in buckets for v in bucket]
    found = []
    for row in matches(table, release, person):
        cell = release.cells[row][attribute]
        found.append(highest_share(everything if cell[0] == WITHHELD else buckets[cell[1]]))
    return sum(found, Fraction(0)) / len(found)


def posterior(
    table: Table, release: Release, person: int, attribute: int, value: Value
) -> Fraction:
    """p(t, s) itself: what the adversary believes of one value (proof of Lemma 2)."""
    buckets = release.buckets.get(attribute, [])
    everything = [v for bucket in buckets for v in bucket]
    found = []
    for row in matches(table, release, person):
        cell = release.cells[row][attribute]
        among = everything if cell[0] == WITHHELD else buckets[cell[1]]
        found.append(Fraction(list(among).count(value), max(len(among), 1)))
    return sum(found, Fraction(0)) / len(found)


def bucket_holds(
    attribute: Attribute, bucket: Sequence[Value], everything: Sequence[Value], rule: Rule
) -> bool:
    """Whether one bucket's values satisfy its rule."""
    name, limit = rule
    counts = list(Counter(bucket).values())
    if name == "t":
        return len(counts) > 1 and emd(attribute, bucket, everything) <= exact(limit)
    if name == "entropy":
        return entropy_at_least(counts, limit)
    return max(counts) == 1 and len(counts) >= limit


def check(table: Table, release: Release, k: int, rules: Mapping[int, Rule]) -> list[str]:
    """Everything that is wrong with a release; empty where the guarantee holds."""
    if set(release.gid) != set(release.cells):
        return ["rows"]
    wrong = [f"class {g}" for g, rows in _grouped(release) if not _class_holds(release, rows, k)]
    for row, cells in release.cells.items():
        for a, cell in enumerate(cells):
            if not _cell_is_true(table, row, a, cell):
                wrong.append(f"cell {a} of row {row}")
    for a in range(len(table.attributes)):
        wrong += _check_buckets(table, release, a, rules.get(a))
    for person in release.cells:
        wrong += _check_person(table, release, person, k, rules)
    return wrong


def _grouped(release: Release) -> list[tuple[int, list[int]]]:
    return list(zip(sorted(set(release.gid.values())), classes_of(release), strict=True))


def _class_holds(release: Release, rows: Sequence[int], k: int) -> bool:
    """At least k rows that show the same, the numbers of their buckets aside."""
    shown = {
        tuple(cell if cell[0] != "bucket" else "bucket" for cell in release.cells[r]) for r in rows
    }
    return len(rows) >= k and len(shown) == 1


def _cell_is_true(table: Table, row: int, attribute: int, cell: tuple[Any, ...]) -> bool:
    secret = table.flags[row][attribute]
    if cell[0] == "value":
        kind, value = table.attributes[attribute], table.rows[row][attribute]
        return not secret and covers(kind, cell[1], value)
    return secret or cell[0] == WITHHELD


def _check_buckets(table: Table, release: Release, attribute: int, rule: Rule | None) -> list[str]:
    """Their rule, their sizes, and the multiset of all their values."""
    buckets = release.buckets.get(attribute, [])
    everything = [v for bucket in buckets for v in bucket]
    bids = {r: c[attribute][1] for r, c in release.cells.items() if c[attribute][0] == "bucket"}
    wrong = []
    for bid, values in enumerate(buckets):
        kind = table.attributes[attribute]
        if rule is None or not bucket_holds(kind, values, everything, rule):
            wrong.append(f"bucket {bid} of {attribute}")
        if list(bids.values()).count(bid) != len(values):
            wrong.append(f"rows of bucket {bid} of {attribute}")
    if Counter(everything) != Counter(table.column(attribute, bids)):
        wrong.append(f"values of {attribute}")
    return wrong


def _check_person(
    table: Table, release: Release, person: int, k: int, rules: Mapping[int, Rule]
) -> list[str]:
    wrong = []
    if person not in matches(table, release, person):
        return [f"row of person {person}"]
    if identity_risk(table, release, person) > Fraction(1, k):
        wrong.append(f"identity of person {person}")
    for a, (name, limit) in rules.items():
        bounded = table.flags[person][a] and name in ("distinct", "frequency")
        if bounded and posterior_bound(table, release, person, a) * exact(limit) > 1:
            wrong.append(f"secret {a} of person {person}")
    return wrong


# Queries (section 4.2). A query has a predicate per attribute: the wanted values of a tree or set,
# (comparison, number) for numbers.

Query = Mapping[int, Any]
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}


def satisfies(predicate: Any, value: Value) -> bool:
    """Whether one value is wanted."""
    if isinstance(predicate, frozenset):
        return value in predicate
    return COMPARE[predicate[0]](value, predicate[1])


def share(
    attribute: Attribute, cell: tuple[Any, ...], buckets: Sequence[Sequence[Value]], predicate: Any
) -> Fraction:
    """Pro_t(A): the part of what a cell stands for that satisfies the predicate."""
    if cell[0] == "bucket":
        return _share_of(buckets[cell[1]], predicate)
    if attribute[0] == "numeric":
        return _share_of_range(
            attribute, attribute[1:] if cell[0] == WITHHELD else cell[1], predicate
        )
    if cell[0] == "value":
        return _share_of(leaves(attribute, cell[1]), predicate)
    if attribute[0] == "tree":
        return _share_of([p[0] for p in attribute[1]], predicate)
    return Fraction(len(predicate), domain_size(attribute))


def _share_of(values: Iterable[Value], predicate: Any) -> Fraction:
    found = [satisfies(predicate, v) for v in values]
    return Fraction(sum(found), len(found))


def _share_of_range(attribute: Attribute, ends: Sequence[float], predicate: Any) -> Fraction:
    """Of the integers where the domain ends in integers; else of the length."""
    low, high = ends
    if low == high:
        return Fraction(satisfies(predicate, low))
    if isinstance(attribute[1], int) and isinstance(attribute[2], int):
        return _share_of(range(int(low), int(high) + 1), predicate)
    if predicate[0] in ("=", "!="):
        return Fraction(predicate[0] == "!=")
    below = (exact(predicate[1]) - exact(low)) / (exact(high) - exact(low))
    below = min(max(below, Fraction(0)), Fraction(1))
    return below if predicate[0] in ("<", "<=") else 1 - below


def probability(table: Table, release: Release, row: int, query: Query) -> Fraction:
    """Pro(t): the product over the attributes."""
    cells = release.cells[row]
    return prod(
        (
            share(table.attributes[a], cells[a], release.buckets.get(a, []), predicate)
            for a, predicate in query.items()
        ),
        start=Fraction(1),
    )


@dataclass(frozen=True)
class Crowd:
    """Rows that share what is known of their numbers: a bucket, or a range in a class."""

    rows: tuple[int, ...]
    least: tuple[Fraction, ...]  # the smallest first
    greatest: tuple[Fraction, ...]  # the largest first


def crowds(table: Table, release: Release, attribute: int) -> list[Crowd]:
    """The buckets of an attribute; then, per class, the rows that show a range or nothing.

    Each of these may have either end of its range; of the domain where it is withheld.
    """
    found = []
    for bid, values in enumerate(release.buckets.get(attribute, [])):
        rows = [r for r, c in release.cells.items() if c[attribute] == ("bucket", bid)]
        numbers = sorted(map(exact, values))
        found.append(Crowd(tuple(rows), tuple(numbers), tuple(numbers[::-1])))
    for rows in classes_of(release):
        cell = release.cells[rows[0]][attribute]
        if cell[0] != "bucket":
            low, high = cell[1] if cell[0] == "value" else table.attributes[attribute][1:]
            ends = [(exact(end),) * len(rows) for end in (low, high)]
            found.append(Crowd(tuple(rows), *ends))
    return found


Bounds = tuple[Fraction | None, Fraction | None, Fraction | None]  # lower, estimate, upper


def count_query(
    table: Table, release: Release, query: Query, attribute: int | None = None
) -> Bounds:
    """COUNT(*), or COUNT of an attribute, rounded per bucket as in the SUM."""
    groups = [list(release.cells)]
    if attribute is not None:
        groups = [list(c.rows) for c in crowds(table, release, attribute)]
    hits = [sum((probability(table, release, r, query) for r in g), Fraction(0)) for g in groups]
    lower, upper = sum(map(floor, hits)), sum(map(ceil, hits))
    return Fraction(lower), sum(hits, Fraction(0)), Fraction(upper)


def sum_query(table: Table, release: Release, query: Query, attribute: int) -> Bounds:
    """SUM: per bucket so many of the smallest, hits times the mean, so many of the largest."""
    lower = estimate = upper = Fraction(0)
    for crowd in crowds(table, release, attribute):
        hits = sum((probability(table, release, r, query) for r in crowd.rows), Fraction(0))
        lower += sum(crowd.least[: floor(hits)], Fraction(0))
        upper += sum(crowd.greatest[: ceil(hits)], Fraction(0))
        both = sum(crowd.least, Fraction(0)) + sum(crowd.greatest, Fraction(0))
        estimate += hits * both / (2 * len(crowd.rows))
    return lower, estimate, upper


def avg_query(table: Table, release: Release, query: Query, attribute: int) -> Bounds:
    """Least SUM by most rows, SUM by COUNT, most SUM by least rows; None where that is no row."""
    sums = sum_query(table, release, query, attribute)
    counts = count_query(table, release, query, attribute)[::-1]
    lower, estimate, upper = (
        s / c if c and s is not None else None for s, c in zip(sums, counts, strict=True)
    )
    return lower, estimate, upper


def actual(table: Table, query: Query, attribute: int) -> Fraction:
    """The SUM over the original table, all rows."""
    wanted = [r for r in table.rows if all(satisfies(p, r[a]) for a, p in query.items())]
    return sum((exact(row[attribute]) for row in wanted), Fraction(0))


def relative_error(table: Table, release: Release, query: Query, attribute: int) -> Fraction | None:
    """R_error; None where the actual SUM is 0."""
    lower, _, upper = sum_query(table, release, query, attribute)
    true = actual(table, query, attribute)
    assert lower is not None
    assert upper is not None
    return (upper - lower) / true if true else None
