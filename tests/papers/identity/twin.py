"""Slow, obvious twins of identity-reserved anonymity, over plain lists, written from the paper.

A person's number is their place in the table. An attribute is one of
("numeric", low, high), ("set", how many values) and ("tree", paths), where the paths are one tuple
per value: the value, then its ancestors level by level up to the top.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

Value = Any
Attribute = tuple[Any, ...]
Holds = Callable[[Sequence[int]], bool]
CLOSE = 1e-9


@dataclass(frozen=True)
class Person:
    """Their quasi-identifiers, their number of rows, and each sensitive attribute of those rows."""

    values: tuple[Value, ...]
    rows: int = 1
    secrets: tuple[tuple[Value, ...], ...] = ()


@dataclass(frozen=True)
class Element:
    """What a group of rows would be published as: the values that each attribute must cover."""

    covers: tuple[frozenset[Value], ...]
    rows: int


# Loss and distance.


def width(attribute: Attribute, values: frozenset[Value]) -> float:
    """What one attribute loses where it is published as the least that covers these values."""
    if attribute[0] == "numeric":
        return _range_width(attribute[1], attribute[2], values)
    if attribute[0] == "set":
        return (len(values) - 1) / (attribute[1] - 1) if attribute[1] > 1 else 0.0
    return node_width(attribute, common_level(attribute, 0, values), next(iter(values)))


def _range_width(low: float, high: float, values: frozenset[Value]) -> float:
    if len(values) == 1:
        return 0.0
    if None in values:
        return 1.0
    return float(max(values) - min(values)) / (high - low)


def path(attribute: Attribute, value: Value) -> tuple[Value, ...]:
    """A value and its ancestors."""
    [found] = [p for p in attribute[1] if p[0] == value]
    return tuple(found)


def height(attribute: Attribute) -> int:
    """The top level of a tree."""
    return len(attribute[1][0]) - 1


def common_level(attribute: Attribute, lowest: int, values: frozenset[Value]) -> int | None:
    """The first level, from `lowest` up, at which the values share a node; None for no level."""
    paths = [path(attribute, v) for v in values]
    for level in range(lowest, height(attribute) + 1):
        if len({p[level] for p in paths}) == 1:
            return level
    return None


def node_width(attribute: Attribute, level: int | None, value: Value) -> float:
    """(leaves under the node of a value at a level - 1) / (all leaves - 1); no level loses 1."""
    if level is None:
        return 1.0
    node = path(attribute, value)[level]
    leaves = sum(p[level] == node for p in attribute[1])
    return (leaves - 1) / (len(attribute[1]) - 1) if len(attribute[1]) > 1 else 0.0


def element(people: Sequence[Person], members: Sequence[int]) -> Element:
    """The identity element of these people's rows."""
    columns = zip(*(people[m].values for m in members), strict=True)
    return Element(tuple(frozenset(c) for c in columns), sum(people[m].rows for m in members))


def union(one: Element, other: Element) -> Element:
    """The element that both are generalised to."""
    pairs = zip(one.covers, other.covers, strict=True)
    return Element(tuple(a | b for a, b in pairs), one.rows + other.rows)


def loss(attributes: Sequence[Attribute], before: Element, after: Element) -> float:
    """What one row loses on the way from one element to a wider one (eq. 11 to 13)."""
    return sum(
        width(attribute, wide) - width(attribute, narrow)
        for attribute, narrow, wide in zip(attributes, before.covers, after.covers, strict=True)
    )


def distance(attributes: Sequence[Attribute], one: Element, other: Element) -> float:
    """The loss of merging two people or classes, over all their rows (eq. 16 to 18)."""
    both = union(one, other)
    return one.rows * loss(attributes, one, both) + other.rows * loss(attributes, other, both)


def nloss(
    people: Sequence[Person],
    attributes: Sequence[Attribute],
    classes: Sequence[Sequence[int]],
    levels: Sequence[Sequence[int | None]] | None = None,
) -> float:
    """Eq. 15; who is in no class is suppressed. `levels`: nodes of classes that were lifted."""
    published = {m for members in classes for m in members}
    cells = len(attributes) * sum(p.rows for p in people)
    total = sum(float(p.rows * len(attributes)) for m, p in enumerate(people) if m not in published)
    for number, members in enumerate(classes):
        cover = element(people, members)
        if levels is None:
            losses = [width(a, v) for a, v in zip(attributes, cover.covers, strict=True)]
        else:
            losses = node_widths(attributes, levels[number], people[members[0]])
        total += cover.rows * sum(losses)
    return total / cells


# What one class must hold. Requirements are written as in a plan, {"eir-l": {"l": 3}};
# `attribute`, the number of one sensitive attribute, may be left out: every one of them.


