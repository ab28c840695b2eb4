"""t-closeness by the Earth Mover's Distance."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Reach, SensitiveModel
from shoal.schema import Attribute, Kind, Schema

_REACH = {
    "equal": Reach.EMD_EQUAL,
    "ordered": Reach.EMD_ORDERED,
    "hierarchical": Reach.EMD_TREE,
}


class TCloseness(SensitiveModel):
    """A class's distribution of a sensitive attribute is within t of the whole table's.

    Li, Li and Venkatasubramanian 2007: the Earth Mover's Distance with equal, ordered or
    hierarchical ground distance. By default, the distance is ordered for numbers, dates and
    ordinals, hierarchical if the attribute has a file or tree, and equal otherwise.
    """

    name: ClassVar[str] = "t-closeness"
    cite: ClassVar[papers.Citations] = (papers.cite("li"),)
    limits: ClassVar[str] = (
        "A small t costs a lot of detail. Even within t, the share of a rare value in a class can "
        "be many times its share in the table."
    )

    t: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        description="the largest allowed distance between a class and the table"
    )
    distance: Literal["equal", "ordered", "hierarchical"] | None = Field(
        None, description="the ground distance between two values"
    )

    def problems(self, schema: Schema) -> list[Problem]:
        found = super().problems(schema)
        if found or self.distance != "hierarchical":
            return found
        return [
            Problem(
                f"The hierarchical distance of t-closeness needs a hierarchy file or tree, but "
                f"{name!r} has none.",
            )
            for name in self.targets(schema)
            if not _has_tree(schema[name])
        ]

    def bounds(self, schema: Schema) -> list[Bound]:
        return [
            Bound(_REACH[self.distance or natural_distance(schema[name])], self.t, name)
            for name in self.targets(schema)
        ]


def natural_distance(attribute: Attribute) -> str:
    """The ground distance of an attribute for which the plan names none."""
    if attribute.kind in (Kind.NUMERIC, Kind.DATE, Kind.ORDINAL):
        return "ordered"
    return "hierarchical" if _has_tree(attribute) else "equal"


def _has_tree(attribute: Attribute) -> bool:
    return attribute.hierarchy is not None and attribute.hierarchy.form in ("file", "tree")
