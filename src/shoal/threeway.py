"""Three-way decisions: regions, thresholds and the hierarchical decision table (MKS3WD)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from shoal.errors import PlanError, Problem
from shoal.model.sensitivity import regions
from shoal.plan import parse_schema
from shoal.schema import Role, Schema
from shoal.source import AnyTable, read
from shoal.table import encode

__all__ = ["Thresholds", "decision_table", "regions", "thresholds"]


class Thresholds(NamedTuple):
    """alpha, beta and gamma of eq. 2."""

    alpha: float
    beta: float
    gamma: float


def thresholds(pp: float, bp: float, np: float, nn: float, bn: float, pn: float) -> Thresholds:
    """Thresholds from the six losses of decision-theoretic rough sets (eq. 2).

    The first letter is the decision (positive, boundary, negative), the second the state. Raises
    PlanError unless 0 <= pp <= bp <= np, 0 <= nn <= bn <= pn, no denominator is zero, and
    beta <= gamma <= alpha.

    >>> thresholds(pp=0, bp=2, np=6, nn=0, bn=1, pn=5)
    Thresholds(alpha=0.6666666666666666, beta=0.2, gamma=0.45454545454545453)
    """
    problems = []
    if not 0 <= pp <= bp <= np:
        problems.append(Problem("The losses must satisfy 0 <= pp <= bp <= np."))
    if not 0 <= nn <= bn <= pn:
        problems.append(Problem("The losses must satisfy 0 <= nn <= bn <= pn."))
    parts = {
        "alpha": (pn - bn, bp - pp),
        "beta": (bn - nn, np - bp),
        "gamma": (pn - nn, np - pp),
    }
    zero = [name for name, (a, b) in parts.items() if a + b == 0]
    problems += [Problem(f"The denominator of {name} is zero.") for name in zero]
    if problems:
        raise PlanError(problems)
    found = Thresholds(**{name: a / (a + b) for name, (a, b) in parts.items()})
    if not found.beta <= found.gamma <= found.alpha:
        raise PlanError(
            "The losses give thresholds that are not in the order beta <= gamma <= alpha.",
            hint="The boundary must be the cheapest decision somewhere between the other two.",
        )
    return found


def decision_table(data: AnyTable, attributes: Mapping[str, Any] | Schema) -> pl.DataFrame:
    """The hierarchical decision table (Definition 7, Table 2).

    For every quasi-identifier, its value at every level, `<name>_1` (original) to `<name>_m`, with
    m the tallest hierarchy and shorter ones repeating their top; then the sensitive attributes and
    the sensitivity. `attributes` is what a plan declares, or a Schema.
    """
    frame = read(data)
    schema = parse_schema(attributes)
    table = encode(frame, schema)
    lacking = [d.attribute.name for d in table.quasi if d.tree is None]
    if lacking:
        raise PlanError(Problem(f"{name!r} has no hierarchy.") for name in lacking)
    height = max((d.tree.height for d in table.quasi if d.tree is not None), default=0)
    columns = []
    for domain in table.quasi:
        tree = domain.tree
        assert tree is not None
        codes = table.columns[domain.attribute.name].codes
        for level in range(height):
            nodes = tree.node[min(level, tree.height - 1)]
            labels = [tree.labels[node] for node in nodes]
            texts = pl.Series(f"{domain.attribute.name}_{level + 1}", labels, dtype=pl.String)
            columns.append(texts.gather(codes))
    rest = [a.name for a in schema.of(Role.SENSITIVE, Role.SENSITIVITY)]
    return pl.DataFrame([*columns, *frame.select(rest)])
