"""The least loss that any release of a small table can have, by trying all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.table import Table, encode

Path = tuple[str, ...]


@dataclass(frozen=True)
class Small:
    """Cells of each column by row, and the path of every value from itself up to the top.

    A column without paths is published as a range if its values are numbers, else as a set.
    """

    columns: dict[str, list[Any]]
    paths: dict[str, dict[Any, Path]]
    people: list[int] | None = None

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def units(self) -> list[list[int]]:
        """The rows of each unit."""
        if self.people is None:
            return [[row] for row in range(self.n_rows)]
        names = list(dict.fromkeys(self.people))
        return [[r for r, p in enumerate(self.people) if p == name] for name in names]

    def table(self) -> Table:
        attributes: dict[str, Any] = {}
        for name, cells in self.columns.items():
            kind = "categorical" if name in self.paths or isinstance(cells[0], str) else "numeric"
            attributes[name] = {"role": "quasi", "kind": kind}
            if name in self.paths:
                tree: dict[str, Any] = {}
                for path in self.paths[name].values():
                    branch = tree
                    for label in path[::-1]:
                        branch = branch.setdefault(label, {})
                attributes[name]["hierarchy"] = {"tree": tree}
        frame = pl.DataFrame(self.columns)
        plan: dict[str, Any] = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 1}}]}
        if self.people is not None:
            plan["individual"] = "who"
            attributes["who"] = "identifier"
            frame = frame.with_columns(who=pl.Series(self.people))
        return encode(frame, shoal.Plan.of(plan).schema)

    def loss(self, rows: Sequence[int]) -> float:
        """What each row of a class loses by glm, summed over the columns."""
        return sum(self._loss(name, {self.columns[name][r] for r in rows}) for name in self.columns)

    def _loss(self, name: str, values: set[Any]) -> float:
        domain = set(self.columns[name])
        if len(values) == 1:
            return 0.0
        if name not in self.paths:
            if isinstance(next(iter(domain)), str):
                return (len(values) - 1) / (len(domain) - 1)
            return (max(values) - min(values)) / (max(domain) - min(domain))
        paths = self.paths[name]
        for level in range(len(next(iter(paths.values())))):
            if len({paths[v][level:] for v in values}) == 1:
                over = paths[next(iter(values))][level:]
                n = sum(paths[v][level:] == over for v in domain)
                return (n - 1) / (len(domain) - 1)
        return 1.0


def least_loss(small: Small, k: Sequence[int]) -> float:
    """The least sum of losses over all rows; k[unit] is the class size that a unit requires."""
    units = small.units
    n, worst = len(units), float(len(small.columns))

    @cache
    def cost(members: int) -> float:
        chosen = [u for u in range(n) if members >> u & 1]
        if len(chosen) < max(k[u] for u in chosen):
            return inf
        rows = [r for u in chosen for r in units[u]]
        return len(rows) * small.loss(rows)

    @cache
    def least(left: int) -> float:
        if left == 0:
            return 0.0
        first = left & -left
        best = len(units[first.bit_length() - 1]) * worst + least(left ^ first)
        others = part = left ^ first
        while True:
            best = min(best, cost(part | first) + least(left ^ (part | first)))
            if part == 0:
                return best
            part = (part - 1) & others

    return least(2**n - 1)


def random_small(seed: int, trees: bool = True, people: bool = False) -> Small:
    """Six to nine rows of two or three columns, with hierarchies of two or three levels."""
    draw = np.random.default_rng(seed)
    n, d = int(draw.integers(6, 10)), int(draw.integers(2, 4))
    columns: dict[str, list[Any]] = {}
    paths: dict[str, dict[Any, Path]] = {}
    for j in range(d):
        name, m = f"q{j}", int(draw.integers(2, 6))
        codes = draw.integers(0, m, n).tolist()
        if len(set(codes)) == 1:
            codes[0] = 1 - codes[0] if codes[0] < 2 else 0
        if trees or draw.random() < 0.4:
            columns[name] = [f"v{c}" for c in codes]
            half = int(draw.integers(1, m))
            root = ("*",) if draw.random() < 0.7 else ()
            paths[name] = {f"v{c}": (f"v{c}", f"n{c // half}", *root) for c in range(m)}
        elif draw.random() < 0.5:
            columns[name] = [f"v{c}" for c in codes]
        else:
            columns[name] = [float(c) for c in codes]
    who = None
    if people:
        who = draw.integers(0, 6, n).tolist()
        first = {p: who.index(p) for p in who}
        columns = {a: [cells[first[p]] for p in who] for a, cells in columns.items()}
        columns = {a: c for a, c in columns.items() if len(set(c)) > 1} or {"q": [*range(n)]}
        if "q" in columns:
            columns["q"] = [float(first[p]) for p in who]
        paths = {a: p for a, p in paths.items() if a in columns}
    return Small(columns, paths, who)
