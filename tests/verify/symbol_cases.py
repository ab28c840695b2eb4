"""Random tables whose sensitive cells are shown by flags, published by the twin of QI-MHSA."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.schema import Attribute, HierarchySpec, Kind, Layout, Requirement, Role, Schema, Verdict
from shoal.verify import Leak, Published, symbol_leaks, verify_release
from tests.papers.mhsa.twin import (
    Class,
    Levels,
    NotPossibleError,
    Numbers,
    Table,
    Tree,
    conceal,
    leak,
    pruned,
    publish,
)

K = Requirement("k-anonymity", {"k": 2})
CUTS = (20, 30, 40)
WIDTH, N_WIDTHS = 8, 2
ONE_TOP = (
    ("flu", "lung", "ill"),
    ("cough", "lung", "ill"),
    ("hiv", "blood", "ill"),
    ("ebola", "blood", "ill"),
    ("gout", "joint", "ill"),
)
TWO_TOPS = (
    ("flu", "lung", "mild"),
    ("cough", "lung", "mild"),
    ("hiv", "virus", "grave"),
    ("ebola", "virus", "grave"),
    ("gout", "mild", "mild"),
)
RULES = {"high": ["hiv", "ebola"], "middle": ["gout", "cough"], "default": "low"}
NUMBER_RULES = {"high": "x >= 36 or x < 12", "middle": "30 <= x < 36", "low": "12 <= x < 30"}


@dataclass(frozen=True)
class Case:
    """A release and all that it is checked against."""

    data: pl.DataFrame
    original: pl.DataFrame
    origin: tuple[int, ...]
    classes: tuple[int, ...]
    schema: Schema
    symbols: Mapping[str, str]
    concealed: Mapping[str, int] = field(default_factory=dict)
    split: Mapping[str, pl.DataFrame] | None = None
    twin: tuple[Table, list[Class], Levels] | None = None

    @property
    def published(self) -> Published:
        return Published(
            {"data": self.data},
            self.original,
            np.array(self.origin, dtype=np.int64),
            np.array(self.classes, dtype=np.int64),
            self.schema,
            [K],
            layout=Layout.PLAIN if self.split is None else Layout.LINKED,
            symbols=self.symbols,
            concealed=self.concealed,
            halves=self.split,
        )

    def verify(self) -> tuple[Verdict, ...]:
        return verify_release(self.published)

    def leaks(self) -> Mapping[str, Leak]:
        return symbol_leaks(self.published)

    def twin_leaks(self) -> dict[str, dict[str, float]]:
        assert self.twin is not None
        table, classes, lifted = self.twin
        release = publish(table, classes, lifted)
        return {
            name: {key: float(x) for key, x in leak(table, release, a).items()}
            for a, name in enumerate(("ill", "pay"))
        }

    def with_cell(self, name: str, row: int, text: str | None) -> Case:
        cells = self.data[name].to_list()
        cells[row] = text
        column = pl.Series(name, cells, dtype=pl.String)
        return replace(self, data=self.data.with_columns(column))

    def halves(self) -> dict[str, pl.DataFrame]:
        """The two linked tables."""
        names = [a.name for a in self.schema.sensitive]
        gid = pl.Series("GID", [str(self.classes[row]) for row in self.origin], dtype=pl.String)
        rows = self.data.select(names).insert_column(0, gid)
        return {
            "data": self.data.drop(names).insert_column(0, gid),
            "sensitive": rows.sort(
                [pl.col("GID").cast(pl.Int64), *names], nulls_last=True, maintain_order=True
            ),
        }


def random_classes(draw: random.Random, n_rows: int) -> list[Class]:
    rows = list(range(n_rows))
    draw.shuffle(rows)
    starts = list(range(0, n_rows - 2, draw.choice([2, 3, 5])))
    ends = [*starts[1:], n_rows]
    return sorted(sorted(rows[a:b]) for a, b in zip(starts, ends, strict=True))


def numbers_of(hierarchy: str) -> tuple[Numbers, HierarchySpec]:
    if hierarchy == "intervals":
        return Numbers(0, 50, (CUTS,)), HierarchySpec("intervals", cuts=CUTS)
    lists = [tuple(range(-64, 129, WIDTH << level)) for level in range(N_WIDTHS)]
    return Numbers(0, 50, tuple(lists)), HierarchySpec("width", width=WIDTH, levels=N_WIDTHS)


def flag_of(value: Any) -> int:
    """What RULES and NUMBER_RULES say."""
    if isinstance(value, str):
        return {"hiv": 2, "ebola": 2, "gout": 1, "cough": 1}.get(value, 0)
    return 2 if value >= 36 or value < 12 else 1 if value >= 30 else 0


def random_case(seed: int, numeric: str, hierarchy: str, concealed: bool) -> Case | None:
    """A sound release by the twin; None where nothing can be concealed."""
    draw = random.Random(f"{seed} {numeric} {hierarchy} {concealed}")
    n_rows, n_suppressed = draw.randint(8, 14) + 12 * concealed, draw.randint(0, 2)
    rows = draw.choice([ONE_TOP, TWO_TOPS])
    n_numbers = draw.choice([5, 40])
    values = [
        (draw.choice(rows)[0], draw.randrange(8, 48, max(1, 40 // n_numbers)))
        for _ in range(n_rows + n_suppressed)
    ]
    by_rule = draw.random() < 0.5
    flags = [
        tuple(flag_of(v) if by_rule else draw.choice([0, 0, 1, 2]) for v in row) for row in values
    ]
    tree = pruned(Tree(rows), [ill for ill, _ in values])
    numbers, spec = numbers_of(hierarchy)
    ages = [draw.randint(20, 60) for _ in values]
    table = Table(
        (Numbers(20, 60),),
        (tree, numbers),
        tuple((age,) for age in ages[:n_rows]),
        tuple(values[:n_rows]),
        tuple(flags[:n_rows]),
        numeric,
        "shown" if concealed else "class",
    )
    classes = random_classes(draw, n_rows)
    lifted = tuple((0, 0) for _ in range(n_rows))
    asked: dict[str, int] = {}
    if concealed:
        orders = [draw.sample(range(n_rows), n_rows) for _ in range(2)]
        try:
            state = conceal(table, classes, 2, orders, "quasi")[-1]
        except NotPossibleError:
            return None
        classes, lifted, asked = state.classes, state.lifted, {"ill": 2, "pay": 2}
    return assemble(draw, table, classes, lifted, values, flags, ages, spec, by_rule, asked)


def assemble(
    draw: random.Random,
    table: Table,
    classes: list[Class],
    lifted: Levels,
    values: list[tuple[str, int]],
    flags: list[tuple[int, ...]],
    ages: list[int],
    spec: HierarchySpec,
    by_rule: bool,
    concealed: dict[str, int],
) -> Case:
    release = publish(table, classes, lifted)
    origin = draw.sample(range(table.size), table.size)
    number = draw.sample(range(1, 100), len(classes))
    of_row = {row: number[c] for c, rows in enumerate(classes) for row in rows}
    numbers = [(f"{pay}.0" if draw.random() < 0.3 else str(pay)) for _, pay in values]
    words = [["0", " LOW "], ["1", "middle"], ["2", "High"]]
    original = pl.DataFrame(
        {
            "age": [str(age) for age in ages],
            "ill": [ill for ill, _ in values],
            "pay": numbers,
            "ill_flag": [draw.choice(words[f]) for f, _ in flags],
            "pay_flag": [f for _, f in flags],
        }
    )
    tree = table.sensitive[0]
    assert isinstance(tree, Tree)
    rows = tuple(ONE_TOP if tree.rows[0] in ONE_TOP and tree.rows[0][-1] == "ill" else TWO_TOPS)
    schema = Schema(
        (
            Attribute("age", Role.QUASI, Kind.NUMERIC),
            Attribute(
                "ill",
                Role.SENSITIVE,
                Kind.CATEGORICAL,
                hierarchy=HierarchySpec("tree", rows=rows),
                flag=None if by_rule else "ill_flag",
                flags=RULES if by_rule else None,
            ),
            Attribute(
                "pay",
                Role.SENSITIVE,
                Kind.NUMERIC,
                hierarchy=spec,
                flag=None if by_rule else "pay_flag",
                flags=NUMBER_RULES if by_rule else None,
            ),
            Attribute("ill_flag", Role.FLAG),
            Attribute("pay_flag", Role.FLAG),
        )
    )
    data = pl.DataFrame(
        {
            "age": [release.quasi[row][0].text for row in origin],
            "ill": [release.sensitive[row][0].text for row in origin],
            "pay": [release.sensitive[row][1].text for row in origin],
        }
    )
    return Case(
        data,
        original,
        tuple(origin),
        tuple(of_row.get(row, -1) for row in range(len(values))),
        schema,
        {"ill": "by-flag", "pay": table.numeric},
        concealed,
        twin=(table, classes, lifted),
    )
