"""A table and a plan for runs in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl


def people(n: int = 600) -> pl.DataFrame:
    """Numbers, texts with commas and formulas, missing cells, and a column of names."""
    draw = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, n),
            "town": draw.choice(["Ulm", "Bonn", "=Aachen", "Köln, Süd", None], n),
            "pay": draw.integers(1, 40, n) / 2,
            "visit": draw.integers(0, 9, n),
            "name": [f"n{i}" for i in range(n)],
            "ill": draw.choice(list("abcdef"), n),
        }
    )


def plan_of(method: Any = "mondrian", **more: Any) -> dict[str, Any]:
    """Quasi-identifiers of several kinds, without hierarchies."""
    return {
        "attributes": {
            "age": {"role": "quasi", "kind": "numeric"},
            "town": "quasi",
            "pay": "quasi",
            "visit": "insensitive",
            "name": "identifier",
            "ill": "sensitive",
        },
        "privacy": [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}],
        "method": method,
        "seed": 1,
        "shards": {"rows": 150},
        **more,
    }


def climbing(method: Any, **more: Any) -> dict[str, Any]:
    """The same with hierarchies, under which shards can publish the same labels."""
    plan = plan_of(method, **more)
    flat = {"role": "quasi", "hierarchy": "flat"}
    width = {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 6, "levels": 3}}
    return {**plan, "attributes": {**plan["attributes"], "age": width, "pay": width, "town": flat}}


def secretive(n: int = 600) -> pl.DataFrame:
    """The same people, of whom some keep their town or their pay to themselves."""
    draw = np.random.default_rng(8)
    frame = people(n)
    return frame.with_columns(
        hide=pl.Series(draw.choice(["yes", "no", "No"], n)),
        quiet=pl.Series(draw.random(n) < 0.3),
        code=pl.Series(draw.integers(1000, 1100, n)),
    )


def keeping_secrets(method: Any = "lgb-mdp", **more: Any) -> dict[str, Any]:
    """A plan for them: two attributes that some keep secret, two that everybody does."""
    plan = plan_of(method, **more)
    attributes = {
        **plan["attributes"],
        "town": {"role": "semi-sensitive", "flag": "hide"},
        "pay": {"role": "semi-sensitive", "flag": "quiet", "kind": "numeric"},
        "code": {"role": "sensitive", "kind": "numeric"},
        "hide": "flag",
        "quiet": "flag",
    }
    privacy = [
        {"k-anonymity": {"k": 4}},
        {"l-diversity": {"l": 2, "attribute": "town"}},
        {"l-diversity": {"l": 3, "attribute": "pay", "kind": "frequency"}},
        {"l-diversity": {"l": 3, "attribute": "ill"}},
        {"l-diversity": {"l": 4, "attribute": "code"}},
    ]
    return {**plan, "attributes": attributes, "privacy": privacy}


LEVELS = {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[9, 2], [6, 3]]}


def sensitive_people(n: int = 600) -> pl.DataFrame:
    """The same people, who ask for crowds of different sizes."""
    return people(n).with_columns(f=pl.Series(np.random.default_rng(9).random(n).round(3)))


def by_sensitivity(method: Any, *, strict: bool = False, **more: Any) -> dict[str, Any]:
    """A plan for them, with hierarchies."""
    privacy = [{"multi-level-k": {**LEVELS, "strict": strict}}, *more.pop("privacy", [])]
    plan = climbing(method, privacy=privacy, **more)
    return {**plan, "attributes": {**plan["attributes"], "f": "sensitivity"}}


def visits(n: int = 220, *, differ: bool = False) -> pl.DataFrame:
    """People with one to five rows anywhere in the table; some repeat another of theirs.

    `differ`: some rows describe their person differently.
    """
    draw = np.random.default_rng(11)
    who = np.repeat(np.arange(n), draw.choice([1, 2, 3, 5], n, p=[0.4, 0.3, 0.2, 0.1]))
    towns, ages = draw.choice(["Ulm", "Bonn", "=Aachen", None], n), draw.integers(18, 90, n)
    age = ages[who] + (draw.random(len(who)) < 0.2) * draw.integers(1, 9, len(who)) * differ
    rows = pl.DataFrame(
        {
            "name": [f"n{i}" for i in who],
            "age": age,
            "town": towns[who].tolist(),
            "ill": draw.choice(list("abcdefgh"), len(who)),
            "visit": draw.choice(["1", "2", "?", "", None], len(who)).tolist(),
        }
    )
    return rows[draw.permutation(len(rows))]


def people_plan(method: Any = "danonyir", **more: Any) -> dict[str, Any]:
    """A plan for the same."""
    return {
        "individual": "name",
        "attributes": {
            "name": "identifier",
            "age": {"role": "quasi", "kind": "numeric"},
            "town": "quasi",
            "ill": "sensitive",
            "visit": {"role": "insensitive", "missing": ["?"]},
        },
        "privacy": [{"eir-l": {"l": 3}}],
        "method": method,
        "seed": 5,
        "shards": {"rows": 120},
        **more,
    }
