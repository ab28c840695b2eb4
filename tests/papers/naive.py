"""Slow, obvious twins of the core, over plain lists, written from the definitions.

A *field* is a quasi-identifier or a sensitive attribute with its cells as text (None is missing).
Classes are lists of units; a unit is a list of rows.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

Text = str | None
Unit = list[int]
Holds = Callable[[Sequence[int]], bool]


def number_text(number: float) -> str:
    """The shortest text that reads back to the same number, whole numbers without a point."""
    whole = float(number).is_integer() and abs(number) < 1e15
    return str(int(number)) if whole else repr(float(number))


@dataclass
class Field:
    """One attribute: `above[value]` are its labels from the original up, where it has a tree."""

    name: str
    kind: str
    cells: list[Text]
    declared: list[Text] = field(default_factory=list)
    domain: tuple[float, float] | None = None
    hierarchy: Any = None

    @cached_property
    def values(self) -> list[Text]:
        """Every value of the domain in the order of its codes; a tree's in depth-first order."""
        present = [v for v in dict.fromkeys(self.cells) if v is not None]
        natural = list(self.declared) or sorted(present, key=self.natural_key)
        if None in self.cells:
            natural.append(None)
        if not self.tree:
            return natural
        return sorted(natural, key=lambda v: self._walk(v, natural))

    def _walk(self, value: Text, natural: list[Text]) -> list[int]:
        """The least rank in each node above a value, from the top down to its own."""
        rank = self._ranks(natural)
        path = self.above(value)
        return [
            min(rank[v] for v in natural if self.above(v)[level] == path[level])
            for level in reversed(range(len(path)))
        ]

    def _ranks(self, natural: list[Text]) -> dict[Text, int]:
        if self.kind == "categorical" and isinstance(self.hierarchy, dict):
            leaves = [path[0] for path in tree_paths(self.hierarchy["tree"])]
            natural = sorted(natural, key=lambda v: (v is None, leaves.index(v) if v else 0))
        return {v: i for i, v in enumerate(natural)}

    def natural_key(self, value: Text) -> Any:
        return self.number(value) if self.kind in ("numeric", "date") else value

    def number(self, value: Text) -> float:
        assert value is not None
        return float(date.fromisoformat(value).toordinal() if self.kind == "date" else value)

    @property
    def tree(self) -> bool:
        return self.hierarchy is not None

    @property
    def is_range(self) -> bool:
        return not self.tree and self.kind in ("numeric", "date")

    @cached_property
    def span(self) -> float:
        if self.domain is not None:
            return self.domain[1] - self.domain[0]
        numbers = [self.number(v) for v in self.values if v is not None]
        return max(numbers) - min(numbers) if numbers else 0.0

    def above(self, value: Text) -> list[Text]:
        """What a value may be published as, level by level."""
        paths = self.paths
        return paths[value]

    @cached_property
    def paths(self) -> dict[Text, list[Text]]:
        present = {v: self._path(v) for v in {*self.cells, *self.declared} if v is not None}
        height = self.height
        has_root = not present or len({tuple(p[-1:]) for p in present.values()}) == 1
        top = next(iter(present.values()))[-1] if present else "*"
        alone: list[Text] = [None] * height
        if has_root and self._adds_root():
            alone[-1] = top
        return {**present, None: alone}

    def _adds_root(self) -> bool:
        """A tree's root is the one label of its top, over the whole of the declared tree."""
        if isinstance(self.hierarchy, dict) and "tree" in self.hierarchy:
            return len({p[-1] for p in tree_paths(self.hierarchy["tree"])}) == 1
        return True

    @property
    def height(self) -> int:
        """The number of levels, the original included."""
        if self.hierarchy == "flat":
            return 2
        if "width" in self.hierarchy:
            return int(self.hierarchy["levels"]) + 2
        if "dates" in self.hierarchy:
            return sum(u != "day" for u in self.hierarchy["dates"]) + 2
        return max(map(len, tree_paths(self.hierarchy["tree"])))

    def _path(self, value: str) -> list[Text]:
        if self.hierarchy == "flat":
            return [value, "*"]
        if "width" in self.hierarchy:
            return [value, *self._widths(value), "*"]
        if "dates" in self.hierarchy:
            units = {"month": value[:7], "year": value[:4]}
            return [value, *(units[u] for u in self.hierarchy["dates"] if u != "day"), "*"]
        path = next(p for p in tree_paths(self.hierarchy["tree"]) if p[0] == value)
        return [*path, *[path[-1]] * (self.height - len(path))]

    def _widths(self, value: str) -> list[str]:
        labels = []
        for level in range(self.hierarchy["levels"]):
            width = self.hierarchy["width"] * 2**level
            low = math.floor(float(value) / width) * width
            labels.append(f"[{number_text(low)}, {number_text(low + width)}[")
        return labels

    def level_of(self, values: set[Text]) -> int | None:
        """The lowest level at which all values share a label; None where they never do."""
        for level in range(self.height):
            if len({self.above(v)[level] for v in values}) == 1:
                return level
        return None

    def n_under(self, value: Text, level: int) -> int:
        return sum(self.above(v)[level] == self.above(value)[level] for v in self.values)


