"""A slow, obvious twin of QI-MHSA and Top-Down, over plain tuples, written from the specification.

A row's number is its place in the table. A class is a list of rows in table order; classes stand
in the order of their first rows all the time. All arithmetic is in fractions. What is random comes
from outside: `orders` holds, per sensitive attribute, all rows in random order (`conceal`).

Decisions where the specification is silent:

Hierarchies
- One column of a tree is one level. Where a tree has one top, that is the root, under its own
  name; where it has several, `*` stands above them. So there is one symbol for the root. A leaf
  that has the root's name one level up ("Private", "*", "*") is at the root there.
- Trees are given as pruned (`pruned`): all their leaves count.
- A numeric hierarchy may have several lists of cuts, each a part of the list before. A cut belongs
  to the interval above it. A part of an interval outside the domain does not count as range.
- A numeric QI is covered by the range of its values, also where it has cuts (Top-Down alone uses
  those).

Flags
- high is tried before middle before low: a value that two rules cover takes the higher flag.
- Conditions: comparisons (< <= > >= == !=) of x with numbers, in chains, joined by `and` and `or`
  (`and` first); no brackets, no arithmetic. Lists hold for numbers too: 30000 covers 30000.0.
- A flag column holds 0, 1 or 2, as number or text, and nothing else.

Classes and l
- k-division needs k rows, else it is an error. `quasi` sorts by the QIs in their order: numbers by
  value, leaves as the tree is drawn (siblings together), ties by table order.
- What cannot be had by the whole table as one class is an error before any merging; with that
  checked, "one class left and still failing" cannot come about. All attributes that fail are
  named with the largest l that each allows.
- "Aims at frequency as far as that can be had" (no kind named) = per attribute: frequency where
  the whole table has it, else distinct (`kinds_aimed_at`).
- Nearest counts the infoloss that is added over all cells of both classes, in QIs and sensitive
  cells (`over="all"`; symbols formed as step 4 would form them, lifted cells as they are);
  `over="quasi"` counts QIs only. It may be negative (one-sided symbols).
- The failing class that comes first merges once; then all classes are looked at anew.

Publishing
- `interval` never publishes a bare value: the tightest interval is at least the first level of
  cuts. It covers all values of the class, those of `*` cells too. (`covers="shown"` is not in the
  specification: numeric class symbols then pass over cells of flag 2 and lifted cells, which stand
  at their own level; see what the rules alone give away otherwise, in the tests.)
- `one-sided` takes no note of flags (Table 5: flag 2 is published as >=50k) and uses the finest
  cuts; without cuts it is `*`.

Leak
- A symbol is the published text. Flagged: flag 1 or 2, whatever was lifted.
- Mean and worst are per attribute; together: cells pooled, a person's risk is that of the worst
  attribute. Without flagged cells the cell risks are 0.

Conceal
- Per cell there is a least level (`lifted`), 0 at first; it only rises. A cell is published at the
  higher one of that and what step 4 gives.
- (1) level by level from below, posteriors anew at every level: where a symbol other than the root
  has flagged cells and breaks 1/l, its flagged cells of that level go one level up. The parent of
  a one-sided symbol is `*`. Attributes in order.
- (2) only where a flagged cell is at the root and the root breaks 1/l. Candidates are all cells of
  the attribute that are not published as the root, flag 2 (only where one-sided symbols take no
  note of it) in the order handed in, then flags 1 and 0 in the same order; one is lifted to the
  root where its value has fewer than n1 cells there, until there are l n1. The order is one per
  attribute for the whole run. An error names what the failing root allows: the sum over values of
  min(n1, cells of that value) by n1, rounded down. A lower l fits this root for certain; a higher
  one might fit too, as it may be met with a smaller n1.
- (3) repeats "first class above 1/l (in any attribute) takes in its nearest; risks anew" until no
  class is above; then comes the next round.

Measures
- An original value costs 0, a constant numeric domain too. Privacy loss is by original values.

Top-Down
- Nodes of one cut never share a leaf: node order is that of the first leaf in the tree as given,
  for numbers that of the values. Specialisations that lower no loss (an only child) are carried
  out as well, last. The whole table at the roots must hold what is asked, else it is an error.
- A numeric QI with cuts goes root, intervals, values; without cuts it is an error.

What the two risks bound, as the tests show by counting all worlds of small tables. Every adversary
here knows everyone's class and which sensitive rows the table has, but not whose they are.
- Who also knows how many cells of each value each symbol hides, and nothing of the method, infers
  exactly these risks (`belief_by_counts`).
- Who knows the rules (flags, hierarchies, how symbols are formed, and that each class has l), but
  not those counts (`belief_by_rules`), is held to 1/l per person where l is by frequency: every
  class of every world that fits has it. Where l is distinct, both risks can be exceeded, also
  beyond 1/l; by frequency the cell risk still can.
- Who replays the method (`belief_by_replay`) can be certain of a person whatever the risks say:
  that a class was merged, and with which, tells that one failed, and which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, permutations, product
from operator import eq, ge, gt, le, lt, ne
from typing import Any

Value = Any
Class = list[int]
Levels = tuple[tuple[int, ...], ...]  # per row and sensitive attribute
Orders = Sequence[Sequence[int]]  # per sensitive attribute all rows
Holds = Callable[[Class], bool]
LOW, MIDDLE, HIGH = 0, 1, 2
WORDS = {"low": LOW, "middle": MIDDLE, "high": HIGH}


class NotPossibleError(Exception):
    """What is asked cannot be had; per sensitive attribute the largest l that can, where known."""

    def __init__(self, text: str, largest: Mapping[int, int] | None = None) -> None:
        self.largest = dict(largest or {})
        super().__init__(f"{text}; largest possible l: {self.largest}" if largest else text)


def exact(number: Any) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


# Hierarchies.


@dataclass(frozen=True)
class Tree:
    """One row per leaf: the leaf, then its ancestors level by level."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Numbers:
    """A domain, and lists of cuts from fine to coarse; no list: the value and `*`."""

    low: float
    high: float
    cuts: tuple[tuple[float, ...], ...] = ()


