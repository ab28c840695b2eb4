"""Random tables with plans of every form, and changes of what their releases hide."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from shoal._run import Release
from shoal.method import METHODS

Cells = dict[str, list[Any]]

TOWNS = {"*": {"north": ["oslo", "turku", "umea"], "south": ["nice", "rome", "ulm"]}}
ILLS = {"*": {"mild": ["cold", "flu", "gout"], "grave": ["hiv", "pox", "tb"]}}
POOLS: dict[str, list[str]] = {
    "age": [str(n) for n in (*range(20, 32), *range(48, 56), 71, 97)],
    "town": ["oslo", "turku", "umea", "nice", "rome", "ulm"],
    "code": ["10110", "10117", "10243", "20095", "20099", "80331"],
    "day": ["2024-01-02", "2024-01-30", "2024-02-11", "2024-05-09", "2025-03-01", "2025-12-24"],
    "ill": ["cold", "flu", "gout", "hiv", "pox", "tb"],
    "pay": [str(n) for n in (900, 1200, 1500, 1800, 2100, 2600, 3300, 7443)],
}
# How each quasi-identifier may be declared: ladders need a hierarchy.
FLAT: dict[str, list[dict[str, Any]]] = {
    "age": [{}, {"kind": "numeric"}, {"domain": [0, 120]}],
    "town": [{}, {"kind": "categorical"}, {"values": POOLS["town"]}],
    "code": [{"kind": "categorical"}],
    "day": [{}, {"kind": "date"}],
}
CLIMBING: dict[str, list[dict[str, Any]]] = {
    "age": [
        {"hierarchy": {"width": 5, "levels": 3}},
        {"hierarchy": {"intervals": [25, 50, 70]}, "domain": [0, 120]},
    ],
    "town": [{"hierarchy": {"tree": TOWNS}}, {"hierarchy": "flat"}],
    "code": [{"hierarchy": {"mask": 5}}, {"hierarchy": {"mask": 3}}],
    "day": [{"hierarchy": {"dates": ["day", "month", "year"]}}],
}
PERSONAL = {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[4, 1], [3, 2]]}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "mondrian": [{"cut": cut} for cut in ("loss", "balanced", "median")],
    "ka": [{}, {"climb": "together"}],
    "sd-mks3wd": [{}],
    "se-mks3wd": [{}, {"boundary": "suppress"}],
    "ece-mks3wd": [{}, {"climb": "together"}],
    "danonyir": [{}, {"generalise": "hierarchy"}],
    "weighted-graph": [{}, {"weight": "loss"}],
    "lgb-mdp": [{"tables": "split"}, {"tables": "joined"}],
    "lgb-ncp": [{"tables": "split"}, {"tables": "joined"}],
    "qi-mhsa": [
        {"numeric": numeric, "conceal": conceal, "tables": tables}
        for numeric in ("interval", "one-sided", "by-flag")
        for conceal in (False, True)
        for tables in ("joined", "split")
    ],
}
OF_VALUES: list[dict[str, Any]] = [
    {"l-diversity": {"l": 2}},
    {"l-diversity": {"l": 2, "attribute": "ill"}},
    {"l-diversity": {"l": 1.5, "kind": "entropy", "attribute": "ill"}},
    {"l-diversity": {"l": 1.5, "kind": "frequency", "attribute": "ill"}},
    {"l-diversity": {"l": 2, "kind": "recursive", "c": 4, "attribute": "ill"}},
    {"alpha-k": {"alpha": 0.9, "k": 2}},
    {"t-closeness": {"t": 0.8}},
    {"t-closeness": {"t": 0.8, "distance": "equal", "attribute": "ill"}},
    {"k-e": {"k": 2, "e": 100, "attribute": "pay"}},
]
OF_PEOPLE: list[dict[str, Any]] = [
    {"ir-k": {"k": 2}},
    {"ir-kl": {"k": 2, "l": 2}},
    {"ir-alpha-beta": {"alpha": 0.9, "beta": 0.9}},
    {"eir-l": {"l": 2, "attribute": "ill"}},
    {"eir-alpha-beta": {"alpha": 0.9, "beta": 1, "attribute": "ill"}},
]


@dataclass(frozen=True)
class World:
    """A table and a plan for it; `quasi` are the columns in which a person's rows are alike."""

    cells: Cells
    plan: dict[str, Any]
    quasi: tuple[str, ...]

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.cells, schema=dict.fromkeys(self.cells, pl.String))

    @property
    def people(self) -> bool:
        return "individual" in self.plan

    def changed(self, column: str, cells: Mapping[int, Any]) -> World:
        """The same world with other cells in a column, in all rows of a person where it is one."""
        found = {name: list(own) for name, own in self.cells.items()}
        for row, cell in cells.items():
            who = found["name"][row]
            alike = self.people and column in self.quasi
            for other, own in enumerate(found["name"]):
                if other == row or (alike and own == who):
                    found[column][other] = cell
        return replace(self, cells=found)


