"""What the verifier's parts look at, from as few words as can be: for tests of their edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.reading.encoding import Coded, Runs, encode_text, find_starts
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Requirement, Role, Schema
from shoal.verify.model.verdict import Reach
from shoal.verify.text.classes import Classes
from shoal.verify.text.published import Published


def text(cells: Sequence[Any], name: str = "") -> pl.Series:
    """A column of text; None is missing."""
    return pl.Series(name, [None if c is None else str(c) for c in cells], dtype=pl.String)


def labels(cells: Sequence[Any]) -> Coded:
    """A published column."""
    return encode_text(text(cells))


def quasi(
    kind: Kind | None = None, hierarchy: HierarchySpec | None = None, **more: Any
) -> Attribute:
    """A quasi-identifier q."""
    return Attribute("q", Role.QUASI, kind, hierarchy=hierarchy, **more)


def runs_of(*counts: Sequence[int]) -> tuple[Runs, Any]:
    """Classes by how often each of their values stands in them, and the rows of each."""
    owners = np.repeat(np.arange(len(counts)), [len(own) for own in counts]).astype(np.int32)
    values = np.concatenate([np.arange(len(own)) for own in counts]).astype(np.int32)
    flat = np.concatenate([np.array(own) for own in counts]).astype(np.int32)
    return Runs(owners, values, flat, find_starts(owners)), np.array([sum(c) for c in counts])


def classes_of(
    cells: Mapping[int, Sequence[Any]],
    kind: Kind | None = None,
    hierarchy: HierarchySpec | None = None,
    *,
    people: Sequence[int] | None = None,
    beside: Sequence[Any] = (),
    extra: Mapping[str, Sequence[Any]] | None = None,
    attributes: Sequence[Attribute] = (),
    released_k: Sequence[int] | None = None,
    **more: Any,
) -> Classes:
    """Classes by number, as the cells of the sensitive attribute s; `beside` is in no class.

    `people` has the person of every row, `extra` further columns of the table.
    """
    column = [cell for own in cells.values() for cell in own]
    of_row = np.repeat(np.arange(len(cells)), [len(own) for own in cells.values()])
    sensitive = Attribute("s", Role.SENSITIVE, kind, hierarchy=hierarchy, **more)
    whole = None if people is None else np.array(people, dtype=np.int32)
    return Classes(
        Schema((sensitive, *attributes), None if people is None else Individual("who")),
        pl.DataFrame([text([*column, *beside], "s")]).with_columns(
            *(text(own, name) for name, own in (extra or {}).items())
        ),
        np.arange(len(column)),
        of_row.astype(np.int32),
        np.array(list(cells), dtype=np.int64),
        None if whole is None else whole[: len(column)],
        whole,
        None if released_k is None else np.array(released_k),
    )


def release_of(
    data: Mapping[str, Sequence[Any]],
    original: Mapping[str, Sequence[Any]],
    schema: Schema,
    *,
    origin: Sequence[int] | None = None,
    classes: Sequence[int] | None = None,
    ranges: str = "tight",
) -> Published:
    """A published table beside its original; by default all rows, in order, in class 1."""
    n_rows = len(next(iter(original.values()), ()))
    return Published(
        {"data": pl.DataFrame([_column(name, cells) for name, cells in data.items()])},
        pl.DataFrame([_column(name, cells) for name, cells in original.items()]),
        np.arange(n_rows) if origin is None else np.array(origin, dtype=np.int64),
        np.ones(n_rows, dtype=np.int64) if classes is None else np.array(classes, dtype=np.int64),
        schema,
        ranges=ranges,
    )


def _column(name: str, cells: Sequence[Any]) -> pl.Series:
    return cells.alias(name) if isinstance(cells, pl.Series) else text(cells, name)


def asked(model: str, /, **parameters: Any) -> Requirement:
    """A requirement as plain data."""
    return Requirement(model, parameters)


def reach(good: Sequence[bool], *keys: Sequence[float]) -> Reach:
    """What classes reach, for a verdict."""
    return Reach(np.array(good), "reached", tuple(np.array(key) for key in keys))


def said(problems: Any) -> str:
    """What problems say, a line each; nothing where there are none."""
    return "\n".join(str(problem) for problem in problems)
