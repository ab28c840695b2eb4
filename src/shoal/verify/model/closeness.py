"""The Earth Mover's Distance of every class from the whole table (Li et al. 2007).

All three ground distances are computed from the (class, value) counts that occur, never from a
class-by-value matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.errors import Problem, VerificationError
from shoal.reading.cell import parse_number
from shoal.reading.encoding import Codes, Floats, Integers, Runs, dense_codes, find_starts
from shoal.schema import Attribute, Kind
from shoal.verify.text.classes import Classes, Values


def closeness(classes: Classes, attribute: Attribute, distance: str | None) -> Floats:
    """The distance of every class from the table, by a named ground distance or the default."""
    distance = distance or default_distance(attribute)
    values, runs = classes.values(attribute), classes.runs(attribute)
    if distance == "equal":
        return _equal(runs, values, classes.n_rows)
    if distance == "ordered":
        return _ordered(runs, values, classes.n_rows, attribute)
    if distance == "hierarchical":
        return _hierarchical(runs, values, classes.n_rows, attribute)
    raise VerificationError(f"There is no independent check of the distance {distance!r}.")


def default_distance(attribute: Attribute) -> str:
    """Ordered for what has an order, hierarchical for what has a tree, else equal."""
    if attribute.kind in (Kind.NUMERIC, Kind.ORDINAL, Kind.DATE):
        return "ordered"
    return "hierarchical" if _has_tree(attribute) else "equal"


def _has_tree(attribute: Attribute) -> bool:
    return attribute.hierarchy is not None and attribute.hierarchy.form in ("file", "tree")


def _excess(runs: Runs, counts: Integers, n_rows: Integers) -> Floats:
    """By how much each value's share in its class exceeds its share in the table, else 0."""
    surplus = runs.counts / n_rows[runs.classes] - counts[runs.values] / counts.sum()
    excess: Floats = np.maximum(surplus, 0.0)
    return excess


def _equal(runs: Runs, values: Values, n_rows: Integers) -> Floats:
    """Half the L1 distance: the excess of some values equals the shortfall of the others."""
    distances: Floats = np.add.reduceat(_excess(runs, values.counts, n_rows), runs.starts)
    return distances


def _ordered(runs: Runs, values: Values, n_rows: Integers, attribute: Attribute) -> Floats:
    """The sum of |Q_i - P_i| over i, divided by m - 1; Q, P cumulative shares (eq. of 5.1).

    From one value of a class to its next, Q_i stays while P_i grows, so each stretch splits
    where P passes Q and sums from prefix sums of P. Counts are summed as whole numbers.
    """
    if not values.in_order:
        raise VerificationError(
            Problem(f"The natural order of the values of {attribute.name!r} is not known.")
        )
    # With one value every class is like the table, and m - 1 is 0.
    if values.n_values < 2:
        return np.zeros(len(n_rows))
    table = np.cumsum(values.counts)
    sums = np.append(0, np.cumsum(table))
    n_table = int(table[-1])
    size = n_rows[runs.classes]
    ahead = np.cumsum(runs.counts, dtype=np.int64)
    ahead = ahead - (ahead[runs.starts] - runs.counts[runs.starts])[runs.classes]
    stop = np.append(runs.values[1:], values.n_values)
    # The last value of a class reaches up to the end of the table, not to the next class.
    stop[runs.starts[1:] - 1] = values.n_values
    share = ahead / size
    split = np.searchsorted(table / n_table, share).clip(runs.values, stop)
    under = (split - runs.values) * share - (sums[split] - sums[runs.values]) / n_table
    over = (sums[stop] - sums[split]) / n_table - (stop - split) * share
    # Below the first value of a class Q is 0, and P alone is summed.
    whole = np.add.reduceat(under + over, runs.starts) + sums[runs.values[runs.starts]] / n_table
    distances: Floats = whole / (values.n_values - 1)
    return distances


