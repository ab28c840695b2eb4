"""What was required of a release and what it reaches, requirement by requirement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.reading.manifest import Manifest


@dataclass(frozen=True)
class Finding:
    """One requirement, of one attribute: what was asked and what the table reaches.

    `by_bucket` says that it is asked of the buckets of an attribute, and not of groups;
    `as_symbols` that the table shows symbols in place of values of the attribute.
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

    @property
    def idle(self) -> bool:
        """Whether it is asked of buckets, and there are none."""
        return self.by_bucket and self.holds is True and self.reached is None


def findings_of(manifest: Manifest) -> list[Finding]:
    """Every verdict of a manifest with the requirement that it is on."""
    asked = {str(r): r for r in manifest.requirements}
    secret = {column.name for column in manifest.secret}
    shown = {column.name for column in manifest.flagged}
    found = []
    for claim in manifest.verdicts:
        requirement = asked.get(claim.requirement)
        given = {} if requirement is None else requirement.parameters
        found.append(
            Finding(
                claim.requirement.split(" {")[0] if requirement is None else requirement.model,
                {name: value for name, value in given.items() if value is not None},
                claim.holds,
                claim.asked,
                claim.reached,
                claim.attribute,
                claim.offending,
                claim.attribute in secret,
                claim.attribute in shown,
            )
        )
    return found