def tree_paths(tree: Any, path: tuple[str, ...] = ()) -> list[list[str]]:
    """Leaf to root, for every leaf of a nested mapping, in the order of the declaration."""
    if isinstance(tree, Mapping):
        found = []
        for label, below in tree.items():
            found += tree_paths(below, (label, *path)) if below else [[label, *path]]
        return found
    return [[leaf, *path] for leaf in tree]


# What a class publishes, and what that loses.


def set_text(values: Sequence[Text]) -> Text:
    if len(values) == 1:
        return values[0]
    members = []
    for value in values:
        text = value or ""
        unsafe = text in ("", "*") or any(sign in text for sign in ',{}[]"')
        members.append(json.dumps(text, ensure_ascii=False) if unsafe else text)
    return "{" + ", ".join(members) + "}"


def cover_text(quasi: Field, values: set[Text]) -> Text:
    """The least label that covers these values."""
    if quasi.tree:
        level = quasi.level_of(values)
        return "*" if level is None else quasi.above(next(iter(values)))[level]
    if not quasi.is_range:
        order = quasi.declared if quasi.kind == "ordinal" else sorted(v for v in values if v)
        shown = [v for v in order if v in values]
        missing_first: list[Text] = [None] if None in values else []
        if quasi.kind == "ordinal":
            return set_text([*shown, *missing_first])
        return set_text([*missing_first, *shown])
    if None in values:
        return None if len(values) == 1 else "*"
    ends = [min(values, key=quasi.number), max(values, key=quasi.number)]
    texts = [e if quasi.kind == "date" else number_text(quasi.number(e)) for e in ends]
    return texts[0] if texts[0] == texts[1] else f"[{texts[0]}, {texts[1]}]"


def glm(quasi: Field, values: set[Text], level: int | None = None) -> float:
    """What a class loses of one quasi-identifier, published as its cover or at a level."""
    if quasi.is_range:
        return _range_loss(quasi, values)
    return (_leaves(quasi, values, level) - 1) / max(len(quasi.values) - 1, 1)


def ncp(quasi: Field, values: set[Text], level: int | None = None) -> float:
    if quasi.is_range:
        return _range_loss(quasi, values)
    leaves = _leaves(quasi, values, level)
    return leaves / len(quasi.values) if leaves > 1 else 0.0


def prec(quasi: Field, values: set[Text], level: int | None = None) -> float:
    if quasi.is_range:
        return _range_loss(quasi, values)
    if not quasi.tree:
        return float(len(values) > 1)
    found = quasi.level_of(values) if level is None else min(level, quasi.height - 1)
    return 1.0 if found is None else found / max(quasi.height - 1, 1)


def _range_loss(quasi: Field, values: set[Text]) -> float:
    if len(values) == 1:
        return 0.0
    if None in values:
        return 1.0
    numbers = [quasi.number(v) for v in values]
    return (max(numbers) - min(numbers)) / quasi.span


def _leaves(quasi: Field, values: set[Text], level: int | None) -> int:
    if not quasi.tree:
        return len(values)
    found = quasi.level_of(values) if level is None else min(level, quasi.height - 1)
    if found is None:
        return len(quasi.values)
    return quasi.n_under(next(iter(values)), found)


# What a class reaches of a bound; `cells` are the original values of its rows.


def distinct(cells: Sequence[Text]) -> float:
    return len(set(cells))


def frequency(cells: Sequence[Text]) -> float:
    return len(cells) / max(Counter(cells).values())


def entropy(cells: Sequence[Text]) -> float:
    shares = [n / len(cells) for n in Counter(cells).values()]
    return math.exp(-sum(p * math.log(p) for p in shares))


def recursive(cells: Sequence[Text], c: float) -> float:
    """The largest l with r1 < c (r_l + … + r_m)."""
    counts = sorted(Counter(cells).values(), reverse=True)
    fitting = [l for l in range(1, len(counts) + 1) if counts[0] / sum(counts[l - 1 :]) < c]  # noqa: E741
    return max(fitting, default=0)


def share(cells: Sequence[Text]) -> float:
    return max(Counter(cells).values()) / len(cells)