def _hierarchical(runs: Runs, values: Values, n_rows: Integers, attribute: Attribute) -> Floats:
    """The sum over inner nodes of height/H · min(pos_extra, neg_extra) (section 5.2).

    pos_extra(N) sums the excess of N's children. As pos_extra - neg_extra = extra(N), the other
    side follows; a node that no row of a class is under has no excess and costs nothing.
    """
    ancestors = _ancestors(values, attribute)
    distances = np.zeros(len(n_rows))
    counts = values.counts
    for level, parents in enumerate(ancestors, start=1):
        excess = _excess(runs, counts, n_rows)
        counts = np.bincount(parents, weights=counts).astype(np.int64)
        runs, excess = _climb(runs, excess, parents, len(counts))
        extra = runs.counts / n_rows[runs.classes] - counts[runs.values] / counts.sum()
        # Where a side is 0, rounding may take it a little below.
        cost = np.maximum(np.minimum(excess, excess - extra), 0.0)
        distances += np.add.reduceat(cost, runs.starts) * level / len(ancestors)
    return distances


def _climb(runs: Runs, excess: Floats, parents: Codes, n_parents: int) -> tuple[Runs, Floats]:
    """The counts of every class one level up, and the summed excess of each node's children."""
    keys = runs.classes.astype(np.int64) * n_parents + parents[runs.values]
    codes, distinct = dense_codes(keys)
    counts = np.bincount(codes, weights=runs.counts).astype(np.int32)
    owners = (distinct // n_parents).astype(np.int32)
    above = Runs(owners, (distinct % n_parents).astype(np.int32), counts, find_starts(owners))
    return above, np.bincount(codes, weights=excess).astype(np.float64)


def _ancestors(values: Values, attribute: Attribute) -> list[Codes]:
    """Per level above the leaves, the parent of every node of the level below.

    A node is the path from it to its top, so equal labels under different parents stay
    apart. Where the rows have several tops a root is added above them; a missing value without a
    row hangs directly under the root.
    """
    paths = _paths(values, attribute)
    height = len(paths[0]) if paths else 0
    nodes = np.arange(len(paths), dtype=np.int32)
    levels = []
    for level in range(height):
        codes: dict[Any, int] = {}
        above = [codes.setdefault(path[level:], len(codes)) for path in paths]
        parents = np.zeros(int(nodes.max()) + 1, dtype=np.int32)
        parents[nodes] = above
        levels.append(parents)
        nodes = np.array(above, dtype=np.int32)
    return levels


def _paths(values: Values, attribute: Attribute) -> list[tuple[str | None, ...]]:
    """For every value the labels above it, up to one common root (None where it is added)."""
    above = _rows_by_leaf(attribute)
    keys: list[Any] = list(values.texts if values.numbers is None else values.numbers.tolist())
    unknown = sum(key not in above for key in keys)
    if unknown:
        raise VerificationError(
            Problem(
                f"Every value of {attribute.name!r} must be in its hierarchy, but {unknown} are "
                "not."
            )
        )
    # Those of the whole file: costs are shares of its declared height, which no row may change.
    tops = {path[-1:] for path in above.values()}
    added = () if len(tops) == 1 and tops != {()} else (None,)
    paths = [above[key] + added for key in keys]
    if values.has_missing:
        alone = (None,) * (len(next(iter(above.values()))) + len(added) - 1)
        paths.append(above[""] + added if "" in above else alone + (added or tops.pop()))
    return paths


def _rows_by_leaf(attribute: Attribute) -> dict[Any, tuple[str | None, ...]]:
    """The labels above every leaf; numeric leaves are numbers, and a missing leaf is empty."""
    if not _has_tree(attribute) or attribute.hierarchy is None or not attribute.hierarchy.rows:
        raise VerificationError(
            f"The hierarchical distance needs a hierarchy file or tree for {attribute.name!r}."
        )
    above: dict[Any, tuple[str | None, ...]] = {}
    for leaf, *labels in attribute.hierarchy.rows:
        number = parse_number(leaf) if attribute.kind == Kind.NUMERIC else None
        key = "" if leaf in attribute.missing else leaf if number is None else number
        if above.setdefault(key, tuple(labels)) != tuple(labels):
            raise VerificationError(
                f"The hierarchy of {attribute.name!r} has two different rows for one leaf."
            )
    if len({len(labels) for labels in above.values()}) > 1:
        raise VerificationError(
            f"All rows of the hierarchy of {attribute.name!r} must have the same length."
        )
    return above
