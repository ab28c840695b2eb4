"""Small coded tables, for tests of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.plan import Plan
from shoal.table import Table, encode
from tests.verify.small import text

TREE = {"*": {"low": ["a", "b"], "high": ["c"]}}


def table_of(
    cells: Sequence[Any],
    kind: str = "categorical",
    *,
    people: Sequence[Any] | None = None,
    sensitivities: Sequence[float] | None = None,
    **more: Any,
) -> Table:
    """A table with the sensitive attribute s and these cells in it."""
    import polars as pl

    attributes: dict[str, Any] = {"q": "quasi", "s": {"role": "sensitive", "kind": kind, **more}}
    columns = [text(["x"] * len(cells), "q"), text(cells, "s")]
    plan: dict[str, Any] = {"privacy": [{"k-anonymity": {"k": 1}}]}
    if people is not None:
        attributes["who"] = "identifier"
        plan["individual"] = "who"
        columns.append(text(people, "who"))
    if sensitivities is not None:
        attributes["f"] = {"role": "sensitivity"}
        columns.append(text(sensitivities, "f"))
    return encode(pl.DataFrame(columns), Plan.parse({"attributes": attributes, **plan}).schema)
