"""Release folders written by hand, and releases of the LGB twin written as such."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal._command.query import Answer, query
from tests.papers.lgb import twin as twin

Cells = Mapping[str, Sequence[Any]]


def write_folder(
    folder: Path,
    columns: Sequence[Mapping[str, Any]],
    data: Cells,
    buckets: Mapping[str, Sequence[tuple[Any, Any]]] | None = None,
    suffix: str = "csv",
    **more: Any,
) -> Path:
    """A release folder with these tables; `columns` as in the manifest, None is an empty cell."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"data": dict(data)}
    for name, pairs in (buckets or {}).items():
        tables[f"buckets-{name}"] = {"BID": [b for b, _ in pairs], "value": [v for _, v in pairs]}
    for name, table in tables.items():
        _write(folder / f"{name}.{suffix}", table)
    manifest = {"format": 1, "columns": list(columns), "requirements": [], "verdicts": [],
                "ranges": "tight", "files": {f"{n}.{suffix}": {} for n in tables}}  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps({**manifest, **more}), encoding="utf-8")
    return folder


def _write(path: Path, table: Cells) -> None:
    if path.suffix == ".parquet":
        pl.DataFrame(dict(table), strict=False).write_parquet(path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        columns = [["" if cell is None else cell for cell in cells] for cells in table.values()]
        writer.writerows(zip(*columns, strict=True))


def column(name: str, role: str, kind: str | None = None, hierarchy: str | None = None) -> Any:
    entry = {"name": name, "role": role, "kind": kind, "hierarchy": hierarchy}
    return {key: value for key, value in entry.items() if value is not None}


def ask(
    folder: Path,
    cells: list[str | None],
    where: str,
    role: str = "quasi",
    kind: str | None = "numeric",
    form: str | None = None,
    plan: Any = None,
    **more: Any,
) -> Answer:
    """How many of one row there are: the share of its cell, the first of these, that matches."""
    data = {"id": [str(i) for i in range(len(cells))], "x": cells}
    columns = [column("id", "insensitive", "categorical"), column("x", role, kind, form)]
    write_folder(folder, columns, data, **more)
    return query(folder, f"SELECT COUNT(*) WHERE id = '0' AND {where}", plan)


def plan_of(**attribute: Any) -> dict[str, Any]:
    """A plan that explains the attribute x."""
    return {
        "attributes": {"id": "insensitive", "x": {"role": "quasi", **attribute}},
        "privacy": [{"k-anonymity": {"k": 2}}],
    }


def write_twin(
    folder: Path,
    table: twin.Table,
    release: twin.Release,
    names: Sequence[str],
    *,
    joined: bool = False,
    suffix: str = "csv",
) -> Path:
    """A release of the twin; an attribute that is secret throughout is a sensitive one."""
    rows = list(release.cells)
    data: dict[str, list[Any]] = {
        "record": [str(i) for i in range(1, len(rows) + 1)],
        "GID": [str(release.gid[r] + 1) for r in rows],
    }
    columns = []
    for a, name in enumerate(names):
        kind = table.attributes[a]
        sensitive = all(flags[a] for flags in table.flags)
        columns.append(column(name, "sensitive" if sensitive else "semi-sensitive",
                              "numeric" if kind[0] == "numeric" else "categorical",
                              "tree" if kind[0] == "tree" else None))  # fmt: skip
        cells = [release.cells[r][a] for r in rows]
        seen = twin.shown(release, a) if joined else {}
        if joined or not sensitive:
            data[name] = [
                label_text(cell[1]) if cell[0] == "value" else _text(seen.get(row))
                for row, cell in zip(rows, cells, strict=True)
            ]
        if a in release.buckets:
            bids = [str(cell[1] + 1) if cell[0] == "bucket" else None for cell in cells]
            data[f"{name}_BID"] = bids
    buckets = {
        names[a]: [(str(bid + 1), _text(v)) for bid, bucket in enumerate(found) for v in bucket]
        for a, found in release.buckets.items()
    }
    return write_folder(folder, columns, data, {} if joined else buckets, suffix)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def label_text(label: Any) -> str:
    """A label of the twin as published text."""
    if isinstance(label, frozenset):
        members = sorted(map(str, label))
        return members[0] if len(members) == 1 else "{" + ", ".join(members) + "}"
    if isinstance(label[1], str):
        return str(label[1])
    low, high = label
    return str(low) if low == high else f"[{low}, {high}]"
