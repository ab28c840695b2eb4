"""Multi-level k: a crowd as large as each person asks for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Model, Reach, Scope
from shoal.model.sensitivity import asked_k
from shoal.schema import Role, Schema
from shoal.table import Table

# Every row has the k that it asks for, in 32 bits; no table has so many rows.
LevelK = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
ThresholdPair = tuple[
    Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)],
    Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)],
]


class GranularityLevel(BaseModel):
    """One granularity level: (HK, LK), and the other models that must hold at it."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)

    k: tuple[LevelK, LevelK]

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"k": value} if isinstance(value, (list, tuple)) else value

    @cached_property
    def stronger(self) -> tuple[Model, ...]:
        """The models that this level requires besides k."""
        # Not at the top, since the registry imports this module.
        from shoal.model import MODELS

        found = []
        for name, parameters in (self.model_extra or {}).items():
            if name not in MODELS or MODELS[name].scope != "class":
                raise ValueError(f"A level of multi-level-k cannot require {name!r}.")
            found.append(MODELS[name](**(parameters or {})))
        return tuple(found)

    @model_validator(mode="after")
    def _check(self) -> GranularityLevel:
        # Read here, so that what a level cannot require is an error of the plan.
        assert self.stronger is not None
        return self

    def plain(self) -> Any:
        """As a plan writes it."""
        return {"k": list(self.k), **self.model_extra} if self.model_extra else list(self.k)


class MultiLevelK(Model):
    """Every published person is in a class of at least the k that their sensitivity requires.

    MKS3WD, Definition 10: with thresholds (a_t, b_t) and pairs (HK_t, LK_t), a person of
    sensitivity f requires HK_t or LK_t at the first t where f >= a_t or f <= b_t, and the HK of the
    last level if no level decides. A level may require more than k, as {k: [HK, LK], l-diversity:
    {…}}; methods of the MKS3WD family then require this of the classes that they release at that
    level. The scheme sd-mks3wd may fall short of it, unless `strict` is set; the rows concerned are
    counted.
    """

    name: ClassVar[str] = "multi-level-k"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Definition 10"),)
    scope: ClassVar[Scope] = "row"
    limits: ClassVar[str] = (
        "Sensitivities are taken at face value: those who ask for little get little. A low k of 1 "
        "publishes their rows unchanged, perhaps alone."
    )

    thresholds: tuple[ThresholdPair, ...] = Field(description="pairs (a, b), one for each level")
    levels: tuple[GranularityLevel, ...] = Field(
        description="pairs (HK, LK), or {k: [HK, LK], model: {…}}"
    )
    strict: bool = Field(
        False, description=("whether sd-mks3wd must satisfy it too, by repairing classes")
    )

    @model_validator(mode="after")
    def _check(self) -> MultiLevelK:
        found = list(_order_problems(self.thresholds, self.pairs))
        if found:
            raise ValueError(" ".join(found))
        return self

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """(HK, LK) of every level."""
        return tuple(level.k for level in self.levels)

    @property
    def asks_more_at_levels(self) -> bool:
        """Whether some level requires another model besides k."""
        return any(level.stronger for level in self.levels)

    def parameters(self) -> dict[str, Any]:
        return {
            "thresholds": [list(pair) for pair in self.thresholds],
            "levels": [level.plain() for level in self.levels],
            "strict": self.strict,
        }

    def problems(self, schema: Schema) -> list[Problem]:
        n = len(schema.of(Role.SENSITIVITY))
        found = []
        if n != 1:
            found.append(
                Problem(
                    f"{self.name} needs exactly one attribute with 'role: sensitivity', but there "
                    f"are {n}.",
                    hint="Give this role to the column with every person's f from 0 to 1.",
                )
            )
        stronger = [m for level in self.levels for m in level.stronger]
        return [*found, *(p for m in stronger for p in m.problems(schema))]

    def bounds(self, schema: Schema) -> list[Bound]:
        # The size of a class less the largest k that a member asks for.
        return [Bound(Reach.PERSONAL, 0)]

    def asked_k(self, table: Table) -> NDArray[np.int32]:
        """The k that each unit asks for."""
        return asked_k(table.unit_sensitivity(), self.thresholds, self.pairs)

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        """Whoever asks for more than there are can be left out, but somebody must be left.

        Of a table that is only sketched, with no sensitivities, nothing is known.
        """
        if table.sensitivity is None:
            return []
        asked = np.sort(self.asked_k(table))
        least = int(asked[0]) if len(asked) else 1
        if (asked <= np.arange(1, len(asked) + 1)).any():
            return []
        return [
            Problem(
                f"{self.name} cannot be achieved: everybody requires a k of {least} or "
                f"more, but the table has {table.units_counted}.",
                hint=f"The largest possible k is {table.n_units}.",
            )
        ]


def _order_problems(
    thresholds: Sequence[ThresholdPair], pairs: Sequence[tuple[int, int]]
) -> list[str]:
    """What the paper's conditions on thresholds and pairs forbid."""
    found = []
    if len(thresholds) != len(pairs) or not pairs:
        found.append(
            f"The 'levels' parameter of multi-level-k must have one pair for each of the "
            f"{len(thresholds)} thresholds, got {len(pairs)} instead."
        )
    a, b = [x[0] for x in thresholds], [x[1] for x in thresholds]
    high, low = [x[0] for x in pairs], [x[1] for x in pairs]
    rules = [
        (all(x >= y for x, y in zip(a, b, strict=True)), "a must be at least b at every level."),
        (all(x >= y for x, y in pairwise(a)), "a must not rise from level to level."),
        (all(x <= y for x, y in pairwise(b)), "b must not fall from level to level."),
        (all(x > y for x, y in pairwise(high)), "HK must fall at every level."),
        (all(x < y for x, y in pairwise(low)), "LK must rise at every level."),
        (not pairs or high[-1] > low[-1], "HK must be larger than LK at the last level."),
    ]
    return [*found, *(f"In multi-level-k, {text}" for holds, text in rules if not holds)]
