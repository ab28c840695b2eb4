"""Releases with buckets: what the twin of LGB finds, written down as it would be published."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.schema import Attribute, HierarchySpec, Kind, Layout, Requirement, Role, Schema, Verdict
from shoal.verify import Published, adversary_risks, verify_release
from shoal.verify.secret.adversary import Risks
from tests.papers.lgb import twin as twin

GENDERS = (("Female", "*"), ("Male", "*"))
ZIPS = tuple((z, z[:4] + "*", "213**") for z in ("21328", "21336", "21340", "21344", "21352"))
TOWNS = ("Bonn", "Kiel", "Rom", "Ulm")
ILLS = ("cold", "flu", "gout", "pox", "rash")
AGES = range(20, 40)
SCHEMA = Schema(
    (
        Attribute("name", Role.IDENTIFIER),
        Attribute("age", Role.SEMI_SENSITIVE, Kind.NUMERIC, flag="age_secret"),
        Attribute("age_secret", Role.FLAG),
        Attribute("gender", Role.QUASI, Kind.CATEGORICAL, hierarchy=HierarchySpec("tree", GENDERS)),
        Attribute(
            "zip",
            Role.SEMI_SENSITIVE,
            Kind.CATEGORICAL,
            hierarchy=HierarchySpec("file", ZIPS),
            flag="zip_secret",
        ),
        Attribute("zip_secret", Role.FLAG),
        Attribute("town", Role.SEMI_SENSITIVE, Kind.CATEGORICAL, flag="town_secret"),
        Attribute("town_secret", Role.FLAG),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL),
        Attribute("visit", Role.INSENSITIVE),
        Attribute("own", Role.FLAG),
    )
)
NAMES = ("age", "gender", "zip", "town", "ill")
_BY_NAME = {"age": ("numeric", 20, 39), "gender": ("tree", GENDERS), "zip": ("tree", ZIPS)}
_BY_NAME |= {"town": ("set", len(TOWNS)), "ill": ("set", len(ILLS))}
ATTRIBUTES: tuple[twin.Attribute, ...] = tuple(_BY_NAME[name] for name in NAMES)


@dataclass(frozen=True)
class Case:
    """A release, what it was made of, and what is asked of it."""

    tables: Mapping[str, pl.DataFrame]
    original: pl.DataFrame
    origin: tuple[int, ...]
    classes: tuple[int, ...]
    requirements: tuple[Requirement, ...]
    form: str = "split"
    ranges: str = "tight"
    limit: float = 1.0
    schema: Schema = SCHEMA

    @property
    def maps(self) -> tuple[Any, Any]:
        return np.array(self.origin, dtype=np.int64), np.array(self.classes, dtype=np.int64)

    @property
    def published(self) -> Published:
        return Published(
            self.tables,
            self.original,
            *self.maps,
            self.schema,
            self.requirements,
            ranges=self.ranges,
            layout=Layout(self.form),
            suppression_limit=self.limit,
        )

    def verify(self) -> tuple[Verdict, ...]:
        return verify_release(self.published)

    def risks(self) -> Risks:
        return adversary_risks(self.published)

    def with_cell(self, column: str, row: int, cell: Any, table: str = "data") -> Case:
        series = self.tables[table][column]
        cells = series.to_list()
        cells[row] = cell
        return self.with_column(pl.Series(column, cells, dtype=series.dtype), table)

    def with_column(self, series: pl.Series, table: str = "data") -> Case:
        return self.with_table(table, self.tables[table].with_columns(series))

    def with_table(self, name: str, table: pl.DataFrame) -> Case:
        return replace(self, tables={**self.tables, name: table})


def random_table(seed: int, n_rows: int, share: float) -> twin.Table:
    rng = random.Random(seed)
    rows = tuple(
        (
            rng.choice(AGES),
            rng.choice(GENDERS)[0],
            rng.choice(ZIPS)[0],
            rng.choice(TOWNS),
            rng.choice(ILLS),
        )
        for _ in range(n_rows)
    )
    secret = tuple(
        tuple(n == "ill" or (n != "gender" and rng.random() < share) for n in NAMES) for _ in rows
    )
    return twin.Table(ATTRIBUTES, rows, secret)


def frame_of(table: twin.Table) -> pl.DataFrame:
    """The table as it is read: typed numbers, and flags in several words."""
    n_rows = len(table.rows)
    columns: dict[str, list[Any]] = {"name": [f"p{i}" for i in range(n_rows)]}
    for a, name in enumerate(NAMES):
        columns[name] = table.column(a, range(n_rows))
    columns["age_secret"] = [flags[0] for flags in table.flags]
    columns["zip_secret"] = [int(flags[2]) for flags in table.flags]
    columns["town_secret"] = [" Yes" if flags[3] else "no" for flags in table.flags]
    columns["visit"] = [f"v{i}" for i in range(n_rows)]
    columns["own"] = [None] * n_rows
    frame = pl.DataFrame(columns)
    return frame.with_columns(pl.col("own").cast(pl.Int64)).select(
        a.name for a in SCHEMA.attributes
    )


def asked(k: int, rules: Mapping[int, twin.Rule]) -> tuple[Requirement, ...]:
    found = [Requirement("k-anonymity", {"k": k})]
    for a, (kind, limit) in rules.items():
        if kind == "t":
            found.append(Requirement("t-closeness", {"t": limit, "attribute": NAMES[a]}))
        else:
            parameters = {"l": limit, "kind": kind, "attribute": NAMES[a]}
            found.append(Requirement("l-diversity", parameters))
    return tuple(found)


def publish(
    table: twin.Table,
    release: twin.Release,
    requirements: tuple[Requirement, ...],
    form: str = "split",
    ranges: str = "tight",
    seed: int = 0,
) -> Case:
    """The tables of a release, in some order of rows."""
    origin = list(release.cells)
    random.Random(seed).shuffle(origin)
    number: dict[int, int] = {}
    for row in origin:
        number.setdefault(release.gid[row], len(number) + 1)
    columns: list[pl.Series] = [
        _text("record", [str(i + 1) for i in range(len(origin))]),
        _text("GID", [str(number[release.gid[row]]) for row in origin]),
    ]
    tables: dict[str, pl.DataFrame] = {}
    for a, name in enumerate(NAMES):
        cells = [release.cells[row][a] for row in origin]
        bids, listing = _buckets(release, a, cells)
        values = _shown(bids, listing) if form == "joined" else {}
        if name != "ill" or form == "joined":
            columns += _labels(name, a, cells, values, ranges)
        if listing:
            columns.append(_text(f"{name}_BID", [str(b) if b else None for b in bids]))
            tables[f"buckets-{name}"] = _listing_table(name, listing)
    columns.append(_text("visit", [f"v{row}" for row in origin]))
    classes = [number[release.gid[r]] if r in release.gid else -1 for r in range(len(table.rows))]
    data = {"data": pl.DataFrame(columns)}
    return Case(
        data | tables if form == "split" else data,
        frame_of(table),
        tuple(origin),
        tuple(classes),
        requirements,
        form,
        ranges,
    )


def _text(name: str, cells: list[str | None] | list[str]) -> pl.Series:
    return pl.Series(name, cells, dtype=pl.String)


def _buckets(
    release: twin.Release, a: int, cells: list[Any]
) -> tuple[list[int], dict[int, list[Any]]]:
    """The bucket of every row, numbered as they appear (0: none), and their sorted values."""
    number: dict[int, int] = {}
    bids = [number.setdefault(c[1], len(number) + 1) if c[0] == "bucket" else 0 for c in cells]
    return bids, {n: sorted(release.buckets[a][b]) for b, n in number.items()}


def _shown(bids: list[int], listing: dict[int, list[Any]]) -> dict[int, Any]:
    left = {bid: list(values) for bid, values in listing.items()}
    return {i: left[bid].pop(0) for i, bid in enumerate(bids) if bid}


def _labels(
    name: str, a: int, cells: list[Any], values: dict[int, Any], ranges: str
) -> list[pl.Series]:
    if name == "age" and ranges == "columns":
        ends = [c[1] if c[0] == "value" else (values.get(i),) * 2 for i, c in enumerate(cells)]
        return [
            pl.Series(f"{name}_{end}", [e[i] for e in ends], dtype=pl.Int64)
            for i, end in enumerate(("low", "high"))
        ]
    shown = [_label(a, c) if c[0] == "value" else values.get(i) for i, c in enumerate(cells)]
    return [_text(name, [None if x is None else str(x) for x in shown])]


def _label(a: int, cell: tuple[Any, ...]) -> str:
    kind, label = ATTRIBUTES[a][0], cell[1]
    if kind == "numeric":
        return str(label[0]) if label[0] == label[1] else f"[{label[0]}, {label[1]}]"
    if kind == "tree":
        return str(label[1])
    return next(iter(label)) if len(label) == 1 else "{" + ", ".join(sorted(label)) + "}"


def _listing_table(name: str, listing: dict[int, list[Any]]) -> pl.DataFrame:
    pairs = [(str(bid), value) for bid in sorted(listing) for value in listing[bid]]
    dtype = pl.Int64 if name == "age" else pl.String
    return pl.DataFrame(pairs, schema={"BID": pl.String, "value": dtype}, orient="row")


def random_case(
    seed: int, form: str = "split", ranges: str = "tight"
) -> tuple[twin.Table, twin.Release, Case]:
    """A random table and its release; where no buckets can be had, another one's."""
    rng = random.Random(seed)
    k = rng.choice((2, 3))
    table = random_table(seed, rng.randrange(4 * k, 40), rng.choice((0.1, 0.3, 0.6)))
    kinds: list[twin.Rule] = [("distinct", 2), ("frequency", 2), ("entropy", 2), ("t", 0.6)]
    rules = {a: rng.choice(kinds) for a, name in enumerate(NAMES) if name != "gender"}

    def by_ncp(table: twin.Table, part: twin.Part, k: int) -> list[twin.Part]:
        return twin.ncp_classes(table, part, k, lambda rows: rng.sample(rows, len(rows)))

    try:
        way = by_ncp if rng.random() < 0.5 else twin.mdp_classes
        release = twin.lgb(table, k, rules, classes=way)
    except twin.NotPossibleError:
        return random_case(seed + 1000, form, ranges)
    return table, release, publish(table, release, asked(k, rules), form, ranges, seed)
