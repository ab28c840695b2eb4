"""Slow, obvious twins of the graph methods, over plain lists, written from the definitions.

A row is a tuple of values, a column says how they compare: ("numeric", low, high) with the ends of
its domain; ("tree", paths), one tuple per value of the domain: the value, then its ancestors level
by level up to the top; ("set", how many values), without a hierarchy. None is missing: among
numbers it is as far from each of them as the domain is long, in a set it is one more value, in a
tree it has its own path.

Sums of distances are compared as whole billionths, so that what is a tie on paper is one here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Value = Any
Row = Sequence[Value]
Column = tuple[Any, ...]
Classes = list[list[int]]
Holds = Callable[[Sequence[int]], bool]


def tick(number: float) -> int:
    """A number in whole billionths: what is compared wherever a tie matters."""
    return round(number * 1e9)


# Distance and error.


def f_dis(column: Column, values: Sequence[Value], normalise: bool = False) -> float:
    """The distance of a set of values of one column: range, or level of the common ancestor.

    `normalise` divides a range by the domain and a level by the height.
    """
    if column[0] == "numeric":
        return _range(column, values, normalise)
    if column[0] == "set":
        return float(len(set(values)) > 1)
    level = common_level(column, values)
    return level / top_level(column) if normalise and level else float(level)


def _range(column: Column, values: Sequence[Value], normalise: bool) -> float:
    numbers = [v for v in values if v is not None]
    if not numbers:
        return 0.0
    whole = float(column[2] - column[1]) or 1.0
    found = whole if None in values else float(max(numbers) - min(numbers))
    return found / whole if normalise else found


def common_level(column: Column, values: Sequence[Value]) -> int:
    """The lowest level at which the values share a node; where there is none, one above the top."""
    paths = [next(p for p in column[1] if p[0] == v) for v in values]
    n_levels = len(paths[0])
    shared = [level for level in range(n_levels) if len({p[level] for p in paths}) == 1]
    return min(shared, default=n_levels)


def top_level(column: Column) -> int:
    """The height of the tree; above several tops, where values never meet, one more."""
    return len(column[1][0]) - (len({p[-1] for p in column[1]}) == 1)


def f_DIS(
    rows: Sequence[Row], columns: Sequence[Column], members: Sequence[int], normalise: bool = False
) -> float:
    """The distance of a set of rows: the sum over the columns."""
    return sum(
        f_dis(column, [rows[m][i] for m in members], normalise) for i, column in enumerate(columns)
    )


def distance(
    rows: Sequence[Row], columns: Sequence[Column], one: int, other: int, normalise: bool = False
) -> float:
    """The distance of two rows."""
    return f_DIS(rows, columns, [one, other], normalise)


def matrix(
    rows: Sequence[Row], columns: Sequence[Column], normalise: bool = False
) -> list[list[float]]:
    """The distances of all pairs of rows."""
    every = range(len(rows))
    return [[distance(rows, columns, i, j, normalise) for j in every] for i in every]


def class_error(
    rows: Sequence[Row], columns: Sequence[Column], members: Sequence[int], normalise: bool = False
) -> float:
    """f_DIS times the size (Definition 6)."""
    return f_DIS(rows, columns, members, normalise) * len(members)


def error(
    rows: Sequence[Row], columns: Sequence[Column], classes: Classes, normalise: bool = False
) -> float:
    """The error of a release."""
    return sum(class_error(rows, columns, members, normalise) for members in classes)


def edge_sum(
    rows: Sequence[Row], columns: Sequence[Column], classes: Classes, normalise: bool = False
) -> float:
    """The sum of the distances of all pairs of rows that share a class."""
    return sum(
        distance(rows, columns, i, j, normalise)
        for members in classes
        for i in members
        for j in members
        if i < j
    )


# The adjacency matrix (section 3.4.1).


def adjacency(
    rows: Sequence[Row],
    columns: Sequence[Column],
    k: int,
    holds: Holds | None = None,
    normalise: bool = False,
) -> Classes:
    """Classes in order of forming, their rows in table order.

    Repeat while at least 2k rows are left: every row left has a star, which is the row and its
    nearest rows left, ties by table order, as many as make k. The star with the smallest sum of
    distances from its centre wins, ties by table order of the centre. With w the largest of these
    distances, the other rows left that are within w of some row of the star join it in order of
    their distance to the nearest row of the star, then table order, while the class has fewer than
    2k-1 rows and at least k rows stay left. The last fewer than 2k rows are one class.

    With further requirements `holds`, which see the rows of a class:
    - the winning star goes on with its centre's nearest rows until it holds; where it never does,
      no more stars are made;
    - with s its size then, rows join while the class has fewer than 2s-1 rows, and the first row
      with which the class would not hold ends that;
    - once fewer than 2k rows are left, or no more stars are made, the rows left are one class if
      they are k or more and hold. Else each of them, in table order, joins the class that holds
      with it and whose error grows least, ties by order of forming, just as rows that are inserted
      later do. Rows that no class can take are in no class.

    Raises ValueError where not even all rows together are k and hold.
    """
    fits = _fits(k, holds)
    if not fits(range(len(rows))):
        raise ValueError("All rows together are not enough.")
    near = [[tick(d) for d in line] for line in matrix(rows, columns, normalise)]
    left = list(range(len(rows)))
    classes: Classes = []
    while len(left) >= 2 * k:
        stars = [_star(near, left, centre)[:k] for centre in left]
        best = min(stars, key=lambda s: (sum(near[s[0]][m] for m in s), s[0]))
        ordered = _star(near, left, best[0])
        star = next((ordered[:n] for n in range(k, len(left) + 1) if fits(ordered[:n])), None)
        if star is None:
            break
        members = _with_associated(near, left, star, k, fits)
        left = [row for row in left if row not in members]
        classes.append(sorted(members))
    if fits(left):
        return [*classes, left]
    for row in left:
        _join_cheapest(rows, columns, classes, row, fits, normalise)
    return classes


def _fits(k: int, holds: Holds | None) -> Holds:
    return lambda members: len(members) >= k and (holds is None or holds(members))


def _star(near: Sequence[Sequence[int]], left: Sequence[int], centre: int) -> list[int]:
    """The centre, then the other rows left, the nearest first."""
    others = (row for row in left if row != centre)
    return [centre, *sorted(others, key=lambda row: (near[centre][row], row))]


def _with_associated(
    near: Sequence[Sequence[int]], left: Sequence[int], star: Sequence[int], k: int, fits: Holds
) -> list[int]:
    widest = max(near[star[0]][m] for m in star)
    to_star = {row: min(near[m][row] for m in star) for row in left if row not in star}
    members = list(star)
    for row in sorted(to_star, key=lambda row: (to_star[row], row)):
        room = len(members) < 2 * len(star) - 1 and len(left) - len(members) > k
        if not (room and to_star[row] <= widest and fits([*members, row])):
            break
        members.append(row)
    return members


def _join_cheapest(
    rows: Sequence[Row],
    columns: Sequence[Column],
    classes: Classes,
    row: int,
    fits: Holds,
    normalise: bool,
) -> None:
    def growth(members: Sequence[int]) -> int:
        after = class_error(rows, columns, [*members, row], normalise)
        return tick(after - class_error(rows, columns, members, normalise))

    able = [members for members in classes if fits([*members, row])]
    if able:
        chosen = min(able, key=growth)
        chosen.append(row)
        chosen.sort()


# The weighted graph (section 3.4.2).


def weighted_graph_optimum(
    rows: Sequence[Row],
    columns: Sequence[Column],
    k: int,
    holds: Holds | None = None,
    normalise: bool = False,
) -> Classes:
    """Of all partitions into classes of k rows or more that hold, one with the least edge sum.

    Of several the lexicographically first: classes as ascending tuples, ordered by their first
    row, and these tuples compared one after the other. Exhaustive: for up to about 12 rows. Raises
    ValueError where there is no such partition.
    """
    search = _Search(matrix(rows, columns, normalise), k, holds)
    search.go([], list(range(len(rows))), 0)
    if search.best is None:
        raise ValueError("There is no such partition.")
    return [list(members) for members in search.best]


class _Search:
    """Depth first, in lexicographic order, so that the first of equals is found first."""

    def __init__(self, weights: list[list[float]], k: int, holds: Holds | None) -> None:
        self.weights = [[tick(w) for w in line] for line in weights]
        self.k, self.fits, self.any_size = k, _fits(k, holds), holds is not None
        self.best: Classes | None = None
        self.least: int | None = None

    def go(self, done: Classes, left: list[int], so_far: int) -> None:
        if self.least is not None and so_far + self.bound(left) >= self.least:
            return
        if not left:
            self.best, self.least = done, so_far
            return
        for members in self.groups([left[0]], left[1:]):
            inside = sum(self.weights[i][j] for i in members for j in members if i < j)
            rest = [row for row in left if row not in members]
            self.go([*done, members], rest, so_far + inside)

    def bound(self, left: Sequence[int]) -> float:
        """Every row left will have edges to k - 1 others or more; an edge is shared by two."""
        shares = [sorted(self.weights[i][j] for j in left if j != i)[: self.k - 1] for i in left]
        return sum(map(sum, shares)) / 2

    def groups(self, members: list[int], after: Sequence[int]) -> Iterator[list[int]]:
        """All classes that begin with these members, each before its own extensions.

        A class of 2k rows or more is never first: its first k rows and the others, as two classes,
        have no larger a sum and come earlier. That need not be so where more must hold.
        """
        if self.fits(members):
            yield members
        if self.any_size or len(members) < 2 * self.k - 1:
            for place, row in enumerate(after):
                yield from self.groups([*members, row], after[place + 1 :])


# k-member (Byun et al. 2007).


def width(column: Column, values: Sequence[Value]) -> float:
    """What one cell loses in a class of these values: range, leaves or set, by the whole domain."""
    if column[0] == "numeric":
        return _range(column, values, normalise=True)
    if column[0] == "set":
        return (len(set(values)) - 1) / (column[1] - 1) if column[1] > 1 else 0.0
    level, n_leaves = common_level(column, values), len(column[1])
    if level == len(column[1][0]):
        return 1.0
    node = next(p for p in column[1] if p[0] == values[0])[level]
    n_under = sum(p[level] == node for p in column[1])
    return (n_under - 1) / (n_leaves - 1) if n_leaves > 1 else 0.0


def class_loss(rows: Sequence[Row], columns: Sequence[Column], members: Sequence[int]) -> float:
    """Size times the sum over the columns of what one cell loses."""
    cells = ([rows[m][i] for m in members] for i in range(len(columns)))
    return len(members) * sum(map(width, columns, cells))


def k_member(
    rows: Sequence[Row],
    columns: Sequence[Column],
    k: int,
    starts: int,
    loss: Callable[[Sequence[int]], float] | None = None,
    holds: Holds | None = None,
) -> Classes:
    """Classes in order of forming, their rows in order of joining.

    The first class begins with the row `starts`, each other one with the row left that is farthest
    (normalised distance, Byun's own) from the row with which the class before it began. To a class
    is added the row left that increases its loss least, until it has k rows. Once fewer than k
    rows are left each of them, in table order, joins the class whose loss it increases least.
    Ties by table order of the rows, and by order of forming of the classes. `loss` sees the rows
    of a class; left out, it is `class_loss`.

    With further requirements `holds`, which see the rows of a class: a class grows beyond k rows
    until it holds. The rows of one that does not hold even with all rows left are left over, and
    join only classes that hold with them. Rows that no class can take are in no class.
    """
    if len(rows) < k:
        raise ValueError("All rows together are not enough.")
    fits, cost = _fits(k, holds), loss or (lambda members: class_loss(rows, columns, members))

    def growth(members: Sequence[int], row: int) -> int:
        return tick(cost([*members, row]) - cost(members))

    left = list(range(len(rows)))
    classes: Classes = []
    while len(left) >= k:
        if classes:
            before = classes[-1][0]
            starts = max(left, key=lambda r: tick(distance(rows, columns, before, r, True)))
        members, others = [starts], [row for row in left if row != starts]
        while others and not fits(members):
            members.append(min(others, key=lambda row: growth(members, row)))
            others.remove(members[-1])
        if not fits(members):
            break
        classes.append(members)
        left = others
    for row in left:
        able = [members for members in classes if fits([*members, row])]
        if able:
            min(able, key=lambda members: growth(members, row)).append(row)
    return classes
