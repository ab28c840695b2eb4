"""The reference of the plan's keys, as data."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from shoal.plan.field import (
    AttributeFields,
    Fields,
    IndividualFields,
    LocalFields,
    OutputFields,
    PlanFields,
    SeedFields,
    ShardFields,
    SparkFields,
    SuppressionFields,
)
from shoal.plan.wording import Shape

_SECTIONS: dict[str, type[Fields]] = {
    "": PlanFields,
    "individual": IndividualFields,
    "attributes.<column>": AttributeFields,
    "suppression": SuppressionFields,
    "shards": ShardFields,
    "engine.local": LocalFields,
    "engine.spark": SparkFields,
    "seed": SeedFields,
    "output": OutputFields,
}


def reference() -> list[dict[str, Any]]:
    """One row for each key: key, type in words, whether required, default, and meaning.

    >>> next(row for row in reference() if row["key"] == "shards.rows")["type"]
    'an integer of at least 2'
    """
    return [
        _row(f"{section}.{name}" if section else name, name, field, Shape.of(fields))
        for section, fields in _SECTIONS.items()
        for name, field in fields.model_fields.items()
    ]


def _row(key: str, name: str, field: FieldInfo, shape: Shape) -> dict[str, Any]:
    inner = shape.inside(name)
    # These have defaults only so that the rest of a plan without them is checked, too.
    required = field.is_required() or key in ("attributes", "privacy")
    return {
        "key": key,
        "type": inner.words() if inner is not None else "",
        "required": required,
        "default": None if required else _default(field),
        "meaning": field.description or "",
    }


def _default(field: FieldInfo) -> Any:
    default = field.get_default()
    return default.model_dump() if isinstance(default, BaseModel) else default