def emd_equal(cells: Sequence[Text], table: Sequence[Text]) -> float:
    q, p = Counter(cells), Counter(table)
    return sum(abs(q[v] / len(cells) - p[v] / len(table)) for v in p) / 2


def emd_ordered(cells: Sequence[Text], table: Sequence[Text], order: Sequence[Text]) -> float:
    q, p = Counter(cells), Counter(table)
    present = [v for v in order if p[v]]
    ahead = [
        sum(q[v] / len(cells) - p[v] / len(table) for v in present[: i + 1])
        for i in range(len(present))
    ]
    return sum(map(abs, ahead)) / max(len(present) - 1, 1)


def emd_tree(cells: Sequence[Text], secret: Field) -> float:
    """Two values are as far apart as the level of their lowest common node, by the tree's height.

    Whatever surplus meets deficit in a node for the first time moves by the node's level. Where
    several tops are declared a root stands above them.
    """
    table = secret.cells
    q, p = Counter(cells), Counter(table)
    paths = {v: secret.above(v) for v in p}
    if len({path[-1] for path in tree_paths(secret.hierarchy["tree"])}) > 1:
        paths = {v: [*path, "the root"] for v, path in paths.items()}
    height = len(next(iter(paths.values()))) - 1
    extra = {v: q[v] / len(cells) - p[v] / len(table) for v in p}
    return sum(
        level * (_matched(extra, paths, level) - _matched(extra, paths, level - 1))
        for level in range(1, height + 1)
    ) / max(height, 1)


def _matched(extra: dict[Text, float], paths: dict[Text, list], level: int) -> float:
    """How much can be settled without leaving the nodes of a level."""
    total = 0.0
    for label in {path[level] for path in paths.values()}:
        inside = [extra[v] for v, path in paths.items() if path[level] == label]
        surplus = sum(x for x in inside if x > 0)
        deficit = -sum(x for x in inside if x < 0)
        total += min(surplus, deficit)
    return total


def spread(cells: Sequence[Text]) -> float:
    numbers = [float(v) for v in cells if v is not None]
    return max(numbers) - min(numbers) if numbers else 0.0


def distinct_present(cells: Sequence[Text]) -> float:
    return len({float(v) for v in cells if v is not None})


def requirement_holds(
    model: str,
    given: Mapping[str, Any],
    n_units: int,
    cells: Sequence[Text],
    secret: Field | None,
) -> bool:
    """Whether one class holds one model of one sensitive attribute."""
    near = 1e-9
    if model == "k-anonymity":
        return n_units >= given["k"]
    assert secret is not None
    if model in ("beta-likeness", "delta-disclosure"):
        return _gains_hold(model, given, cells, secret.cells)
    if model == "p-sensitive":
        return len(set(cells)) >= given["p"]
    if model == "alpha-k":
        return n_units >= given["k"] and share(cells) <= given["alpha"] + near
    if model == "k-e":
        return distinct_present(cells) >= given["k"] and spread(cells) >= given["e"] - near
    if model == "l-diversity":
        kind = given.get("kind", "distinct")
        if kind == "recursive":
            return recursive(cells, given["c"]) >= given["l"]
        reach = {"distinct": distinct, "frequency": frequency, "entropy": entropy}[kind]
        return reach(cells) >= given["l"] * (1 - near)
    assert model == "t-closeness", f"the naive checker does not know {model}"
    return closeness(given.get("distance"), cells, secret) <= given["t"] + near


def _gains_hold(
    model: str, given: Mapping[str, Any], cells: Sequence[Text], table: Sequence[Text]
) -> bool:
    """What a class tells of each of its values beyond the table, as the papers define it."""
    for value, n in Counter(cells).items():
        p, q = Counter(table)[value] / len(table), n / len(cells)
        if model == "delta-disclosure":
            if abs(math.log(q / p)) >= given["delta"]:
                return False
            continue
        most = given["beta"]
        if given.get("kind") == "enhanced":
            most = min(most, -math.log(p))
        if q > p and (q - p) / p > most + 1e-9:
            return False
    return True


def asked_k(f: float, thresholds: Sequence[Any], pairs: Sequence[Any]) -> int:
    """HK or LK of the first level that decides, HK of the last where none does."""
    for (a, b), (high, low) in zip(thresholds, pairs, strict=True):
        if f >= a:
            return int(high)
        if f <= b:
            return int(low)
    return int(pairs[-1][0])


def closeness(distance: str | None, cells: Sequence[Text], secret: Field) -> float:
    if distance is None:
        if secret.kind in ("numeric", "date", "ordinal"):
            distance = "ordered"
        else:
            has_tree = isinstance(secret.hierarchy, dict) and "tree" in secret.hierarchy
            distance = "hierarchical" if has_tree else "equal"
    if distance == "equal":
        return emd_equal(cells, secret.cells)
    if distance == "ordered":
        present = {v for v in secret.cells if v is not None}
        order = [v for v in secret.declared if v in present] or sorted(
            present, key=secret.natural_key
        )
        return emd_ordered(cells, secret.cells, [*order, None])
    return emd_tree(cells, secret)