Attribute = Tree | Numbers


@dataclass(frozen=True)
class Label:
    """What is published for a cell, and what that costs."""

    text: str
    infoloss: Fraction
    glm: Fraction


def pruned(tree: Tree, values: Iterable[Value]) -> Tree:
    """The tree of these leaves only."""
    kept = set(values)
    return Tree(tuple(row for row in tree.rows if row[0] in kept))


def interval(cuts: Sequence[float], value: Value) -> str:
    """The text of the interval between cuts.

    >>> [interval((3, 5), x) for x in (2, 3, 4.5, 5)]
    ['<3', '[3, 5[', '[3, 5[', '>=5']
    """
    below = [c for c in cuts if exact(c) <= exact(value)]
    above = [c for c in cuts if exact(c) > exact(value)]
    if not below:
        return f"<{above[0]}"
    return f"[{below[-1]}, {above[0]}[" if above else f">={below[-1]}"


@lru_cache(maxsize=None, typed=True)
def path(kind: Attribute, value: Value) -> tuple[str, ...]:
    """The texts of a value from itself up to the root, one per level."""
    if isinstance(kind, Numbers):
        return (str(value), *(interval(cuts, value) for cuts in kind.cuts), "*")
    own = next(row for row in kind.rows if row[0] == value)
    return (*own, "*") if len({row[-1] for row in kind.rows}) > 1 else own


def top(kind: Attribute) -> int:
    """The level of the root."""
    if isinstance(kind, Numbers):
        return len(kind.cuts) + 1
    return len(path(kind, kind.rows[0][0])) - 1


def root(kind: Attribute) -> str:
    """The text of the root."""
    return "*" if isinstance(kind, Numbers) else path(kind, kind.rows[0][0])[-1]


def common_level(kind: Attribute, values: Iterable[Value], least: int = 0) -> int:
    """The level, at least this one, of the lowest common ancestor."""
    paths = [path(kind, v) for v in values]
    level = least
    while len({p[level] for p in paths}) > 1:
        level += 1
    return level


def between(kind: Numbers, text: str, low: Any, high: Any) -> Label:
    """A range of numbers; None is the domain's end."""
    first, last = exact(kind.low), exact(kind.high)
    start = first if low is None else max(first, exact(low))
    end = last if high is None else min(last, exact(high))
    share = max(end - start, Fraction(0)) / (last - first) if last > first else Fraction(0)
    return Label(text, share, share)


@lru_cache(maxsize=None, typed=True)
def node(kind: Attribute, value: Value, level: int) -> Label:
    """The ancestor of a value at a level."""
    text = path(kind, value)[level]
    if isinstance(kind, Tree):
        under = sum(path(kind, row[0])[level] == text for row in kind.rows)
        every = len(kind.rows)
        return Label(text, Fraction(under - 1, every), Fraction(under - 1, max(every - 1, 1)))
    if level == 0:
        return between(kind, text, value, value)
    if level == top(kind):
        return between(kind, text, None, None)
    cuts = kind.cuts[level - 1]
    below = [c for c in cuts if exact(c) <= exact(value)]
    above = [c for c in cuts if exact(c) > exact(value)]
    return between(kind, text, below[-1] if below else None, above[0] if above else None)


def cover(kind: Attribute, values: Sequence[Value]) -> Label:
    """What a class shows of a QI: the lowest common ancestor, or the range."""
    if isinstance(kind, Tree):
        return node(kind, values[0], common_level(kind, values))
    low, high = min(values, key=exact), max(values, key=exact)
    return between(kind, str(low) if low == high else f"[{low}, {high}]", low, high)


