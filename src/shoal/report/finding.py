"""What was required of a release and what it achieves, requirement by requirement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.model import MODELS
from shoal.reading.manifest import Manifest
from shoal.schema.wording import model_of


@dataclass(frozen=True)
class Finding:
    """One requirement, on one attribute: what was required and what the table achieves.

    `reached` is None where it cannot be counted in the published tables. `by_bucket` says that it
    is required of the buckets of an attribute, and not of groups, `idle` that there are none, and
    `as_symbols` that the table shows symbols in place of values of the attribute. `posterior` is
    the largest share of one value in a bucket.
    """

    model: str
    parameters: Mapping[str, Any]
    holds: bool | None
    asked: Any = None
    reached: Any = None
    attribute: str | None = None
    n_offending: int = 0
    by_bucket: bool = False
    as_symbols: bool = False
    idle: bool = False
    posterior: float | None = None

    @property
    def of_rows(self) -> bool:
        """Whether rows fail, and not groups: what is achieved was counted with the original."""
        model = MODELS.get(self.model)
        return model is not None and model.scope == "row" and self.reached is not None


def findings_of(manifest: Manifest, data: pl.DataFrame) -> list[Finding]:
    """Every verdict of a manifest with the requirement that it is on; `data` shows the buckets."""
    asked = {str(r): r for r in manifest.requirements}
    secret = {column.name for column in manifest.secret}
    shown = {column.name for column in manifest.flagged}
    found = []
    for claim in manifest.verdicts:
        requirement = asked.get(claim.requirement)
        given = {} if requirement is None else requirement.parameters
        found.append(
            Finding(
                model_of(claim.requirement) if requirement is None else requirement.model,
                {name: value for name, value in given.items() if value is not None},
                claim.holds,
                claim.asked,
                claim.reached,
                claim.attribute,
                claim.offending,
                claim.attribute in secret,
                claim.attribute in shown,
                claim.attribute in secret and f"{claim.attribute}_BID" not in data.columns,
                claim.posterior,
            )
        )
    return found
