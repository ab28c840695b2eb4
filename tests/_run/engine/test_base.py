"""Whatever has the verbs of an engine is one, and gives the same tables as any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal._run.engine import Engine, LocalEngine, Source


class Backwards:
    """An engine that works on the last shard first, with more threads than it has shards."""

    threads = 5

    def __init__(self) -> None:
        self.n_shards = 0

    def read(self, source: Any, base: Path, encoding: str | None = None) -> pl.DataFrame:
        return LocalEngine().read(source, base, encoding)

    def open(
        self, source: Any, base: Path, encoding: str | None, folder: Path, n_rows: int
    ) -> Source | None:
        return None

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        self.n_shards += len(items)
        return [function(item) for item in reversed(items)][::-1]


def test_tables_do_not_depend_on_the_engine() -> None:
    plan = {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "mondrian",
        "seed": 1,
        "shards": {"rows": 10},
    }
    frame = pl.DataFrame({"age": [n * 7 % 40 for n in range(40)], "ill": list("abcd") * 10})
    backwards = Backwards()
    engine: Engine = backwards
    found = shoal.run(plan, frame, engine=engine)
    assert backwards.n_shards > 1
    assert found.frame.equals(shoal.run(plan, frame, engine=LocalEngine()).frame)
