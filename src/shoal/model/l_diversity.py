"""l-diversity in its four kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Reach, SensitiveModel, safe_text, too_few_spare
from shoal.model.evenness import most_even
from shoal.schema import Role, Schema
from shoal.schema.wording import counted
from shoal.table import Table

_REACH = {
    "distinct": Reach.DISTINCT,
    "frequency": Reach.FREQUENCY,
    "entropy": Reach.ENTROPY,
    "recursive": Reach.RECURSIVE,
}


class LDiversity(SensitiveModel):
    """Every class shows at least l well represented values of a sensitive attribute.

    Machanavajjhala et al. 2006. `distinct`: at least l different values; `frequency`: the
    commonest value is at most one in l rows; `entropy`: exp(entropy) is at least l; `recursive`:
    with counts r1 >= r2 >= …, r1 < c (r_l + … + r_m). Original values count; a missing one is a
    value of its own, unless `missing: ignore` is given: then only rows with a known value count,
    and a class without any does not hold.
    """

    name: ClassVar[str] = "l-diversity"
    cite: ClassVar[papers.Citations] = (papers.cite("machanavajjhala"),)
    limits: ClassVar[str] = (
        "Distinct l does not limit how common one value is; frequency, entropy and recursive do. "
        "None of them takes into account that different values can have similar meanings (three "
        "kinds of cancer), or how rare a value is in the table."
    )

    l: Annotated[int | float, Field(ge=1, allow_inf_nan=False)] = Field(  # noqa: E741
        description="how many values must be well represented"
    )
    kind: Literal["distinct", "frequency", "entropy", "recursive"] = Field(
        "distinct", description="what 'well represented' means"
    )
    c: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="the factor of the recursive kind"
    )
    personal: str | None = Field(
        None, description="a column of role flag with the l of each person; for buckets only"
    )
    missing: Literal["value", "ignore"] = Field(
        "value", description="whether a missing value counts as a value; not for buckets"
    )

    @model_validator(mode="after")
    def _check(self) -> LDiversity:
        if self.kind == "recursive" and self.c is None:
            raise ValueError("The 'c' parameter of l-diversity is required for kind: recursive.")
        if self.kind != "recursive" and self.c is not None:
            raise ValueError("The 'c' parameter of l-diversity is only for kind: recursive.")
        # These kinds count values. For the others l is a limit on a share or an entropy.
        if self.kind in ("distinct", "recursive") and self.l != int(self.l):
            raise ValueError(
                f"The 'l' parameter of {self.kind} l-diversity must be an integer of at least 1, "
                f"got {self.l:g} instead."
            )
        return self

    def parameters(self) -> dict[str, Any]:
        found = super().parameters()
        if self.missing == "value":
            del found["missing"]
        return found

    @property
    def names_kind(self) -> bool:
        """Whether the plan names the kind; if not, some methods aim for a stronger one."""
        return "kind" in self.model_fields_set

    def problems(self, schema: Schema) -> list[Problem]:
        return [*super().problems(schema), *self._wrong_column(schema)]

    def _wrong_column(self, schema: Schema) -> list[Problem]:
        flags = [a.name for a in schema.of(Role.FLAG)]
        if self.personal is None or self.personal in flags:
            return []
        return [
            Problem(
                "The 'personal' parameter of l-diversity must name a column of role flag.",
                hint="The column holds the l of each person, and is never published.",
            )
        ]

    def bounds(self, schema: Schema) -> list[Bound]:
        return [
            Bound(_REACH[self.kind], self.l, name, self.c or 0.0, self.missing == "ignore")
            for name in self.targets(schema)
        ]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        return [
            problem
            for name in self.targets(table.schema)
            for problem in self._short(table, name, spare)
        ]

    def _short(self, table: Table, name: str, spare: int | None) -> list[Problem]:
        """What no choice of rows reaches, or only one that leaves out more than may be."""
        counts = self.counts(table, name)
        bound = Bound(_REACH[self.kind], self.l, name, self.c or 0.0)
        said = f"{self.kind} l-diversity with l = {self.l:g}"
        if len(counts) < self.l:
            known = "known value" if self.missing == "ignore" else "value"
            return [
                Problem(
                    f"{said} cannot be achieved for {name!r}: the table has "
                    f"{counted(len(counts), f'distinct {known}')}.",
                    hint=f"The largest possible l is {len(counts)}.",
                )
            ]
        if self.kind == "distinct":
            return []
        gone = most_even(counts, [bound])
        if gone is None:
            # Nothing is more even than one row of each of the m values: 1 < c (m - l + 1).
            least = safe_text(1 / (len(counts) - self.l + 1), least=True)
            text = f"{said} and c = {self.c:g} cannot be achieved for {name!r} by any rows."
            return [Problem(text, hint=f"c must be above {least}.")]
        return too_few_spare(said, int(gone.sum()), spare, name)

    def counts(self, table: Table, name: str) -> NDArray[np.int64]:
        """How often each value that counts occurs in the table."""
        # A copy, since a table may hand out the counts that it keeps.
        counts = table.counts(name).copy()
        missing = table.columns[name].domain.missing
        if self.missing == "ignore" and missing >= 0:
            counts[missing] = 0
        return np.asarray(counts[counts > 0])


def limits_guesses(model: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a requirement limits to 1/l how often a guess in a bucket is right.

    l-diversity does where l counts values: in a bucket each is as frequent as any other.

    >>> limits_guesses("l-diversity", {"l": 4}), limits_guesses("t-closeness", {"t": 0.2})
    (True, False)
    """
    kind = parameters.get("kind") or "distinct"
    return model == LDiversity.name and kind in ("distinct", "frequency")
