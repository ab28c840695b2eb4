"""Slow, obvious twins of the requirement checks, over plain lists."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import product


def entropy_l(values: Sequence[Hashable]) -> float:
    n = len(values)
    return math.exp(-sum(c / n * math.log(c / n) for c in Counter(values).values()))


def frequency_l(values: Sequence[Hashable]) -> float:
    return len(values) / max(Counter(values).values())


def recursive_l(values: Sequence[Hashable], c: float) -> int:
    counts = sorted(Counter(values).values(), reverse=True)
    best = 0
    for l in range(1, len(counts) + 1):  # noqa: E741
        if counts[0] / sum(counts[l - 1 :]) < c:
            best = l
    return best


def emd_equal(values: Sequence[Hashable], table: Sequence[Hashable]) -> float:
    q, p = Counter(values), Counter(table)
    return sum(abs(q[v] / len(values) - p[v] / len(table)) for v in p) / 2


def emd_ordered(
    values: Sequence[Hashable], table: Sequence[Hashable], order: Sequence[Hashable]
) -> float:
    q, p = Counter(values), Counter(table)
    ahead, total = 0.0, 0.0
    for v in order[:-1]:
        ahead += q[v] / len(values) - p[v] / len(table)
        total += abs(ahead)
    return total / (len(order) - 1) if len(order) > 1 else 0.0


def leaf_distance(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    """Two paths from leaf to root, of one length, with one root."""
    height = len(a) - 1
    for level in range(height + 1):
        if a[level:] == b[level:]:
            return level / height if height else 0.0
    raise AssertionError("no common root")


def emd_by_flow(
    values: Sequence[Hashable], table: Sequence[Hashable], distance: dict[tuple, float]
) -> float:
    """The transport problem itself, as a linear programme."""
    import numpy as np
    from scipy.optimize import linprog

    q, p = Counter(values), Counter(table)
    names = sorted(p, key=repr)
    m = len(names)
    cost = [distance[a, b] for a in names for b in names]
    supply = np.zeros((2 * m, m * m))
    for i in range(m):
        supply[i, i * m : (i + 1) * m] = 1
        supply[m + i, i::m] = 1
    amounts = [q[v] / len(values) for v in names] + [p[v] / len(table) for v in names]
    return float(linprog(cost, A_eq=supply, b_eq=amounts).fun)


# A class of people with several rows: whose each row is, and the value in it.
Rows = Sequence[tuple[Hashable, Hashable]]


def values_of_people(rows: Rows) -> dict[Hashable, set[Hashable]]:
    people: dict[Hashable, set[Hashable]] = {}
    for who, value in rows:
        people.setdefault(who, set()).add(value)
    return people


def fewest_shown(people: Mapping[Hashable, set[Hashable]]) -> int:
    """The fewest values in any reasoning set: one row of each person, in every possible way."""
    return min(len(set(choice)) for choice in product(*people.values()))


def largest_person(rows: Rows) -> float:
    return max(Counter(who for who, _ in rows).values()) / len(rows)


def commonest_value(rows: Rows, *, of_people: bool) -> float:
    """The people who have the commonest value, as a share of the people or of the rows."""
    people = values_of_people(rows)
    holders = Counter(value for values in people.values() for value in values)
    return max(holders.values()) / (len(people) if of_people else len(rows))
