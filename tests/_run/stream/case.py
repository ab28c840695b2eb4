"""Rows, plans and a slow, obvious twin of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal._run.shard import shard_seed
from shoal.errors import InfeasibleError

SEED = 5


def rows(n: int, seed: int = 1, common: float = 0.3) -> pl.DataFrame:
    """People; a share of them has one illness, so that not everybody can be published at once."""
    rng = np.random.default_rng(seed)
    ill = np.where(rng.random(n) < common, "flu", rng.choice(["a", "b", "c", "d"], n))
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in rng.integers(0, max(n // 2, 1), n)],
            "age": rng.integers(0, 100, n).astype(str),
            "sex": rng.choice(["f", "m"], n),
            "ill": ill,
        }
    )


def plan(
    wait: int, batch: int | None = None, delay: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    own = {"rows": wait} if batch is None else {"rows": wait, "batch": batch}
    content: dict[str, Any] = {
        "attributes": {
            "name": "identifier",
            "age": {"role": "quasi", "kind": "numeric", "domain": [0, 100]},
            "sex": {"role": "quasi", "kind": "categorical", "values": ["f", "m"]},
            "ill": {"role": "sensitive", "kind": "categorical"},
        },
        "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2, "kind": "frequency"}}],
        "method": "mondrian",
        "seed": SEED,
    }
    return {**content, "delay": {**own, **(delay or {})}, **more}


@dataclass(frozen=True)
class Twin:
    """The published tables, and how many rows were left out or still wait."""

    batches: list[pl.DataFrame]
    suppressed: int
    waiting: int
    longest: int


def twin(content: dict[str, Any], table: pl.DataFrame, *, flush: bool = False) -> Twin:
    """A stream by the book: row by row, with a whole run on every window."""
    delay = content["delay"]["rows"]
    every = content["delay"].get("batch", delay)
    alone = {key: value for key, value in content.items() if key not in ("delay", "seed")}
    batches: list[pl.DataFrame] = []
    window: list[int] = []
    suppressed = longest = since = 0

    def publish(now: int, last: bool) -> list[int]:
        nonlocal suppressed, longest
        seed = shard_seed(SEED, len(batches) + 1)
        try:
            found = shoal.run({**alone, "seed": seed}, table[window])
            classes = found.rows.sort("row")["class"].to_list()
            batches.append(found.frame)
        except InfeasibleError:
            classes = [None] * len(window)
        held = []
        for row, own in zip(window, classes, strict=True):
            if own is None and now + every - row <= delay and not last:
                held.append(row)
                continue
            suppressed += own is None
            longest = max(longest, now - row)
        return held

    for row in range(table.height):
        window.append(row)
        since += 1
        if since == every:
            window, since = publish(row + 1, False), 0
    if flush and window:
        window = publish(table.height, True)
    return Twin(batches, suppressed, len(window), longest)


def published(output: Path) -> list[pl.DataFrame]:
    """The published tables of a stream, in their order."""
    folders = sorted(output.glob("batch-*"))
    return [pl.read_csv(folder / "data.csv", infer_schema=False) for folder in folders]


def as_rows(table: pl.DataFrame) -> list[tuple[Any, ...]]:
    """The rows of a table in an order of their own, as text."""
    return sorted(table.select(pl.all().cast(pl.String)).rows(), key=repr)