def holds_for(people: Sequence[Person], requirements: Sequence[Mapping[str, Any]]) -> Holds:
    """Whether the people with these numbers, as one class, hold everything that is asked."""

    def holds(members: Sequence[int]) -> bool:
        return satisfies([people[m] for m in members], requirements)

    return holds


def satisfies(group: Sequence[Person], requirements: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a class of these people holds every requirement; a class of nobody holds none."""
    if not group:
        return False
    return all(_holds(group, *asked) for r in requirements for asked in r.items())


def _holds(group: Sequence[Person], model: str, given: Mapping[str, Any]) -> bool:
    limits = {name: limit for name, limit in given.items() if name != "attribute"}
    if model in COUNTS:
        return COUNTS[model](group, **limits)
    named = given.get("attribute")
    targets = range(len(group[0].secrets)) if named is None else [named]
    return all(SECRETS[model](group, [p.secrets[t] for p in group], **limits) for t in targets)


Secrets = Sequence[Sequence[Value]]


def n_people(group: Sequence[Person], k: int) -> bool:
    """IR k-anonymity, and k-anonymity where several rows may be one person's."""
    return len(group) >= k


def n_values(group: Sequence[Person], secrets: Secrets, l: int, kind: str = "distinct") -> bool:  # noqa: E741
    """Distinct l-diversity: the rows have at least l values (m_Q of eq. 1)."""
    assert kind == "distinct"
    return len({value for values in secrets for value in values}) >= l


def ir_kl(group: Sequence[Person], secrets: Secrets, k: int, l: int) -> bool:  # noqa: E741
    """Definition 2.3 (2)."""
    return n_people(group, k) and n_values(group, secrets, l)


def ir_alpha_beta(group: Sequence[Person], secrets: Secrets, alpha: float, beta: float) -> bool:
    """Definition 2.3 (3): of the rows, a share of each person and of each value's people."""
    n_rows = sum(p.rows for p in group)
    return _most_rows(group) / n_rows <= alpha and _most_people(secrets) / n_rows <= beta


def eir_alpha_beta(group: Sequence[Person], secrets: Secrets, alpha: float, beta: float) -> bool:
    """Definition 3.4 by Theorem 3.2: a value's people are a share of the people."""
    n_rows = sum(p.rows for p in group)
    return _most_rows(group) / n_rows <= alpha and _most_people(secrets) / len(group) <= beta


def _most_rows(group: Sequence[Person]) -> int:
    return max(p.rows for p in group)


def _most_people(secrets: Secrets) -> int:
    """The people of the value that most people have: max |P(s)|."""
    return max(sum(s in values for values in secrets) for values in secrets for s in values)


def eir_l(group: Sequence[Person], secrets: Secrets, l: int) -> bool:  # noqa: E741
    """Definition 3.3 by Theorem 3.1: no l - 1 values, or fewer, meet everyone's."""
    values = {value for own in secrets for value in own}
    return not any(
        all(set(own) & set(few) for own in secrets)
        for size in range(min(l, len(values) + 1))
        for few in combinations(values, size)
    )


def reasoning_sets(secrets: Secrets) -> list[tuple[Value, ...]]:
    """One row of each person, in every way (Definition 3.2)."""
    return list(product(*secrets))


COUNTS: dict[str, Callable[..., bool]] = {"k-anonymity": n_people, "ir-k": n_people}
SECRETS: dict[str, Callable[..., bool]] = {
    "l-diversity": n_values,
    "ir-kl": ir_kl,
    "ir-alpha-beta": ir_alpha_beta,
    "eir-l": eir_l,
    "eir-alpha-beta": eir_alpha_beta,
}


# DAnonyIR.


def first_of_least(distances: Sequence[float]) -> int:
    """Among all within 1e-9 of the least, the first."""
    least = min(distances)
    return next(i for i, d in enumerate(distances) if d <= least + CLOSE)


def danonyir(
    people: Sequence[Person],
    attributes: Sequence[Attribute],
    satisfied: Holds,
    order_of_starters: Sequence[int],
    first: Sequence[int] = (),
) -> tuple[list[list[int]], list[int]]:
    """Algorithm 1: classes in order of forming, members in order of joining; the suppressed."""
    left = list(range(len(people)))
    classes: list[list[int]] = []
    residual: list[int] = []
    for starter in [*first, *order_of_starters]:
        if starter not in left:
            continue
        left.remove(starter)
        growing, done = [starter], False
        while not done and left:
            growing = growing + _take_nearest(people, attributes, growing, left, classes)
            done = satisfied(growing)
        if done:
            classes.append(growing)
        else:
            residual = growing
    return classes, _handle(people, attributes, satisfied, classes, residual)


def _take_nearest(
    people: Sequence[Person],
    attributes: Sequence[Attribute],
    growing: list[int],
    left: list[int],
    classes: list[list[int]],
) -> list[int]:
    """The members of the person or class that is nearest, taken from where they were."""
    candidates = [[p] for p in left] + classes
    own = element(people, growing)
    found = first_of_least([distance(attributes, own, element(people, c)) for c in candidates])
    if found < len(left):
        return [left.pop(found)]
    return classes.pop(found - len(left))


def _handle(
    people: Sequence[Person],
    attributes: Sequence[Attribute],
    satisfied: Holds,
    classes: list[list[int]],
    residual: Sequence[int],
) -> list[int]:
    """Algorithm 7 for everyone who is left over, in table order; who is suppressed."""
    suppressed = []
    for person in sorted(residual):
        own = element(people, [person])
        fits = [c for c in classes if satisfied([*c, person])]
        distances = [distance(attributes, own, element(people, c)) for c in fits]
        if fits and min(distances) <= own.rows * len(attributes) + CLOSE:
            fits[first_of_least(distances)].append(person)
        else:
            suppressed.append(person)
    return suppressed


# GeneIR.


@dataclass
class Lifted:
    """A class and the level at which it publishes each attribute; None: above every node."""

    members: list[int]
    levels: list[int | None]


def geneir(
    people: Sequence[Person],
    attributes: Sequence[Attribute],
    satisfied: Holds,
    draws: Callable[[list[int]], int],
) -> tuple[list[Lifted], list[int]]:
    """Classes in order of release, and who is suppressed.

    `draws` gets the numbers of the attributes below their top and returns one of them.
    """
    levels = [0] * len(attributes)
    left = list(range(len(people)))
    released = _release(people, attributes, satisfied, levels, left)
    while left and satisfied(left) and (below := _below_top(attributes, levels)):
        drawn = draws(below)
        assert drawn in below
        levels[drawn] += 1
        released += _release(people, attributes, satisfied, levels, left)
    suppressed = []
    for person in left:
        if not _join(people, attributes, satisfied, released, person):
            suppressed.append(person)
    return released, suppressed


def _below_top(attributes: Sequence[Attribute], levels: Sequence[int]) -> list[int]:
    return [i for i, a in enumerate(attributes) if levels[i] < height(a)]


def _release(
    people: Sequence[Person],
    attributes: Sequence[Attribute],
    satisfied: Holds,
    levels: Sequence[int],
    left: list[int],
) -> list[Lifted]:
    """Take from `left` every group that satisfies, by its first person's place in the table."""
    groups: dict[tuple[Value, ...], list[int]] = {}
    for person in left:
        own = zip(attributes, people[person].values, levels, strict=True)
        groups.setdefault(tuple(path(a, v)[level] for a, v, level in own), []).append(person)
    found = [members for members in groups.values() if satisfied(members)]
    for members in found:
        for person in members:
            left.remove(person)
    return [Lifted(members, [*levels]) for members in found]


def node_widths(
    attributes: Sequence[Attribute], levels: Sequence[int | None], member: Person
) -> list[float]:
    """What each attribute of a class loses at its level."""
    pairs = zip(attributes, levels, member.values, strict=True)
    return [node_width(attribute, level, value) for attribute, level, value in pairs]


def lift(
    attributes: Sequence[Attribute], levels: Sequence[int | None], member: Person, other: Person
) -> list[int | None]:
    """The levels of a class with this member, once it covers another person too."""
    pairs = zip(attributes, levels, member.values, other.values, strict=True)
    return [
        None if level is None else common_level(attribute, level, frozenset([one, two]))
        for attribute, level, one, two in pairs
    ]


def _join(
    people: Sequence[Person],
    attributes: Sequence[Attribute],
    satisfied: Holds,
    released: list[Lifted],
    person: int,
) -> bool:
    """Put a person into the class where that adds the least loss; False where none would hold."""
    fits = [q for q in released if satisfied([*q.members, person])]
    if not fits:
        return False
    costs, wider = [], []
    for q in fits:
        member, n_rows = people[q.members[0]], element(people, q.members).rows
        levels = lift(attributes, q.levels, member, people[person])
        after = (n_rows + people[person].rows) * sum(node_widths(attributes, levels, member))
        costs.append(after - n_rows * sum(node_widths(attributes, q.levels, member)))
        wider.append(levels)
    chosen = first_of_least(costs)
    fits[chosen].members.append(person)
    fits[chosen].levels = wider[chosen]
    return True