def one_sided(kind: Numbers, values: Sequence[Value]) -> Label:
    """`>=` the largest cut that all reach, else `<` the smallest that none reaches, else `*`."""
    cuts = kind.cuts[0] if kind.cuts else ()
    reached = [c for c in cuts if all(exact(v) >= exact(c) for v in values)]
    missed = [c for c in cuts if all(exact(v) < exact(c) for v in values)]
    if reached:
        return between(kind, f">={reached[-1]}", reached[-1], None)
    if missed:
        return between(kind, f"<{missed[0]}", None, missed[0])
    return between(kind, "*", None, None)


# Flags.


def flags_by_rules(values: Sequence[Value], rules: Mapping[str, Any]) -> list[int]:
    """The flag of each value by `high`, `middle`, `low` (lists or conditions) and `default`."""
    found = [_flag(value, rules) for value in values]
    uncovered = [row for row, flag in enumerate(found) if flag is None]
    if uncovered:
        raise ValueError(f"no rule covers rows {uncovered}, and there is no default")
    return [flag for flag in found if flag is not None]


def _flag(value: Value, rules: Mapping[str, Any]) -> int | None:
    for word in ("high", "middle", "low"):
        rule = rules.get(word, [])
        if holds(rule, value) if isinstance(rule, str) else value in rule:
            return WORDS[word]
    return WORDS[rules["default"]] if "default" in rules else None


TOKEN = re.compile(r"\s*(<=|>=|==|!=|<|>|and\b|or\b|x\b|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
SIGNS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


def tokens(text: str) -> list[str]:
    """The condition word by word; ValueError where something else stands."""
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"not a condition from character {at + 1} on")
        found.append(match[1])
        at = match.end()
    return found


def split_at(words: Sequence[str], word: str) -> list[list[str]]:
    """The words between occurrences of a word."""
    parts: list[list[str]] = [[]]
    for each in words:
        if each == word:
            parts.append([])
        else:
            parts[-1].append(each)
    return parts


def holds(condition: str, x: Any) -> bool:
    """Whether a number meets a condition; all of it is read, whatever the number is.

    >>> [holds("30000 < x < 50000", x) for x in (30000, 30001, 50000)]
    [False, True, False]
    """
    either = split_at(tokens(condition), "or")
    met = [[_chain(chain, exact(x)) for chain in split_at(both, "and")] for both in either]
    return any(all(each) for each in met)


def _chain(words: Sequence[str], x: Fraction) -> bool:
    terms, signs = words[::2], words[1::2]
    well = len(terms) == len(signs) + 1 >= 2 and all(sign in SIGNS for sign in signs)
    if not well or "x" not in terms or any(t in SIGNS for t in terms):
        raise ValueError("a condition compares x with numbers")
    numbers = [x if term == "x" else exact(term) for term in terms]
    return all(SIGNS[s](a, b) for s, (a, b) in zip(signs, pairwise(numbers), strict=True))


def flags_by_column(cells: Sequence[Any]) -> list[int]:
    """The flags of a column of 0, 1 and 2."""
    wrong = [row for row, cell in enumerate(cells) if str(cell) not in ("0", "1", "2")]
    if wrong:
        raise ValueError(f"rows {wrong} hold no flag")
    return [int(cell) for cell in cells]


# Classes.


@dataclass(frozen=True)
class Table:
    """QI values, sensitive values and their flags, row by row, and the option `numeric`."""

    quasi: tuple[Attribute, ...]
    sensitive: tuple[Attribute, ...]
    qi_rows: tuple[tuple[Value, ...], ...]
    rows: tuple[tuple[Value, ...], ...]
    flags: tuple[tuple[int, ...], ...]
    numeric: str = "interval"  # or one-sided, by-flag
    covers: str = "class"  # or shown: numeric class symbols pass over cells that do not show them

    def values(self, attribute: int, rows: Iterable[int]) -> list[Value]:
        """The sensitive values of these rows."""
        return [self.rows[row][attribute] for row in rows]

    def qi_values(self, attribute: int, rows: Iterable[int]) -> list[Value]:
        """The QI values of these rows."""
        return [self.qi_rows[row][attribute] for row in rows]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.rows)


def place(kind: Attribute, value: Value) -> Any:
    """Where a value stands: as a number, or as a leaf of the drawn tree."""
    if isinstance(kind, Numbers):
        return exact(value)
    paths = [path(kind, row[0]) for row in kind.rows]
    own = path(kind, value)
    return [
        next(i for i, p in enumerate(paths) if p[h:] == own[h:]) for h in range(top(kind), -1, -1)
    ]


