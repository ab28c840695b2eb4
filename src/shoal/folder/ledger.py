"""The ledger of versions, as it is kept on the private side."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.folder.table import write_table
from shoal.release.ledger import Ledger

LEDGER, SIGNATURES = "ledger.parquet", "signatures.parquet"


def write_ledger(ledger: Ledger, folder: Path) -> None:
    """Write who was in which version, and the values of every signature."""
    write_table(ledger.people, folder / LEDGER)
    rows = [
        (place, name, value)
        for place, signature in enumerate(ledger.signatures)
        for name, values in signature.items()
        # Sets of texts are in another order in every process.
        for value in sorted(values, key=lambda value: (value is None, value or ""))
    ]
    schema = {"signature": pl.Int64, "attribute": pl.String, "value": pl.String}
    write_table(pl.DataFrame(rows, schema=schema, orient="row"), folder / SIGNATURES)


def read_ledger(folder: Path) -> Ledger:
    """Read what `write_ledger` wrote."""
    found: dict[int, dict[str, frozenset[str | None]]] = {}
    rows = pl.read_parquet(folder / SIGNATURES).group_by("signature", "attribute").agg("value")
    for place, name, values in rows.iter_rows():
        found.setdefault(place, {})[name] = frozenset(values)
    columns = Ledger.empty().people.schema
    people = pl.read_parquet(folder / LEDGER).select(columns.names()).cast(columns)
    return Ledger(people, tuple(found[place] for place in range(len(found))))
