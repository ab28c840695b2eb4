"""The base of everything that a plan names: a model, a method, a measure.

A specification is frozen and checked when it is built; what it is for, where it comes from and
what it takes are data, from which the plan reference, the help and the contract tests are made.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from shoal.errors import Problem
from shoal.papers import Citations
from shoal.schema import Schema

# What a model is about comes after what it requires, although a base declares it.
_LAST = ("attribute", "population")

Count = Annotated[int, Field(strict=True, ge=1)]
Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class Specification(BaseModel):
    """Something with a name and parameters that a plan can ask for."""

    model_config = ConfigDict(
        frozen=True,
        # A word that is misspelt must not be a requirement that is left out.
        extra="forbid",
        # Parameters may name values of cells, which no message may repeat.
        hide_input_in_errors=True,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    name: ClassVar[str]
    cite: ClassVar[Citations]
    limits: ClassVar[str] = ""

    def problems(self, schema: Schema) -> list[Problem]:
        """What does not fit together between this and the attributes; empty if all is well."""
        return []

    def parameters(self) -> dict[str, Any]:
        """The parameters under the names that a plan uses, defaults filled in."""
        dumped = self.model_dump(by_alias=True)
        return dict(sorted(dumped.items(), key=lambda item: item[0] in _LAST))

    @classmethod
    def summary(cls) -> str:
        """The first line of what this is."""
        return inspect.cleandoc(cls.__doc__ or "").splitlines()[0]

    @classmethod
    def describe(cls) -> dict[str, Any]:
        """Name, summary, source with its full references, and parameters, as data."""
        fields = {
            field.alias or name: {
                "default": None if field.is_required() else field.get_default(),
                "required": field.is_required(),
                "meaning": field.description or "",
            }
            for name, field in sorted(cls.model_fields.items(), key=lambda item: item[0] in _LAST)
        }
        return {
            "name": cls.name,
            "summary": cls.summary(),
            "source": "; ".join(map(str, cls.cite)),
            "references": [citation.reference for citation in cls.cite],
            "limits": cls.limits,
            "parameters": fields,
        }