def make_world(method: str, draw: random.Random) -> World:
    """A world for a method, with one of all its layouts, options and fitting requirements."""
    chosen, n = METHODS[method], draw.randint(8, 22)
    if method.startswith("lgb-"):
        # Lots decide between buckets, and every change draws them anew: let there be few.
        n = draw.randint(4, 6)
    options = draw.choice(OPTIONS.get(method, [{}]))
    people = draw.random() < 0.4 and not method.startswith("lgb-")
    n_people = max(n // 2, 3) if people else n
    of_row = [draw.randrange(n_people) for _ in range(n)] if people else list(range(n))
    quasi = draw.sample(["age", "town", "code", "day"], draw.randint(1, 3))
    attributes: dict[str, Any] = {"name": "identifier"}
    cells: Cells = {"name": [f"p{i}" for i in of_row]}
    for name in quasi:
        forms = CLIMBING[name] if chosen.needs_hierarchy else [*CLIMBING[name], *FLAT[name]]
        attributes[name] = {"role": "quasi", **draw.choice(forms)}
        own = [_cell(draw, name) for _ in range(n_people)]
        cells[name] = [own[i] for i in of_row]
    for name in ("ill", "pay"):
        attributes[name] = {"role": "sensitive", **_sensitive(draw, name, method)}
        lgb = method.startswith("lgb-")
        pool = draw.sample(POOLS[name], len(POOLS[name]))
        cells[name] = pool[:n] if lgb else [_cell(draw, name) for _ in range(n)]
    attributes["note"] = {"role": "insensitive"}
    cells["note"] = [draw.choice("xyz") for _ in range(n)]
    _add_columns(method, draw, attributes, cells, quasi)
    privacy = _privacy(method, draw, people, attributes)
    if options.get("conceal"):
        privacy.append({"l-diversity": {"l": 2}})
    plan = {
        "attributes": attributes,
        "privacy": privacy,
        "method": {method: options} if options else method,
        "ranges": draw.choice(["tight", "snapped", "columns"]),
        "seed": draw.randrange(1000),
    }
    if people:
        plan["individual"] = {"column": "name", "conflict": draw.choice(["error", "first"])}
    return World(cells, plan, tuple(quasi))


def _cell(draw: random.Random, name: str) -> str | None:
    return None if draw.random() < 0.04 else draw.choice(POOLS[name])


def _sensitive(draw: random.Random, name: str, method: str) -> dict[str, Any]:
    forms: list[dict[str, Any]] = [{}, {}]
    if name == "ill":
        forms += [{"kind": "categorical"}, {"hierarchy": {"tree": ILLS}}]
        flags = {"high": ["hiv", "pox"], "middle": ["tb"], "default": "low"}
    else:
        forms += [{"kind": "numeric"}, {"hierarchy": {"intervals": [1000, 2000, 3000]}}]
        flags = {"high": "x >= 2000", "middle": "1000 < x < 2000", "low": "x <= 1000"}
    words = dict(draw.choice(forms))
    if not method.startswith("lgb-") and draw.random() < (0.7 if method == "qi-mhsa" else 0.15):
        words["flags"] = flags
        if name == "pay":
            words["kind"] = "numeric"
    return words


def _add_columns(
    method: str, draw: random.Random, attributes: dict[str, Any], cells: Cells, quasi: list[str]
) -> None:
    n = len(cells["name"])
    if method.endswith("-mks3wd"):
        attributes["f"] = "sensitivity"
        own = {who: f"{draw.random():.2f}" for who in sorted(set(cells["name"]))}
        cells["f"] = [own[who] for who in cells["name"]]
    if method.startswith("lgb-"):
        name = draw.choice(quasi)
        attributes[name] = {**attributes[name], "role": "semi-sensitive", "flag": "secret"}
        attributes["secret"] = "flag"
        some = draw.choice([["yes"], ["no"], ["yes", "no"]])
        cells["secret"] = [draw.choice(some) for _ in range(n)]
        cells[name] = draw.sample(POOLS[name], n)


def _privacy(
    method: str, draw: random.Random, people: bool, attributes: dict[str, Any]
) -> list[dict[str, Any]]:
    k = [{"k-anonymity": {"k": draw.choice([2, 3])}}]
    if method.startswith("lgb-"):
        k = [{"k-anonymity": {"k": 2}}]
        secret = [n for n, a in attributes.items() if isinstance(a, dict)
                  and a["role"] in ("sensitive", "semi-sensitive")]  # fmt: skip
        return [
            *k,
            *(
                {"t-closeness": {"t": 0.9, "attribute": n}}
                if draw.random() < 0.2
                else {
                    "l-diversity": {
                        "l": 2 if n in ("age", "day", "town", "code") else 3,
                        "attribute": n,
                    }
                }
                for n in secret
            ),
        ]
    if method.endswith("-mks3wd"):
        personal = {"multi-level-k": {**PERSONAL, "strict": draw.random() < 0.5}}
        return [personal, *(draw.sample(OF_VALUES, 1) if draw.random() < 0.5 else [])]
    return [*k, *draw.sample([*OF_VALUES, *(OF_PEOPLE if people else [])], draw.randint(0, 2))]


def change_hidden(world: World, release: Release, draw: random.Random) -> World | None:
    """The world with something changed that its release may hide; None where there is nothing."""
    changes: list[Callable[..., World | None]] = [*[_in_class] * 4, *[_between] * 4, _names]
    if release.counts.suppressed:
        changes += [_suppressed] * 8
    if release.symbols:
        changes += [_behind_symbols] * 6
    if release.keeps_secrets:
        changes += [_in_buckets] * 8
    if "f" in world.cells:
        changes += [_sensitivity] * 3
    return draw.choice(changes)(world, release, draw)


def _suppressed(world: World, release: Release, draw: random.Random) -> World | None:
    lost = [r for r, c in enumerate(release.rows["class"]) if c is None]
    row = draw.choice(lost)
    column = draw.choice([*world.quasi, *world.quasi, "ill", "pay", "note"])
    strange = {"age": ["104"], "pay": ["9999", "n/a"], "note": ["w"]}
    pool = [*POOLS.get(column, ["x"]), *strange.get(column, [])]
    return world.changed(column, {row: draw.choice(pool)})


def _in_class(world: World, release: Release, draw: random.Random) -> World | None:
    """Two rows of a class change places in a column, or one takes what another has."""
    rows = _alike(release.rows["class"].to_list(), draw)
    if rows is None:
        return None
    column = draw.choice([*world.quasi, *(n for n in ("ill", "pay") if n in release.symbols)])
    return _exchange(world, column, rows, draw)


def _between(world: World, release: Release, draw: random.Random) -> World | None:
    """A row takes a value between two that its class has."""
    rows = _alike(release.rows["class"].to_list(), draw)
    column = draw.choice(world.quasi)
    ends = [world.cells[column][row] for row in rows or ()]
    if rows is None or None in ends:
        return None
    inside = [v for v in POOLS[column] if min(ends) <= v <= max(ends)]
    return world.changed(column, {draw.choice(rows): draw.choice(inside)})


def _in_buckets(world: World, release: Release, draw: random.Random) -> World | None:
    buckets = release.measures.view.buckets or {}
    name = draw.choice(sorted(buckets))
    rows = _alike([None if b < 0 else int(b) for b in buckets[name]], draw)
    return None if rows is None else _exchange(world, name, rows, draw)


def _behind_symbols(world: World, release: Release, draw: random.Random) -> World | None:
    """A cell that shows a symbol gets another value that may show the same."""
    name = draw.choice(sorted(release.symbols))
    row = draw.randrange(len(world.cells[name]))
    return world.changed(name, {row: draw.choice(POOLS[name])})


def _sensitivity(world: World, release: Release, draw: random.Random) -> World | None:
    who = draw.choice(world.cells["name"])
    rows = [r for r, name in enumerate(world.cells["name"]) if name == who]
    return world.changed("f", dict.fromkeys(rows, f"{draw.random():.2f}"))


def _names(world: World, release: Release, draw: random.Random) -> World | None:
    old, new = draw.choice(world.cells["name"]), f"q{draw.randrange(100)}"
    cells = [new if name == old else name for name in world.cells["name"]]
    return replace(world, cells={**world.cells, "name": cells})


def _exchange(world: World, column: str, rows: list[int], draw: random.Random) -> World:
    own = world.cells[column]
    one, other = rows
    swapped = world.changed(column, {one: own[other], other: own[one]})
    return swapped if draw.random() < 0.6 else world.changed(column, {one: own[other]})


def _alike(groups: list[Any], draw: random.Random) -> list[int] | None:
    """Two rows of one group."""
    members: dict[Any, list[int]] = {}
    for row, group in enumerate(groups):
        if group is not None:
            members.setdefault(group, []).append(row)
    several = [rows for rows in members.values() if len(rows) > 1]
    return draw.sample(draw.choice(several), 2) if several else None
