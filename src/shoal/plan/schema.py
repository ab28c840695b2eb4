"""Attributes that are declared outside a plan, in the same form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.plan.assembly import assemble_schema
from shoal.plan.document import read_mapping
from shoal.schema import Individual, Schema


def parse_schema(attributes: Mapping[str, Any] | Schema, individual: str | None = None) -> Schema:
    """The schema of attributes as a plan declares them; a Schema is used as it is.

    `individual` is the column whose equal values are one person.

    >>> parse_schema({"age": "quasi", "ill": "sensitive"}).quasi[0].name
    'age'
    """
    if isinstance(attributes, Schema):
        named = attributes.individual if individual is None else Individual(individual)
        return replace(attributes, individual=named)
    declared: dict[str, Any] = {"attributes": dict(attributes)}
    if individual is not None:
        # Whose a row is identifies people, so no other role is allowed for it.
        declared["attributes"] = {individual: "identifier", **attributes}
        declared["individual"] = individual
    return assemble_schema(read_mapping(declared), Path.cwd())


def require_columns(columns: Sequence[str], names: Sequence[str]) -> None:
    """Raise PlanError with every declared column that the data lacks."""
    absent = [name for name in names if name not in columns]
    if absent:
        raise PlanError(Problem(f"The data has no column {name!r}.") for name in absent)