# Methods.


def mondrian(quasi: Sequence[Field], units: Sequence[Unit], cut: str, holds: Holds) -> list:
    """Strict Mondrian: classes as lists of units (numbers into `units`)."""
    first = [unit[0] for unit in units]
    codes = [[q.values.index(q.cells[row]) for row in first] for q in quasi]
    open_nodes, classes = [list(range(len(units)))], []
    while open_nodes:
        node = open_nodes.pop()
        for j, code in _ranked_cuts(quasi, codes, node, cut):
            left = [u for u in node if codes[j][u] <= code]
            right = [u for u in node if codes[j][u] > code]
            if holds(left) and holds(right):
                open_nodes += [left, right]
                break
        else:
            classes.append(node)
    return classes


def _ranked_cuts(
    quasi: Sequence[Field], codes: list[list[int]], node: list[int], cut: str
) -> list[tuple[int, int]]:
    """Cuts in the order in which they are tried: gain, then balance, then the first."""
    ranked = []
    for j, q in enumerate(quasi):
        counted = sorted(Counter(codes[j][u] for u in node).items())
        places = range(1, len(counted))
        if cut == "median":
            places = _median_place(counted)
        for place in places:
            left, right = counted[:place], counted[place:]
            n_left, n_right = sum(n for _, n in left), sum(n for _, n in right)
            gain = _loss(q, counted)
            if cut == "loss":
                gain = gain * len(node) - _loss(q, left) * n_left - _loss(q, right) * n_right
            ranked.append((-round(gain, 9), abs(n_left - n_right), j, left[-1][0]))
    return [(j, code) for _, _, j, code in sorted(ranked)]


def _median_place(counted: list[tuple[int, int]]) -> range:
    """After the lower median; nowhere where it is the last value."""
    ordered = [code for code, n in counted for _ in range(n)]
    median = ordered[(len(ordered) - 1) // 2]
    place = 1 + [code for code, _ in counted].index(median)
    return range(place, place + 1) if place < len(counted) else range(0)


def _loss(quasi: Field, counted: list[tuple[int, int]]) -> float:
    return glm(quasi, {quasi.values[code] for code, _ in counted})


def ladder(quasi: Sequence[Field], units: Sequence[Unit], holds: Holds) -> tuple[list, list]:
    """KA: classes with the level (from 1) at which they are released, and what is suppressed."""
    left, released = list(range(len(units))), []
    for level in range(max(q.height for q in quasi)):
        groups: dict[tuple, list[int]] = {}
        for u in left:
            row = units[u][0]
            vector = tuple(q.above(q.cells[row])[min(level, q.height - 1)] for q in quasi)
            groups.setdefault(vector, []).append(u)
        good = [group for group in groups.values() if holds(group)]
        released += [(group, level + 1) for group in good]
        gone = {u for group in good for u in group}
        left = [u for u in left if u not in gone]
    return released, left


def merge_cost(
    quasi: Sequence[Field],
    a: Sequence[Unit],
    b: Sequence[Unit],
    loss: Callable[[Field, set[Text]], float] = glm,
) -> float:
    """What publishing two classes as one adds to the summed loss of their units."""

    def lost(units: Sequence[Unit]) -> float:
        values = [{q.cells[unit[0]] for unit in units} for q in quasi]
        return len(units) * sum(loss(q, v) for q, v in zip(quasi, values, strict=True))

    return lost([*a, *b]) - lost(a) - lost(b)


# SipHash-2-4, from the paper.

_MASK = 2**64 - 1


def _rotate(x: int, bits: int) -> int:
    return ((x << bits) | (x >> (64 - bits))) & _MASK


def _round(v: list[int]) -> None:
    v[0] = (v[0] + v[1]) & _MASK
    v[2] = (v[2] + v[3]) & _MASK
    v[1] = _rotate(v[1], 13) ^ v[0]
    v[3] = _rotate(v[3], 16) ^ v[2]
    v[0] = _rotate(v[0], 32)
    v[2] = (v[2] + v[1]) & _MASK
    v[0] = (v[0] + v[3]) & _MASK
    v[1] = _rotate(v[1], 17) ^ v[2]
    v[3] = _rotate(v[3], 21) ^ v[0]
    v[2] = _rotate(v[2], 32)


def siphash(message: bytes, k0: int, k1: int) -> int:
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        _round(v)
        _round(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        _round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]
