"""The levels of a hierarchy over the values of a table, exactly as a run would publish them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal._run.read import read_input
from shoal.errors import PlanError
from shoal.hierarchy import Tree
from shoal.plan import AnyPlan, Plan
from shoal.plan.wording import did_you_mean
from shoal.schema import Attribute, Schema
from shoal.source import AnyTable
from shoal.table import encode_column


@dataclass(frozen=True)
class LevelLabels:
    """One level: its number, from 1 for the original values, and how many rows each label has.

    `labels` has the columns label (null is published as empty), values (how many different values
    of the data the label covers) and rows, in the order of the hierarchy.
    """

    level: int
    labels: pl.DataFrame


def hierarchy_levels(
    plan: AnyPlan, attribute: str, data: AnyTable | None = None
) -> tuple[LevelLabels, ...]:
    """Every level of an attribute's hierarchy, with the labels that occur and their counts.

    `data` is read in place of the plan's source. Raises PlanError if the plan does not declare the
    attribute, or declares no hierarchy for it.

    >>> table = pl.DataFrame({"age": [31, 33, 34, 58]})
    >>> plan = {"attributes": {"age": {"role": "quasi", "hierarchy": {"width": 5, "levels": 2}}},
    ...         "privacy": [{"k-anonymity": {"k": 2}}]}
    >>> for one in hierarchy_levels(plan, "age", table)[1:]:
    ...     print(one.level, one.labels.rows())
    2 [('[30, 35[', 3, 3), ('[55, 60[', 1, 1)]
    3 [('[30, 40[', 3, 3), ('[50, 60[', 1, 1)]
    4 [('*', 4, 4)]
    """
    plan = Plan.of(plan)
    chosen = _declared(plan.schema, attribute)
    return levels_over(read_input(plan, data).frame[attribute], chosen)


def levels_over(
    cells: pl.Series, attribute: Attribute, counts: np.ndarray | None = None
) -> tuple[LevelLabels, ...]:
    """The same over the cells of a column; `counts` says how many rows have each, if not one."""
    column = encode_column(cells, attribute)
    tree = column.domain.tree
    assert tree is not None
    weighed = np.bincount(column.codes, weights=counts, minlength=len(column.domain))
    n_rows = weighed.astype(np.int64)
    return tuple(
        LevelLabels(level + 1, _labels(tree, level, n_rows)) for level in range(tree.height)
    )


def _declared(schema: Schema, name: str) -> Attribute:
    found = next((a for a in schema.attributes if a.name == name), None)
    if found is None:
        raise PlanError(
            f"The plan has no attribute {name!r}.",
            hint=did_you_mean(name, (a.name for a in schema.attributes))
            or "Name an attribute of the plan.",
        )
    if found.hierarchy is None:
        raise PlanError(
            f"{name!r} must have a hierarchy, but the plan declares none: its values are "
            "published as ranges or sets.",
            hint="Add 'hierarchy: …' to the attribute.",
        )
    return found


def _labels(tree: Tree, level: int, n_rows: np.ndarray) -> pl.DataFrame:
    """The labels of a level that some row has."""
    nodes = np.flatnonzero(tree.level == level)
    first, last = tree.first[nodes], tree.last[nodes]
    rows = np.append(0, np.cumsum(n_rows))
    there = np.append(0, np.cumsum(n_rows > 0))
    found = pl.DataFrame(
        {
            "label": pl.Series([tree.labels[node] for node in nodes.tolist()], dtype=pl.String),
            "values": there[last + 1] - there[first],
            "rows": rows[last + 1] - rows[first],
        }
    )
    return found.filter(pl.col("rows") > 0)