def k_division(table: Table, k: int, order: str = "input") -> list[Class]:
    """Consecutive runs of k rows, as they come or sorted by the QIs; the last takes the rest."""
    if table.size < k:
        raise NotPossibleError(f"{table.size} rows, and k is {k}")
    rows = list(range(table.size))
    if order == "quasi":
        kinds = table.quasi
        rows.sort(key=lambda r: [place(q, v) for q, v in zip(kinds, table.qi_rows[r], strict=True)])
    starts = [k * i for i in range(table.size // k)]
    ends = [*starts[1:], table.size]
    return sorted(sorted(rows[start:end]) for start, end in zip(starts, ends, strict=True))


def allowed_l(values: Sequence[Value], kind: str) -> int:
    """The largest l that these values have."""
    counts = Counter(values)
    return len(counts) if kind == "distinct" else len(values) // max(counts.values())


def kinds_aimed_at(table: Table, l: int) -> list[str]:  # noqa: E741
    """Per sensitive attribute what step 3 tests where the plan names no kind."""
    everyone = range(table.size)
    frequent = [allowed_l(table.values(a, everyone), "frequency") >= l for a in attributes(table)]
    return ["frequency" if each else "distinct" for each in frequent]


def attributes(table: Table) -> range:
    """The numbers of the sensitive attributes."""
    return range(len(table.sensitive))


def diverse(table: Table, rows: Class, l: int, kinds: Sequence[str]) -> bool:  # noqa: E741
    """Whether every sensitive attribute of a class has l."""
    return all(allowed_l(table.values(a, rows), kinds[a]) >= l for a in attributes(table))


def repair_l(
    table: Table,
    classes: Sequence[Class],
    l: int,  # noqa: E741
    kinds: Sequence[str],
    over: str = "all",
) -> list[Class]:
    """The first class that falls short takes in its nearest, until none falls short."""
    largest = {
        a: allowed_l(table.values(a, range(table.size)), kinds[a]) for a in attributes(table)
    }
    if min(largest.values()) < l:
        raise NotPossibleError("l-diversity", {a: m for a, m in largest.items() if m < l})
    now = sorted(classes)
    while failing := [c for c in now if not diverse(table, c, l, kinds)]:
        now = take_in_nearest(table, now, failing[0], unlifted(table), over)
    return now


def take_in_nearest(
    table: Table, classes: Sequence[Class], one: Class, lifted: Levels, over: str
) -> list[Class]:
    """The classes after one has taken in that which adds least infoloss, ties: the earlier."""
    others = [c for c in classes if c != one]
    nearest = min(others, key=lambda c: added_infoloss(table, one, c, lifted, over))
    return sorted([*(c for c in others if c != nearest), sorted(one + nearest)])


def added_infoloss(
    table: Table, one: Class, two: Class, lifted: Levels, over: str = "all"
) -> Fraction:
    """Infoloss of both as one class less that of each, summed over their rows."""

    def cost(rows: Class) -> Fraction:
        quasi, sensitive = class_labels(table, rows, lifted)
        cells = [*quasi, *([cell for row in sensitive for cell in row] if over == "all" else [])]
        weights = [len(rows)] * len(quasi) + [1] * (len(cells) - len(quasi))
        return sum((w * c.infoloss for w, c in zip(weights, cells, strict=True)), Fraction(0))

    return cost(sorted(one + two)) - cost(one) - cost(two)


# Publishing.


@dataclass(frozen=True)
class Release:
    """Classes, and per row the labels of the QIs and of the sensitive attributes."""

    classes: list[Class]
    quasi: list[tuple[Label, ...]]
    sensitive: list[tuple[Label, ...]]

    def texts(self, attribute: int) -> list[str]:
        """A sensitive column as published."""
        return [row[attribute].text for row in self.sensitive]


def unlifted(table: Table) -> Levels:
    """No cell lifted."""
    return tuple((0,) * len(table.sensitive) for _ in table.rows)


def by_flag(table: Table, a: int) -> bool:
    """Whether the cells of an attribute go by their flags alone."""
    return isinstance(table.sensitive[a], Tree) or table.numeric == "by-flag"


def aside(table: Table, a: int, row: int, lifted: Levels) -> bool:
    """Whether a numeric class symbol passes over a cell (never where it covers the class)."""
    hidden = table.flags[row][a] == HIGH and table.numeric == "interval"
    return table.covers == "shown" and (hidden or lifted[row][a] > 0)


def covered(table: Table, a: int, rows: Class, lifted: Levels) -> list[Value]:
    """The values that a numeric class symbol covers."""
    return table.values(a, [row for row in rows if not aside(table, a, row, lifted)])


def first_level(table: Table, a: int, row: int, rows: Class, lifted: Levels) -> int:
    """The level that step 4 gives to a cell."""
    kind, flag = table.sensitive[a], table.flags[row][a]
    if by_flag(table, a):
        return (0, min(1, top(kind)), top(kind))[flag]
    if flag == HIGH and table.numeric == "interval":
        return top(kind)
    if aside(table, a, row, lifted):
        return 0
    values = covered(table, a, rows, lifted)
    if table.numeric == "interval":
        return common_level(kind, values, least=1)
    assert isinstance(kind, Numbers)
    return top(kind) if one_sided(kind, values).text == "*" else 1


def cell_level(table: Table, a: int, row: int, rows: Class, lifted: Levels) -> int:
    """The level at which a sensitive cell is published."""
    return max(first_level(table, a, row, rows, lifted), lifted[row][a])


def cell_label(table: Table, a: int, row: int, rows: Class, lifted: Levels) -> Label:
    """What is published for a sensitive cell."""
    kind, level = table.sensitive[a], cell_level(table, a, row, rows, lifted)
    if isinstance(kind, Numbers) and table.numeric == "one-sided" and level < top(kind):
        return one_sided(kind, covered(table, a, rows, lifted))
    return node(kind, table.rows[row][a], level)


def class_labels(
    table: Table, rows: Class, lifted: Levels
) -> tuple[tuple[Label, ...], list[tuple[Label, ...]]]:
    """The QI labels of a class, and the sensitive labels of each of its rows."""
    quasi = tuple(cover(kind, table.qi_values(a, rows)) for a, kind in enumerate(table.quasi))
    sensitive = [
        tuple(cell_label(table, a, row, rows, lifted) for a in attributes(table)) for row in rows
    ]
    return quasi, sensitive


def publish(table: Table, classes: Sequence[Class], lifted: Levels | None = None) -> Release:
    """Both halves, joined on the class."""
    quasi: dict[int, tuple[Label, ...]] = {}
    sensitive: dict[int, tuple[Label, ...]] = {}
    for rows in classes:
        of_class, of_rows = class_labels(table, rows, lifted or unlifted(table))
        quasi |= dict.fromkeys(rows, of_class)
        sensitive |= dict(zip(rows, of_rows, strict=True))
    everyone = range(table.size)
    return Release(
        sorted(classes), [quasi[row] for row in everyone], [sensitive[row] for row in everyone]
    )


# What symbols give away.


def posteriors(table: Table, release: Release, a: int) -> dict[str, dict[Value, Fraction]]:
    """post(v|g) of every symbol g over the whole release."""
    held: dict[str, list[Value]] = {}
    for row, text in enumerate(release.texts(a)):
        held.setdefault(text, []).append(table.rows[row][a])
    return {
        text: {v: Fraction(n, len(values)) for v, n in Counter(values).items()}
        for text, values in held.items()
    }


def cell_risks(table: Table, release: Release, a: int) -> dict[int, Fraction]:
    """Per row whose cell is flagged: the highest post of its symbol."""
    post, texts = posteriors(table, release, a), release.texts(a)
    return {r: max(post[texts[r]].values()) for r in range(table.size) if table.flags[r][a]}


def mean_posterior(table: Table, release: Release, a: int, rows: Class) -> dict[Value, Fraction]:
    """Per value the mean of post over the rows of a class."""
    post, texts = posteriors(table, release, a), release.texts(a)
    values = set(table.values(a, range(table.size)))
    return {
        v: sum((post[texts[r]].get(v, Fraction(0)) for r in rows), Fraction(0)) / len(rows)
        for v in values
    }


def person_risks(table: Table, release: Release, a: int) -> dict[int, Fraction]:
    """Per row: the highest mean post in its class."""
    return {
        row: max(mean_posterior(table, release, a, rows).values())
        for rows in release.classes
        for row in rows
    }


def leak(table: Table, release: Release, only: int | None = None) -> dict[str, Fraction]:
    """Worst and mean of both risks, of one attribute or of all together."""
    chosen = attributes(table) if only is None else [only]
    cells = [risk for a in chosen for risk in cell_risks(table, release, a).values()]
    people = [person_risks(table, release, a) for a in chosen]
    worst = [max(risks[row] for risks in people) for row in range(table.size)]
    return {
        "cell worst": max(cells, default=Fraction(0)),
        "cell mean": sum(cells, Fraction(0)) / max(len(cells), 1),
        "person worst": max(worst),
        "person mean": sum(worst, Fraction(0)) / len(worst),
    }


# Conceal.


@dataclass(frozen=True)
class State:
    """Where concealing stands; `drawn`: whether an order was needed so far."""

    classes: list[Class]
    lifted: Levels
    drawn: bool = False


def conceal(
    table: Table,
    classes: Sequence[Class],
    l: int,  # noqa: E741
    orders: Orders,
    over: str = "all",
) -> list[State]:
    """The state at the start and after each round; the last round changed nothing."""
    states = [State(sorted(classes), unlifted(table))]
    while len(states) < 2 or states[-1] != states[-2]:
        now = states[-1]
        for a in attributes(table):
            now = raise_nodes(table, now, l, a)
        for a in attributes(table):
            now = fill_root(table, now, l, a, orders[a])
        states.append(merge_risky(table, now, l, over))
    return states


def lift(lifted: Levels, cells: Iterable[int], a: int, level: int) -> Levels:
    """These rows' cells at this level at least."""
    chosen = set(cells)
    return tuple(
        tuple(max(old, level) if b == a and row in chosen else old for b, old in enumerate(levels))
        for row, levels in enumerate(lifted)
    )


def raise_nodes(table: Table, state: State, l: int, a: int) -> State:  # noqa: E741
    """Step (1) on one attribute."""
    kind = table.sensitive[a]
    for level in range(top(kind)):
        release = publish(table, state.classes, state.lifted)
        risks, texts = cell_risks(table, release, a), release.texts(a)
        at = cell_levels(table, state, a)
        up = [
            row
            for row, risk in risks.items()
            if at[row] == level and texts[row] != root(kind) and risk > Fraction(1, l)
        ]
        direct = isinstance(kind, Numbers) and table.numeric == "one-sided"
        target = top(kind) if direct else level + 1
        state = replace(state, lifted=lift(state.lifted, up, a, target))
    return state


def cell_levels(table: Table, state: State, a: int) -> dict[int, int]:
    """The level of every cell of an attribute."""
    return {
        row: cell_level(table, a, row, rows, state.lifted) for rows in state.classes for row in rows
    }


def fill_root(
    table: Table,
    state: State,
    l: int,  # noqa: E741
    a: int,
    order: Sequence[int],
) -> State:
    """Step (2) on one attribute."""
    assert sorted(order) == list(range(table.size))
    kind, texts = table.sensitive[a], publish(table, state.classes, state.lifted).texts(a)
    at_root = [row for row, text in enumerate(texts) if text == root(kind)]
    if not any(table.flags[row][a] for row in at_root):
        return state
    held = Counter(table.values(a, at_root))
    n1 = max(held.values())
    if n1 * l <= len(at_root):
        return state
    outside = [row for row in order if row not in at_root]
    chosen: list[int] = []
    for row in [r for flag in (HIGH, MIDDLE, LOW) for r in outside if table.flags[r][a] == flag]:
        value = table.rows[row][a]
        if len(at_root) + len(chosen) < l * n1 and held[value] < n1:
            chosen.append(row)
            held[value] += 1
    if len(at_root) + len(chosen) < l * n1:
        every = Counter(table.values(a, range(table.size)))
        raise NotPossibleError("conceal", {a: sum(min(n1, n) for n in every.values()) // n1})
    return State(state.classes, lift(state.lifted, chosen, a, top(kind)), True)


def merge_risky(table: Table, state: State, l: int, over: str) -> State:  # noqa: E741
    """Step (3)."""
    classes = state.classes
    while True:
        release = publish(table, classes, state.lifted)
        risks = [person_risks(table, release, a) for a in attributes(table)]
        risky = [c for c in classes if any(risk[c[0]] > Fraction(1, l) for risk in risks)]
        if not risky:
            return replace(state, classes=classes)
        if len(classes) == 1:
            allowed = {a: int(1 / risk[0]) for a, risk in enumerate(risks)}
            raise NotPossibleError("conceal", {a: m for a, m in allowed.items() if m < l})
        classes = take_in_nearest(table, classes, risky[0], state.lifted, over)


# The whole method, and its measures.


def qi_mhsa(
    table: Table,
    k: int,
    l: int,  # noqa: E741
    kind: str | None = None,
    order: str = "input",
    orders: Orders | None = None,
    over: str = "all",
) -> State:
    """k-division, repair, and concealing where orders are given."""
    kinds = kinds_aimed_at(table, l) if kind is None else [kind] * len(table.sensitive)
    classes = repair_l(table, k_division(table, k, order), l, kinds, over)
    if orders is None:
        return State(classes, unlifted(table))
    return conceal(table, classes, l, orders, over)[-1]


def infoloss(release: Release) -> dict[str, Fraction]:
    """Equations 3 and 4: whole, of the QIs and of the sensitive attributes."""
    n = len(release.quasi)
    parts = {
        name: sum((cell.infoloss for row in rows for cell in row), Fraction(0)) / n
        for name, rows in (("quasi", release.quasi), ("sensitive", release.sensitive))
    }
    return {"all": parts["quasi"] + parts["sensitive"], **parts}


def class_privacy_loss(table: Table, rows: Class) -> Fraction:
    """The larger one of 1/size and the highest share of a sensitive value."""
    most = [max(Counter(table.values(a, rows)).values()) for a in attributes(table)]
    return Fraction(max(1, *most), len(rows))


def privacy_loss(table: Table, classes: Sequence[Class]) -> Fraction:
    """The mean over rows."""
    losses = [len(rows) * class_privacy_loss(table, rows) for rows in classes]
    return sum(losses, Fraction(0)) / sum(map(len, classes))


def rpl(k: int, l: int) -> Fraction:  # noqa: E741
    """The paper's bound on the privacy loss."""
    return max(Fraction(1, k), Fraction(1, l))


def beyond_rpl(table: Table, classes: Sequence[Class], k: int, l: int) -> list[Class]:  # noqa: E741
    """The classes where the paper's bound is broken."""
    return [rows for rows in classes if class_privacy_loss(table, rows) > rpl(k, l)]


# Top-Down.


@dataclass(frozen=True)
class Cut:
    """Per QI the level of each value; the nodes specialised so far; the classes."""

    levels: tuple[dict[Value, int], ...]
    steps: tuple[tuple[int, str], ...]
    classes: list[Class]


def top_down(
    table: Table, k: int, also: Sequence[Holds] = (), by: Callable[[Label], Fraction] | None = None
) -> Cut:
    """From the roots down, each time where the loss (infoloss; `by`: another) drops most."""
    if any(isinstance(kind, Numbers) and not kind.cuts for kind in table.quasi):
        raise NotPossibleError("Top-Down needs a hierarchy for every QI")
    cost = by or (lambda label: label.infoloss)
    roots = tuple(
        dict.fromkeys(values_in_order(table, a), top(q)) for a, q in enumerate(table.quasi)
    )
    cut = Cut(roots, (), classes_of(table, roots))
    if not valid(cut, k, also):
        raise NotPossibleError("the whole table does not hold what is asked")
    while choices := [c for c in specialisations(table, cut) if valid(c, k, also)]:
        cut = min(choices, key=lambda c: cut_loss(table, c, cost))
    return cut


def values_in_order(table: Table, a: int) -> list[Value]:
    """The leaves of a QI as given; for numbers the values present."""
    kind = table.quasi[a]
    if isinstance(kind, Tree):
        return [row[0] for row in kind.rows]
    return sorted(set(table.qi_values(a, range(table.size))), key=exact)


def classes_of(table: Table, levels: Sequence[Mapping[Value, int]]) -> list[Class]:
    """Rows of equal nodes."""
    found: dict[Any, Class] = {}
    for row in range(table.size):
        found.setdefault(tuple(x.text for x in cut_labels(table, levels, row)), []).append(row)
    return sorted(found.values())


def cut_labels(table: Table, levels: Sequence[Mapping[Value, int]], row: int) -> list[Label]:
    """The QIs of a row as a cut publishes them."""
    cells = zip(table.quasi, table.qi_rows[row], levels, strict=True)
    return [node(kind, value, level[value]) for kind, value, level in cells]


def cut_loss(table: Table, cut: Cut, cost: Callable[[Label], Fraction]) -> Fraction:
    """The loss of all QI cells."""
    rows = range(table.size)
    return sum((cost(x) for row in rows for x in cut_labels(table, cut.levels, row)), Fraction(0))


def valid(cut: Cut, k: int, also: Sequence[Holds]) -> bool:
    """Whether every class holds k and what else is asked."""
    return all(len(c) >= k and all(more(c) for more in also) for c in cut.classes)


def specialisations(table: Table, cut: Cut) -> Iterator[Cut]:
    """What one node of one QI one level down gives, in order of QIs and nodes."""
    for a, kind in enumerate(table.quasi):
        levels = cut.levels[a]
        nodes = dict.fromkeys((level, path(kind, v)[level]) for v, level in levels.items() if level)
        for level, text in nodes:
            own = [v for v in levels if levels[v] == level and path(kind, v)[level] == text]
            down = {v: level - (v in own) for v, level in levels.items()}
            changed = (*cut.levels[:a], down, *cut.levels[a + 1 :])
            yield Cut(changed, (*cut.steps, (a, text)), classes_of(table, changed))


# What adversaries infer who know everyone's class and the table's sensitive rows as a multiset,
# but not whose they are. A belief is, per row and sensitive attribute, the chance of each value.

Belief = list[list[dict[Value, Fraction]]]
World = tuple[int, ...]  # world[row]: the row of the true table whose sensitive values row has


def worlds(table: Table) -> list[World]:
    """Every arrangement of the sensitive rows, one for all that look alike."""
    found: dict[Any, World] = {}
    for world in permutations(range(table.size)):
        found.setdefault(tuple((table.rows[r], table.flags[r]) for r in world), world)
    return list(found.values())


def rearranged(table: Table, world: World) -> Table:
    """The table of a world."""
    rows, flags = ([part[r] for r in world] for part in (table.rows, table.flags))
    return replace(table, rows=tuple(rows), flags=tuple(flags))


def belief(table: Table, weighted: Iterable[tuple[World, int]]) -> Belief:
    """The chances that weighted worlds give."""
    seen: list[list[Counter[Value]]] = [[Counter() for _ in table.sensitive] for _ in table.rows]
    total = 0
    for world, weight in weighted:
        total += weight
        for row, source in enumerate(world):
            for a in attributes(table):
                seen[row][a][table.rows[source][a]] += weight
    return [[{v: Fraction(n, total) for v, n in c.items()} for c in row] for row in seen]


def pooled(found: Belief, classes: Sequence[Class]) -> Belief:
    """Beliefs about published rows made beliefs about people: any of the class may be any row."""
    mine = {row: rows for rows in classes for row in rows}
    return [
        [_mean([found[other][a] for other in mine[row]]) for a in range(len(found[row]))]
        for row in range(len(found))
    ]


def _mean(chances: Sequence[Mapping[Value, Fraction]]) -> dict[Value, Fraction]:
    values = {v for each in chances for v in each}
    return {
        v: sum((c.get(v, Fraction(0)) for c in chances), Fraction(0)) / len(chances) for v in values
    }


def belief_by_counts(table: Table, state: State) -> Belief:
    """About published rows, by one who knows how many cells of each value each symbol hides.

    Nothing else is known of how the release came about; each attribute by itself.
    """
    release = publish(table, state.classes, state.lifted)
    texts = [release.texts(a) for a in attributes(table)]
    found: list[list[dict[Value, Fraction]]] = [[] for _ in table.rows]
    for a in attributes(table):
        true = Counter(zip(texts[a], table.values(a, range(table.size)), strict=True))
        alone = replace(
            table, rows=tuple((row[a],) for row in table.rows), flags=((0,),) * table.size
        )
        alone = replace(alone, sensitive=(table.sensitive[a],))
        fits = [
            (w, 1)
            for w in worlds(alone)
            if Counter(zip(texts[a], [table.rows[r][a] for r in w], strict=True)) == true
        ]
        for row, chances in enumerate(belief(alone, fits)):
            found[row].append(chances[0])
    return found


def belief_by_rules(
    table: Table,
    state: State,
    l: int,  # noqa: E741
    kinds: Sequence[str],
    concealed: bool,
) -> Belief:
    """About published rows, by one who knows flags, hierarchies, l and how symbols are formed.

    Not used: which classes were merged and why, how many cells were lifted and whose.
    """
    release = publish(table, state.classes, state.lifted)
    fits = [
        (world, 1)
        for world in worlds(table)
        if _could_be(rearranged(table, world), release, l, kinds, concealed)
    ]
    return belief(table, fits)


def _could_be(
    world: Table,
    release: Release,
    l: int,  # noqa: E741
    kinds: Sequence[str],
    concealed: bool,
) -> bool:
    if not all(diverse(world, rows, l, kinds) for rows in release.classes):
        return False
    return all(
        _symbols_could_be(world, release, a, rows, concealed)
        for rows in release.classes
        for a in attributes(world)
    )


def _symbols_could_be(world: Table, release: Release, a: int, rows: Class, concealed: bool) -> bool:
    """Whether some lifting of a class's cells gives its symbols."""
    texts = [release.sensitive[row][a].text for row in rows]
    levels = [
        _possible_levels(world, a, row, text) if concealed else [0]
        for row, text in zip(rows, texts, strict=True)
    ]
    for chosen in product(*levels):
        lifted = unlifted(world)
        for row, level in zip(rows, chosen, strict=True):
            lifted = lift(lifted, [row], a, level)
        cells = zip(rows, texts, strict=True)
        if all(cell_label(world, a, row, rows, lifted).text == text for row, text in cells):
            return True
    return False


def _possible_levels(world: Table, a: int, row: int, text: str) -> list[int]:
    """Not lifted, or to the root, or, if flagged, to a level between that can be lifted to."""
    kind = world.sensitive[a]
    if text == root(kind):
        return [0, top(kind)]
    return [0, *range(2, top(kind))] if world.flags[row][a] else [0]


View = list[tuple[Class, Counter[tuple[str, ...]]]]


def view(table: Table, state: State) -> View:
    """What is to be seen: everyone's class, and the sensitive rows of each class in no order."""
    release = publish(table, state.classes, state.lifted)
    return [
        (rows, Counter(tuple(cell.text for cell in release.sensitive[row]) for row in rows))
        for rows in release.classes
    ]


def belief_by_replay(
    table: Table,
    run: Callable[[Table, Orders], State],
    orders: Orders,
    draws: Sequence[Orders] | None = None,
) -> Belief:
    """About people, by one who knows all QIs and replays the method on every world and draw.

    `orders` are those of the true release. All draws are equally likely; fewer than all orders
    stand for an adversary who knows of how few the draw was one.
    """
    seen = view(table, run(table, orders))
    rows = range(table.size)
    every = product(permutations(rows), repeat=len(table.sensitive))
    drawn: list[Orders] = list(every) if draws is None else [orders, *draws]
    weighted = []
    for world in worlds(table):
        other = rearranged(table, world)
        first = _attempt(other, run, orders)
        if first is not None and not first.drawn:
            weight = len(drawn) * (view(other, first) == seen)
        else:
            states = [_attempt(other, run, each) for each in drawn]
            weight = sum(state is not None and view(other, state) == seen for state in states)
        weighted.append((world, weight))
    return belief(table, [(world, weight) for world, weight in weighted if weight])


def _attempt(table: Table, run: Callable[[Table, Orders], State], orders: Orders) -> State | None:
    try:
        return run(table, orders)
    except NotPossibleError:
        return None


def highest(found: Belief) -> Fraction:
    """The highest chance in a belief."""
    return max(chance for row in found for chances in row for chance in chances.values())
